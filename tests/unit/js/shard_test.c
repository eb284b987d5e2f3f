#include "js/shard.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "js/value.h"
#include "os/fiber.h"
#include "rig.h"
#include "test.h"

TEST(shard_memory_limit_is_an_error_and_others_go_on)
{
	static const char *const greedy[] = {
		"export default () => new Uint8Array(64 << 20).length",
		"export default () => { const a = []; for (;;) a.push({ x: a.length, y: [1] }); }",
		"export default () => { let s = 'x'; for (;;) s += s; }",
	};
	struct rig rig;
	struct rig_vm a, b;

	rig_open(&rig, (size_t)16 << 20);
	rig_vm_open(&a, &rig);
	rig_vm_open(&b, &rig);
	for (size_t i = 0; i < ARRAY_SIZE(greedy); i++) {
		int r = rig_eval(&a, greedy[i]);

		if (i == 2) /* a string may be longest first */
			ASSERT_TRUE(r == -ENOMEM || r == -EINVAL);
		else
			ASSERT_INT(r, -ENOMEM);
		if (r == -ENOMEM)
			ASSERT_STREQ(
				a.err.message,
				"out of memory: 2 virtual users share 16 MB for script objects");
		js_shard_collect(rig.shard);
		ASSERT_INT(rig_eval(&b, "export default () => [1, 2, 3].map((x) => x * 2)"), 0);
		ASSERT_STREQ(strbuf_cstr(&b.result), "2,4,6");
	}
	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&rig);
}

TEST(shard_memory_of_all_is_a_budget_that_shards_take_from_and_give_back)
{
	static const char hoard[] = "globalThis.kept = []; export default () => "
				    "{ for (;;) kept.push(new Uint8Array(100000)) }";
	struct js_memory_budget budget = { .total_bytes = 16 << 20, .left_bytes = 16 << 20 };
	struct rig one, two;
	struct rig_vm a, b;

	rig_open_sharing(&one, (size_t)12 << 20, &budget);
	rig_open_sharing(&two, 0, &budget);
	rig_vm_open(&a, &one);
	rig_vm_open(&b, &two);
	ASSERT_INT(rig_eval(&a, hoard), -ENOMEM);
	ASSERT_STREQ(a.err.message, "out of memory: a virtual user has 12 MB for script objects");
	ASSERT_INT(rig_eval(&b, hoard), -ENOMEM);
	ASSERT_STREQ(b.err.message,
		     "out of memory: all virtual users share 16 MB for script objects");
	ASSERT_TRUE(js_shard_bytes(one.shard) + js_shard_bytes(two.shard) < (17 << 20));

	ASSERT_INT(rig_eval(&a, "export default () => { kept = null; return 'freed' }"), 0);
	js_shard_collect(one.shard);
	ASSERT_INT(rig_eval(&b, "export default () => new Uint8Array(9 << 20).length"), 0);
	rig_vm_close(&a);
	rig_vm_close(&b);
	rig_close(&one);
	rig_close(&two);
	ASSERT_INT(atomic_load(&budget.left_bytes), 16 << 20);
}

/* A script that fills memory to the last object, catches the error and goes on, with native
 * functions that throw: making those errors needs memory again. It ends one way or the other. */
TEST(shard_memory_limit_holds_against_a_script_that_catches)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, (size_t)4 << 20);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v, "export default () => { let full = null;\n"
				"  for (;;) {\n"
				"    try { for (;;) full = [full]; } catch { }\n"
				"    try { Object.defineProperty(1, 'x', {}); } catch { }\n"
				"    try { JSON.parse('{'); } catch { } } }"),
		   -ENOMEM);
	ASSERT_HAS(v.err.message, "out of memory: a virtual user has 4 MB");
	ASSERT_INT(rig_eval(&v, "export default () => 'again'"), 0);
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(shard_null_thrown_by_a_script_is_no_lack_of_memory)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, (size_t)16 << 20);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v, "export default () => { throw null; }"), -EINVAL);
	ASSERT_STREQ(v.err.message, "null");
	rig_vm_close(&v);
	rig_close(&rig);
}

