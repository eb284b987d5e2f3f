#include "js/value.h"

#include <stdio.h>

#include "js/error.h"
#include "js/shard.h"
#include "js/vm.h"
#include "test.h"

struct bench {
	struct js_shard *shard;
	struct js_vm *vm;
	JSContext *ctx;
};

static void bench_open(struct bench *b)
{
	struct js_shard_opts opts = { 0 };

	ASSERT_OK(js_shard_new(&b->shard, &opts));
	ASSERT_OK(js_vm_new(&b->vm, b->shard, NULL, NULL));
	b->ctx = js_vm_context(b->vm);
}

static void bench_close(struct bench *b)
{
	js_vm_free(b->vm);
	js_shard_free(b->shard);
}

static JSValue eval(struct bench *b, const char *source)
{
	JSValue v = JS_Eval(b->ctx, source, strlen(source), "test", JS_EVAL_TYPE_GLOBAL);

	ASSERT_TRUE(!JS_IsException(v));
	return v;
}

TEST(value_properties_convert_as_the_language_does)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct bench b;
	JSValue o;
	double d = -1;
	int64_t n = -1;
	bool flag = false;

	bench_open(&b);
	o = eval(&b, "({ s: 'text', n: 3.75, t: 1, z: null, big: 2 ** 40, num: '12',\n"
		     "   get bad() { throw new Error('getter'); } })");
	ASSERT_INT(js_get_str(b.ctx, o, "s", &sb), 1);
	ASSERT_INT(js_get_str(b.ctx, o, "n", &sb), 1);
	ASSERT_STREQ(strbuf_cstr(&sb), "text3.75");
	ASSERT_INT(js_get_str(b.ctx, o, "absent", &sb), 0);
	ASSERT_INT(js_get_double(b.ctx, o, "n", &d), 1);
	ASSERT_NEAR(d, 3.75, 0);
	ASSERT_INT(js_get_double(b.ctx, o, "z", &d), 0);
	ASSERT_INT(js_get_double(b.ctx, o, "num", &d), 1);
	ASSERT_NEAR(d, 12, 0);
	ASSERT_INT(js_get_int64(b.ctx, o, "big", &n), 1);
	ASSERT_INT(n, 1LL << 40);
	ASSERT_INT(js_get_bool(b.ctx, o, "t", &flag), 1);
	ASSERT_TRUE(flag);
	ASSERT_INT(js_get_double(b.ctx, o, "bad", &d), -1);
	ASSERT_TRUE(JS_HasException(b.ctx));
	js_error_take(b.ctx, NULL);
	ASSERT_TRUE(!JS_HasException(b.ctx));
	JS_FreeValue(b.ctx, o);
	bench_close(&b);
}

static int collect(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct strbuf *sb = arg;

	strbuf_addf(sb, "%.*s=", STR_FMT(key));
	if (js_to_str(ctx, value, sb) < 0)
		return -1;
	strbuf_addch(sb, ' ');
	return str_eq(key, STR("stop"));
}

TEST(value_each_goes_through_own_enumerable_properties)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct bench b;
	JSValue o;

	bench_open(&b);
	o = eval(&b, "const o = Object.create({ inherited: 1 }); o.b = 1; o[2] = 2; o[1] = 3;\n"
		     "o[Symbol('s')] = 4; Object.defineProperty(o, 'hidden', { value: 5 });\n"
		     "o.stop = 6; o.never = 7; o");
	ASSERT_INT(js_each(b.ctx, o, collect, &sb), 1);
	ASSERT_STREQ(strbuf_cstr(&sb), "1=3 2=2 b=1 stop=6 ");
	JS_FreeValue(b.ctx, o);

	strbuf_clear(&sb);
	o = eval(&b, "['x', 'y']");
	ASSERT_INT(js_array_length(b.ctx, o), 2);
	ASSERT_INT(js_each_element(b.ctx, o, collect, &sb), 0);
	ASSERT_STREQ(strbuf_cstr(&sb), "0=x 1=y ");
	JS_FreeValue(b.ctx, o);
	bench_close(&b);
}

TEST(value_json_goes_both_ways)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct js_error err = JS_ERROR_INIT;
	struct bench b;
	JSValue o;

	bench_open(&b);
	/* a slice of a larger text: the parser must not look behind its end */
	o = js_json_parse(b.ctx, (struct str){ "{\"a\":[1,\"\\u00fc\"]}garbage", 18 }, "data");
	ASSERT_TRUE(JS_IsObject(o));
	ASSERT_INT(js_json_write(b.ctx, o, &sb), 1);
	ASSERT_STREQ(strbuf_cstr(&sb), "{\"a\":[1,\"\xc3\xbc\"]}");
	JS_FreeValue(b.ctx, o);

	o = js_json_parse(b.ctx, STR("{\"a\":}"), "data.json");
	ASSERT_TRUE(JS_IsException(o));
	js_error_take(b.ctx, &err);
	ASSERT_HAS(err.message, "SyntaxError");
	ASSERT_STREQ(err.file, "data.json");
	ASSERT_INT(err.line, 1);
	js_error_release(&err);

	o = eval(&b, "(() => 1)");
	ASSERT_INT(js_json_write(b.ctx, o, &sb), 0);
	JS_FreeValue(b.ctx, o);
	bench_close(&b);
}

