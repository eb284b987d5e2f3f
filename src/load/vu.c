/*
 * A VU does one thing at a time: run the script's top level, call a function of it once, or go
 * through one iteration. Each is a function on the VM's fiber (run_import, run_call, run_iteration)
 * which leaves its result in the VU; when the fiber has ended, settle() tells whoever asked. Every
 * way into the fiber, from the loop's side, therefore goes through this file.
 */
#include "load/vu.h"

#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/cookies.h"
#include "load/k6/globals.h"
#include "load/k6/request.h"
#include "load/k6/modules.h"
#include "load/k6/socket.h"
#include "load/k6/webcrypto.h"
#include "load/native.h"
#include "load/runner.h"
#include "load/sample.h"

/* setup() data up to this size is parsed anew for every iteration. */
#define FRESH_DATA_BYTES_MAX ((size_t)64 * 1024)

static void cancel_operations(struct js_vm *vm UNUSED, void *user)
{
	struct load_vu *vu = user;

	load_timers_cancel(vu);
	load_requests_cancel(vu);
	load_sockets_cancel(vu);
	load_webcrypto_cancel(vu);
}

bool load_vu_unwanted(const struct load_vu *vu)
{
	return load_run_stop(vu->run) >= vu->unwanted_at;
}

static bool is_unwanted(struct js_vm *vm UNUSED, void *user)
{
	return load_vu_unwanted(user);
}

static const struct js_vm_ops vm_ops = {
	.cancel = cancel_operations,
	.unwanted = is_unwanted,
};

struct load_vu *load_vu_of(JSContext *ctx)
{
	return js_vm_user(js_vm_of(ctx));
}

const struct load_response_atoms *load_vu_response_atoms(const struct load_vu *vu)
{
	return &vu->shard->atoms;
}

static void sleep_over(struct net_timer *t)
{
	load_vu_resume(container_of(t, struct load_vu, sleep));
}

static void limit_over(struct net_timer *t)
{
	load_vu_abort(container_of(t, struct load_vu, limit));
}

/* What every context gets before the script runs. */
static int prepare_context(struct load_vu *vu)
{
	JSContext *ctx = js_vm_context(vu->vm);

	if (!vu->shard->has_atoms) {
		load_response_atoms_init(ctx, &vu->shard->atoms);
		vu->shard->has_atoms = true;
	}
	if (load_modules_setup(ctx) < 0 || load_globals_setup(vu) < 0) {
		JS_FreeValue(ctx, JS_GetException(ctx));
		return -ENOMEM;
	}
	return 0;
}

/* Its own connections, from the address that is its turn. */
static struct net_client *new_client(const struct load_worker *w, unsigned id)
{
	const struct net_pool *local = w->run->plan->network.local;
	struct net_client_opts opts = w->run->client_opts;

	if (local)
		opts.local = net_pool_get(local, id);
	return net_client_new(w->stack, &opts);
}

static int make_vm(struct load_vu *vu)
{
	int r = -ENOMEM;

	vu->shard = load_worker_shard(vu->worker);
	if (vu->shard)
		r = js_vm_new(&vu->vm, vu->shard->js, &vm_ops, vu);
	if (r < 0)
		return r;
	vu->shard->vus++;
	return prepare_context(vu);
}

int load_vu_new(struct load_vu **ret, struct load_worker *w, unsigned id, struct error *reterr)
{
	struct load_vu *vu = xcalloc(1, sizeof(*vu));
	int r;

	vu->worker = w;
	vu->run = w->run;
	vu->id = id;
	vu->unwanted_at = LOAD_STOP_NOW;
	vu->exports = vu->data = vu->env = vu->result = vu->required = JS_UNDEFINED;
	vu->sleep.expired = sleep_over;
	vu->limit.expired = limit_over;
	r = w->run->opts->target ? 0 : make_vm(vu);
	if (r < 0) {
		load_vu_free(vu);
		return error_errno(reterr, r, "making virtual user %u", id);
	}
	if (w->stack)
		vu->client = new_client(w, id);
	vu->jar = load_jar_new();
	vu->expected = (struct load_statuses){ .ranges = { { 200, 399 } }, .len = 1 };
	load_vu_assign(vu, NULL);
	if (w->run->opts->target)
		vu->native = load_native_new(vu);
	*ret = vu;
	return 0;
}

void load_vu_free(struct load_vu *vu)
{
	JSContext *ctx;

	if (!vu)
		return;
	if (vu->vm) {
		ctx = js_vm_context(vu->vm);
		JS_FreeValue(ctx, vu->exports);
		JS_FreeValue(ctx, vu->data);
		JS_FreeValue(ctx, vu->env);
		JS_FreeValue(ctx, vu->required);
		JS_FreeValue(ctx, vu->result);
		load_timers_cancel(vu);
		load_requests_cancel(vu);
		load_sockets_cancel(vu);
		load_webcrypto_cancel(vu);
		js_vm_free(vu->vm);
		vu->shard->vus--;
	}
	pairs_release(vu->metadata);
	load_request_free(vu->native);
	load_jar_free(vu->jar);
	net_client_free(vu->client);
	net_timer_remove(vu->worker->loop, &vu->sleep);
	net_timer_remove(vu->worker->loop, &vu->limit);
	js_error_release(&vu->error);
	strbuf_release(&vu->group);
	free(vu);
}

