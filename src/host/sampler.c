#include "host/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include <stdio.h>

#include "host/threads.h"
#include "os/file.h"
#include "os/proc.h"

enum signal {
	CPU_USER,
	CPU_SYSTEM,
	MEMORY,
	THREADS,
	VOLUNTARY,
	INVOLUNTARY,
	MAJOR_FAULTS,
	MINOR_FAULTS,
	RUNQUEUE_DELAY,
	CONTENTION,
	CPU_LIMIT,
	GROUP_CPU,
	PERIODS,
	THROTTLED,
	THROTTLED_TIME,
	LOCAL_THROTTLED_TIME,
	GROUP_MEMORY,
	MEMORY_LIMIT,
	LIMIT_HITS,
	MEMORY_HIGH,
	OOM_KILLS,
	CPU_SOME,
	CPU_FULL,
	MEMORY_SOME,
	MEMORY_FULL,
	IO_SOME,
	IO_FULL,
	MACHINE_CPU_SOME,
	MACHINE_CPU_FULL,
	MACHINE_MEMORY_SOME,
	MACHINE_MEMORY_FULL,
	MACHINE_IO_SOME,
	MACHINE_IO_FULL,
	STEAL,
	BUSY,
	LISTEN_OVERFLOWS,
	LISTEN_DROPS,
	RETRANSMITS,
	TIMEOUTS,
	N_SIGNALS
};

static const struct series_def defs[N_SIGNALS] = {
	[CPU_USER] = { "process.cpu.time", "s", "state=user", SERIES_COUNTER },
	[CPU_SYSTEM] = { "process.cpu.time", "s", "state=system", SERIES_COUNTER },
	[MEMORY] = { "process.memory.usage", "By", "", SERIES_GAUGE },
	[THREADS] = { "process.thread.count", "{thread}", "", SERIES_GAUGE },
	[VOLUNTARY] = { "process.context_switches", "{switch}", "type=voluntary", SERIES_COUNTER },
	[INVOLUNTARY] = { "process.context_switches", "{switch}", "type=involuntary",
			  SERIES_COUNTER },
	[MAJOR_FAULTS] = { "process.paging.faults", "{fault}", "type=major", SERIES_COUNTER },
	[MINOR_FAULTS] = { "process.paging.faults", "{fault}", "type=minor", SERIES_COUNTER },
	[RUNQUEUE_DELAY] = { "process.runqueue.delay", "s", "", SERIES_COUNTER },
	[CONTENTION] = { "process.runqueue.contention", "s", "", SERIES_COUNTER },
	[CPU_LIMIT] = { "cgroup.cpu.limit", "{cpu}", "", SERIES_GAUGE },
	[GROUP_CPU] = { "cgroup.cpu.usage", "s", "", SERIES_COUNTER },
	[PERIODS] = { "cgroup.cpu.nr_periods", "{period}", "", SERIES_COUNTER },
	[THROTTLED] = { "cgroup.cpu.nr_throttled", "{period}", "", SERIES_COUNTER },
	[THROTTLED_TIME] = { "cgroup.cpu.throttled_time", "s", "", SERIES_COUNTER },
	[LOCAL_THROTTLED_TIME] = { "cgroup.cpu.local.throttled_time", "s", "", SERIES_COUNTER },
	[GROUP_MEMORY] = { "cgroup.memory.usage", "By", "", SERIES_GAUGE },
	[MEMORY_LIMIT] = { "cgroup.memory.limit", "By", "", SERIES_GAUGE },
	[LIMIT_HITS] = { "cgroup.memory.limit_hits", "{event}", "", SERIES_COUNTER },
	[MEMORY_HIGH] = { "cgroup.memory.high", "{event}", "", SERIES_COUNTER },
	[OOM_KILLS] = { "cgroup.memory.oom_kill", "{kill}", "", SERIES_COUNTER },
	[CPU_SOME] = { "cgroup.pressure.cpu.some", "s", "", SERIES_COUNTER },
	[CPU_FULL] = { "cgroup.pressure.cpu.full", "s", "", SERIES_COUNTER },
	[MEMORY_SOME] = { "cgroup.pressure.memory.some", "s", "", SERIES_COUNTER },
	[MEMORY_FULL] = { "cgroup.pressure.memory.full", "s", "", SERIES_COUNTER },
	[IO_SOME] = { "cgroup.pressure.io.some", "s", "", SERIES_COUNTER },
	[IO_FULL] = { "cgroup.pressure.io.full", "s", "", SERIES_COUNTER },
	[MACHINE_CPU_SOME] = { "system.pressure.cpu.some", "s", "", SERIES_COUNTER },
	[MACHINE_CPU_FULL] = { "system.pressure.cpu.full", "s", "", SERIES_COUNTER },
	[MACHINE_MEMORY_SOME] = { "system.pressure.memory.some", "s", "", SERIES_COUNTER },
	[MACHINE_MEMORY_FULL] = { "system.pressure.memory.full", "s", "", SERIES_COUNTER },
	[MACHINE_IO_SOME] = { "system.pressure.io.some", "s", "", SERIES_COUNTER },
	[MACHINE_IO_FULL] = { "system.pressure.io.full", "s", "", SERIES_COUNTER },
	[BUSY] = { "system.cpu.busy", "s", "", SERIES_COUNTER },
	[STEAL] = { "system.cpu.steal", "s", "", SERIES_COUNTER },
	[LISTEN_OVERFLOWS] = { "net.tcp.listen_overflows", "{connection}", "", SERIES_COUNTER },
	[LISTEN_DROPS] = { "net.tcp.listen_drops", "{connection}", "", SERIES_COUNTER },
	[RETRANSMITS] = { "net.tcp.retrans_segs", "{segment}", "", SERIES_COUNTER },
	[TIMEOUTS] = { "net.tcp.timeouts", "{timeout}", "", SERIES_COUNTER },
};

