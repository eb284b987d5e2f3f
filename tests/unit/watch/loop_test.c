/* The watch with sources made by hand: rows, silence, ends. */
#include "watch/loop.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/clock.h"
#include "rig.h"
#include "test.h"
#include "watch/tee.h"

/* A source that gives one value each time it is asked, or whenever a byte comes: 'v' a value, 't' a
 * tick, 'x' the target's end, 'e' its own. */
struct hand {
	struct watch_source source;
	struct watch_out *out;
	int fd;
	int polls, ends_at, end; /* at which poll it returns what */
	int starts;		 /* what start() returns */
	unsigned closed;
};

static struct hand *hand_of(struct watch_source *s)
{
	return container_of(s, struct hand, source);
}

static int give(struct hand *h, const char *name)
{
	return h->out->ops->value(h->out, &(struct watch_value){ .t_ns = clock_now_ns(),
								 .provider = "p",
								 .name = name,
								 .unit = "",
								 .tags = "",
								 .value = 1 });
}

static int start(struct watch_source *s, struct watch_out *out, uint64_t t_ns UNUSED,
		 struct error *reterr)
{
	struct hand *h = hand_of(s);

	h->out = out;
	return h->starts < 0 ? error_set(reterr, h->starts, "no start") : 0;
}

static int poll_hand(struct watch_source *s, uint64_t t_ns UNUSED)
{
	struct hand *h = hand_of(s);

	if (++h->polls == h->ends_at)
		return h->end;
	return give(h, s->name);
}

static int fd_of(struct watch_source *s)
{
	return hand_of(s)->fd;
}

static int ready(struct watch_source *s)
{
	struct hand *h = hand_of(s);
	char c;

	if (read(h->fd, &c, 1) != 1)
		return -ENODATA;
	switch (c) {
	case 'v':
		return give(h, s->name);
	case 't':
		return h->out->ops->tick(h->out, clock_now_ns());
	case 'x':
		return -ESRCH;
	default:
		return -ENODATA;
	}
}

static void close_hand(struct watch_source *s)
{
	hand_of(s)->closed++;
}

static const struct watch_source_ops polled_ops = { start, poll_hand, NULL, NULL, close_hand };
static const struct watch_source_ops driving_ops = { start, NULL, fd_of, ready, close_hand };

static struct hand polled(const char *name)
{
	return (struct hand){ .source = { .ops = &polled_ops, .name = name } };
}

/* Bytes that are sent at times, in ms. */
struct script {
	int fd;
	const struct {
		unsigned after_ms;
		char byte;
	} * steps;
	size_t n;
};

static void *play(void *arg)
{
	struct script *s = arg;

	for (size_t i = 0; i < s->n; i++) {
		struct timespec t = clock_timespec(s->steps[i].after_ms * NS_PER_MS);

		nanosleep(&t, NULL);
		ASSERT_INT(write(s->fd, &s->steps[i].byte, 1), 1);
	}
	return NULL;
}

static struct watch_result watch(struct hand **hands, size_t n, struct log *log,
				 uint64_t duration_ms)
{
	struct watch_source *sources[4];
	struct watch_result res = { 0 };
	struct error err = ERROR_INIT;

	log_init(log);
	log->plain = true;
	for (size_t i = 0; i < n; i++)
		sources[i] = &hands[i]->source;
	ASSERT_OK_ERR(
		watch_loop_run(sources, n,
			       &(struct watch_loop_opts){ .interval_ns = 100 * NS_PER_MS,
							  .duration_ns = duration_ms * NS_PER_MS,
							  .out = &log->out },
			       &res, &err),
		err);
	for (size_t i = 0; i < n; i++)
		ASSERT_INT(hands[i]->closed, 1);
	return res;
}

TEST(loop_polls_in_order_and_on_schedule)
{
	struct hand a = polled("a"), b = polled("b");
	struct log log;
	uint64_t begin_ns = clock_now_ns(), took_ms;
	struct watch_result res = watch((struct hand *[]){ &a, &b }, 2, &log, 300);

	took_ms = (clock_now_ns() - begin_ns) / NS_PER_MS;
	ASSERT_INT(res.end, WATCH_END_TIME);
	ASSERT_INT(res.rows, 3);
	ASSERT_STREQ(strbuf_cstr(&log.text), "a b | a b | a b | ");
	ASSERT_TRUE(took_ms >= 300 && took_ms < 2000);
}