bool load_vu_busy(const struct load_vu *vu)
{
	return vu->native ? vu->done != NULL : !js_vm_idle(vu->vm);
}

/* The fiber has ended or blocked: in the first case tells whoever started it. */
static void settle(struct load_vu *vu, int blocked)
{
	load_vu_done_fn *done = vu->done;

	if (blocked > 0 || !done)
		return;
	vu->done = NULL;
	net_timer_cancel(&vu->limit);
	if (vu->vm)
		js_vm_set_deadline(vu->vm, 0);
	done(vu, vu->end);
}

/* For ever when limit_ns is 0. */
static void set_limit(struct load_vu *vu, uint64_t limit_ns)
{
	uint64_t end_ns = net_loop_now_ns() + limit_ns;

	if (!limit_ns)
		return;
	net_timer_set(vu->worker->loop, &vu->limit, end_ns);
	js_vm_set_deadline(vu->vm, end_ns);
}

static void start(struct load_vu *vu, js_vm_fn *fn, load_vu_done_fn *done)
{
	int r;

	vu->done = done;
	vu->end = LOAD_VU_INTERRUPTED;
	js_error_release(&vu->error);
	r = js_vm_start(vu->vm, fn, vu);
	if (r == -ENOMEM) {
		vu->error.message = xstrdup("no memory or maps left for another stack (see "
					    "vm.max_map_count)");
		vu->end = LOAD_VU_THREW;
	}
	settle(vu, r);
}

void load_vu_resume(struct load_vu *vu)
{
	settle(vu, js_vm_resume(vu->vm));
}

void load_vu_post(struct load_vu *vu, struct js_task *task)
{
	js_vm_post(vu->vm, task);
	settle(vu, load_vu_busy(vu));
}

void load_vu_abort(struct load_vu *vu)
{
	if (vu->native) {
		load_native_cancel(vu);
		vu->end = LOAD_VU_INTERRUPTED;
		settle(vu, 0);
		return;
	}
	js_vm_abort(vu->vm);
	settle(vu, load_vu_busy(vu));
}

static enum load_vu_end end_of(int result)
{
	if (!result)
		return LOAD_VU_OK;
	return result == -ECANCELED ? LOAD_VU_INTERRUPTED : LOAD_VU_THREW;
}

int load_vu_sleep_until(struct load_vu *vu, uint64_t t_ns)
{
	net_timer_set(vu->worker->loop, &vu->sleep, t_ns);
	if (js_vm_yield(vu->vm) == 0)
		return 0;
	net_timer_cancel(&vu->sleep);
	return -1;
}

bool load_vu_refuse_in_init(struct load_vu *vu, const char *what)
{
	if (vu->phase != LOAD_VU_INIT)
		return false;
	js_throw(js_vm_context(vu->vm), "%s in the init context is not supported", what);
	return true;
}

/* ---- what runs on the fiber ---- */

static void run_import(struct js_vm *vm, void *arg)
{
	struct load_vu *vu = arg;

	vu->phase = LOAD_VU_INIT;
	vu->end = end_of(
		js_vm_import(vm, load_script_name(vu->run->script), &vu->exports, &vu->error));
}

void load_vu_import(struct load_vu *vu, load_vu_done_fn *done)
{
	if (vu->native) {
		vu->end = LOAD_VU_OK;
		done(vu, LOAD_VU_OK);
		return;
	}
	set_limit(vu, LOAD_INIT_LIMIT_NS);
	start(vu, run_import, done);
}

/*
 * setup()'s data as this VU's own copy: a fresh one for each iteration, as scripts may rely on
 * that, unless it is so large that parsing it would be most of an iteration.
 */
static int ensure_data(struct load_vu *vu)
{
	JSContext *ctx = js_vm_context(vu->vm);
	struct str text = strbuf_str(&vu->run->setup_data);

	if (!text.len || (vu->has_data && text.len > FRESH_DATA_BYTES_MAX))
		return 0;
	JS_FreeValue(ctx, vu->data);
	vu->data = js_json_parse(ctx, text, "setup data");
	if (JS_IsException(vu->data)) {
		vu->data = JS_UNDEFINED;
		js_error_take(ctx, &vu->error);
		return -EINVAL;
	}
	vu->has_data = true;
	return 0;
}

static int call_export(struct load_vu *vu, const char *name, JSValue *ret)
{
	JSContext *ctx = js_vm_context(vu->vm);
	JSValue fn = JS_GetPropertyStr(ctx, vu->exports, name);
	int r = vu->phase == LOAD_VU_SUMMARY ? 0 : ensure_data(vu);

	if (!r)
		r = js_vm_call(vu->vm, fn, 1, &vu->data, ret, &vu->error);
	JS_FreeValue(ctx, fn);
	return r;
}

