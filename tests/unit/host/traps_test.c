/*
 * The traps of container signals, with the figures that were measured when they were met: each in a
 * tree of /proc and control groups made here, at two moments.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/sampler.h"
#include "model/run.h"
#include "os/file.h"
#include "test.h"

#define PID 7

struct tree {
	char root[64];
	struct cgroup group;
	struct run *run;
	struct sink *sink;
	struct host_sampler *sampler;
};

/* A file below the root, with its folders. */
static void put(const struct tree *t, const char *path, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void put(const struct tree *t, const char *path, const char *fmt, ...)
{
	char *full = xasprintf("%s/%s", t->root, path), *slash = strrchr(full, '/');
	struct error err = ERROR_INIT;
	va_list ap;
	FILE *f;

	*slash = '\0';
	ASSERT_OK_ERR(file_make_dirs(full, &err), err);
	*slash = '/';
	f = fopen(full, "w");
	ASSERT_TRUE(f != NULL);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
	free(full);
}

/* utime and stime in ticks of 10 ms */
static void put_stat(const struct tree *t, unsigned utime, unsigned stime)
{
	put(t, "proc/7/stat",
	    "7 (shop) S 1 7 7 0 -1 4194560 1523 0 3 0 %u %u 0 0 20 0 1 0 12345 227897344 2048 0\n",
	    utime, stime);
}

static void put_thread(const struct tree *t, int tid, const char *name, uint64_t run_ns,
		       uint64_t wait_ns)
{
	char *status = xasprintf("proc/7/task/%d/status", tid);
	char *schedstat = xasprintf("proc/7/task/%d/schedstat", tid);

	put(t, status,
	    "Name:\t%s\nState:\tS\nvoluntary_ctxt_switches:\t5\n"
	    "nonvoluntary_ctxt_switches:\t2\n",
	    name);
	put(t, schedstat, "%llu %llu 9\n", (unsigned long long)run_ns, (unsigned long long)wait_ns);
	free(status);
	free(schedstat);
}

static void make(struct tree *t, const char *mountinfo, const char *cgroup)
{
	*t = (struct tree){ .root = "/tmp/assay-traps-XXXXXX" };
	ASSERT_TRUE(mkdtemp(t->root) != NULL);
	put(t, "proc/self/mountinfo", "%s", mountinfo);
	put(t, "proc/7/cgroup", "%s", cgroup);
	put(t, "proc/stat", "cpu  100 0 50 1000 20 0 0 7 0 0\n");
	put_stat(t, 250, 50);
}

#define MOUNT_V2 "30 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define MOUNT_V1                                                                                   \
	"32 1 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"                               \
	"33 1 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"                       \
	"34 1 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define MOUNT_HYBRID                                                                               \
	MOUNT_V1 "35 1 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define GROUPS_V1 "4:cpu:/t\n5:cpuacct:/t\n6:memory:/t\n"

static void begin(struct tree *t)
{
	struct error err = ERROR_INIT;

	t->run = run_new();
	t->sink = run_sink_new(t->run);
	ASSERT_OK_ERR(cgroup_of_pid(t->root, PID, &t->group, &err), err);
	t->sampler = host_sampler_new(&(struct host_sampler_opts){ .root = t->root,
								   .pid = PID,
								   .group = &t->group,
								   .sink = t->sink,
								   .per_thread = true });
	ASSERT_OK(host_sampler_sample(t->sampler, NS_PER_S));
}

/* Growth from the first sample to the second, 3 s later; the level, of a gauge. NAN = not there. */
static double seen(const struct tree *t, const char *name, const char *labels)
{
	vec_for_each (&t->run->series, s) {
		if (strcmp(s->name, name) != 0 || strcmp(s->labels, labels) != 0)
			continue;
		return s->kind == SERIES_GAUGE
			       ? vec_last(&s->points).value
			       : vec_last(&s->points).value - s->points.ptr[0].value;
	}
	return NAN;
}

static void end(struct tree *t)
{
	char *remove = xasprintf("rm -rf %s", t->root);

	host_sampler_free(t->sampler);
	run_sink_free(t->sink);
	run_free(t->run);
	cgroup_release(&t->group);
	ASSERT_INT(system(remove), 0);
	free(remove);
}

/* Two busy threads under 20 ms of 100 ms: throttled for longer than the wall time. */
TEST(traps_throttled_time_is_no_share_of_wall_time)
{
	struct tree t;

	make(&t, MOUNT_V2, "0::/pod/app\n");
	put(&t, "sys/fs/cgroup/pod/app/cpu.max", "20000 100000\n");
	put(&t, "sys/fs/cgroup/pod/app/cpu.stat",
	    "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	put(&t, "sys/fs/cgroup/pod/app/cpu.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	begin(&t);
	put(&t, "sys/fs/cgroup/pod/app/cpu.stat",
	    "usage_usec 620000\nnr_periods 31\nnr_throttled 30\nthrottled_usec 3436000\n");
	put(&t, "sys/fs/cgroup/pod/app/cpu.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=2530000\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=2524000\n");
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "cgroup.cpu.throttled_time", ""), 3.436, 1e-9); /* of 3 s */
	ASSERT_NEAR(seen(&t, "cgroup.pressure.cpu.full", ""), 2.524, 1e-9);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.nr_throttled", ""), 30, 0);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.nr_periods", ""), 31, 0);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.limit", ""), 0.2, 1e-12);
	ASSERT_TRUE(isnan(seen(&t, "system.pressure.cpu.some", "")));
	end(&t);
}

