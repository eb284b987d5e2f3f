#include "js/vm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "js/value.h"
#include "os/clock.h"
#include "rig.h"
#include "test.h"

/* Evaluates a source in a VM of its own and compares what its default export returned. */
static void expect(const char *source, const char *result)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	if (rig_eval(&v, source) < 0)
		test_fail(__FILE__, __LINE__, "%s\nthrew %s", source, v.err.message);
	ASSERT_STREQ(strbuf_cstr(&v.result), result);
	rig_vm_close(&v);
	rig_close(&rig);
}

/* ... or the message it threw, and the code. */
static void expect_throw(const char *source, int code, const char *message)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v, source), code);
	ASSERT_STREQ(v.err.message, message);
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_runs_a_script_that_blocks)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { wait, note } from 'rig';\n"
		   "export default function () { note('a'); wait(); note('b'); return 6 * 7; }\n");
	rig_vm_open(&v, &rig);

	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	ASSERT_TRUE(js_vm_blocked(v.vm));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "a");
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_TRUE(js_vm_idle(v.vm));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "ab");
	ASSERT_INT(v.code, 0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "42");

	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_blocks_anywhere_in_the_language)
{
	expect("import { wait } from 'rig';\n"
	       "export default () => { let s = '';\n"
	       "  try { wait(); s += 't'; throw new Error('x'); }\n"
	       "  catch (e) { wait(); s += e.message; } finally { wait(); s += 'f'; }\n"
	       "  return s; }",
	       "txf");
	expect("import { wait } from 'rig';\n"
	       "function* g() { for (let i = 0; i < 3; i++) { wait(); yield i; } }\n"
	       "export default () => [...g()].join()",
	       "0,1,2");
	expect("import { wait } from 'rig';\n"
	       "export default () => [3, 1, 2].sort((a, b) => { wait(); return a - b; }).join()",
	       "1,2,3");
	expect("import { wait } from 'rig';\n"
	       "export default () => 'a-b-c'.replace(/[a-c]/g, (m) => { wait(); return m + m; })",
	       "aa-bb-cc");
	expect("import { wait } from 'rig';\n"
	       "export default () => JSON.stringify({ a: { toJSON() { wait(); return 7; } } })",
	       "{\"a\":7}");
	expect("import { wait } from 'rig';\n"
	       "export default async () => { wait(); await null; wait();\n"
	       "  const all = await Promise.all([1, 2].map(async (x) => { wait(); return x * 2; "
	       "}));\n"
	       "  for await (const x of [Promise.resolve(9)]) { wait(); all.push(x); }\n"
	       "  return all.join(); }",
	       "2,4,9");
	expect("import { wait } from 'rig';\n"
	       "const o = { get x() { wait(); return 5; }, [Symbol.iterator]: null };\n"
	       "class A { #p = (wait(), 1); get p() { return this.#p; } }\n"
	       "const proxy = new Proxy({}, { get(t, k) { wait(); return k; } });\n"
	       "export default () => o.x + new A().p + proxy.zz",
	       "6zz");
}

TEST(vm_blocks_while_a_module_is_evaluated)
{
	expect("import { wait } from 'rig';\n"
	       "wait();\n"
	       "const x = await Promise.resolve(3).then((y) => { wait(); return y + 1; });\n"
	       "export default () => x",
	       "4");
}

/* ---- frames and errors while others are suspended ---- */

