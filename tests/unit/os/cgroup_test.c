/* Fixtures: tests/fixtures/cgroup/{v1,v2,hybrid}, the figures of the traps that were reproduced. */
#include "os/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"

static struct cgroup group_of(const char *layout)
{
	struct cgroup g = CGROUP_INIT;
	struct error err = ERROR_INIT;
	char *root = xasprintf("%s/%s", test_fixture("cgroup"), layout);

	ASSERT_OK_ERR(cgroup_of_pid(root, 7, &g, &err), err);
	free(root);
	return g;
}

TEST(cgroup_v2_limit_is_the_smallest_on_the_way_up)
{
	CLEANUP(cgroup_release) struct cgroup g = group_of("v2");
	struct cgroup_limits l;

	ASSERT_OK(cgroup_read_limits(&g, &l, NULL));
	ASSERT_NEAR(l.cpus, 0.5, 0);
	ASSERT_INT(l.period_ns, 100 * NS_PER_MS);
	ASSERT_TRUE(l.cpu_from_ancestor);
	ASSERT_INT(l.memory_bytes, 1 << 30);
	ASSERT_TRUE(l.memory_from_ancestor);
}

/* The child's own cpu.stat is all zero although its parent was throttled 20 of 21 times. */
TEST(cgroup_throttling_is_read_where_the_quota_is)
{
	CLEANUP(cgroup_release) struct cgroup g = group_of("v2");
	struct cgroup_stat st;

	ASSERT_OK(cgroup_read_stat(&g, &st, NULL));
	ASSERT_INT(st.periods, 21);
	ASSERT_INT(st.throttled, 20);
	ASSERT_INT(st.throttled_ns, 1599 * NS_PER_MS);
	ASSERT_INT(st.throttled_local_ns, 1405 * NS_PER_MS);
	ASSERT_INT(st.cpu_ns, 1900 * NS_PER_MS);
	ASSERT_INT(st.memory_bytes, 100 << 20);
	ASSERT_INT(st.memory_peak_bytes, 200 << 20);
	ASSERT_INT(st.oom_kills, 1);
	ASSERT_INT(st.cpu_some_ns, 2600 * NS_PER_MS);
	ASSERT_INT(st.cpu_full_ns, 2524 * NS_PER_MS);
	ASSERT_INT(st.memory_some_ns, 7000);
	ASSERT_INT(st.memory_limit_hits, 3);
	ASSERT_INT(st.memory_high, 0);
	ASSERT_INT(st.have, 0x1ff);
}

TEST(cgroup_v1_in_a_container_counts_in_ns_and_sees_the_mounts_top)
{
	CLEANUP(cgroup_release) struct cgroup g = group_of("v1");
	struct cgroup_limits l;
	struct cgroup_stat st;

	ASSERT_OK(cgroup_read_limits(&g, &l, NULL));
	ASSERT_NEAR(l.cpus, 1.5, 0);
	ASSERT_TRUE(!l.cpu_from_ancestor);
	ASSERT_INT(l.memory_bytes, 512 << 20);
	ASSERT_TRUE(l.memory_from_ancestor);
	ASSERT_OK(cgroup_read_stat(&g, &st, NULL));
	ASSERT_INT(st.periods, 603);
	ASSERT_INT(st.throttled, 138);
	ASSERT_INT(st.throttled_ns, 8 * NS_PER_S);
	ASSERT_INT(st.cpu_ns, 42 * NS_PER_S);
	ASSERT_INT(st.oom_kills, 2);
	ASSERT_INT(st.have & (CGROUP_HAVE_PRESSURE | CGROUP_HAVE_LOCAL), 0);
}

TEST(cgroup_hybrid_takes_pressure_from_version_2)
{
	CLEANUP(cgroup_release) struct cgroup g = group_of("hybrid");
	struct cgroup_limits l;
	struct cgroup_stat st;

	ASSERT_OK(cgroup_read_limits(&g, &l, NULL));
	ASSERT_NEAR(l.cpus, 0, 0);
	ASSERT_INT(l.memory_bytes, 0);
	ASSERT_OK(cgroup_read_stat(&g, &st, NULL));
	ASSERT_INT(st.periods, 3);
	ASSERT_INT(st.cpu_ns, 77);
	ASSERT_INT(st.cpu_some_ns, 11000);
	ASSERT_INT(st.have & CGROUP_HAVE_PEAK, 0);
}

TEST(cgroup_is_found_by_any_of_its_folders)
{
	CLEANUP(cgroup_release) struct cgroup g = CGROUP_INIT;
	struct error err = ERROR_INIT;
	char *root = xasprintf("%s/hybrid", test_fixture("cgroup"));
	char *path = xasprintf("%s/sys/fs/cgroup/memory/t", root);

	ASSERT_OK_ERR(cgroup_of_path(root, path, &g, &err), err);
	ASSERT_HAS(g.dir[CGROUP_CPU], "/cgroup/cpu/t");
	ASSERT_INT(cgroup_of_path(root, "nowhere", &g, &err), -ENOENT);
	ASSERT_HAS(err.msg, "no control group nowhere");
	free(path);
	free(root);
}

/* Burns CPU for that long, on two processes, inside g. */
static void burn_in(const struct cgroup *g, uint64_t ms)
{
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			struct timespec now, start;

			if (cgroup_join(g, getpid()) < 0)
				_exit(1);
			clock_gettime(CLOCK_MONOTONIC, &start);
			do
				clock_gettime(CLOCK_MONOTONIC, &now);
			while ((uint64_t)(now.tv_sec - start.tv_sec) * 1000 +
				       (uint64_t)(now.tv_nsec / 1000000) -
				       (uint64_t)(start.tv_nsec / 1000000) <
			       ms);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;

		wait(&status);
		ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

/* Two busy processes at a fifth of a CPU: throttled in nearly every period. */
TEST(cgroup_of_our_own_limits_for_real)
{
	CLEANUP(cgroup_release) struct cgroup g = CGROUP_INIT;
	const struct cgroup_limits_wanted w = { .cpus = 0.2, .memory_bytes = 64 << 20 };
	struct error err = ERROR_INIT;
	struct cgroup_limits l;
	struct cgroup_stat st;
	char name[64];

	if (geteuid() != 0)
		test_skip("setting limits needs root");
	snprintf(name, sizeof(name), "assay-test-%d", (int)getpid());
	ASSERT_OK_ERR(cgroup_make("", name, &w, &g, &err), err);
	ASSERT_OK(cgroup_read_limits(&g, &l, &err));
	ASSERT_NEAR(l.cpus, 0.2, 1e-9);
	burn_in(&g, 1000);
	ASSERT_OK_ERR(cgroup_read_stat(&g, &st, &err), err);
	ASSERT_OK(cgroup_kill(&g, NS_PER_S));
	ASSERT_OK(cgroup_remove(&g));
	ASSERT_TRUE(st.periods >= 7 && st.throttled * 2 > st.periods);
	ASSERT_TRUE(st.cpu_ns > 100 * NS_PER_MS && st.cpu_ns < 500 * NS_PER_MS);
	ASSERT_TRUE(access(g.dir[CGROUP_CPU], F_OK) < 0);
}
