/*
 * The Firefox Profiler's processed profile: tables of columns of the same length, whose indices
 * point into each other. One frame and one function a name, one stack a node of the tree.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "profile/export_internal.h"

#define VERSION	      62 /* of the processed format; profilers upgrade older ones when loading */
#define GECKO_VERSION 24 /* of the one it is made from */

struct writer {
	const struct export_source *s;
	struct json_writer w;
	uint32_t names;	  /* how many there are in the view */
	uint32_t *name;	  /* by number of name: its place in the tables */
	uint32_t *stacks; /* by node: its place in the table of stacks */
	uint32_t n_stacks;
};

static void number_stacks(struct writer *x)
{
	const struct profile_view *v = x->s->view;

	x->stacks = xcalloc(v->nodes.len, sizeof(*x->stacks));
	for (size_t i = 1; i < v->nodes.len; i++)
		if (v->nodes.ptr[i].inc_count)
			x->stacks[i] = x->n_stacks++;
}

/* A column that holds the same in each of n rows; text is JSON. */
static void column(struct writer *x, const char *key, uint32_t n, const char *text)
{
	json_array_begin(&x->w, key);
	for (uint32_t i = 0; i < n; i++)
		json_raw(&x->w, NULL, str_from(text));
	json_array_end(&x->w);
}

/* 0, 1, 2, ... */
static void column_counting(struct writer *x, const char *key, uint32_t n)
{
	json_array_begin(&x->w, key);
	for (uint32_t i = 0; i < n; i++)
		json_uint(&x->w, NULL, i);
	json_array_end(&x->w);
}

static void empty_table(struct writer *x, const char *key, const char *const *columns)
{
	json_object_begin(&x->w, key);
	for (; *columns; columns++)
		column(x, *columns, 0, "");
	json_uint(&x->w, "length", 0);
	json_object_end(&x->w);
}

/* ---- what all threads share ---- */

static void write_frames(struct writer *x)
{
	json_object_begin(&x->w, "frameTable");
	column(x, "address", x->names, "-1");
	column(x, "inlineDepth", x->names, "0");
	column(x, "category", x->names, "1");
	column(x, "subcategory", x->names, "0");
	column_counting(x, "func", x->names);
	column(x, "nativeSymbol", x->names, "null");
	column(x, "innerWindowID", x->names, "0");
	column(x, "line", x->names, "null");
	column(x, "column", x->names, "null");
	json_uint(&x->w, "length", x->names);
	json_object_end(&x->w);
	json_object_begin(&x->w, "funcTable");
	column_counting(x, "name", x->names);
	column(x, "isJS", x->names, "false");
	column(x, "relevantForJS", x->names, "false");
	column(x, "resource", x->names, "-1");
	column(x, "source", x->names, "null");
	column(x, "lineNumber", x->names, "null");
	column(x, "columnNumber", x->names, "null");
	json_uint(&x->w, "length", x->names);
	json_object_end(&x->w);
}

static void write_stacks(struct writer *x)
{
	const struct profile_view *v = x->s->view;

	json_object_begin(&x->w, "stackTable");
	json_array_begin(&x->w, "frame");
	for (size_t i = 1; i < v->nodes.len; i++)
		if (v->nodes.ptr[i].inc_count)
			json_uint(&x->w, NULL, x->name[v->nodes.ptr[i].name]);
	json_array_end(&x->w);
	json_array_begin(&x->w, "prefix");
	for (size_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];

		if (n->inc_count && n->parent)
			json_uint(&x->w, NULL, x->stacks[n->parent]);
		else if (n->inc_count)
			json_none(&x->w, NULL);
	}
	json_array_end(&x->w);
	json_uint(&x->w, "length", x->n_stacks);
	json_object_end(&x->w);
}

static void write_names(struct writer *x)
{
	const struct profile_view *v = x->s->view;
	uint32_t next = 0;

	json_array_begin(&x->w, "stringArray");
	for (size_t i = 1; i < v->nodes.len; i++)
		if (v->nodes.ptr[i].inc_count && x->name[v->nodes.ptr[i].name] == next) {
			json_cstr(&x->w, NULL, v->names.ptr[v->nodes.ptr[i].name]);
			next++;
		}
	json_array_end(&x->w);
}

static void write_shared(struct writer *x)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const sources[] = { "id",	      "filename",     "startLine",
					       "startColumn", "sourceMapURL", NULL };

	json_object_begin(&x->w, "shared");
	write_frames(x);
	write_stacks(x);
	empty_table(x, "nativeSymbols", symbols);
	empty_table(x, "resourceTable", resources);
	empty_table(x, "sources", sources);
	write_names(x);
	json_object_end(&x->w);
}

/* ---- threads ---- */

static const char *weight_type(const struct writer *x)
{
	if (export_is_timed(x->s))
		return "tracing-ms";
	return !strcmp(x->s->view->unit, "B") ? "bytes" : "samples";
}

