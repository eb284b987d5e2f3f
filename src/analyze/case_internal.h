/* case_internal.h - the parts that analyze_case() puts together; each fills its part of f. */
#ifndef ASSAY_ANALYZE_CASE_INTERNAL_H
#define ASSAY_ANALYZE_CASE_INTERNAL_H

#include "analyze/case.h"
#include "base/strbuf.h"

/* variant.c: pools the complete runs of each variant and says how it stands against the SLO. */
void case_pool_variants(struct case_finding *f);

/* Runs that count for a variant: complete, not the goal's. Returns the next index or SIZE_MAX. */
size_t case_next_run(const struct case_finding *f, size_t variant, size_t from);

static inline const struct variant_finding *case_base(const struct case_finding *f)
{
	return &f->variants.ptr[0];
}

static inline const struct variant_finding *case_fix(const struct case_finding *f)
{
	return &vec_last(&f->variants);
}

#endif