TEST(loop_hands_on_what_an_interval_cut_short_had)
{
	struct hand a = polled("a");
	struct log log;
	struct watch_result res = watch((struct hand *[]){ &a }, 1, &log, 150);

	ASSERT_INT(res.rows, 2);
	ASSERT_STREQ(strbuf_cstr(&log.text), "a | a | ");
}

TEST(loop_one_source_may_end_and_the_targets_end_is_all)
{
	struct hand a = polled("a"), b = polled("b");
	struct log log;
	struct watch_result res;

	a.ends_at = 2;
	a.end = -ENODATA;
	b.ends_at = 4;
	b.end = -ESRCH;
	res = watch((struct hand *[]){ &a, &b }, 2, &log, 0);
	ASSERT_INT(res.end, WATCH_END_GONE);
	ASSERT_STREQ(strbuf_cstr(&log.text), "a b | b | b | ");
	a = polled("a");
	a.ends_at = 2;
	a.end = -ENODATA;
	res = watch((struct hand *[]){ &a }, 1, &log, 0);
	ASSERT_INT(res.end, WATCH_END_NOTHING);
	ASSERT_INT(res.rows, 1);
}

TEST(loop_a_driving_source_ends_the_rows)
{
	struct hand a = polled("a"), d = { .source = { &driving_ops, "d", true } };
	struct script s = { .steps = (void *)&(const struct {
				    unsigned after_ms;
				    char byte;
			    }[]){ { 60, 'v' },
				  { 1, 't' },
				  { 99, 'v' },
				  { 1, 'v' },
				  { 1, 't' },
				  { 20, 'v' },
				  { 0, 'x' } },
			    .n = 7 };
	struct watch_result res;
	pthread_t thread;
	struct log log;
	int fds[2];

	ASSERT_OK(pipe(fds));
	d.fd = fds[0];
	s.fd = fds[1];
	pthread_create(&thread, NULL, play, &s);
	res = watch((struct hand *[]){ &d, &a }, 2, &log, 0);
	pthread_join(thread, NULL);
	/* what came after the last tick makes a row too */
	ASSERT_STREQ(strbuf_cstr(&log.text), "d a | d d a | d | ");
	ASSERT_INT(res.end, WATCH_END_GONE);
	ASSERT_INT(res.rows, 3);
}

TEST(loop_a_silent_driver_holds_nobody_up_and_is_said_once)
{
	struct hand a = polled("a"), d = { .source = { &driving_ops, "the runtime", true } };
	struct script s = { .steps = (void *)&(const struct {
				    unsigned after_ms;
				    char byte;
			    }[]){ { 400, 'v' }, { 0, 't' }, { 5, 'e' } },
			    .n = 3 };
	struct watch_result res;
	pthread_t thread;
	struct log log;
	int fds[2];

	ASSERT_OK(pipe(fds));
	d.fd = fds[0];
	s.fd = fds[1];
	pthread_create(&thread, NULL, play, &s);
	res = watch((struct hand *[]){ &d, &a }, 2, &log, 420);
	pthread_join(thread, NULL);
	/* late at 150 ms, then each 100: 250, 350; its own row at 400 */
	ASSERT_HAS(strbuf_cstr(&log.text),
		   "(nothing from the runtime for 0.2 s) a | a | a | the runtime a | ");
	ASSERT_INT(log.notes, 1);
	ASSERT_INT(res.end, WATCH_END_TIME);
}

TEST(loop_a_start_that_fails_is_the_caller_s_and_all_are_closed)
{
	struct hand a = polled("a"), b = polled("b");
	struct watch_source *sources[] = { &a.source, &b.source };
	struct watch_result res;
	struct error err = ERROR_INIT;
	struct log log;

	log_init(&log);
	b.starts = -EACCES;
	ASSERT_INT(watch_loop_run(
			   sources, 2,
			   &(struct watch_loop_opts){ .interval_ns = NS_PER_S, .out = &log.out },
			   &res, &err),
		   -EACCES);
	ASSERT_STREQ(err.msg, "no start");
	ASSERT_INT(a.closed + b.closed, 2);
}