TEST(vm_error_stack_has_frames_of_its_own_only)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_source(&rig, "/a.js",
		   "import { wait } from 'rig';\n"
		   "function inner_a() { wait(); return new Error('ea').stack; }\n"
		   "export default function main_a() { wait(); return inner_a(); }\n");
	rig_source(&rig, "/b.js",
		   "import { wait } from 'rig';\n"
		   "function inner_b() { const s = new Error('eb').stack; wait(); return s; }\n"
		   "export default function main_b() { return inner_b(); }\n");
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);

	rig_run(&a, "/a.js"); /* in main_a */
	rig_run(&b, "/b.js"); /* made its error while a is suspended */
	js_vm_resume(a.vm);   /* in inner_a */
	ASSERT_INT(js_vm_resume(b.vm), 0);
	ASSERT_INT(js_vm_resume(a.vm), 0); /* after b's frames are gone */

	ASSERT_STREQ(strbuf_cstr(&b.result),
		     "    at inner_b (/b.js:2:41)\n    at main_b (/b.js:3:36)\n");
	ASSERT_STREQ(strbuf_cstr(&a.result),
		     "    at inner_a (/a.js:2:46)\n    at main_a (/a.js:3:44)\n");

	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(vm_throw_reaches_only_its_own_catch)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_source(
		&rig, "/a.js",
		"import { wait } from 'rig';\n"
		"export default () => { try { wait(); return 'whole'; } catch (e) { return e; } }");
	rig_source(&rig, "/b.js",
		   "import { wait } from 'rig';\n"
		   "export default () => { wait(); throw new TypeError('of b'); }");
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);

	rig_run(&a, "/a.js");
	rig_run(&b, "/b.js");
	js_vm_resume(b.vm);
	ASSERT_INT(b.code, -EINVAL);
	ASSERT_STREQ(b.err.message, "TypeError: of b");
	js_vm_resume(a.vm);
	ASSERT_STREQ(strbuf_cstr(&a.result), "whole");

	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(vm_stack_overflow_is_an_error_and_others_go_on)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_source(&rig, "/deep.js",
		   "import { wait } from 'rig';\n"
		   "let depth = 0;\n"
		   "function f() { depth++; return f() + 1; }\n"
		   "export default () => { wait();\n"
		   "  try { f(); } catch (e) { wait(); return `${e} after ${depth > 150}`; } }");
	rig_source(&rig, "/flat.js",
		   "import { wait } from 'rig';\n"
		   "export default () => { const o = { x: [1, 2] }; wait(); wait(); return o.x; }");
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);

	rig_run(&b, "/flat.js");
	rig_run(&a, "/deep.js");
	js_vm_resume(a.vm);
	js_vm_resume(b.vm);
	js_vm_resume(a.vm);
	js_vm_resume(b.vm);
	ASSERT_STREQ(strbuf_cstr(&a.result), "InternalError: stack overflow after true");
	ASSERT_STREQ(strbuf_cstr(&b.result), "1,2");

	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

/* ---- many VMs in turn, with the collector running ---- */

/* Each VM computes what depends on its number only, in closures, promises, generators and classes
 * that stay alive across waits, makes cyclic garbage and throws; the right answer is worked out in
 * C. Frames of others in an error's stack would show as another function name. */
static const char crowd_source[] =
	"import { wait, collect } from 'rig';\n"
	"let round = 0, me;\n"
	"export function setMe(n) { me = n; }\n"
	"class Node { constructor(n, next) { this.n = n; this.next = next; this.self = this; } }\n"
	"function* numbers(k) { for (let i = 0; i < k; i++) { if (i % 3 == 0) wait(); yield i; } "
	"}\n"
	"function fail(text) { wait(); throw new RangeError(text); }\n"
	"async function sum(k) { let s = 0;\n"
	"  for (let i = 0; i < k; i++) { await null; s += i; if (i % 2) wait(); }\n"
	"  return s; }\n"
	"export default async function main() {\n"
	"  round++;\n"
	"  const k = 3 + (me + round) % 5, list = [];\n"
	"  let cyc = null;\n"
	"  for (const i of numbers(k)) { cyc = new Node(i, cyc); list.push(() => i + me); }\n"
	"  if (me % 7 == round % 7) collect();\n"
	"  let caught = '';\n"
	"  try { fail('r' + me); }\n"
	"  catch (e) {\n"
	"    const names = e.stack.match(/at \\w+/g).join();\n"
	"    if (names != 'at fail,at main') throw new Error('frames ' + e.stack);\n"
	"    caught = e.message; }\n"
	"  const s = await sum(k);\n"
	"  list.sort((a, b) => { wait(); return b() - a(); });\n"
	"  let n = 0; for (let c = cyc; c; c = c.next) n += c.self.n;\n"
	"  return [caught, s, n, list.map((f) => f()).join('+')].join(); }\n";

