#include "net/loop.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

static struct net_loop *new_loop(void)
{
	struct error err = ERROR_INIT;
	struct net_loop *loop;

	ASSERT_OK_ERR(net_loop_new(&loop, &err), err);
	return loop;
}

/* --- timers --- */

struct alarm {
	struct net_timer timer;
	struct net_loop *loop;
	uint64_t fired_ns;
	unsigned order, times;
};

static unsigned fired;

static void on_alarm(struct net_timer *t)
{
	struct alarm *a = container_of(t, struct alarm, timer);

	a->fired_ns = net_loop_now_ns();
	a->order = ++fired;
	a->times++;
}

static void run_for(struct net_loop *loop, uint64_t ns)
{
	uint64_t end_ns = net_loop_now_ns() + ns;

	while (net_loop_now_ns() < end_ns)
		net_loop_run_once(loop, end_ns - MIN(end_ns, net_loop_now_ns()));
}

TEST(timers_fire_in_order_never_early_and_once)
{
	static const unsigned delays_ms[] = { 9, 3, 7, 1, 5, 8, 2, 6, 4, 10 };
	struct net_loop *loop = new_loop();
	struct alarm alarms[10] = { 0 };
	uint64_t start_ns = net_loop_now_ns();

	for (int i = 0; i < 10; i++) {
		alarms[i].timer.expired = on_alarm;
		net_timer_set(loop, &alarms[i].timer, start_ns + delays_ms[i] * NS_PER_MS);
	}
	run_for(loop, 30 * NS_PER_MS);
	for (int i = 0; i < 10; i++) {
		ASSERT_INT(alarms[i].times, 1);
		ASSERT_INT(alarms[i].order, delays_ms[i]);
		ASSERT_TRUE(alarms[i].fired_ns >= start_ns + delays_ms[i] * NS_PER_MS);
	}
	net_loop_free(loop);
}

TEST(a_timer_follows_its_last_setting)
{
	struct net_loop *loop = new_loop();
	struct alarm later = { .timer.expired = on_alarm }, sooner = later, off = later,
		     gone = later, back = later;
	uint64_t now_ns = net_loop_now_ns();

	net_timer_set(loop, &later.timer, now_ns + 2 * NS_PER_MS);
	net_timer_set(loop, &later.timer, now_ns + 20 * NS_PER_MS);
	net_timer_set(loop, &sooner.timer, now_ns + 3600 * NS_PER_S);
	net_timer_set(loop, &sooner.timer, now_ns + 3 * NS_PER_MS);
	net_timer_set(loop, &off.timer, now_ns + 4 * NS_PER_MS);
	net_timer_cancel(&off.timer);
	net_timer_set(loop, &gone.timer, now_ns + 1 * NS_PER_MS);
	net_timer_remove(loop, &gone.timer);
	net_timer_set(loop, &back.timer, now_ns + 5 * NS_PER_MS);
	net_timer_cancel(&back.timer);
	net_timer_set(loop, &back.timer, now_ns + 6 * NS_PER_MS);
	run_for(loop, 40 * NS_PER_MS);
	ASSERT_TRUE(later.fired_ns >= now_ns + 20 * NS_PER_MS);
	ASSERT_TRUE(sooner.fired_ns >= now_ns + 3 * NS_PER_MS);
	ASSERT_TRUE(back.fired_ns >= now_ns + 6 * NS_PER_MS);
	ASSERT_INT(later.times + sooner.times + back.times, 3);
	ASSERT_INT(off.times + gone.times, 0);
	net_loop_free(loop);
}

/* The heap against a plain search: random deadlines set, moved and removed must fire in order. */
TEST(timers_hold_their_order_under_random_changes)
{
	static struct alarm alarms[500];
	struct net_loop *loop = new_loop();
	uint64_t now_ns = net_loop_now_ns(), expected = 0, last_ns = 0;
	unsigned seed = 1;

	for (int round = 0; round < 5000; round++) {
		seed = seed * 1103515245 + 12345;
		struct alarm *a = &alarms[seed / 65536 % 500];

		a->timer.expired = on_alarm;
		seed = seed * 1103515245 + 12345;
		if (seed / 65536 % 4)
			net_timer_set(loop, &a->timer, now_ns + 1 + seed / 65536 % 1000);
		else
			net_timer_remove(loop, &a->timer);
	}
	struct {
		uint64_t deadline_ns;
	} due[500] = { 0 };
	for (int i = 0; i < 500; i++) {
		due[i].deadline_ns = alarms[i].timer.deadline_ns;
		expected += due[i].deadline_ns != 0;
	}
	fired = 0;
	net_loop_run_once(loop, 10 * NS_PER_MS);
	ASSERT_INT(fired, expected);
	for (unsigned order = 1; order <= fired; order++) {
		for (int i = 0; i < 500; i++) {
			if (alarms[i].order != order)
				continue;
			ASSERT_TRUE(due[i].deadline_ns >= last_ns);
			last_ns = due[i].deadline_ns;
		}
	}
	net_loop_free(loop);
}

static void set_again(struct net_timer *t)
{
	struct alarm *a = container_of(t, struct alarm, timer);

	if (++a->times < 5)
		net_timer_set(a->loop, t, net_loop_now_ns() + NS_PER_MS / 10);
}

TEST(a_timer_may_set_itself_again)
{
	struct alarm a = { .timer.expired = set_again, .loop = new_loop() };

	net_timer_set(a.loop, &a.timer, 1);
	run_for(a.loop, 20 * NS_PER_MS);
	ASSERT_INT(a.times, 5);
	net_loop_free(a.loop);
}

