#include <stdarg.h>
#include <stdlib.h>

#include "analyze/case_internal.h"
#include "analyze/fmt.h"

void case_say(struct sentences *s, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	vec_push(s, strbuf_detach(&sb));
}

void case_say_sb(struct sentences *s, struct strbuf *sb)
{
	vec_push(s, strbuf_detach(sb));
}

void case_add_name(struct strbuf *sb, const struct variant_finding *v)
{
	fmt_quoted(sb, v->name);
}

void case_add_slo(struct strbuf *sb, const struct case_finding *f)
{
	fmt_quantile(sb, f->desc->slo.quantile);
	strbuf_addf(sb, " < %.6g ms", f->desc->slo.limit_ms);
}

void case_add_rate(struct strbuf *sb, const char *before, const struct case_finding *f)
{
	if (!figure_known(case_rate(f)))
		return;
	strbuf_addstr(sb, before);
	fmt_figure(sb, UNIT_PER_S, case_rate(f));
}

const char *case_fact(const struct case_finding *f, const char *key)
{
	vec_for_each (&f->runs, r)
		if (figures_fact(*r, key))
			return figures_fact(*r, key);
	return NULL;
}

double case_rate(const struct case_finding *f)
{
	vec_for_each (&f->runs, r)
		if (!(*r)->goal && figure_known((*r)->rate_asked_per_s))
			return (*r)->rate_asked_per_s;
	return f->desc->rate_used_per_s > 0 ? f->desc->rate_used_per_s : NAN;
}

double case_limit_cpus(const struct case_finding *f)
{
	vec_for_each (&f->runs, r)
		if (figure_known((*r)->limit_cpus))
			return (*r)->limit_cpus;
	return NAN;
}

double case_limit_memory(const struct case_finding *f)
{
	vec_for_each (&f->runs, r)
		if (figure_known((*r)->limit_memory_bytes))
			return (*r)->limit_memory_bytes;
	return NAN;
}

bool case_memory_flat(double growth_per_min, double end)
{
	return fabs(growth_per_min) < 0.01 * end;
}
