#include "watch/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "os/clock.h"

#define DESCRIPTORS_MAX 16

struct loop {
	struct watch_out port; /* what sources hand to; passes on to opts->out */
	const struct watch_loop_opts *opts;
	struct watch_source **live;
	size_t n_live;
	uint64_t start_ns, last_row_ns, next_ns;
	bool row_open;	 /* values came since the last tick */
	bool in_silence; /* the driving source is late, and that was said */
	bool ended;
	struct watch_result result;
};

static void end(struct loop *l, enum watch_end why)
{
	if (!l->ended)
		l->result.end = why;
	l->ended = true;
}

/* --- the way out --- */

static int handed(struct loop *l, int r)
{
	if (r < 0 && !l->result.failure) {
		l->result.failure = r;
		end(l, WATCH_END_OUTPUT);
	}
	return r;
}

static int port_value(struct watch_out *o, const struct watch_value *v)
{
	struct loop *l = container_of(o, struct loop, port);

	l->row_open = true;
	return handed(l, l->opts->out->ops->value(l->opts->out, v));
}

static int port_note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	struct loop *l = container_of(o, struct loop, port);

	return handed(l, l->opts->out->ops->note(l->opts->out, t_ns, text));
}

/* --- rows --- */

static bool is_driven(const struct loop *l)
{
	for (size_t i = 0; i < l->n_live; i++)
		if (l->live[i]->drives)
			return true;
	return false;
}

static void drop(struct loop *l, struct watch_source *s)
{
	size_t i = 0;

	while (i < l->n_live && l->live[i] != s)
		i++;
	if (i == l->n_live)
		return;
	for (l->n_live--; i < l->n_live; i++)
		l->live[i] = l->live[i + 1];
	s->ops->close(s);
	if (!l->n_live)
		end(l, WATCH_END_NOTHING);
}

static void heed(struct loop *l, struct watch_source *s, int r)
{
	if (r >= 0 || l->result.failure)
		return;
	if (r == -ESRCH)
		end(l, WATCH_END_GONE);
	else
		drop(l, s);
}

static void poll_all(struct loop *l, uint64_t t_ns)
{
	for (size_t i = 0; i < l->n_live && !l->ended;) {
		struct watch_source *s = l->live[i];

		if (s->ops->poll)
			heed(l, s, s->ops->poll(s, t_ns));
		if (i < l->n_live && l->live[i] == s)
			i++;
	}
}

static void hand_tick(struct loop *l, uint64_t t_ns)
{
	if (l->result.failure || !l->row_open)
		return;
	l->row_open = false;
	l->result.rows++;
	handed(l, l->opts->out->ops->tick(l->opts->out, t_ns));
}

static void end_row(struct loop *l, uint64_t t_ns)
{
	poll_all(l, t_ns);
	hand_tick(l, t_ns);
	l->last_row_ns = t_ns;
	if (is_driven(l)) /* the schedule goes on from here when the driver has ended */
		l->next_ns = t_ns + l->opts->interval_ns;
}

/* Two ticks of a source that follow closely, as after a wait, are two rows still. */
static int port_tick(struct watch_out *o, uint64_t t_ns)
{
	struct loop *l = container_of(o, struct loop, port);

	l->in_silence = false;
	end_row(l, MAX(t_ns, l->last_row_ns));
	return l->result.failure;
}

static void say_silence(struct loop *l, uint64_t now_ns)
{
	char text[160];

	for (size_t i = 0; i < l->n_live && !l->in_silence; i++) {
		if (!l->live[i]->drives)
			continue;
		snprintf(text, sizeof(text), "nothing from %s for %.1f s", l->live[i]->name,
			 (double)(now_ns - l->last_row_ns) / 1e9);
		port_note(&l->port, now_ns, text);
		l->in_silence = true;
	}
}

static void keep_schedule(struct loop *l, uint64_t now_ns)
{
	uint64_t interval_ns = l->opts->interval_ns, missed = 0;
	char text[96];

	for (l->next_ns += interval_ns; l->next_ns <= now_ns; l->next_ns += interval_ns)
		missed++;
	if (!missed)
		return;
	snprintf(text, sizeof(text), "%llu interval%s missed: assay itself had to wait",
		 (unsigned long long)missed, missed == 1 ? "" : "s");
	port_note(&l->port, now_ns, text);
}

/* --- waiting --- */

/* When a row is due if no source ends it before. */
static uint64_t row_due(const struct loop *l)
{
	uint64_t interval_ns = l->opts->interval_ns;

	if (!is_driven(l))
		return l->next_ns;
	return l->last_row_ns + interval_ns + (l->in_silence ? 0 : interval_ns / 2);
}