/* Series of one name of threads. */
struct thread_series {
	uint32_t cpu, delay;
};

struct host_sampler {
	struct host_sampler_opts opts;
	const char *root;
	uint32_t ids[N_SIGNALS];
	bool named[N_SIGNALS]; /* a series appears with its first value */
	struct host_threads threads;
	VEC(struct thread_series) by_name; /* as threads.groups */
	uint64_t wait0_ns, throttled0_ns;  /* at the first sample */
	uint64_t contention_ns;		   /* since then */
	uint64_t now_ns, last_ns;
	bool lost_group, has_group_pressure, has_begun;
	char state;
};

struct host_sampler *host_sampler_new(const struct host_sampler_opts *opts)
{
	struct host_sampler *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	s->root = opts->root ? opts->root : "";
	return s;
}

struct host_sampler *host_sampler_free(struct host_sampler *s)
{
	if (!s)
		return NULL;
	host_threads_release(&s->threads);
	vec_release(&s->by_name);
	free(s);
	return NULL;
}

char host_sampler_state(const struct host_sampler *s)
{
	return s->state;
}

static void put(struct host_sampler *s, enum signal which, double value)
{
	if (!s->named[which] && sink_series(s->opts.sink, &defs[which], &s->ids[which]) < 0)
		return;
	s->named[which] = true;
	sink_point(s->opts.sink, s->ids[which], s->now_ns, value);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* --- the process --- */

static int sample_process(struct host_sampler *s)
{
	struct proc_stat st;

	if (!s->opts.pid)
		return 0;
	if (proc_read(s->root, s->opts.pid, &st, NULL) < 0 || st.state == 'Z' || st.state == 'X')
		return -ESRCH;
	s->state = st.state;
	put(s, CPU_USER, seconds(st.user_ns));
	put(s, CPU_SYSTEM, seconds(st.system_ns));
	put(s, MEMORY, (double)st.rss_bytes);
	put(s, THREADS, (double)st.threads);
	put(s, MAJOR_FAULTS, (double)st.major_faults);
	put(s, MINOR_FAULTS, (double)st.minor_faults);
	return 0;
}

static uint32_t thread_series(struct host_sampler *s, const char *name, const char *thread)
{
	char labels[32];
	uint32_t id = 0;

	snprintf(labels, sizeof(labels), "thread=%s", thread);
	sink_series(s->opts.sink, &(struct series_def){ name, "s", labels, SERIES_COUNTER }, &id);
	if (s->has_begun) /* all of it came within the interval */
		sink_point(s->opts.sink, id, s->last_ns, 0);
	return id;
}

static void put_threads_by_name(struct host_sampler *s)
{
	for (size_t i = 0; i < s->threads.groups.len; i++) {
		const struct host_thread_group *g = &s->threads.groups.ptr[i];

		if (i == s->by_name.len)
			vec_push(&s->by_name,
				 ((struct thread_series){
					 thread_series(s, "process.thread.cpu.time", g->name),
					 thread_series(s, "process.thread.runqueue.delay", g->name),
				 }));
		sink_point(s->opts.sink, s->by_name.ptr[i].cpu, s->now_ns, seconds(g->run_ns));
		sink_point(s->opts.sink, s->by_name.ptr[i].delay, s->now_ns, seconds(g->wait_ns));
	}
}

/*
 * What threads waited beyond their group's throttling. Both are counted at different moments (a
 * wait when it ends, throttling when it is lifted), so the highest difference so far is taken: it
 * only grows, and errors of single intervals do not add up.
 */
static void put_delay(struct host_sampler *s, uint64_t throttled_ns)
{
	uint64_t wait_ns, beyond_ns;

	if (!s->threads.has_schedstat)
		return;
	if (!s->has_begun) {
		s->wait0_ns = s->threads.wait_ns;
		s->throttled0_ns = throttled_ns;
	}
	wait_ns = s->threads.wait_ns - s->wait0_ns;
	throttled_ns = throttled_ns > s->throttled0_ns ? throttled_ns - s->throttled0_ns : 0;
	beyond_ns = wait_ns > throttled_ns ? wait_ns - throttled_ns : 0;
	s->contention_ns = MAX(s->contention_ns, beyond_ns);
	put(s, RUNQUEUE_DELAY, seconds(s->threads.wait_ns));
	put(s, CONTENTION, seconds(s->contention_ns));
}

static void sample_threads(struct host_sampler *s, uint64_t throttled_ns)
{
	struct proc_threads now = { 0 };

	if (!s->opts.pid || proc_read_threads(s->root, s->opts.pid, &now, NULL) < 0)
		return;
	host_threads_add(&s->threads, &now);
	put(s, VOLUNTARY, (double)s->threads.voluntary_switches);
	put(s, INVOLUNTARY, (double)s->threads.involuntary_switches);
	put_delay(s, throttled_ns);
	if (s->opts.per_thread && s->threads.has_schedstat)
		put_threads_by_name(s);
}

/* --- its control group --- */

static void put_pressure(struct host_sampler *s, const struct cgroup_stat *st)
{
	put(s, CPU_SOME, seconds(st->cpu_some_ns));
	put(s, CPU_FULL, seconds(st->cpu_full_ns));
	put(s, MEMORY_SOME, seconds(st->memory_some_ns));
	put(s, MEMORY_FULL, seconds(st->memory_full_ns));
	put(s, IO_SOME, seconds(st->io_some_ns));
	put(s, IO_FULL, seconds(st->io_full_ns));
	s->has_group_pressure = true;
}

static void put_limits(struct host_sampler *s)
{
	struct cgroup_limits limits;

	if (cgroup_read_limits(s->opts.group, &limits, NULL) < 0)
		return;
	if (limits.cpus > 0)
		put(s, CPU_LIMIT, limits.cpus);
	if (limits.memory_bytes)
		put(s, MEMORY_LIMIT, (double)limits.memory_bytes);
}

static void put_group_cpu(struct host_sampler *s, const struct cgroup_stat *st)
{
	if (st->have & CGROUP_HAVE_CPU)
		put(s, GROUP_CPU, seconds(st->cpu_ns));
	if (st->have & CGROUP_HAVE_PERIODS) {
		put(s, PERIODS, (double)st->periods);
		put(s, THROTTLED, (double)st->throttled);
		put(s, THROTTLED_TIME, seconds(st->throttled_ns));
	}
	if (st->have & CGROUP_HAVE_LOCAL)
		put(s, LOCAL_THROTTLED_TIME, seconds(st->throttled_local_ns));
}

static void put_group_memory(struct host_sampler *s, const struct cgroup_stat *st)
{
	if (st->have & CGROUP_HAVE_MEMORY)
		put(s, GROUP_MEMORY, (double)st->memory_bytes);
	if (st->have & CGROUP_HAVE_LIMIT_HITS)
		put(s, LIMIT_HITS, (double)st->memory_limit_hits);
	if (st->have & CGROUP_HAVE_HIGH)
		put(s, MEMORY_HIGH, (double)st->memory_high);
	if (st->have & CGROUP_HAVE_OOM)
		put(s, OOM_KILLS, (double)st->oom_kills);
}

/* Returns how long the group's own run queues were throttled so far, 0 when unknown. */
static uint64_t sample_group(struct host_sampler *s)
{
	struct cgroup_stat st;

	if (cgroup_read_stat(s->opts.group, &st, NULL) < 0) {
		if (!s->lost_group)
			sink_loss(s->opts.sink, "cgroup", 1, "no control group file could be read");
		s->lost_group = true;
		return 0;
	}
	put_limits(s);
	put_group_cpu(s, &st);
	put_group_memory(s, &st);
	if (st.have & CGROUP_HAVE_PRESSURE)
		put_pressure(s, &st);
	return st.have & CGROUP_HAVE_LOCAL ? st.throttled_local_ns : st.throttled_ns;
}

/* --- network and machine --- */

static void read_text(const char *path, struct strbuf *out)
{
	strbuf_clear(out);
	file_read(path, 1024 * 1024, out, NULL);
}

static void sample_net(struct host_sampler *s)
{
	static const struct {
		const char *group, *name;
		enum signal signal;
	} wanted[] = {
		{ "TcpExt", "ListenOverflows", LISTEN_OVERFLOWS },
		{ "TcpExt", "ListenDrops", LISTEN_DROPS },
		{ "TcpExt", "TCPTimeouts", TIMEOUTS },
		{ "Tcp", "RetransSegs", RETRANSMITS },
	};
	CLEANUP(strbuf_release) struct strbuf netstat = STRBUF_INIT, snmp = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *netstat_path = NULL, *snmp_path = NULL;
	uint64_t v;

	if (!s->opts.pid)
		return;
	netstat_path = xasprintf("%s/proc/%d/net/netstat", s->root, (int)s->opts.pid);
	snmp_path = xasprintf("%s/proc/%d/net/snmp", s->root, (int)s->opts.pid);
	read_text(netstat_path, &netstat);
	read_text(snmp_path, &snmp);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		bool ext = !strcmp(wanted[i].group, "TcpExt");

		if (proc_parse_netstat(strbuf_str(ext ? &netstat : &snmp), wanted[i].group,
				       wanted[i].name, &v) == 0)
			put(s, wanted[i].signal, (double)v);
	}
}

