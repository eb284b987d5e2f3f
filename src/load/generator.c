/*
 * Was the generator fit? Its own threads must have had CPU to spare, iterations must have begun
 * when they were due, descriptors and ports must have sufficed, and the machine must not have been
 * taken away by others. Bounds: a thread above 90 % is late in ways it cannot see itself; 10 ms of
 * lag at p99 is more than most of what is measured; 5 % of steal is a machine that is not ours; a
 * quota that stopped us in more than 1 % of its periods stopped what we time as well.
 *
 * A connection that the listen queue of this machine turned away is tried again by the kernel after
 * a second: with one of them the slowest requests show that second and not the service.
 *
 * Sources: proc_stat(5); proc_pid_net(5) for netstat's two lines a group, names above values; the
 * kernel's Documentation/networking/snmp_counter.rst for what ListenOverflows counts.
 */
#include "load/control.h"

#include "base/num.h"
#include "os/cgroup.h"
#include "os/file.h"

#define CPU_SHARE_MAX	    0.90
#define LAG_P99_MAX_MS	    10.0
#define STEAL_SHARE_MAX	    0.05
#define THROTTLED_SHARE_MAX 0.01
/* p99 needs a few hundred values to mean anything. */
#define LAG_COUNT_MIN 300

/* The first line of /proc/stat: steal is the 8th field; guest time is in user. */
static void read_steal(struct load_machine *m)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, field;
	uint64_t ticks;
	int n = 0;

	if (file_read("/proc/stat", 1 << 20, &text, NULL) < 0)
		return;
	rest = strbuf_str(&text);
	rest.len = str_find(rest, '\n');
	while (n < 8 && str_split(&rest, ' ', &field)) {
		if (num_parse_u64(field, &ticks) < 0)
			continue;
		m->ticks += ticks;
		if (++n == 8)
			m->steal_ticks = ticks;
	}
}

/* Our own quota, wherever on the way up it is set. */
static void read_quota(struct load_machine *m)
{
	CLEANUP(cgroup_release) struct cgroup own = CGROUP_INIT;
	struct cgroup_stat stat;

	if (cgroup_of_pid("", 0, &own, NULL) < 0 || cgroup_read_stat(&own, &stat, NULL) < 0 ||
	    !(stat.have & CGROUP_HAVE_PERIODS))
		return;
	m->periods = stat.periods;
	m->throttled = stat.throttled;
}

uint64_t load_netstat_value(struct str text, struct str group, struct str name)
{
	struct str names = { 0 }, line, key, value;
	uint64_t n = 0;

	while (str_split(&text, '\n', &line)) {
		if (!str_starts_with(line, group))
			continue;
		if (!names.len) {
			names = line;
			continue;
		}
		while (str_split(&names, ' ', &key) && str_split(&line, ' ', &value))
			if (str_eq(key, name))
				return num_parse_u64(value, &n) < 0 ? 0 : n;
		return 0;
	}
	return 0;
}

/* Counted for the network namespace: a service on this machine, in the same one. */
static void read_overflows(struct load_machine *m)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (file_read("/proc/self/net/netstat", 1 << 20, &text, NULL) == 0)
		m->listen_overflows = load_netstat_value(strbuf_str(&text), STR("TcpExt:"),
							 STR("ListenOverflows"));
}

void load_machine_read(struct load_machine *ret)
{
	*ret = (struct load_machine){ 0 };
	read_steal(ret);
	read_quota(ret);
	read_overflows(ret);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : -1;
}

static double busiest(const struct load_control *c)
{
	double most = -1;

	for (unsigned i = 0; i < c->run->worker_count; i++) {
		const struct load_cpu *cpu = &c->cpu[i];

		if (cpu->wall_ns >= NS_PER_S / 2)
			most = MAX(most, share(cpu->cpu_ns, cpu->wall_ns));
	}
	return most;
}

PRINTF_LIKE(2, 3) static void blame(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	strbuf_addstr(sb, sb->len ? "; " : "");
	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

static void blame_time(const struct load_summary_generator *g, uint64_t lag_count, bool spins,
		       struct strbuf *sb)
{
	/* a thread that spins is busy by intent; if it is too busy, the lag tells */
	if (!spins && g->cpu_share > CPU_SHARE_MAX)
		blame(sb, "a thread of the generator used %.0f %% of a CPU (bound %.0f %%)",
		      g->cpu_share * 100, CPU_SHARE_MAX * 100);
	if (lag_count >= LAG_COUNT_MIN && g->send_lag_p99_ms > LAG_P99_MAX_MS)
		blame(sb, "1 %% of iterations began more than %.1f ms late (bound %.0f ms)",
		      g->send_lag_p99_ms, LAG_P99_MAX_MS);
	if (g->throttled_share > THROTTLED_SHARE_MAX)
		blame(sb,
		      "the generator's own CPU quota stopped it in %.1f %% of the periods (bound "
		      "%.0f %%)",
		      g->throttled_share * 100, THROTTLED_SHARE_MAX * 100);
	if (g->steal_share > STEAL_SHARE_MAX)
		blame(sb, "the hypervisor took %.1f %% of the CPU away (bound %.0f %%)",
		      g->steal_share * 100, STEAL_SHARE_MAX * 100);
}

static void blame_sockets(const struct load_summary_generator *g, struct strbuf *sb)
{
	if (g->no_fds)
		blame(sb,
		      "%llu connections failed for want of file descriptors here (ulimit -n, "
		      "fs.file-max)",
		      (unsigned long long)g->no_fds);
	if (g->no_ports)
		blame(sb,
		      "%llu connections failed for want of local ports "
		      "(net.ipv4.ip_local_port_range; reuse connections)",
		      (unsigned long long)g->no_ports);
	if (g->listen_overflows)
		blame(sb,
		      "a listen queue of this machine was full for %llu connections, which waited "
		      "1 s or more for the next try (net.core.somaxconn, the service's backlog)",
		      (unsigned long long)g->listen_overflows);
}

void load_judge_generator(struct load_control *c, struct load_summary_generator *ret)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;
	const struct load_machine *a = &c->machine_begin, *b = &c->machine_end;
	uint64_t lag_count = hist_count(c->lag_ms);

	*ret = (struct load_summary_generator){
		.cpu_share = busiest(c),
		.send_lag_p99_ms = lag_count ? hist_quantile(c->lag_ms, 0.99) : -1,
		.steal_share = share(b->steal_ticks - a->steal_ticks, b->ticks - a->ticks),
		.throttled_share = share(b->throttled - a->throttled, b->periods - a->periods),
		.listen_overflows = b->listen_overflows - a->listen_overflows,
	};
	for (unsigned i = 0; i < c->run->worker_count; i++) {
		ret->no_fds += c->run->workers[i]->no_fds;
		ret->no_ports += c->run->workers[i]->no_ports;
	}
	blame_time(ret, lag_count, c->run->plan->precise, &why);
	blame_sockets(ret, &why);
	ret->valid = !why.len;
	c->result->generator_valid = ret->valid;
	c->result->generator_verdict = ret->valid ? xstrdup("valid") : strbuf_detach(&why);
	ret->verdict = c->result->generator_verdict;
}
