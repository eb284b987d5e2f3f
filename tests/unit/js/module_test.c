#include "js/module.h"

#include <errno.h>

#include "js/value.h"
#include "rig.h"
#include "test.h"

static void check_resolve(const char *importer, const char *written, const char *expected)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	js_module_resolve(importer, written, &name);
	if (strcmp(strbuf_cstr(&name), expected) != 0)
		test_fail(__FILE__, __LINE__, "%s from %s is %s, expected %s", written, importer,
			  strbuf_cstr(&name), expected);
}

TEST(module_names_resolve_against_the_importer)
{
	static const char *const cases[][3] = {
		{ "/a/b/main.js", "k6/http", "k6/http" },
		{ "/a/b/main.js", "lodash", "lodash" },
		{ "/a/b/main.js", "./lib.js", "/a/b/lib.js" },
		{ "/a/b/main.js", "./x/../y/./lib.js", "/a/b/y/lib.js" },
		{ "/a/b/main.js", "../lib", "/a/lib" },
		{ "/a/b/main.js", "../../../../lib.js", "/lib.js" },
		{ "/a/b/main.js", "/etc/lib.js", "/etc/lib.js" },
		{ "/a/b/main.js", "//etc//lib.js", "/etc/lib.js" },
		{ "/a/b/main.js", "file:///c/../d/lib.js", "/d/lib.js" },
		{ "file:///a/b/main.js", "./lib.js", "/a/b/lib.js" },
		{ "/a/b/main.js", "https://h.example/x.js", "https://h.example/x.js" },
		{ "https://h.example/a/b.js", "./c.js", "https://h.example/a/c.js" },
		{ "https://h.example/a/b.js", "../../c.js", "https://h.example/c.js" },
		{ "https://h.example/a/b.js", "/c.js", "https://h.example/c.js" },
		{ "https://h.example/a/b.js", "file:///c.js", "/c.js" },
		{ "https://h.example", "./c.js", "https://h.example/c.js" },
		{ "main.js", "./lib.js", "./lib.js" },
		{ "dir/main.js", "./lib.js", "./dir/lib.js" },
		{ "dir/main.js", "../lib.js", "./lib.js" },
		{ "dir/main.js", "../../lib.js", "../lib.js" },
		{ "../main.js", "../lib.js", "../../lib.js" },
		{ "", "./lib.js", "./lib.js" },
		{ "", "/lib.js", "/lib.js" },
		{ "/a/b/main.js", "/", "/" },
		{ "/a/b/main.js", "../../..", "/" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_resolve(cases[i][0], cases[i][1], cases[i][2]);
}

TEST(module_native_exports_by_name_as_default_and_as_namespace)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v, "import rig from 'rig';\n"
				"import { wait, note } from 'rig';\n"
				"import * as all from 'rig';\n"
				"export default () => { wait(); rig.wait(); all.wait();\n"
				"  return [rig.note === note, all.default === rig,\n"
				"          Object.keys(all).sort()].join(); }"),
		   0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "true,true,collect,default,later,note,wait");
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(module_sources_are_loaded_once_for_all_vms)
{
	struct rig rig;
	struct rig_vm v[3];

	rig_open(&rig, 0);
	rig_source(&rig, "/a/main.js",
		   "import { next } from '../lib/count.js';\n"
		   "import { twice } from './twice.js';\n"
		   "export default () => twice(next()) + '|' + import.meta;\n");
	rig_source(&rig, "/a/twice.js",
		   "import { next } from '/lib/count.js';\n"
		   "export const twice = (x) => { next(); return 2 * x; };\n");
	rig_source(&rig, "/lib/count.js", "let n = 0; export const next = () => ++n;");
	for (int i = 0; i < 3; i++) {
		rig_vm_open(&v[i], &rig);
		ASSERT_INT(rig_run(&v[i], "/a/main.js"), 0);
	}
	ASSERT_INT(rig.loads, 3);
	ASSERT_INT(rig_run(&v[0], "/a/main.js"), 0);
	for (int i = 0; i < 3; i++) {
		/* import.meta has no prototype: joining it throws, in every VM alike */
		ASSERT_INT(v[i].code, -EINVAL);
		rig_vm_close(&v[i]);
	}
	rig_close(&rig);
}

TEST(module_state_belongs_to_the_vm)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "let n = 0; globalThis.g ||= 0;\n"
		   "export default () => `${++n} ${++globalThis.g}`;");
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);
	rig_run(&a, "/main.js");
	rig_run(&a, "/main.js");
	rig_run(&b, "/main.js");
	ASSERT_STREQ(strbuf_cstr(&a.result), "2 2");
	ASSERT_STREQ(strbuf_cstr(&b.result), "1 1");
	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(module_cycles_and_dynamic_imports_work)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/a.js",
		   "import { b } from './b.js';\n"
		   "export const a = () => 'a';\n"
		   "export default async () => {\n"
		   "  const c = await import('./c.js'); return a() + b() + c.default; }");
	rig_source(&rig, "/b.js", "import { a } from './a.js'; export const b = () => a() + 'b';");
	rig_source(&rig, "/c.js", "export default 'c';");
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_run(&v, "/a.js"), 0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "aabc");
	rig_vm_close(&v);
	rig_close(&rig);
}

