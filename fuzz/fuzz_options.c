#include <stddef.h>
#include <stdint.h>

#include "load/options.h"
#include "load/plan.h"
#include "load/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_load_options) struct load_options *script = NULL;
	CLEANUP(cleanup_load_plan) struct load_plan *plan = NULL;
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (load_options_parse((struct str){ (const char *)data, size }, &script, &err) < 0 ||
	    load_plan_new(script, NULL, &out, &plan, &err) < 0)
		return 0;
	load_plan_fmt_json(plan, &out);
	BUG_ON(load_plan_length_ns(plan) > load_plan_limit_ns(plan));
	vec_for_each (&plan->scenarios, s) {
		load_scenario_fmt(s, &out);
		if (!load_executor_is_open(s->executor))
			continue;
		CLEANUP(cleanup_load_schedule) struct load_schedule *sc = load_schedule_new(s);
		uint64_t n = load_schedule_count(sc);

		BUG_ON(n && load_schedule_at(sc, n - 1) > load_schedule_length_ns(s));
		BUG_ON(n > 1 && load_schedule_at(sc, 0) > load_schedule_at(sc, n - 1));
	}
	return 0;
}