static int stop(void *arg)
{
	char c;

	return (int)read(*(int *)arg, &c, 1);
}

TEST(loop_a_hook_stops_and_the_started_interval_is_kept)
{
	struct hand a = polled("a");
	struct watch_source *sources[] = { &a.source };
	struct watch_result res;
	struct watch_hook hook = { .ready = stop };
	struct log log;
	int fds[2];
	struct script s = { .steps = (void *)&(const struct {
				    unsigned after_ms;
				    char byte;
			    }[]){ { 150, 'q' } },
			    .n = 1 };
	pthread_t thread;

	log_init(&log);
	log.plain = true;
	ASSERT_OK(pipe(fds));
	hook.fd = fds[0];
	hook.arg = &fds[0];
	s.fd = fds[1];
	pthread_create(&thread, NULL, play, &s);
	ASSERT_OK(watch_loop_run(sources, 1,
				 &(struct watch_loop_opts){ .interval_ns = 600 * NS_PER_MS,
							    .out = &log.out,
							    .hooks = &hook,
							    .n_hooks = 1 },
				 &res, NULL));
	pthread_join(thread, NULL);
	ASSERT_INT(res.end, WATCH_END_STOPPED);
	ASSERT_STREQ(strbuf_cstr(&log.text), "a | ");
}

TEST(loop_an_output_that_fails_ends_it)
{
	struct hand a = polled("a");
	struct watch_source *sources[] = { &a.source };
	struct watch_result res;
	struct log log;

	log_init(&log);
	log.fail_after = 2;
	ASSERT_OK(watch_loop_run(
		sources, 1,
		&(struct watch_loop_opts){ .interval_ns = 10 * NS_PER_MS, .out = &log.out }, &res,
		NULL));
	ASSERT_INT(res.end, WATCH_END_OUTPUT);
	ASSERT_INT(res.failure, -ENOSPC);
	ASSERT_INT(res.rows, 2);
}

TEST(tee_goes_on_without_one_that_fails)
{
	struct log bad, good;
	struct watch_out *both;
	struct watch_value v = { .provider = "p", .name = "n", .unit = "", .tags = "", .value = 1 };

	log_init(&bad);
	log_init(&good);
	bad.fail_after = 1;
	both = watch_tee_new((struct watch_out *[]){ &bad.out, &good.out }, 2);
	ASSERT_OK(both->ops->value(both, &v));
	ASSERT_OK(both->ops->value(both, &v));
	ASSERT_OK(both->ops->value(both, &v));
	ASSERT_OK(both->ops->tick(both, 1));
	ASSERT_INT(bad.values, 2);
	ASSERT_INT(bad.ticks, 0);
	ASSERT_INT(good.values, 3);
	good.fail_after = 3;
	ASSERT_INT(both->ops->value(both, &v), -ENOSPC);
	ASSERT_OK(both->ops->close(both, NULL));
	ASSERT_INT(bad.closed + good.closed, 2);
}

TEST(loop_a_source_that_is_optional_may_fail_to_start)
{
	struct hand a = polled("a"), b = polled("b");
	struct watch_source *sources[] = { &b.source, &a.source };
	struct watch_loop_opts opts = { .interval_ns = 100 * NS_PER_MS,
					.duration_ns = 200 * NS_PER_MS,
					.optional = true };
	struct watch_result res;
	struct error err = ERROR_INIT;
	struct log log;

	log_init(&log);
	log.plain = true;
	opts.out = &log.out;
	b.starts = -EACCES;
	ASSERT_OK_ERR(watch_loop_run(sources, 2, &opts, &res, &err), err);
	ASSERT_STREQ(strbuf_cstr(&log.text), "(no start) a | a | ");
	ASSERT_INT(a.closed, 1);
	ASSERT_INT(b.closed, 1);
	a.starts = -EACCES;
	ASSERT_INT(watch_loop_run(sources, 2, &opts, &res, &err), -EACCES);
	ASSERT_INT(a.closed, 2);
	ASSERT_INT(b.closed, 2);
}