TEST(shard_collects_cycles_when_it_has_grown)
{
	struct rig rig;
	struct rig_vm v;
	size_t before;

	rig_open(&rig, 0);
	rig_vm_open(&v, &rig);
	ASSERT_INT(rig_eval(&v, "export default () => 0"), 0);
	js_shard_collect(rig.shard);
	before = js_shard_bytes(rig.shard);
	ASSERT_TRUE(!js_shard_collect_if_grown(rig.shard));
	ASSERT_INT(rig_eval(&v, "export default () => { for (let i = 0; i < 20000; i++) {\n"
				"  const a = { i }; a.self = a; } }"),
		   0);
	ASSERT_TRUE(js_shard_bytes(rig.shard) > before + (1 << 20));
	ASSERT_TRUE(js_shard_collect_if_grown(rig.shard));
	ASSERT_TRUE(js_shard_bytes(rig.shard) < before + 20000);
	rig_vm_close(&v);
	ASSERT_TRUE(js_shard_collect_if_grown(rig.shard)); /* a VM was freed */
	ASSERT_TRUE(js_shard_bytes(rig.shard) < before);
	rig_close(&rig);
}

TEST(shard_is_full_at_its_limit)
{
	struct js_vm *vms[JS_SHARD_VMS_MAX + 1];
	struct rig rig;

	rig_open(&rig, 0);
	for (int i = 0; i < JS_SHARD_VMS_MAX; i++)
		ASSERT_OK(js_vm_new(&vms[i], rig.shard, NULL, NULL));
	ASSERT_INT(js_vm_new(&vms[JS_SHARD_VMS_MAX], rig.shard, NULL, NULL), -ENOSPC);
	js_vm_free(vms[7]);
	ASSERT_OK(js_vm_new(&vms[7], rig.shard, NULL, NULL));
	for (int i = 0; i < JS_SHARD_VMS_MAX; i++)
		js_vm_free(vms[i]);
	rig_close(&rig);
}

TEST(shard_memory_limit_may_be_too_small_for_a_vm)
{
	struct js_shard_opts opts = { .memory_limit_bytes = 400 * 1024 };
	struct js_shard *shard;
	struct js_vm *vms[JS_SHARD_VMS_MAX];
	int count = 0, r;

	ASSERT_OK(js_shard_new(&shard, &opts));
	while (!(r = js_vm_new(&vms[count], shard, NULL, NULL)))
		count++;
	ASSERT_INT(r, -ENOMEM);
	ASSERT_TRUE(count >= 1 && count < 20);
	while (count)
		js_vm_free(vms[--count]);
	js_shard_free(shard);
}

/* ---- classes of native code ---- */

enum { CLASS_BOX = JS_CLASS_USER, CLASS_LAST };

static int boxes;

struct box {
	JSValue held;
};

static void box_finalize(JSRuntime *rt, JSValue v)
{
	struct box *box = JS_GetOpaque(v, CLASS_BOX);

	JS_FreeValueRT(rt, box->held);
	free(box);
	boxes--;
}

static void box_mark(JSRuntime *rt, JSValueConst v, JS_MarkFunc *mark)
{
	struct box *box = JS_GetOpaque(v, CLASS_BOX);

	JS_MarkValue(rt, box->held, mark);
}

TEST(shard_native_classes_are_marked_and_finalized)
{
	static const struct js_class classes[] = {
		{ CLASS_BOX, { "Box", .finalizer = box_finalize, .gc_mark = box_mark } },
		{ CLASS_LAST, { "Last" } },
	};
	struct js_shard_opts opts = { .classes = classes, .class_count = ARRAY_SIZE(classes) };
	struct js_shard *shard;
	struct js_vm *vm;
	JSContext *ctx;

	ASSERT_OK(js_shard_new(&shard, &opts));
	ASSERT_OK(js_vm_new(&vm, shard, NULL, NULL));
	ctx = js_vm_context(vm);
	for (int i = 0; i < 10; i++) {
		struct box *box = xmalloc(sizeof(*box));
		JSValue v = JS_NewObjectClass(ctx, CLASS_BOX);

		box->held = JS_DupValue(ctx, v); /* a cycle that only the collector can see */
		JS_SetOpaque(v, box);
		JS_FreeValue(ctx, v);
		boxes++;
	}
	ASSERT_INT(boxes, 10);
	js_shard_collect(shard);
	ASSERT_INT(boxes, 0);
	js_vm_free(vm);
	js_shard_free(shard);
}

/* ---- several shards of a thread share stacks ---- */

TEST(shards_of_a_thread_share_a_pool_of_stacks)
{
	struct fiber_pool *stacks = js_stacks_new();
	struct js_shard_opts opts = { .stacks = stacks };
	struct js_shard *shards[2];

	for (int i = 0; i < 2; i++)
		ASSERT_OK(js_shard_new(&shards[i], &opts));
	for (int i = 0; i < 2; i++)
		js_shard_free(shards[i]);
	fiber_pool_free(stacks);
}