TEST(spinning_makes_timers_sharper_than_a_tenth_of_a_millisecond)
{
	struct net_loop *loop = new_loop();
	uint64_t best_ns = UINT64_MAX;

	net_loop_set_spin_ns(loop, 2 * NS_PER_MS);
	for (int i = 0; i < 20; i++) {
		struct alarm a = { .timer.expired = on_alarm };
		uint64_t at_ns = net_loop_now_ns() + NS_PER_MS;

		net_timer_set(loop, &a.timer, at_ns);
		while (!a.times)
			net_loop_run_once(loop, NS_PER_S);
		best_ns = MIN(best_ns, a.fired_ns - at_ns);
	}
	ASSERT_TRUE(best_ns < 100 * NS_PER_US);
	net_loop_free(loop);
}

/* --- descriptors --- */

struct end {
	struct net_watch watch;
	struct net_loop *loop;
	struct end *other;
	int events;
};

static void count_and_remove_other(struct net_watch *w, uint32_t events UNUSED)
{
	struct end *e = container_of(w, struct end, watch);

	e->events++;
	net_watch_remove(e->loop, &e->other->watch);
	memset(&e->other->watch, 0x5a, sizeof(e->other->watch));
}

TEST(a_removed_watch_is_not_called_for_events_already_collected)
{
	struct net_loop *loop = new_loop();
	struct end ends[2] = { 0 };
	int pair[2];

	ASSERT_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	for (int i = 0; i < 2; i++) {
		ends[i] = (struct end){ .loop = loop, .other = &ends[1 - i] };
		ends[i].watch.ready = count_and_remove_other;
		ASSERT_INT(write(pair[i], "x", 1), 1);
		ASSERT_OK(net_watch_add(loop, &ends[i].watch, pair[i], EPOLLIN));
	}
	net_loop_run_once(loop, NS_PER_S);
	ASSERT_INT(ends[0].events + ends[1].events, 1);
	net_loop_free(loop);
}

/* --- tasks --- */

struct job {
	struct net_task task;
	struct net_loop *loop;
	struct job *victim;
	unsigned order, times;
};

static unsigned jobs_run;

static void run_job(struct net_task *t)
{
	struct job *j = container_of(t, struct job, task);

	j->order = ++jobs_run;
	j->times++;
	if (j->victim)
		ASSERT_TRUE(net_loop_undefer(j->loop, &j->victim->task));
}

static void run_job_forever(struct net_task *t)
{
	struct job *j = container_of(t, struct job, task);

	j->times++;
	net_loop_defer(j->loop, t);
}

TEST(deferred_tasks_run_once_in_order_and_can_be_taken_back)
{
	struct net_loop *loop = new_loop();
	struct job jobs[4] = { 0 };

	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .task.run = run_job, .loop = loop };
		net_loop_defer(loop, &jobs[i].task);
	}
	jobs[0].victim = &jobs[3];
	ASSERT_TRUE(net_loop_undefer(loop, &jobs[1].task));
	net_loop_run_once(loop, 0);
	net_loop_run_once(loop, 0);
	ASSERT_INT(jobs[0].order, 1);
	ASSERT_INT(jobs[2].order, 2);
	ASSERT_INT(jobs[1].times + jobs[3].times, 0);
	ASSERT_TRUE(!net_loop_undefer(loop, &jobs[0].task));
	net_loop_defer(loop, &jobs[1].task);
	net_loop_run_once(loop, 0);
	ASSERT_INT(jobs[1].times, 1);
	net_loop_free(loop);
}

TEST(a_task_that_defers_itself_starves_nobody)
{
	struct job job = { .task.run = run_job_forever, .loop = new_loop() };
	struct alarm a = { .timer.expired = on_alarm };

	net_loop_defer(job.loop, &job.task);
	net_timer_set(job.loop, &a.timer, net_loop_now_ns() + NS_PER_MS);
	while (!a.times)
		net_loop_run_once(job.loop, NS_PER_S);
	ASSERT_TRUE(job.times > 1);
	net_loop_free(job.loop);
}

#define POSTERS 4
#define POSTS	1000

struct poster {
	struct net_loop *loop;
	struct job jobs[POSTS];
};

static unsigned posts_seen, last_order[POSTERS];

static void count_post(struct net_task *t)
{
	struct job *j = container_of(t, struct job, task);

	ASSERT_TRUE(j->order > last_order[j->times]); /* times: the poster's number */
	last_order[j->times] = j->order;
	if (++posts_seen == POSTERS * POSTS)
		net_loop_stop(j->loop);
}

static void *post_all(void *arg)
{
	struct poster *p = arg;

	for (int i = 0; i < POSTS; i++)
		net_loop_post(p->loop, &p->jobs[i].task);
	return NULL;
}

TEST(posts_of_other_threads_all_arrive_in_each_posters_order)
{
	static struct poster posters[POSTERS];
	struct net_loop *loop = new_loop();
	pthread_t threads[POSTERS];

	for (unsigned p = 0; p < POSTERS; p++) {
		posters[p].loop = loop;
		for (unsigned i = 0; i < POSTS; i++)
			posters[p].jobs[i] = (struct job){
				.task.run = count_post, .loop = loop, .order = i + 1, .times = p
			};
		ASSERT_INT(pthread_create(&threads[p], NULL, post_all, &posters[p]), 0);
	}
	net_loop_run(loop);
	for (int p = 0; p < POSTERS; p++)
		pthread_join(threads[p], NULL);
	ASSERT_INT(posts_seen, POSTERS * POSTS);
	net_loop_free(loop);
}
