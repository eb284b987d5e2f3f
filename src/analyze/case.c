#include "analyze/case.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/case_internal.h"

static bool is_known(const struct case_desc *desc, const struct figures *f)
{
	return case_desc_variant_index(desc, f->variant) != SIZE_MAX;
}

static void take_runs(struct case_finding *f, struct run *const *runs, size_t n, bool goal)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(cleanup_figures) struct figures *r = figures_new(runs[i], &f->desc->slo);

		if (r->goal == goal && is_known(f->desc, r))
			vec_push(&f->runs, TAKE(r));
	}
}

static int by_order(const void *a, const void *b)
{
	const struct figures *const *x = a, *const *y = b;

	if ((*x)->goal != (*y)->goal)
		return (*x)->goal - (*y)->goal;
	return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

int analyze_case(const struct case_desc *desc, struct run *const *runs, size_t n,
		 struct case_finding **ret, struct error *reterr)
{
	struct case_finding *f;

	if (!desc->variants.len)
		return error_set(reterr, -EINVAL, "judging case %s: it names no variant",
				 desc->name);
	f = xcalloc(1, sizeof(*f));
	f->desc = case_desc_copy(desc);
	take_runs(f, runs, n, false);
	take_runs(f, runs, n, true);
	if (f->runs.len)
		qsort(f->runs.ptr, f->runs.len, sizeof(struct figures *), by_order);
	case_pool_variants(f);
	f->verdict = CASE_INCONCLUSIVE;
	f->exit_code = 3;
	f->headline = xstrdup("Not judged.");
	*ret = f;
	return 0;
}

struct case_finding *case_finding_free(struct case_finding *f)
{
	if (!f)
		return NULL;
	free(f);
	return NULL;
}
