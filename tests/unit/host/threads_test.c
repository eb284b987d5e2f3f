/* Threads that come and go; sums by hand. */
#include "host/threads.h"

#include <stdio.h>

#include "test.h"

static struct proc_threads list(size_t n, const struct proc_thread *threads)
{
	struct proc_threads l = { 0 };

	for (size_t i = 0; i < n; i++)
		vec_push(&l.list, threads[i]);
	return l;
}

#define ADD(t, ...)                                                                                \
	do {                                                                                       \
		const struct proc_thread threads_[] = { __VA_ARGS__ };                             \
		struct proc_threads l_ = list(ARRAY_SIZE(threads_), threads_);                     \
		host_threads_add(t, &l_);                                                          \
	} while (0)

TEST(threads_that_end_keep_what_they_did)
{
	struct host_threads t = { 0 };

	ADD(&t, { 10, "main", 5, 1, true, 100, 10 }, { 11, "worker-1", 7, 2, true, 200, 20 });
	ASSERT_INT(t.voluntary_switches, 12);
	ASSERT_INT(t.wait_ns, 30);
	/* 11 has ended, 12 is new, 10 went on */
	ADD(&t, { 10, "main", 6, 1, true, 150, 15 }, { 12, "worker-2", 1, 0, true, 30, 3 });
	ASSERT_INT(t.voluntary_switches, 12 + 1 + 1);
	ASSERT_INT(t.involuntary_switches, 3);
	ASSERT_INT(t.run_ns, 300 + 50 + 30);
	ASSERT_INT(t.wait_ns, 30 + 5 + 3);
	/* 12 is another thread now: its figures are smaller */
	ADD(&t, { 10, "main", 6, 1, true, 150, 15 }, { 12, "worker-9", 0, 0, true, 8, 1 });
	ASSERT_INT(t.run_ns, 380 + 8);
	ASSERT_INT(t.groups.len, 2);
	ASSERT_STREQ(t.groups.ptr[1].name, "worker-#");
	ASSERT_INT(t.groups.ptr[1].run_ns, 200 + 30 + 8);
	ASSERT_INT(t.groups.ptr[1].live, 1);
	ASSERT_INT(t.groups.ptr[0].run_ns, 150);
	host_threads_release(&t);
}

TEST(threads_names_are_limited_and_nothing_is_lost)
{
	struct host_threads t = { 0 };
	struct proc_threads l = { 0 };
	uint64_t sum = 0;

	for (int i = 0; i < 40; i++) {
		struct proc_thread thread = { .tid = 100 + i, .has_schedstat = true, .run_ns = 1 };

		snprintf(thread.name, sizeof(thread.name), "%c%c", 'a' + i / 26, 'a' + i % 26);
		vec_push(&l.list, thread);
	}
	host_threads_add(&t, &l);
	vec_for_each (&t.groups, g)
		sum += g->run_ns;
	ASSERT_INT(sum, 40);
	ASSERT_INT(t.groups.len, HOST_THREAD_NAMES_MAX + 1);
	ASSERT_STREQ(t.groups.ptr[HOST_THREAD_NAMES_MAX].name, "(others)");
	ASSERT_INT(t.groups.ptr[HOST_THREAD_NAMES_MAX].run_ns, 40 - HOST_THREAD_NAMES_MAX);
	host_threads_release(&t);
}

TEST(threads_names_fit_into_a_list_of_labels)
{
	struct host_threads t = { 0 };

	ADD(&t, { 1, "a,b=c", 0, 0, true, 1, 1 }, { 2, "12345", 0, 0, true, 1, 1 },
	    { 3, ".NET TP Worker", 0, 0, true, 1, 1 }, { 4, "pool-thread-107", 0, 0, true, 1, 1 });
	ASSERT_STREQ(t.groups.ptr[0].name, "a_b_c");
	ASSERT_STREQ(t.groups.ptr[1].name, "12345");
	ASSERT_STREQ(t.groups.ptr[2].name, ".NET TP Worker");
	ASSERT_STREQ(t.groups.ptr[3].name, "pool-thread-#");
	host_threads_release(&t);
}
