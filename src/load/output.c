#include <stdlib.h>

#include "load/control.h"

int load_output_begin(struct load_control *c, struct error *reterr)
{
	struct load_run *run = c->run;
	struct load_output_run about = { run->metrics, run->plan, run->wall_anchor_ns };
	int r;

	if (!run->opts->output)
		return 0;
	r = run->opts->output->begin(run->opts->output_arg, &about, reterr);
	if (r < 0)
		return r;
	run->output_begun = true;
	load_worker_open_output(run->control);
	return 0;
}

static void tell(struct load_run *run, const struct load_summary_output *o)
{
	if (o->lost)
		load_log(run, LOAD_LOG_ERROR, "%llu samples were lost by output %s, because %s",
			 (unsigned long long)o->lost, o->name, o->why);
	else if (o->why)
		load_log(run, LOAD_LOG_ERROR, "output %s lost no samples, but %s", o->name, o->why);
}

void load_output_end(struct load_control *c)
{
	struct load_run *run = c->run;

	if (!run->output_begun)
		return;
	run->opts->output->end(run->opts->output_arg, &c->result->outputs);
	vec_for_each (&c->result->outputs, o)
		tell(run, o);
}

void load_output_release(struct load_summary_outputs *o)
{
	vec_for_each (o, out) {
		free(out->name);
		free(out->why);
	}
	vec_release(o);
}