static void sample_machine_pressure(struct host_sampler *s)
{
	static const struct {
		const char *name;
		enum signal some, full;
	} files[] = {
		{ "cpu", MACHINE_CPU_SOME, MACHINE_CPU_FULL },
		{ "memory", MACHINE_MEMORY_SOME, MACHINE_MEMORY_FULL },
		{ "io", MACHINE_IO_SOME, MACHINE_IO_FULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
		CLEANUP(mem_cleanup)
		char *path = xasprintf("%s/proc/pressure/%s", s->root, files[i].name);
		uint64_t ns;

		read_text(path, &text);
		if (proc_parse_pressure(strbuf_str(&text), "some", &ns))
			put(s, files[i].some, seconds(ns));
		if (proc_parse_pressure(strbuf_str(&text), "full", &ns))
			put(s, files[i].full, seconds(ns));
	}
}

static void sample_machine(struct host_sampler *s)
{
	struct proc_cpu cpu;

	if (proc_read_cpu(s->root, &cpu, NULL) == 0) {
		put(s, STEAL, seconds(cpu.steal_ns));
		put(s, BUSY, seconds(cpu.busy_ns));
	}
	if (!s->has_group_pressure)
		sample_machine_pressure(s);
}

int host_sampler_sample(struct host_sampler *s, uint64_t now_ns)
{
	uint64_t throttled_ns;
	int r;

	s->now_ns = now_ns;
	r = sample_process(s);
	throttled_ns = sample_group(s);
	if (r == 0)
		sample_threads(s, throttled_ns);
	sample_net(s);
	sample_machine(s);
	s->last_ns = now_ns;
	s->has_begun = true;
	return r;
}
