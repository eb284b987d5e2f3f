#include "load/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "js/shard.h"
#include "load/k6/modules.h"
#include "load/runner.h"
#include "os/fiber.h"

/* Memory of one shard's script values: what a script that eats memory hits first. */
#define SHARD_MEMORY_MAX ((size_t)LOAD_SHARD_VUS * 256 * 1024 * 1024)
/* The loop wakes at least this often, for garbage. */
#define TURN_NS (100 * NS_PER_MS)

uint64_t load_thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* ---- a second's figures ---- */

static struct load_second *second_new(struct load_worker *w)
{
	struct load_second *s = xcalloc(1, sizeof(*s));

	s->worker = w;
	s->agg = load_agg_new(w->run->metrics);
	s->lag_ms = hist_new();
	return s;
}

static void forget_slow(struct load_second *s)
{
	for (unsigned i = 0; i < s->slow_count; i++) {
		free(s->slow[i].method);
		free(s->slow[i].url);
		s->slow[i] = (struct load_slow){ 0 }; /* its place is filled again */
	}
	s->slow_count = 0;
}

static void second_free(struct load_second *s)
{
	if (!s)
		return;
	forget_slow(s);
	load_agg_free(s->agg);
	hist_free(s->lag_ms);
	free(s);
}

static void second_clear(struct load_second *s)
{
	forget_slow(s);
	load_agg_clear(s->agg);
	hist_clear(s->lag_ms);
	s->cpu_ns = 0;
}

static void second_back(struct net_task *t)
{
	struct load_second *s = container_of(t, struct load_second, task);

	vec_push(&s->worker->spare, s);
}

void load_second_return(struct load_second *s)
{
	second_clear(s);
	s->task.run = second_back;
	net_loop_post(s->worker->loop, &s->task);
}

void load_worker_hand_over(struct load_worker *w, bool last)
{
	struct load_second *s = w->second;
	uint64_t cpu_ns = load_thread_cpu_ns();

	s->t1_ns = net_loop_now_ns();
	s->cpu_ns = cpu_ns - w->cpu_last_ns;
	s->last = last;
	w->cpu_last_ns = cpu_ns;
	w->second = w->spare.len ? w->spare.ptr[--w->spare.len] : second_new(w);
	w->second->t0_ns = s->t1_ns;
	if (w->output)
		w->run->opts->output->flush(w->output);
	s->task.run = load_control_second;
	net_loop_post(w->run->control->loop, &s->task);
}

static void second_over(struct net_timer *t)
{
	struct load_worker *w = container_of(t, struct load_worker, second_over);

	load_worker_hand_over(w, false);
	w->second_due_ns = MAX(w->second_due_ns + NS_PER_S, net_loop_now_ns());
	net_timer_set(w->loop, t, w->second_due_ns);
}

/* ---- what a worker has ---- */

int load_worker_init(struct load_worker *w, struct load_run *run, struct error *reterr)
{
	int r;

	w->run = run;
	if (!w->count)
		w->count = 1;
	r = net_loop_new(&w->loop, reterr);
	if (r < 0)
		return r;
	w->stacks = js_stacks_new();
	w->tags = load_tag_pool_new();
	w->run_tags = load_tags_none(w->tags);
	w->second_over.expired = second_over;
	return 0;
}

/* A thread that sleeps wakes up late by up to 0.6 ms in 1 of 100 cases on a virtual machine. */
#define SPIN_NS NS_PER_MS

void load_worker_equip(struct load_worker *w)
{
	w->stack = net_stack_new(w->loop, &w->run->stack_opts);
	if (w->run->plan->precise)
		net_loop_set_spin_ns(w->loop, SPIN_NS);
	w->second = second_new(w);
	vec_for_each (&w->run->plan->tags, t)
		w->run_tags =
			load_tags_with(w->tags, w->run_tags, str_from(t->key), str_from(t->value));
}

void load_worker_open_output(struct load_worker *w)
{
	const struct load_opts *o = w->run->opts;

	if (o->output)
		w->output = o->output->writer_new(o->output_arg);
}

static void shard_free(struct load_shard *s)
{
	JSContext *ctx;

	/* atoms are the runtime's, but giving them back takes a context */
	if (s->has_atoms) {
		ctx = JS_NewContextRaw(js_shard_runtime(s->js));
		if (ctx) {
			load_response_atoms_release(ctx, &s->atoms);
			JS_FreeContext(ctx);
		}
	}
	js_shard_free(s->js);
	free(s);
}