static void expect_import_error(const char *source, const char *message, const char *place)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	rig_source(&rig, "/main.js", source);
	rig_source(&rig, "/bad.js", "export const x = 1;\nlet y = ;\n");
	rig_source(&rig, "/thrower.js", "\n  null.x;\n");
	ASSERT_INT(rig_run(&v, "/main.js"), 0);
	ASSERT_INT(v.code, -EINVAL);
	strbuf_addf(&sb, "%s%s", place, message);
	ASSERT_INT(js_error_set(&err, -EINVAL, &v.err), -EINVAL);
	ASSERT_STREQ(err.msg, strbuf_cstr(&sb));

	/* nothing of the failure stays: the VM imports something else */
	rig_source(&rig, "/fine.js", "export default () => 'fine';");
	v.imported = false;
	ASSERT_INT(rig_run(&v, "/fine.js"), 0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "fine");
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(module_failed_dynamic_import_can_be_caught)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/bad.js", "throw new Error('bad');");
	rig_source(&rig, "/main.js",
		   "export default async () => {\n"
		   "  try { await import('./bad.js'); } catch (e) { return 'caught ' + e; } }");
	rig_source(&rig, "/lost.js", "export default () => { import('./bad.js'); }");
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_run(&v, "/main.js"), 0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "caught Error: bad");
	rig_vm_close(&v);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_run(&v, "/lost.js"), 0);
	ASSERT_INT(v.code, -EINVAL);
	ASSERT_STREQ(v.err.message, "Uncaught (in promise) Error: bad");
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(module_errors_name_what_and_where)
{
	expect_import_error("import http from 'k6/grpc';\n", "Error: k6/grpc is not available here",
			    "/main.js:1:18: ");
	expect_import_error("import './none.js';\n", "Error: reading /none.js: no such file",
			    "/main.js:1:8: ");
	expect_import_error("let x = 1;\nlet y = 2 +* 3;\n",
			    "SyntaxError: unexpected token in expression: '*'", "/main.js:2:12: ");
	expect_import_error("import './bad.js';\n",
			    "SyntaxError: unexpected token in expression: ';'", "/bad.js:2:9: ");
	expect_import_error("import { nope } from './fine.js'; import { get } from 'rig';\n",
			    "Error: reading /fine.js: no such file", "/main.js:1:22: ");
	expect_import_error(
		"// get './none.js' 'rig'\nlet get2;\nimport {\n  get,\n} from 'rig';\n",
		"SyntaxError: Could not find export 'get' in module 'rig'", "/main.js:4:3: ");
	expect_import_error("const s = 'rig';\nimport(\"./none.js\");\n",
			    "Uncaught (in promise) Error: reading /none.js: no such file",
			    "/main.js:2:8: ");
	expect_import_error("import './thrower.js';\n",
			    "TypeError: cannot read property 'x' of null", "/thrower.js:2:7: ");
	expect_import_error("throw new RangeError('at init');\n", "RangeError: at init",
			    "/main.js:1:21: ");
	expect_import_error("await new Promise(() => 0);\n",
			    "Error: /main.js: an await at the top level is never fulfilled", "");
}

/* ---- what native functions see of their caller ---- */

static JSValue who(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	(void)this_val, (void)argc, (void)argv;
	js_module_caller(ctx, &name);
	return js_new_str(ctx, strbuf_str(&name));
}

static int caller_init(JSContext *ctx, JSValueConst exports)
{
	return js_set_double(ctx, exports, "answer", 42);
}

TEST(module_caller_is_known_to_native_functions)
{
	static const JSCFunctionListEntry functions[] = { JS_CFUNC_DEF("who", 0, who) };
	static const char *const names[] = { "answer", NULL };
	static const struct js_native_module native = {
		.name = "caller",
		.functions = functions,
		.function_count = 1,
		.names = names,
		.init = caller_init,
	};
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	js_modules_add(rig.mods, &native);
	rig_vm_open(&v, &rig);
	rig_source(&rig, "/d/lib.js",
		   "import { who } from 'caller'; export const lib = () => [0].map(who)[0];");
	rig_source(&rig, "/main.js",
		   "import { who, answer } from 'caller';\n"
		   "import { lib } from './d/lib.js';\n"
		   "export default () => `${who()} ${lib()} ${answer}`;");
	rig_run(&v, "/main.js");
	ASSERT_STREQ(strbuf_cstr(&v.result), "/main.js /d/lib.js 42");
	rig_vm_close(&v);
	rig_close(&rig);
}