static void crowd_expect(struct strbuf *sb, int me, int round)
{
	int k = 3 + (me + round) % 5;

	strbuf_clear(sb);
	strbuf_addf(sb, "r%d,%d,%d,", me, k * (k - 1) / 2, k * (k - 1) / 2);
	for (int i = k - 1; i >= 0; i--)
		strbuf_addf(sb, "%d%s", i + me, i ? "+" : "");
}

static void crowd_set_me(struct js_vm *vm, void *arg)
{
	struct rig_vm *v = arg;
	JSContext *ctx = js_vm_context(vm);
	JSValue me = JS_NewInt32(ctx, v->code), function;

	v->module = "/crowd.js";
	ASSERT_OK(js_vm_import(vm, v->module, &v->exports, &v->err));
	v->imported = true;
	function = JS_GetPropertyStr(ctx, v->exports, "setMe");
	ASSERT_OK(js_vm_call(vm, function, 1, &me, NULL, NULL));
	JS_FreeValue(ctx, function);
}

/* A small generator: the order in which VMs go on must not be round about. */
static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

static void crowd(unsigned count, int rounds)
{
	CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;
	struct rig_vm v[JS_SHARD_VMS_MAX];
	int round[JS_SHARD_VMS_MAX] = { 0 };
	unsigned left = count, seed = count;
	struct rig rig;

	rig_open(&rig, 0);
	rig_source(&rig, "/crowd.js", crowd_source);
	for (unsigned i = 0; i < count; i++) {
		rig_vm_open(&v[i], &rig);
		v[i].code = (int)i;
		ASSERT_INT(js_vm_start(v[i].vm, crowd_set_me, &v[i]), 0);
	}

	while (left) {
		unsigned i = next_random(&seed) % count;

		if (round[i] > rounds)
			continue;
		if (js_vm_blocked(v[i].vm)) {
			js_vm_resume(v[i].vm);
		} else if (++round[i] > rounds) {
			left--;
			continue;
		} else {
			rig_run(&v[i], "/crowd.js");
		}
		if (!js_vm_idle(v[i].vm))
			continue;
		if (v[i].code < 0)
			test_fail(__FILE__, __LINE__, "vm %u: %s", i, v[i].err.message);
		crowd_expect(&expected, (int)i, round[i]);
		ASSERT_STREQ(strbuf_cstr(&v[i].result), strbuf_cstr(&expected));
	}
	ASSERT_INT(rig.loads, 1);
	for (unsigned i = 0; i < count; i++)
		rig_vm_close(&v[i]);
	rig_close(&rig);
}

TEST_TIMEOUT(vm_crowd_in_one_shard_stays_apart, 120)
{
	crowd(JS_SHARD_VMS_MAX, 6);
}

static void *crowd_thread(void *arg)
{
	(void)arg;
	crowd(24, 4);
	return NULL;
}

TEST_TIMEOUT(vm_threads_with_shards_of_their_own_do_not_meet, 120)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		ASSERT_INT(pthread_create(&threads[i], NULL, crowd_thread, NULL), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_INT(pthread_join(threads[i], NULL), 0);
}

/* ---- promise jobs ---- */