static void write_samples(struct writer *x, uint32_t thread)
{
	const struct profile_view *v = x->s->view;
	int64_t before = 0;
	size_t n = 0;

	json_object_begin(&x->w, "samples");
	json_array_begin(&x->w, "stack");
	vec_for_each (&v->kept, s) {
		if (s->thread != thread)
			continue;
		if (s->node)
			json_uint(&x->w, NULL, x->stacks[s->node]);
		else
			json_none(&x->w, NULL);
		n++;
	}
	json_array_end(&x->w);
	json_array_begin(&x->w, "timeDeltas");
	vec_for_each (&v->kept, s) {
		if (s->thread != thread)
			continue;
		json_double(&x->w, NULL, (double)(s->t_ns - before) / 1e6);
		before = s->t_ns;
	}
	json_array_end(&x->w);
	json_array_begin(&x->w, "weight");
	vec_for_each (&v->kept, s)
		if (s->thread == thread)
			json_double(&x->w, NULL, s->weight);
	json_array_end(&x->w);
	json_cstr(&x->w, "weightType", weight_type(x));
	json_uint(&x->w, "length", n);
	json_object_end(&x->w);
}

static void write_thread(struct writer *x, uint32_t thread)
{
	static const char *const markers[] = { "data",	"name",	    "startTime", "endTime",
					       "phase", "category", NULL };
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const struct profile_thread *t = &x->s->profile->threads.ptr[thread];

	json_object_begin(&x->w, NULL);
	export_thread_name(t, &text);
	json_cstr(&x->w, "name", strbuf_cstr(&text));
	json_bool(&x->w, "isMainThread", t->id == x->s->pid);
	json_cstr(&x->w, "processType", "default");
	json_cstr(&x->w, "processName", x->s->title);
	json_uint(&x->w, "processStartupTime", 0);
	json_none(&x->w, "processShutdownTime");
	json_uint(&x->w, "registerTime", 0);
	json_none(&x->w, "unregisterTime");
	column(x, "pausedRanges", 0, "");
	json_bool(&x->w, "showMarkersInTimeline", false);
	strbuf_clear(&text);
	strbuf_addf(&text, "%llu", (unsigned long long)x->s->pid);
	json_cstr(&x->w, "pid", strbuf_cstr(&text));
	strbuf_clear(&text);
	strbuf_addf(&text, "%llu", (unsigned long long)t->id);
	json_cstr(&x->w, "tid", strbuf_cstr(&text));
	empty_table(x, "markers", markers);
	write_samples(x, thread);
	json_object_end(&x->w);
}

static void write_threads(struct writer *x)
{
	bool *done = xcalloc(x->s->profile->threads.len + 1, sizeof(*done));

	json_array_begin(&x->w, "threads");
	vec_for_each (&x->s->view->kept, s) {
		if (!done[s->thread])
			write_thread(x, s->thread);
		done[s->thread] = true;
	}
	json_array_end(&x->w);
	free(done);
}

/* ---- the whole ---- */

static void write_category(struct writer *x, const char *name, const char *colour)
{
	json_object_begin(&x->w, NULL);
	json_cstr(&x->w, "name", name);
	json_cstr(&x->w, "color", colour);
	column(x, "subcategories", 1, "\"Other\"");
	json_object_end(&x->w);
}

static void write_meta(struct writer *x)
{
	static const char *const extensions[] = { "baseURL", "id", "name", NULL };

	json_object_begin(&x->w, "meta");
	json_uint(&x->w, "version", GECKO_VERSION);
	json_uint(&x->w, "preprocessedProfileVersion", VERSION);
	json_cstr(&x->w, "product", x->s->title);
	json_double(&x->w, "interval", (double)x->s->interval_ns / 1e6);
	json_double(&x->w, "startTime", (double)x->s->wall_ns / 1e6);
	json_uint(&x->w, "processType", 0);
	json_cstr(&x->w, "importedFrom", "assay");
	json_bool(&x->w, "debug", false);
	json_bool(&x->w, "symbolicated", true);
	json_bool(&x->w, "usesOnlyOneStackType", true);
	json_bool(&x->w, "sourceCodeIsNotOnSearchfox", true);
	json_array_begin(&x->w, "categories");
	write_category(x, "Other", "grey");
	write_category(x, "User", "yellow");
	json_array_end(&x->w);
	column(x, "markerSchema", 0, "");
	column(x, "pausedRanges", 0, "");
	empty_table(x, "extensions", extensions);
	json_object_begin(&x->w, "sampleUnits");
	json_cstr(&x->w, "time", "ms");
	json_cstr(&x->w, "eventDelay", "ms");
	json_cstr(&x->w, "threadCPUDelta", "\u00b5s");
	json_object_end(&x->w);
	json_object_end(&x->w);
}

void export_firefox(const struct export_source *s, struct strbuf *out)
{
	struct writer x = { .s = s };

	x.name = export_number_names(s->view, &x.names);
	number_stacks(&x);
	json_init(&x.w, out, JSON_COMPACT);
	json_object_begin(&x.w, NULL);
	write_meta(&x);
	column(&x, "libs", 0, "");
	column(&x, "pages", 0, "");
	column(&x, "counters", 0, "");
	column(&x, "profilerOverhead", 0, "");
	write_shared(&x);
	write_threads(&x);
	json_object_end(&x.w);
	strbuf_addch(out, '\n');
	free(x.name);
	free(x.stacks);
}
