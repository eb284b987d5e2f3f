#include "dotnet/incident_log.h"

#include <inttypes.h>
#include <math.h>

#include "dotnet/cursor.h"

#define THREADS_MAX	  4096 /* that wait for a lock at once */
#define MESSAGE_BYTES_MAX 300
#define QUEUED_MAX	  1000000

enum { QUEUE_WORK = 61, TAKE_WORK = 62 };

/* ---- exceptions ---- */

static void take_exception(struct incident_log *l, struct stacks *s, const struct nettrace_event *e)
{
	struct clr_exception x;
	size_t cut;

	if (!clr_read_exception(e, &x))
		return;
	strbuf_clear(&l->scratch);
	strbuf_addstr(&l->scratch, INCIDENT_THROW);
	clr_text(x.type, &l->scratch);
	strbuf_addstr(&l->scratch, ") ");
	cut = l->scratch.len + MESSAGE_BYTES_MAX;
	clr_text(x.message, &l->scratch);
	if (l->scratch.len > cut) {
		while (cut && ((unsigned char)l->scratch.ptr[cut] & 0xc0) == 0x80)
			cut--;
		strbuf_truncate(&l->scratch, cut);
		strbuf_addstr(&l->scratch, "...");
	}
	vec_push(&l->exceptions.samples,
		 ((struct labelled_sample){
			 .node = stacks_node(s, e),
			 .label = labelled_text(&l->exceptions, strbuf_str(&l->scratch)),
			 .thread = e->thread_id,
			 .t_ns = e->t_ns,
			 .weight = 1 }));
}

/* ---- waits for locks ---- */

static struct waiting *waiting_of(struct incident_log *l, uint64_t thread)
{
	vec_for_each (&l->waiting, w)
		if (w->thread == thread)
			return w;
	if (l->waiting.len == THREADS_MAX)
		return NULL;
	vec_push(&l->waiting, ((struct waiting){ .thread = thread, .since_ns = INT64_MIN }));
	return &vec_last(&l->waiting);
}

static void take_wait_start(struct incident_log *l, struct stacks *s,
			    const struct nettrace_event *e)
{
	struct waiting *w = waiting_of(l, e->thread_id);
	struct clr_contention c;

	if (!w || !clr_read_contention(e, &c) || c.native)
		return;
	strbuf_clear(&l->scratch);
	if (c.lock)
		strbuf_addf(&l->scratch, INCIDENT_LOCK "0x%" PRIx64, c.lock);
	else
		strbuf_addstr(&l->scratch, INCIDENT_LOCK "?");
	l->wait_starts++;
	l->waits_not_over += w->since_ns == INT64_MIN;
	w->since_ns = e->t_ns;
	w->node = stacks_node(s, e);
	w->label = labelled_text(&l->waits, strbuf_str(&l->scratch));
}

static void take_wait_stop(struct incident_log *l, struct stacks *s, const struct nettrace_event *e)
{
	struct waiting *w = waiting_of(l, e->thread_id);
	struct labelled_sample sample = { .thread = e->thread_id, .t_ns = e->t_ns };
	struct clr_contention c;
	bool begun;

	if (!w || !clr_read_contention(e, &c) || c.native)
		return;
	begun = w->since_ns != INT64_MIN;
	if (isnan(c.duration_ns) && !begun)
		return; /* nobody knows how long */
	sample.weight = isnan(c.duration_ns) ? (double)(e->t_ns - w->since_ns) : c.duration_ns;
	sample.weight /= 1e6;
	sample.node = begun ? w->node : stacks_node(s, e);
	sample.label = begun ? w->label : labelled_text(&l->waits, str_from(INCIDENT_LOCK "?"));
	l->waits_not_over -= begun;
	w->since_ns = INT64_MIN;
	vec_push(&l->waits.samples, sample);
}

/* ---- the thread pool ---- */

static void take_adjustment(struct pool_log *p, const struct nettrace_event *e)
{
	struct pool_adjustment a = { .t_ns = e->t_ns };

	if (!clr_read_adjustment(e, &a.to))
		return;
	vec_push(&p->adjustments, a);
	if (a.to.reason < POOL_REASONS)
		p->reasons[a.to.reason]++;
}

static void take_workers(struct pool_log *p, const struct nettrace_event *e)
{
	struct clr_workers w;

	if (!clr_read_workers(e, &w))
		return;
	p->worker_events++;
	p->most_workers = MAX(p->most_workers, (uint64_t)w.active);
}

static void take_work(struct incident_log *l, const struct nettrace_event *e)
{
	struct cursor c = cursor_of(e->payload, e->offset);
	uint64_t item = cursor_number(&c, e->pointer_bytes);
	intptr_t since;
	double ms;

	if (c.bad)
		return;
	if (e->meta->event_id == QUEUE_WORK) {
		if (l->pool.queued++ < QUEUED_MAX && e->t_ns)
			nettrace_table_put(&l->queued, item, (void *)(intptr_t)e->t_ns);
		return;
	}
	since = (intptr_t)nettrace_table_get(&l->queued, item);
	if (!since)
		return;
	nettrace_table_remove(&l->queued, item);
	ms = (double)(e->t_ns - since) / 1e6;
	l->pool.taken++;
	l->pool.delay_ms += ms;
	l->pool.longest_delay_ms = MAX(l->pool.longest_delay_ms, ms);
}

void incident_log_take(struct incident_log *l, struct stacks *s, const struct nettrace_event *e)
{
	switch (e->meta->event_id) {
	case CLR_EXCEPTION:
		take_exception(l, s, e);
		break;
	case CLR_CONTENTION_START:
		take_wait_start(l, s, e);
		break;
	case CLR_CONTENTION_STOP:
		take_wait_stop(l, s, e);
		break;
	case CLR_WORKER_ADJUSTMENT:
		take_adjustment(&l->pool, e);
		break;
	case CLR_WORKER_START:
	case CLR_WORKER_STOP:
	case CLR_WORKER_WAIT:
		take_workers(&l->pool, e);
		break;
	case QUEUE_WORK:
	case TAKE_WORK:
		take_work(l, e);
		break;
	default:
		break;
	}
}

void incident_log_finish(struct incident_log *l, const struct stacks *s, struct incidents *ret)
{
	labelled_profile(&l->exceptions, s, "exceptions", &ret->exceptions);
	labelled_profile(&l->waits, s, "ms", &ret->waits);
	ret->wait_starts = l->wait_starts;
	ret->waits_not_over = l->waits_not_over;
	ret->pool = l->pool;
	l->pool = (struct pool_log){ 0 };
}

void incident_log_release(struct incident_log *l)
{
	labelled_release(&l->exceptions);
	labelled_release(&l->waits);
	vec_release(&l->pool.adjustments);
	vec_release(&l->waiting);
	nettrace_table_clear(&l->queued);
	strbuf_release(&l->scratch);
}

void incidents_release(struct incidents *i)
{
	profile_release(&i->exceptions);
	profile_release(&i->waits);
	vec_release(&i->pool.adjustments);
}