TEST(value_freeze_reaches_all_levels)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct bench b;
	JSValue o;

	bench_open(&b);
	o = eval(&b, "globalThis.o = { a: { b: [1] } }");
	eval(&b, "Object.freeze = null");
	ASSERT_INT(js_freeze_deep(b.ctx, o), 0);
	JS_FreeValue(b.ctx, o);
	o = eval(&b, "o.x = 1; o.a.b[0] = 2; o.a.c = 3; JSON.stringify(o)");
	ASSERT_INT(js_to_str(b.ctx, o, &sb), 0);
	ASSERT_STREQ(strbuf_cstr(&sb), "{\"a\":{\"b\":[1]}}");
	JS_FreeValue(b.ctx, o);
	bench_close(&b);
}

TEST(value_throw_keeps_long_messages)
{
	CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;
	struct js_error err = JS_ERROR_INIT;
	struct bench b;
	char text[601];

	memset(text, 'm', sizeof(text));
	text[600] = '\0';
	strbuf_addf(&expected, "Error: %s", text);
	bench_open(&b);
	ASSERT_TRUE(JS_IsException(js_throw(b.ctx, "%s", text)));
	js_error_take(b.ctx, &err);
	ASSERT_STREQ(err.message, strbuf_cstr(&expected));
	js_error_release(&err);
	bench_close(&b);
}

TEST(value_text_survives_with_its_zeros)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct bench b;
	JSValue v;

	bench_open(&b);
	v = js_new_str(b.ctx, (struct str){ "a\0b", 3 });
	ASSERT_INT(js_to_str(b.ctx, v, &sb), 0);
	ASSERT_INT(sb.len, 3);
	ASSERT_TRUE(!memcmp(sb.ptr, "a\0b", 3));
	JS_FreeValue(b.ctx, v);
	bench_close(&b);
}

/* ---- errors ---- */

static void expect_error(struct bench *b, const char *source, const char *text, const char *place)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct js_error err = JS_ERROR_INIT;
	char where[200];
	JSValue v = JS_Eval(b->ctx, source, strlen(source), "https://h:8/s.js", 0);

	ASSERT_TRUE(JS_IsException(v));
	js_error_take(b->ctx, &err);
	js_error_fmt(&err, &sb);
	ASSERT_STREQ(strbuf_cstr(&sb), text);
	snprintf(where, sizeof(where), "%s:%u:%u", err.file ? err.file : "-", err.line, err.column);
	ASSERT_STREQ(where, place);
	js_error_release(&err);
}

TEST(error_has_text_stack_and_innermost_place)
{
	struct bench b;

	bench_open(&b);
	expect_error(&b, "function f() {\n  undefinedName;\n}\nf();\n",
		     "ReferenceError: 'undefinedName' is not defined\n"
		     "    at f (https://h:8/s.js:2:3)\n"
		     "    at <eval> (https://h:8/s.js:4:2)",
		     "https://h:8/s.js:2:3");
	expect_error(&b, "[1].map(() => { null.x })",
		     "TypeError: cannot read property 'x' of null\n"
		     "    at <anonymous> (https://h:8/s.js:1:21)\n"
		     "    at map (native)\n"
		     "    at <eval> (https://h:8/s.js:1:8)",
		     "https://h:8/s.js:1:21");
	expect_error(&b, "JSON.parse('{')",
		     "SyntaxError: expecting property name\n"
		     "    at <input>:1:2\n"
		     "    at parse (native)\n"
		     "    at <eval> (https://h:8/s.js:1:11)",
		     "<input>:1:2");
	expect_error(&b, "\n  let = 1 +;",
		     "SyntaxError: unexpected token in expression: ';'\n"
		     "    at https://h:8/s.js:2:12",
		     "https://h:8/s.js:2:12");
	expect_error(&b, "throw 'x'", "x", "-:0:0");
	expect_error(&b, "throw { a: 1 }", "{\"a\":1}", "-:0:0");
	expect_error(&b, "throw { toString() { throw 1; } }", "(a value that cannot be shown)",
		     "-:0:0");
	expect_error(&b, "throw Symbol('s')", "(a value that cannot be shown)", "-:0:0");
	bench_close(&b);
}
