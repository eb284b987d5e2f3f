/*
 * js_vms [VMS [PER_SHARD [CALLS]]] - what a virtual user costs in the script engine alone: memory
 * after some iterations, time of one blocking call, of a collection of one shard and of a bare
 * fiber switch. The figures in the comments of js/ come from here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "js/module.h"
#include "js/shard.h"
#include "js/vm.h"
#include "os/fiber.h"

static const char script[] =
	"import { wait } from 'bench';\n"
	"const base = 'http://127.0.0.1:8080', books = ['a', 'b', 'c', 'd'];\n"
	"class Cart { #lines = []; add(b, n) { this.#lines.push({ book: b, quantity: n }); }\n"
	"  toJSON() { return { customer: 'c', lines: this.#lines }; } }\n"
	"function pick(list) { return list[Math.floor(Math.random() * list.length)]; }\n"
	"function check(r, set) { let ok = true;\n"
	"  for (const [k, f] of Object.entries(set)) ok = f(r) && ok; return ok; }\n"
	"export default function () {\n"
	"  const cart = new Cart();\n"
	"  for (let i = 0; i < 3; i++) cart.add(pick(books), 1 + i);\n"
	"  const body = JSON.stringify(cart);\n"
	"  wait();\n"
	"  const r = { status: 200, body: `{\"total\": ${body.length}}`, url: base + '/checkout' "
	"};\n"
	"  check(r, { 'is 200': (x) => x.status === 200,\n"
	"    'has total': (x) => JSON.parse(x.body).total > 0 });\n"
	"}\n";

struct user {
	struct js_vm *vm;
	JSValue exports;
};

static JSValue bench_wait(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	return js_vm_yield(js_vm_of(ctx)) < 0 ? js_vm_throw_aborted(ctx) : JS_UNDEFINED;
}

static int load(void *user, const char *name, struct strbuf *ret, struct error *reterr)
{
	(void)user, (void)name, (void)reterr;
	return strbuf_addstr(ret, script);
}

static void import(struct js_vm *vm, void *arg)
{
	struct user *u = arg;

	BUG_ON(js_vm_import(vm, "/bench.js", &u->exports, NULL) < 0);
}

static void iterate(struct js_vm *vm, void *arg)
{
	struct user *u = arg;
	JSContext *ctx = js_vm_context(vm);
	JSValue function = JS_GetPropertyStr(ctx, u->exports, "default");

	BUG_ON(js_vm_call(vm, function, 0, NULL, NULL, NULL) < 0);
	JS_FreeValue(ctx, function);
}

/* CPU time: other work on the machine then disturbs less. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static size_t rss_bytes(void)
{
	unsigned long size, resident;
	FILE *f = fopen("/proc/self/statm", "r");

	BUG_ON(!f || fscanf(f, "%lu %lu", &size, &resident) != 2);
	fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void spin(void *arg)
{
	for (uint64_t i = 0; i < *(uint64_t *)arg; i++)
		fiber_yield();
}

static double fiber_switch_ns(void)
{
	struct fiber_pool *pool = fiber_pool_new((size_t)64 * 1024);
	uint64_t count = 2000000, start;
	struct fiber *f;
	double ns;

	BUG_ON(fiber_new(&f, pool, spin, &count) < 0);
	start = cpu_ns();
	while (fiber_resume(f))
		continue;
	ns = (double)(cpu_ns() - start) / (double)(2 * count);
	fiber_free(f);
	fiber_pool_free(pool);
	return ns;
}

static uint64_t argument(int argc, char **argv, int i, uint64_t otherwise)
{
	return i < argc ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	static const JSCFunctionListEntry functions[] = { JS_CFUNC_DEF("wait", 0, bench_wait) };
	static const struct js_native_module native = { "bench", functions, 1 };
	static const struct js_module_ops ops = { .load = load };
	size_t vms = argument(argc, argv, 1, 2000), per_shard = argument(argc, argv, 2, 64);
	size_t calls = argument(argc, argv, 3, 20), shards = (vms + per_shard - 1) / per_shard;
	struct js_shard **shard = xcalloc(shards, sizeof(struct js_shard *));
	struct user *user = xcalloc(vms, sizeof(*user));
	struct js_modules *mods = js_modules_new(&ops, NULL);
	struct js_shard_opts opts = { .modules = mods, .stacks = js_stacks_new() };
	size_t rss = rss_bytes();
	uint64_t start = cpu_ns();

	js_modules_add(mods, &native);
	for (size_t i = 0; i < vms; i++) {
		if (i % per_shard == 0)
			BUG_ON(js_shard_new(&shard[i / per_shard], &opts) < 0);
		BUG_ON(js_vm_new(&user[i].vm, shard[i / per_shard], NULL, &user[i]) < 0);
		BUG_ON(js_vm_start(user[i].vm, import, &user[i]) != 0);
	}
	printf("make and import   %8.1f us per VM\n",
	       (double)(cpu_ns() - start) / 1e3 / (double)vms);

	start = cpu_ns();
	for (size_t c = 0; c < calls; c++) {
		for (size_t i = 0; i < vms; i++)
			BUG_ON(js_vm_start(user[i].vm, iterate, &user[i]) != 1);
		if (c + 1 == calls) /* all blocked at once */
			printf("memory, blocked   %8.1f KB per VM\n",
			       (double)(rss_bytes() - rss) / 1024 / (double)vms);
		for (size_t i = 0; i < vms; i++)
			BUG_ON(js_vm_resume(user[i].vm) != 0);
	}
	printf("blocking call     %8.2f us, with its script\n",
	       (double)(cpu_ns() - start) / 1e3 / (double)(vms * calls));

	start = cpu_ns();
	for (size_t i = 0; i < shards; i++)
		js_shard_collect(shard[i]);
	printf("collection        %8.2f ms per shard\n",
	       (double)(cpu_ns() - start) / 1e6 / (double)shards);
	fiber_pool_trim(opts.stacks);
	printf("memory, idle      %8.1f KB per VM, stacks trimmed\n",
	       (double)(rss_bytes() - rss) / 1024 / (double)vms);
	printf("fiber switch      %8.1f ns\n", fiber_switch_ns());
	return 0;
}