/* The limit sits on the parent: the child's own cpu.stat stays at zero, cpu.stat.local does not. */
TEST(traps_the_limit_of_an_ancestor)
{
	struct tree t;

	make(&t, MOUNT_HYBRID,
	     "4:cpu:/pod/app\n5:cpuacct:/pod/app\n6:memory:/pod/app\n0::/pod/app\n");
	put(&t, "sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "20000\n");
	put(&t, "sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000\n");
	put(&t, "sys/fs/cgroup/cpu/pod/cpu.stat",
	    "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	put(&t, "sys/fs/cgroup/cpu/pod/app/cpu.cfs_quota_us", "-1\n");
	put(&t, "sys/fs/cgroup/cpu/pod/app/cpu.cfs_period_us", "100000\n");
	put(&t, "sys/fs/cgroup/cpu/pod/app/cpu.stat",
	    "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	put(&t, "sys/fs/cgroup/cpu/pod/app/cpu.stat.local", "throttled_time 0\n");
	begin(&t);
	put(&t, "sys/fs/cgroup/cpu/pod/cpu.stat",
	    "nr_periods 21\nnr_throttled 21\nthrottled_time 1405000000\n");
	put(&t, "sys/fs/cgroup/cpu/pod/app/cpu.stat.local", "throttled_time 1405000000\n");
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "cgroup.cpu.nr_throttled", ""), 21, 0);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.local.throttled_time", ""), 1.405, 1e-9);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.limit", ""), 0.2, 1e-12);
	end(&t);
}

/* 4 CPUs of its own below 1, and 1 below 4: whichever is narrow is what throttles. */
TEST(traps_the_narrower_of_two_quotas_counts)
{
	for (int above = 0; above <= 1; above++) {
		struct tree t;

		make(&t, MOUNT_V2, "0::/pod/app\n");
		put(&t, "sys/fs/cgroup/pod/cpu.max", above ? "100000 100000\n" : "400000 100000\n");
		put(&t, "sys/fs/cgroup/pod/cpu.stat",
		    "usage_usec 5\nnr_periods 40\nnr_throttled 39\nthrottled_usec 7\n");
		put(&t, "sys/fs/cgroup/pod/app/cpu.max",
		    above ? "400000 100000\n" : "100000 100000\n");
		put(&t, "sys/fs/cgroup/pod/app/cpu.stat",
		    "usage_usec 5\nnr_periods 40\nnr_throttled 20\nthrottled_usec 3\n");
		begin(&t);
		ASSERT_NEAR(run_series(t.run, "cgroup.cpu.nr_throttled")->points.ptr[0].value,
			    above ? 39 : 20, 0);
		ASSERT_NEAR(seen(&t, "cgroup.cpu.limit", ""), 1, 0);
		end(&t);
	}
}