void load_worker_release(struct load_worker *w)
{
	vec_for_each (&w->runners, r)
		load_runner_free(*r);
	vec_release(&w->runners);
	vec_for_each (&w->vus, vu)
		load_vu_free(*vu);
	vec_release(&w->vus);
	vec_release(&w->idle);
	vec_for_each (&w->shards, s)
		shard_free(*s);
	vec_release(&w->shards);
	arena_release(&w->scratch);
	fiber_pool_free(w->stacks);
	w->stacks = NULL;
	net_stack_free(w->stack);
	w->stack = NULL;
	if (w->output)
		w->run->opts->output->writer_free(w->output);
	w->output = NULL;
	if (w->loop)
		net_timer_remove(w->loop, &w->second_over);
}

void load_worker_free(struct load_worker *w)
{
	if (!w)
		return;
	if (w->loop)
		net_loop_run_once(w->loop, 0); /* seconds on their way back */
	second_free(w->second);
	vec_for_each (&w->spare, s)
		second_free(*s);
	vec_release(&w->spare);
	net_loop_free(w->loop);
	load_tag_pool_free(w->tags);
	free(w);
}

struct load_shard *load_worker_shard(struct load_worker *w)
{
	struct load_shard *s;
	struct js_shard_opts opts = {
		.modules = load_script_modules(w->run->script),
		.stacks = w->stacks,
		.classes = load_classes,
		.class_count = LOAD_CLASS_COUNT,
		.memory_limit_bytes = SHARD_MEMORY_MAX,
		.budget = &w->run->script_memory,
	};

	if (w->shards.len && vec_last(&w->shards)->vus < LOAD_SHARD_VUS)
		return vec_last(&w->shards);
	s = xcalloc(1, sizeof(*s));
	if (js_shard_new(&s->js, &opts) < 0) {
		free(s);
		return NULL;
	}
	/* load_worker_interrupt() reads the list from another thread */
	pthread_mutex_lock(&w->run->lock);
	vec_push(&w->shards, s);
	pthread_mutex_unlock(&w->run->lock);
	return s;
}

void load_worker_interrupt(struct load_worker *w)
{
	pthread_mutex_lock(&w->run->lock);
	vec_for_each (&w->shards, s)
		js_shard_stop((*s)->js);
	pthread_mutex_unlock(&w->run->lock);
}

/* ---- VUs ---- */

struct adding {
	load_worker_added_fn *added;
	void *arg;
};

static void vu_imported(struct load_vu *vu, enum load_vu_end end)
{
	struct load_worker *w = vu->worker;
	struct adding a = *(struct adding *)vu->import_arg;

	free(vu->import_arg);
	vu->import_arg = NULL;
	vu->unwanted_at = LOAD_STOP_NOW;
	if (end == LOAD_VU_OK) {
		vu->phase = LOAD_VU_RUN;
		vec_push(&w->idle, vu);
		a.added(w, vu, a.arg);
		return;
	}
	w->script_failed = true;
	if (end == LOAD_VU_INTERRUPTED)
		error_set(&w->err, -ECANCELED,
			  load_run_stop(w->run) ? "stopped by a signal"
						: "the script's init code took longer "
						  "than " LOAD_INIT_LIMIT_TEXT);
	else
		js_error_set(&w->err, -EINVAL, &vu->error);
	a.added(w, NULL, a.arg);
}

void load_worker_add_vu(struct load_worker *w, load_worker_added_fn *added, void *arg)
{
	struct load_vu *vu = NULL;
	struct adding *a;
	unsigned id = atomic_fetch_add(&w->run->next_vu_id, 1) + 1;

	if (load_vu_new(&vu, w, id, &w->err) < 0) {
		added(w, NULL, arg);
		return;
	}
	vec_push(&w->vus, vu);
	atomic_fetch_add(&w->run->vus, 1);
	a = xmalloc(sizeof(*a));
	*a = (struct adding){ added, arg };
	vu->import_arg = a;
	vu->unwanted_at = LOAD_STOP_GRACEFUL;
	load_vu_import(vu, vu_imported);
}

void load_worker_turn(struct load_worker *w, uint64_t max_wait_ns)
{
	net_loop_run_once(w->loop, max_wait_ns);
	if (!w->shards.len)
		return;
	if (w->collect_next >= w->shards.len)
		w->collect_next = 0;
	js_shard_collect_if_grown(w->shards.ptr[w->collect_next++]->js);
}

