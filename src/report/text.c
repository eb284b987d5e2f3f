#include <errno.h>

#include "analyze/fmt.h"
#include "report/report.h"

void report_text(struct strbuf *sb, const struct case_finding *f, unsigned width UNUSED)
{
	strbuf_addf(sb, "%s\n", f->headline);
	vec_for_each (&f->variants, v)
		strbuf_addf(sb, "%-12s %s\n", v->name, v->slo_text);
}

void report_markdown(struct strbuf *sb, const struct case_finding *f)
{
	report_text(sb, f, 80);
}

void report_html(struct strbuf *sb, const struct case_finding *f)
{
	report_text(sb, f, 80);
}

void report_json(struct strbuf *sb, const struct case_finding *f UNUSED)
{
	strbuf_addstr(sb, "{}\n");
}

int report_read_desc(struct str json UNUSED, const char *name, struct case_desc **ret UNUSED,
		     struct error *reterr)
{
	return error_set(reterr, -EBADMSG, "%s holds no description of a case", name);
}