/* A driving source's last interval ends a little after ours, since it began a little later. */
static uint64_t time_is_up(const struct loop *l)
{
	uint64_t duration_ns = l->opts->duration_ns;

	if (!duration_ns)
		return UINT64_MAX;
	if (is_driven(l) && l->result.rows < duration_ns / l->opts->interval_ns)
		duration_ns += l->opts->interval_ns / 2;
	return l->start_ns + duration_ns;
}

static void on_time(struct loop *l)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= row_due(l)) {
		if (is_driven(l))
			say_silence(l, now_ns);
		else
			keep_schedule(l, now_ns);
		end_row(l, now_ns);
	}
	if (now_ns >= time_is_up(l))
		end(l, WATCH_END_TIME);
}

struct waiting {
	struct pollfd fds[DESCRIPTORS_MAX];
	struct watch_source *source[DESCRIPTORS_MAX]; /* NULL: a hook */
	const struct watch_hook *hook[DESCRIPTORS_MAX];
	nfds_t n;
};

static void wait_on(struct waiting *w, int fd, struct watch_source *s, const struct watch_hook *h)
{
	if (fd < 0)
		return;
	BUG_ON(w->n == DESCRIPTORS_MAX);
	w->fds[w->n] = (struct pollfd){ .fd = fd, .events = POLLIN };
	w->source[w->n] = s;
	w->hook[w->n++] = h;
}

static void answer(struct loop *l, const struct waiting *w)
{
	for (nfds_t i = 0; i < w->n && !l->ended; i++) {
		if (!w->fds[i].revents)
			continue;
		if (w->hook[i] && w->hook[i]->ready(w->hook[i]->arg) != 0)
			end(l, WATCH_END_STOPPED);
		else if (w->source[i])
			heed(l, w->source[i], w->source[i]->ops->ready(w->source[i]));
	}
}

static void wait_once(struct loop *l)
{
	uint64_t until_ns = MIN(row_due(l), time_is_up(l)), now_ns = clock_now_ns();
	struct timespec timeout = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
	struct waiting w = { .n = 0 };

	for (size_t i = 0; i < l->opts->n_hooks; i++)
		wait_on(&w, l->opts->hooks[i].fd, NULL, &l->opts->hooks[i]);
	for (size_t i = 0; i < l->n_live; i++)
		if (l->live[i]->ops->fd)
			wait_on(&w, l->live[i]->ops->fd(l->live[i]), l->live[i], NULL);
	if (ppoll(w.fds, w.n, &timeout, NULL) > 0)
		answer(l, &w);
	if (!l->ended)
		on_time(l);
}

/* What the last row is too young for is handed on, if it is worth a row. */
static void finish(struct loop *l)
{
	uint64_t now_ns = clock_now_ns();
	bool cut = now_ns - l->last_row_ns >= l->opts->interval_ns / 10;
	enum watch_end why = l->result.end;

	if ((why == WATCH_END_STOPPED || why == WATCH_END_TIME) && cut && !is_driven(l)) {
		l->ended = false;
		poll_all(l, now_ns);
		l->ended = true;
		l->result.end = why;
	}
	hand_tick(l, now_ns);
}

static int start_one(struct loop *l, struct watch_source *s, struct error *reterr)
{
	struct error err = ERROR_INIT;
	int r = s->ops->start(s, &l->port, clock_now_ns(), &err);

	if (r >= 0)
		return 0;
	if (l->opts->optional && l->n_live > 1) {
		port_note(&l->port, clock_now_ns(), err.msg);
		drop(l, s);
		return 0;
	}
	return error_set(reterr, r, "%s", err.msg);
}

static int start_all(struct loop *l, struct watch_source *const *sources, size_t n,
		     struct error *reterr)
{
	l->live = xcalloc(n + 1, sizeof(*l->live));
	for (size_t i = 0; i < n; i++)
		l->live[l->n_live++] = sources[i];
	for (size_t i = 0; i < n; i++) {
		int r = start_one(l, sources[i], reterr);

		if (r < 0)
			return r;
	}
	l->start_ns = l->last_row_ns = clock_now_ns();
	l->next_ns = l->start_ns + l->opts->interval_ns;
	return 0;
}

int watch_loop_run(struct watch_source *const *sources, size_t n,
		   const struct watch_loop_opts *opts, struct watch_result *ret,
		   struct error *reterr)
{
	static const struct watch_out_ops port_ops = { port_value, port_tick, port_note, NULL };
	struct loop l = { .port.ops = &port_ops, .opts = opts };
	int r = start_all(&l, sources, n, reterr);

	if (r == 0) {
		while (!l.ended)
			wait_once(&l);
		finish(&l);
		*ret = l.result;
	}
	for (size_t i = 0; i < l.n_live; i++)
		l.live[i]->ops->close(l.live[i]);
	free(l.live);
	return r;
}
