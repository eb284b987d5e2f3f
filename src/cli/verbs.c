/* The verbs in the order of help. A script holds this list against man/. */
#include "cli/verb.h"

#include <string.h>

extern const struct verb verb_case_run;
extern const struct verb verb_compare;
extern const struct verb verb_completion;
extern const struct verb verb_counters_collect;
extern const struct verb verb_counters_monitor;
extern const struct verb verb_get;
extern const struct verb verb_load;
extern const struct verb verb_load_new;
extern const struct verb verb_ps;
extern const struct verb verb_report;
extern const struct verb verb_run;
extern const struct verb verb_trace_alloc;
extern const struct verb verb_trace_contention;
extern const struct verb verb_trace_events;
extern const struct verb verb_trace_exceptions;
extern const struct verb verb_trace_gc;
extern const struct verb verb_trace_threadpool;
extern const struct verb verb_trace_export;
extern const struct verb verb_trace_collect;
extern const struct verb verb_trace_top;
extern const struct verb verb_trace_tree;

const struct verb *const verbs[] = {
	&verb_run,
	&verb_get,
	&verb_load_new,
	&verb_load,
	&verb_case_run,
	&verb_counters_collect,
	&verb_counters_monitor,
	&verb_trace_collect,
	&verb_trace_top,
	&verb_trace_tree,
	&verb_trace_gc,
	&verb_trace_exceptions,
	&verb_trace_contention,
	&verb_trace_threadpool,
	&verb_trace_events,
	&verb_trace_export,
	&verb_trace_alloc,
	&verb_report,
	&verb_compare,
	&verb_ps,
	&verb_completion,
	NULL,
};

/* How many words of argv the verb's name takes, or 0 when it is not this one. */
static int words_matching(const struct verb *v, int argc, char **argv)
{
	struct str rest = str_from(v->name), word;
	int n = 0;

	while (str_split(&rest, ' ', &word)) {
		if (n >= argc || !str_eq_c(word, argv[n]))
			return 0;
		n++;
	}
	return n;
}

const struct verb *verb_find(int argc, char **argv, int *ret_words)
{
	for (const struct verb *const *v = verbs; *v; v++) {
		*ret_words = words_matching(*v, argc, argv);
		if (*ret_words)
			return *v;
	}
	return NULL;
}
