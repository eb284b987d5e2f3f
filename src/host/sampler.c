#include "host/sampler.h"

#include <errno.h>
#include <stdlib.h>

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
	GROUP_CPU,
	PERIODS,
	THROTTLED,
	THROTTLED_TIME,
	LOCAL_THROTTLED_TIME,
	GROUP_MEMORY,
	OOM_KILLS,
	CPU_SOME,
	CPU_FULL,
	MEMORY_SOME,
	MEMORY_FULL,
	IO_SOME,
	IO_FULL,
	STEAL,
	LISTEN_OVERFLOWS,
	RETRANSMITS,
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
	[GROUP_CPU] = { "cgroup.cpu.usage", "s", "", SERIES_COUNTER },
	[PERIODS] = { "cgroup.cpu.nr_periods", "{period}", "", SERIES_COUNTER },
	[THROTTLED] = { "cgroup.cpu.nr_throttled", "{period}", "", SERIES_COUNTER },
	[THROTTLED_TIME] = { "cgroup.cpu.throttled_time", "s", "", SERIES_COUNTER },
	[LOCAL_THROTTLED_TIME] = { "cgroup.cpu.local.throttled_time", "s", "", SERIES_COUNTER },
	[GROUP_MEMORY] = { "cgroup.memory.usage", "By", "", SERIES_GAUGE },
	[OOM_KILLS] = { "cgroup.memory.oom_kill", "{kill}", "", SERIES_COUNTER },
	[CPU_SOME] = { "cgroup.pressure.cpu.some", "s", "", SERIES_COUNTER },
	[CPU_FULL] = { "cgroup.pressure.cpu.full", "s", "", SERIES_COUNTER },
	[MEMORY_SOME] = { "cgroup.pressure.memory.some", "s", "", SERIES_COUNTER },
	[MEMORY_FULL] = { "cgroup.pressure.memory.full", "s", "", SERIES_COUNTER },
	[IO_SOME] = { "cgroup.pressure.io.some", "s", "", SERIES_COUNTER },
	[IO_FULL] = { "cgroup.pressure.io.full", "s", "", SERIES_COUNTER },
	[STEAL] = { "system.cpu.steal", "s", "", SERIES_COUNTER },
	[LISTEN_OVERFLOWS] = { "net.tcp.listen_overflows", "{connection}", "", SERIES_COUNTER },
	[RETRANSMITS] = { "net.tcp.retrans_segs", "{segment}", "", SERIES_COUNTER },
};

struct host_sampler {
	pid_t pid;
	const struct cgroup *group;
	struct sink *sink;
	uint32_t ids[N_SIGNALS];
	bool named[N_SIGNALS]; /* a series appears with its first value */
	bool lost_group;
	uint64_t now_ns;
};

int host_sampler_open(pid_t pid, const struct cgroup *group, struct sink *sink,
		      struct host_sampler **ret)
{
	struct host_sampler *s = xcalloc(1, sizeof(*s));

	s->pid = pid;
	s->group = group;
	s->sink = sink;
	*ret = s;
	return 0;
}

void host_sampler_close(struct host_sampler *s)
{
	free(s);
}

static void put(struct host_sampler *s, enum signal which, double value)
{
	if (!s->named[which] && sink_series(s->sink, &defs[which], &s->ids[which]) < 0)
		return;
	s->named[which] = true;
	sink_point(s->sink, s->ids[which], s->now_ns, value);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static int sample_process(struct host_sampler *s)
{
	struct proc_stat st;

	if (!s->pid)
		return 0;
	if (proc_read(s->pid, &st, NULL) < 0 || st.state == 'Z')
		return -ESRCH;
	put(s, CPU_USER, seconds(st.user_ns));
	put(s, CPU_SYSTEM, seconds(st.system_ns));
	put(s, MEMORY, (double)st.rss_bytes);
	put(s, THREADS, (double)st.threads);
	put(s, VOLUNTARY, (double)st.voluntary_switches);
	put(s, INVOLUNTARY, (double)st.involuntary_switches);
	put(s, MAJOR_FAULTS, (double)st.major_faults);
	put(s, MINOR_FAULTS, (double)st.minor_faults);
	return 0;
}

static void put_pressure(struct host_sampler *s, const struct cgroup_stat *st)
{
	put(s, CPU_SOME, seconds(st->cpu_some_ns));
	put(s, CPU_FULL, seconds(st->cpu_full_ns));
	put(s, MEMORY_SOME, seconds(st->memory_some_ns));
	put(s, MEMORY_FULL, seconds(st->memory_full_ns));
	put(s, IO_SOME, seconds(st->io_some_ns));
	put(s, IO_FULL, seconds(st->io_full_ns));
}

static void sample_group(struct host_sampler *s)
{
	struct cgroup_stat st;

	if (cgroup_read_stat(s->group, &st, NULL) < 0) {
		if (!s->lost_group)
			sink_loss(s->sink, "cgroup", 1, "no control group file could be read");
		s->lost_group = true;
		return;
	}
	if (st.have & CGROUP_HAVE_CPU)
		put(s, GROUP_CPU, seconds(st.cpu_ns));
	if (st.have & CGROUP_HAVE_PERIODS) {
		put(s, PERIODS, (double)st.periods);
		put(s, THROTTLED, (double)st.throttled);
		put(s, THROTTLED_TIME, seconds(st.throttled_ns));
	}
	if (st.have & CGROUP_HAVE_LOCAL)
		put(s, LOCAL_THROTTLED_TIME, seconds(st.throttled_local_ns));
	if (st.have & CGROUP_HAVE_MEMORY)
		put(s, GROUP_MEMORY, (double)st.memory_bytes);
	if (st.have & CGROUP_HAVE_OOM)
		put(s, OOM_KILLS, (double)st.oom_kills);
	if (st.have & CGROUP_HAVE_PRESSURE)
		put_pressure(s, &st);
}

static void sample_net(struct host_sampler *s)
{
	CLEANUP(strbuf_release) struct strbuf netstat = STRBUF_INIT, snmp = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *netstat_path = xasprintf("/proc/%d/net/netstat", (int)s->pid);
	CLEANUP(mem_cleanup) char *snmp_path = xasprintf("/proc/%d/net/snmp", (int)s->pid);
	uint64_t v;

	if (!s->pid)
		return;
	file_read(netstat_path, 1024 * 1024, &netstat, NULL);
	file_read(snmp_path, 1024 * 1024, &snmp, NULL);
	if (proc_parse_netstat(strbuf_str(&netstat), "TcpExt", "ListenOverflows", &v) == 0)
		put(s, LISTEN_OVERFLOWS, (double)v);
	if (proc_parse_netstat(strbuf_str(&snmp), "Tcp", "RetransSegs", &v) == 0)
		put(s, RETRANSMITS, (double)v);
}

static void sample_machine(struct host_sampler *s)
{
	struct proc_cpu cpu;

	if (proc_read_cpu(&cpu, NULL) == 0)
		put(s, STEAL, seconds(cpu.steal_ns));
}

int host_sampler_sample(struct host_sampler *s, uint64_t now_ns)
{
	int r;

	s->now_ns = now_ns;
	r = sample_process(s);
	sample_group(s);
	sample_net(s);
	sample_machine(s);
	return r;
}