TEST(vm_jobs_run_on_their_owner_only)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_source(&rig, "/a.js",
		   "import { wait, note } from 'rig';\n"
		   "export default () => { Promise.resolve().then(() => note('A'));\n"
		   "  wait(); note('a'); }");
	rig_source(&rig, "/b.js",
		   "import { note } from 'rig';\n"
		   "export default async () => { await null; note('b'); await null; note('B'); }");
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);

	rig_run(&a, "/a.js");
	ASSERT_INT(rig_run(&b, "/b.js"), 0);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "bB");
	js_vm_resume(a.vm);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "bBaA");

	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(vm_free_drops_its_jobs)
{
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, 0);
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);
	/* a failed call leaves no job, nor does a script that queued one outside of a call */
	ASSERT_INT(rig_eval(&a, "import { note } from 'rig';\n"
				"export default () => { Promise.resolve().then(() => note('no'));\n"
				"  throw new Error('x'); }"),
		   -EINVAL);
	ASSERT_TRUE(!js_engine_job_pending(js_vm_context(a.vm)));
	JS_FreeValue(js_vm_context(a.vm),
		     JS_Eval(js_vm_context(a.vm), "Promise.resolve().then(() => 1)", 31, "x", 0));
	ASSERT_TRUE(js_engine_job_pending(js_vm_context(a.vm)));
	rig_vm_close(&a);
	js_shard_collect(rig.shard);
	ASSERT_INT(rig_eval(&b, "export default async () => { await null; return 'fine'; }"), 0);
	ASSERT_STREQ(strbuf_cstr(&b.result), "fine");
	ASSERT_STREQ(strbuf_cstr(&rig.log), "");
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(vm_rejections_fail_the_call_unless_handled)
{
	expect_throw("export default async () => { throw new TypeError('mine'); }", -EINVAL,
		     "TypeError: mine");
	expect_throw("export default () => { Promise.reject(new Error('lost')); return 1; }",
		     -EINVAL, "Uncaught (in promise) Error: lost");
	expect_throw("export default () => { throw 'text'; }", -EINVAL, "text");
	expect("export default async () => { const p = Promise.reject(1);\n"
	       "  try { await p; } catch (e) { return 'caught ' + e; } }",
	       "caught 1");
	expect("export default () => { const p = Promise.reject(1); p.catch(() => 0); return 2; }",
	       "2");
	expect("export default () => new Promise(() => 0)", "undefined");
}

/* ---- operations that end later ---- */

TEST(vm_call_waits_for_outstanding_operations)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { later, note, wait } from 'rig';\n"
		   "export default async () => {\n"
		   "  later('x').then((s) => { note(s); wait(); note('y'); });\n"
		   "  const v = await later('z'); note(v); return 'done'; }");
	rig_vm_open(&v, &rig);

	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	ASSERT_TRUE(rig_fire(&v)); /* z, the newest: the function ends, but x is outstanding */
	ASSERT_STREQ(strbuf_cstr(&rig.log), "z");
	ASSERT_TRUE(js_vm_blocked(v.vm));
	ASSERT_TRUE(rig_fire(&v));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "zx");
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "zxy");
	ASSERT_STREQ(strbuf_cstr(&v.result), "done");
	ASSERT_INT(v.cancels, 0);

	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_post_while_blocked_elsewhere_waits_its_turn)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { later, note, wait } from 'rig';\n"
		   "export default async () => { const p = later('p'); wait(); note('w');\n"
		   "  note(await p); }");
	rig_vm_open(&v, &rig);

	rig_run(&v, "/main.js");
	ASSERT_TRUE(rig_fire(&v));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "");
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "wp");

	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_failed_call_cancels_what_is_outstanding)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v,
			    "import { later } from 'rig';\n"
			    "export default () => { later(1); later(2); throw new Error('e'); }"),
		   -EINVAL);
	ASSERT_INT(v.cancels, 1);
	ASSERT_TRUE(!rig_fire(&v));
	ASSERT_INT(rig_eval(&v, "export default () => 'again'"), 0);
	rig_vm_close(&v);
	rig_close(&rig);
}

/* ---- ending what runs ---- */

TEST(vm_abort_unwinds_past_catch_and_finally)
{
	struct rig rig;
	struct rig_vm v, other;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { wait, note } from 'rig';\n"
		   "export default () => { try { note('1'); wait(); note('2'); }\n"
		   "  catch (e) { note('catch'); } finally { note('finally'); } note('after'); }");
	rig_vm_open(&v, &rig);
	rig_vm_open(&other, &rig);

	rig_run(&v, "/main.js");
	rig_run(&other, "/main.js");
	js_vm_abort(v.vm);
	ASSERT_TRUE(js_vm_idle(v.vm));
	ASSERT_INT(v.code, -ECANCELED);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "11");
	js_vm_abort(v.vm); /* idle: no effect */

	/* the VM is whole again, the other was not touched */
	ASSERT_INT(js_vm_resume(other.vm), 0);
	ASSERT_INT(other.code, 0);
	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_INT(v.code, 0);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "112finallyafter12finallyafter");

	rig_vm_close(&v);
	rig_vm_close(&other);
	rig_close(&rig);
}