/* Most VUs this worker needs at once, of those planned: at the start of some scenario. */
static uint64_t planned_vus(const struct load_worker *w)
{
	const struct load_plan *p = w->run->plan;
	uint64_t most = 0;

	vec_for_each (&p->scenarios, at) {
		uint64_t t_ns = at->start_time_ns, sum = 0;

		vec_for_each (&p->scenarios, s)
			if (s->start_time_ns <= t_ns && t_ns < s->start_time_ns +
									load_schedule_length_ns(s) +
									s->graceful_stop_ns)
				sum += load_runner_planned(w, s);
		most = MAX(most, sum);
	}
	return most;
}

static void first_added(struct load_worker *w, struct load_vu *vu, void *arg)
{
	uint64_t *left = arg;

	(*left)--;
	if (!vu)
		w->failed = w->err.code;
}

static void make_vus(struct load_worker *w)
{
	uint64_t wanted = planned_vus(w), left = 0;

	for (uint64_t i = 0; i < wanted && !w->failed && !w->quit; i++) {
		left++;
		load_worker_add_vu(w, first_added, &left);
		while (left && !w->quit)
			load_worker_turn(w, TURN_NS);
	}
}

/* ---- the thread ---- */

void load_worker_runner_ended(struct load_worker *w)
{
	if (--w->runners_left)
		return;
	net_timer_cancel(&w->second_over);
	load_worker_hand_over(w, true);
}

static void start_runners(struct load_worker *w)
{
	const struct load_plan *p = w->run->plan;

	w->cpu_last_ns = load_thread_cpu_ns();
	w->second->t0_ns = net_loop_now_ns();
	/* a second never reaches from the warm-up into the load */
	w->second_due_ns = w->run->start_ns + p->warmup_ns % NS_PER_S;
	if (w->second_due_ns == w->run->start_ns)
		w->second_due_ns += NS_PER_S;
	net_timer_set(w->loop, &w->second_over, w->second_due_ns);
	for (size_t i = 0; i < p->scenarios.len; i++) {
		struct load_runner *r = load_runner_new(w, i);

		if (r)
			vec_push(&w->runners, r);
	}
	w->runners_left = (unsigned)w->runners.len;
	if (!w->runners_left) {
		w->runners_left = 1;
		load_worker_runner_ended(w);
		return;
	}
	vec_for_each (&w->runners, r)
		load_runner_schedule(*r);
}

static void quit(struct load_worker *w)
{
	w->quit = true;
	vec_for_each (&w->vus, vu)
		load_vu_abort(*vu);
}

struct order {
	struct net_task task;
	struct load_worker *worker;
	enum load_order order;
};

static void take_order(struct net_task *t)
{
	struct order *o = container_of(t, struct order, task);
	struct load_worker *w = o->worker;
	enum load_order order = o->order;

	free(o);
	switch (order) {
	case LOAD_ORDER_START:
		start_runners(w);
		break;
	case LOAD_ORDER_STOP:
		vec_for_each (&w->runners, r)
			load_runner_stop(*r);
		break;
	case LOAD_ORDER_ABORT:
		vec_for_each (&w->runners, r)
			load_runner_abort(*r);
		break;
	case LOAD_ORDER_QUIT:
		quit(w);
		break;
	}
}

void load_worker_order(struct load_worker *w, enum load_order order)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->task.run = take_order;
	o->worker = w;
	o->order = order;
	net_loop_post(w->loop, &o->task);
}

static void *worker_main(void *arg)
{
	struct load_worker *w = arg;

	make_vus(w);
	w->started.run = load_control_started;
	net_loop_post(w->run->control->loop, &w->started);
	while (!w->quit)
		load_worker_turn(w, TURN_NS);
	load_worker_release(w);
	return NULL;
}

int load_worker_start(struct load_run *run, unsigned index, struct load_worker **ret,
		      struct error *reterr)
{
	struct load_worker *w = xcalloc(1, sizeof(*w));
	int r;

	w->index = index;
	w->count = run->worker_count;
	r = load_worker_init(w, run, reterr);
	if (r == 0) {
		load_worker_equip(w);
		load_worker_open_output(w);
		r = -pthread_create(&w->thread, NULL, worker_main, w);
		if (r < 0)
			error_errno(reterr, r, "starting a worker thread");
	}
	if (r < 0) {
		load_worker_release(w);
		load_worker_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void load_worker_join(struct load_worker *w)
{
	load_worker_order(w, LOAD_ORDER_QUIT);
	pthread_join(w->thread, NULL);
}
