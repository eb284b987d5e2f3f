#include <stddef.h>
#include <stdint.h>

#include "load/threshold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is taken both as an expression and as a key. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_load_metrics) struct load_metrics *metrics = load_metrics_new();
	struct str text = { (const char *)data, size };
	const struct load_submetric *s;
	struct error err = ERROR_INIT;
	struct load_expr e;

	if (load_expr_parse(text, &e, &err) == 0) {
		BUG_ON(e.percentile && !(e.q >= 0 && e.q <= 1));
		load_expr_holds(&e, e.limit);
		for (int type = LOAD_COUNTER; type <= LOAD_TREND; type++)
			load_expr_check(&e, (enum load_metric_type)type, &err);
	}
	if (load_metrics_add_submetric(metrics, text, &s, &err) == 0)
		BUG_ON(!s->tag_count);
	return 0;
}