static void run_call(struct js_vm *vm, void *arg)
{
	struct load_vu *vu = arg;

	JS_FreeValue(js_vm_context(vm), vu->result);
	vu->result = JS_UNDEFINED;
	vu->end = end_of(call_export(vu, vu->exec, &vu->result));
	load_vu_sample_data(vu, net_loop_now_ns());
}

static void run_do(struct js_vm *vm, void *arg)
{
	struct load_vu *vu = arg;

	vu->end = end_of(vu->action(vu, vu->action_arg));
	/* a call would have told; this is outside of one */
	if (vu->end == LOAD_VU_THREW && js_vm_aborted(vm))
		vu->end = LOAD_VU_INTERRUPTED;
}

void load_vu_do(struct load_vu *vu, load_vu_action_fn *action, void *arg, uint64_t limit_ns,
		load_vu_done_fn *done)
{
	vu->action = action;
	vu->action_arg = arg;
	set_limit(vu, limit_ns);
	start(vu, run_do, done);
}

void load_vu_call(struct load_vu *vu, const char *function, uint64_t limit_ns,
		  load_vu_done_fn *done)
{
	vu->exec = function;
	set_limit(vu, limit_ns);
	start(vu, run_call, done);
}

/* ---- iterations ---- */

static void count_iteration(struct load_vu *vu, uint64_t end_ns)
{
	const struct load_tags *tags = vu->tags;
	double lag_ms = (double)(vu->start_ns - vu->intended_ns) / 1e6;

	vu->iteration_ms = (double)(end_ns - vu->start_ns) / 1e6;
	load_vu_sample_at(vu, vu->run->builtin[LOAD_M_ITERATION_DURATION], tags, end_ns,
			  vu->iteration_ms);
	load_vu_sample_at(vu, vu->run->builtin[LOAD_M_ITERATIONS], tags, end_ns, 1);
	if (load_executor_is_open(vu->slot->runner->scenario->executor) && !vu->warmup) {
		load_vu_sample_at(vu, vu->run->builtin[LOAD_M_ITERATION_START_LAG], tags, end_ns,
				  lag_ms);
		hist_add(vu->worker->second->lag_ms,
			 (double)(vu->start_ns - MAX(vu->intended_ns, vu->slot->free_ns)) / 1e6);
	}
}

static void end_iteration(struct load_vu *vu)
{
	const struct load_plan *plan = vu->run->plan;

	vu->in_iteration = false;
	if (plan->no_vu_connection_reuse)
		net_client_close_idle(vu->client);
	if (!plan->no_cookies_reset)
		load_jar_clear(vu->jar);
	if (vu->vm && plan->min_iteration_duration_ns && vu->end != LOAD_VU_INTERRUPTED)
		load_vu_sleep_until(vu, vu->start_ns + plan->min_iteration_duration_ns);
}

static void run_iteration(struct js_vm *vm UNUSED, void *arg)
{
	struct load_vu *vu = arg;
	uint64_t now_ns;

	vu->end = end_of(call_export(vu, vu->slot->runner->scenario->exec, NULL));
	if (vu->ended_run)
		vu->end = LOAD_VU_OK;
	now_ns = net_loop_now_ns();
	load_vu_sample_data(vu, now_ns);
	if (vu->end != LOAD_VU_INTERRUPTED)
		count_iteration(vu, now_ns);
	end_iteration(vu);
}

void load_vu_iteration_over(struct load_vu *vu, enum load_vu_end end)
{
	uint64_t now_ns = net_loop_now_ns();

	vu->end = end;
	load_vu_sample_data(vu, now_ns);
	count_iteration(vu, now_ns);
	end_iteration(vu);
	settle(vu, 0);
}

void load_vu_iterate(struct load_vu *vu, uint64_t intended_ns, uint64_t deadline_ns,
		     load_vu_done_fn *done)
{
	vu->start_ns = net_loop_now_ns();
	vu->intended_ns = intended_ns ? intended_ns : vu->start_ns;
	vu->first_request = true;
	vu->in_iteration = true;
	vu->iteration = vu->next_iteration++;
	if (vu->native) {
		vu->done = done;
		load_native_send(vu);
		return;
	}
	js_vm_set_deadline(vu->vm, deadline_ns);
	start(vu, run_iteration, done);
}

void load_vu_assign(struct load_vu *vu, struct load_slot *slot)
{
	struct load_worker *w = vu->worker;

	vu->slot = slot;
	vu->tags = w->run_tags;
	vu->iteration_in_scenario = 0;
	pairs_release(vu->metadata);
	vu->metadata = NULL;
	if (slot) {
		vu->tags = load_worker_scenario_tags(w, slot->runner->scenario);
		load_vu_set_env(vu, slot->runner->scenario);
	}
	if (load_system_tag(vu, LOAD_TAG_GROUP))
		vu->tags = load_vu_tags_with(vu, vu->tags, STR("group"), STR(""));
}

void load_vu_log_error(struct load_vu *vu)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	js_error_fmt(&vu->error, &text);
	load_log(vu->run, LOAD_LOG_ERROR, "%s", strbuf_cstr(&text));
}