TEST(vm_abort_cuts_off_async_functions)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { wait, note, later } from 'rig';\n"
		   "async function f() { await null; wait(); note('no'); }\n"
		   "export default async () => {\n"
		   "  const p = f().catch(() => { note('no'); });\n"
		   "  later(0).then(() => note('no'));\n"
		   "  try { await p; } finally { wait(); note('no'); for (;;); } }");
	rig_vm_open(&v, &rig);

	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	js_vm_abort(v.vm);
	ASSERT_TRUE(js_vm_idle(v.vm));
	ASSERT_INT(v.code, -ECANCELED);
	ASSERT_STREQ(strbuf_cstr(&rig.log), "");
	ASSERT_INT(v.cancels, 1);
	ASSERT_INT(rig_eval(&v, "export default () => 1"), 0);

	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_abort_ends_a_loop_an_async_function_left_behind)
{
	struct rig rig;
	struct rig_vm v;

	/* the engine makes a rejection of the abort and goes on in the caller */
	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { wait } from 'rig';\n"
		   "export default () => { (async () => { wait(); })(); for (;;); }");
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	js_vm_abort(v.vm);
	ASSERT_INT(v.code, -ECANCELED);
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(vm_deadline_interrupts_a_computing_script)
{
	static const char *const endless[] = {
		"export default () => { for (;;); }",
		"export default () => { try { for (;;); } catch { } finally { for (;;); } }",
		"export default () => /(a+)+$/.test('a'.repeat(40) + 'b')",
		"export default async () => { for (;;) await null; }",
	};
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	for (size_t i = 0; i < ARRAY_SIZE(endless); i++) {
		js_vm_set_deadline(v.vm, clock_now_ns() + 20 * NS_PER_MS);
		ASSERT_INT(rig_eval(&v, endless[i]), -ECANCELED);
		js_vm_set_deadline(v.vm, 0);
		ASSERT_INT(rig_eval(&v, "export default () => 'fine'"), 0);
	}
	rig_vm_close(&v);
	rig_close(&rig);
}

static void *stop_soon(void *arg)
{
	struct timespec ts = clock_timespec(20 * NS_PER_MS);

	nanosleep(&ts, NULL);
	js_shard_stop(arg);
	return NULL;
}

TEST(vm_stop_from_another_thread_ends_scripts)
{
	struct rig rig;
	struct rig_vm blocked, busy;
	pthread_t thread;

	rig_open(&rig, 0);
	rig_source(&rig, "/wait.js",
		   "import { wait } from 'rig'; export default () => { wait(); }");
	rig_vm_open(&blocked, &rig);
	rig_vm_open(&busy, &rig);
	rig_run(&blocked, "/wait.js");
	ASSERT_INT(pthread_create(&thread, NULL, stop_soon, rig.shard), 0);
	ASSERT_INT(rig_eval(&busy, "export default () => { for (;;); }"), -ECANCELED);
	js_vm_abort(blocked.vm);
	ASSERT_INT(blocked.code, -ECANCELED);
	ASSERT_INT(pthread_join(thread, NULL), 0);
	rig_vm_close(&blocked);
	rig_vm_close(&busy);
	rig_close(&rig);
}

static int first_yield, second_yield;

static void wait_twice(struct js_vm *vm, void *arg)
{
	(void)arg;
	first_yield = js_vm_yield(vm);
	second_yield = js_vm_yield(vm);
}

TEST(vm_abort_outside_a_call_fails_one_yield)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	ASSERT_INT(js_vm_yield(v.vm), -EDEADLK); /* not on its fiber */
	ASSERT_INT(js_vm_start(v.vm, wait_twice, NULL), 1);
	js_vm_abort(v.vm);
	ASSERT_TRUE(js_vm_blocked(v.vm));
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_INT(first_yield, -ECANCELED);
	ASSERT_INT(second_yield, 0);
	rig_vm_close(&v);
	rig_close(&rig);
}