/* A throttled loop waited 519.5 ms, 514.9 ms of which was throttling: contention is 4.6 ms. */
TEST(traps_the_schedulers_wait_includes_throttling)
{
	struct tree t;

	make(&t, MOUNT_V1, GROUPS_V1);
	put(&t, "sys/fs/cgroup/cpu/t/cpu.cfs_quota_us", "20000\n");
	put(&t, "sys/fs/cgroup/cpu/t/cpu.cfs_period_us", "100000\n");
	put(&t, "sys/fs/cgroup/cpu/t/cpu.stat",
	    "nr_periods 5\nnr_throttled 5\nthrottled_time 90000000\n"); /* version 1: ns */
	put_thread(&t, 7, "loop", 70000000, 91000000);
	begin(&t);
	put(&t, "sys/fs/cgroup/cpu/t/cpu.stat",
	    "nr_periods 12\nnr_throttled 12\nthrottled_time 604900000\n");
	put_thread(&t, 7, "loop", 200000000, 610500000);
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "process.runqueue.delay", ""), 0.5195, 1e-9);
	ASSERT_NEAR(seen(&t, "process.runqueue.contention", ""), 0.0046, 1e-9);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.throttled_time", ""), 0.5149, 1e-9);
	ASSERT_NEAR(seen(&t, "process.thread.cpu.time", "thread=loop"), 0.13, 1e-9);
	ASSERT_NEAR(seen(&t, "process.thread.runqueue.delay", "thread=loop"), 0.5195, 1e-9);
	/* throttling that is counted before the wait it caused must not be owed later */
	put(&t, "sys/fs/cgroup/cpu/t/cpu.stat",
	    "nr_periods 13\nnr_throttled 13\nthrottled_time 684900000\n");
	ASSERT_OK(host_sampler_sample(t.sampler, 5 * NS_PER_S));
	put_thread(&t, 7, "loop", 220000000, 690500000);
	ASSERT_OK(host_sampler_sample(t.sampler, 6 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "process.runqueue.contention", ""), 0.0046, 1e-9);
	end(&t);
}

TEST(traps_a_thread_that_is_new_counts_from_its_beginning)
{
	struct tree t;

	make(&t, MOUNT_V1, GROUPS_V1);
	put_thread(&t, 7, "main", 1000, 0);
	begin(&t);
	put_thread(&t, 9, "late", 300000000, 20000000);
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "process.thread.cpu.time", "thread=late"), 0.3, 1e-9);
	ASSERT_NEAR(seen(&t, "process.context_switches", "type=voluntary"), 5, 0);
	/* no quota, no throttling: all of the wait is contention */
	ASSERT_NEAR(seen(&t, "process.runqueue.contention", ""), 0.02, 1e-9);
	end(&t);
}

