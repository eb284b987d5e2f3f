/* compare.h - two runs side by side, as text or JSON. */
#ifndef ASSAY_REPORT_COMPARE_H
#define ASSAY_REPORT_COMPARE_H

#include "analyze/compare.h"
#include "base/strbuf.h"

/* Append to sb. */
void report_compare_text(struct strbuf *sb, const struct comparison *c);
void report_compare_json(struct strbuf *sb, const struct comparison *c);

#endif
