/*
 * Was the generator fit? Its own threads must have had CPU to spare, iterations must have begun
 * when they were due, and the machine must not have been taken away by others. Bounds: a thread
 * above 90 % is late in ways it cannot see itself; 10 ms of lag at p99 is more than most of what is
 * measured; 5 % of steal is a machine that is not ours.
 */
#include "load/control.h"

#include "base/num.h"
#include "os/file.h"

#define CPU_SHARE_MAX	0.90
#define LAG_P99_MAX_MS	10.0
#define STEAL_SHARE_MAX 0.05
/* p99 needs a few hundred values to mean anything. */
#define LAG_COUNT_MIN 300

/* Fields of the first line of /proc/stat, proc_stat(5): steal is the 8th; guest time is in user. */
void load_steal_read(struct load_steal *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, field;
	uint64_t ticks;
	int n = 0;

	*ret = (struct load_steal){ 0 };
	if (file_read("/proc/stat", 1 << 20, &text, NULL) < 0)
		return;
	rest = strbuf_str(&text);
	rest.len = str_find(rest, '\n');
	while (n < 8 && str_split(&rest, ' ', &field)) {
		if (num_parse_u64(field, &ticks) < 0)
			continue;
		ret->total += ticks;
		if (++n == 8)
			ret->steal = ticks;
	}
}

static double busiest(const struct load_control *c)
{
	double share = -1;

	for (unsigned i = 0; i < c->run->worker_count; i++) {
		const struct load_cpu *cpu = &c->cpu[i];

		if (cpu->wall_ns >= NS_PER_S / 2)
			share = MAX(share, (double)cpu->cpu_ns / (double)cpu->wall_ns);
	}
	return share;
}

static char *judge(const struct load_summary_generator *g, uint64_t lag_count)
{
	if (g->cpu_share > CPU_SHARE_MAX)
		return xasprintf("a thread of the generator used %.0f %% of a CPU (bound %.0f %%)",
				 g->cpu_share * 100, CPU_SHARE_MAX * 100);
	if (lag_count >= LAG_COUNT_MIN && g->send_lag_p99_ms > LAG_P99_MAX_MS)
		return xasprintf("1 %% of iterations began more than %.1f ms late (bound %.0f ms)",
				 g->send_lag_p99_ms, LAG_P99_MAX_MS);
	if (g->steal_share > STEAL_SHARE_MAX)
		return xasprintf("the hypervisor took %.1f %% of the CPU away (bound %.0f %%)",
				 g->steal_share * 100, STEAL_SHARE_MAX * 100);
	return xstrdup("valid");
}

void load_judge_generator(struct load_control *c, struct load_summary_generator *ret)
{
	uint64_t lag_count = hist_count(c->lag_ms);

	ret->cpu_share = busiest(c);
	ret->send_lag_p99_ms = lag_count ? hist_quantile(c->lag_ms, 0.99) : -1;
	ret->steal_share = c->steal_share;
	c->result->generator_verdict = judge(ret, lag_count);
	c->result->generator_valid = !strcmp(c->result->generator_verdict, "valid");
	ret->verdict = c->result->generator_verdict;
	ret->valid = c->result->generator_valid;
}