/* Keys in any order, counts in us or ns, pressure from the other hierarchy or the machine. */
TEST(traps_layouts_say_the_same_in_their_own_way)
{
	struct tree t;

	make(&t, MOUNT_HYBRID, GROUPS_V1 "0::/t\n");
	put(&t, "sys/fs/cgroup/cpuacct/t/cpuacct.usage", "1000000000\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.usage_in_bytes", "1000\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.limit_in_bytes", "9223372036854771712\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.failcnt", "2\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	put(&t, "sys/fs/cgroup/unified/t/memory.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=100\n");
	begin(&t);
	put(&t, "sys/fs/cgroup/cpuacct/t/cpuacct.usage", "2500000000\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.failcnt", "7\n");
	put(&t, "sys/fs/cgroup/memory/t/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put(&t, "sys/fs/cgroup/unified/t/memory.pressure",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=700\n");
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "cgroup.cpu.usage", ""), 1.5, 1e-9);
	ASSERT_NEAR(seen(&t, "cgroup.memory.limit_hits", ""), 5, 0);
	ASSERT_NEAR(seen(&t, "cgroup.memory.oom_kill", ""), 1, 0);
	ASSERT_NEAR(seen(&t, "cgroup.pressure.memory.some", ""), 600e-6, 1e-12);
	ASSERT_TRUE(isnan(seen(&t, "cgroup.memory.limit", "")));
	ASSERT_TRUE(isnan(seen(&t, "cgroup.cpu.limit", "")));
	end(&t);

	make(&t, MOUNT_V2, "0::/t\n");
	put(&t, "sys/fs/cgroup/t/cpu.stat",
	    "throttled_usec 9\nnr_throttled 1\nnr_periods 2\n"
	    "usage_usec 1000000\n");
	put(&t, "sys/fs/cgroup/t/memory.max", "536870912\n");
	put(&t, "sys/fs/cgroup/t/memory.events", "max 1\nhigh 5\noom_kill 0\nlow 0\noom 0\n");
	put(&t, "proc/pressure/io",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	begin(&t);
	put(&t, "sys/fs/cgroup/t/cpu.stat",
	    "throttled_usec 4009\nnr_throttled 3\nnr_periods 9\n"
	    "usage_usec 3000000\n");
	put(&t, "sys/fs/cgroup/t/memory.events", "max 4\nhigh 25\noom_kill 0\nlow 0\noom 0\n");
	put(&t, "proc/pressure/io",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=50\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=40\n");
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "cgroup.cpu.usage", ""), 2, 1e-9);
	ASSERT_NEAR(seen(&t, "cgroup.cpu.throttled_time", ""), 0.004, 1e-12);
	ASSERT_NEAR(seen(&t, "cgroup.memory.limit", ""), 536870912, 0);
	ASSERT_NEAR(seen(&t, "cgroup.memory.limit_hits", ""), 3, 0);
	ASSERT_NEAR(seen(&t, "cgroup.memory.high", ""), 20, 0);
	ASSERT_NEAR(seen(&t, "system.pressure.io.full", ""), 40e-6, 1e-12);
	end(&t);
}

/* Of the target's network namespace, columns found by name; steal and faults of the machine. */
TEST(traps_network_steal_and_faults)
{
	struct tree t;

	make(&t, MOUNT_V1, GROUPS_V1);
	put(&t, "proc/7/net/netstat",
	    "TcpExt: ListenDrops A ListenOverflows TCPTimeouts\nTcpExt: 4 0 3 9\n"
	    "IpExt: ListenOverflows\nIpExt: 77\n");
	put(&t, "proc/7/net/snmp", "Tcp: RtoMin RetransSegs InErrs\nTcp: 200 50 0\n");
	begin(&t);
	put(&t, "proc/7/net/netstat",
	    "TcpExt: ListenDrops A ListenOverflows TCPTimeouts\nTcpExt: 10 0 8 11\n"
	    "IpExt: ListenOverflows\nIpExt: 99\n");
	put(&t, "proc/7/net/snmp", "Tcp: RtoMin RetransSegs InErrs\nTcp: 200 57 0\n");
	put(&t, "proc/stat", "cpu  200 0 60 1100 20 0 0 107 0 0\n");
	put_stat(&t, 350, 60);
	ASSERT_OK(host_sampler_sample(t.sampler, 4 * NS_PER_S));
	ASSERT_NEAR(seen(&t, "net.tcp.listen_overflows", ""), 5, 0);
	ASSERT_NEAR(seen(&t, "net.tcp.listen_drops", ""), 6, 0);
	ASSERT_NEAR(seen(&t, "net.tcp.timeouts", ""), 2, 0);
	ASSERT_NEAR(seen(&t, "net.tcp.retrans_segs", ""), 7, 0);
	ASSERT_NEAR(seen(&t, "system.cpu.steal", ""), 1, 1e-9);
	ASSERT_NEAR(seen(&t, "system.cpu.busy", ""), 1.1, 1e-9);
	ASSERT_NEAR(seen(&t, "process.cpu.time", "state=user"), 1, 1e-9);
	ASSERT_NEAR(seen(&t, "process.cpu.time", "state=system"), 0.1, 1e-9);
	ASSERT_INT(host_sampler_state(t.sampler), 'S');
	end(&t);
}
