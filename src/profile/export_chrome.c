#include "base/json.h"
#include "profile/export_internal.h"
#include "profile/lanes.h"

struct writer {
	const struct export_source *s;
	struct json_writer w;
	uint64_t pid, tid;
};

/* Microseconds; monotone, as nanoseconds are and the division keeps their order. */
static void write_event(void *user, const struct lane_event *e)
{
	struct writer *x = user;
	const struct profile_view *v = x->s->view;

	json_object_begin(&x->w, NULL);
	json_cstr(&x->w, "name", v->names.ptr[v->nodes.ptr[e->node].name]);
	json_cstr(&x->w, "cat", "sample");
	json_cstr(&x->w, "ph", e->open ? "B" : "E");
	json_double(&x->w, "ts", (double)e->at_ns / 1e3);
	json_uint(&x->w, "pid", x->pid);
	json_uint(&x->w, "tid", x->tid);
	json_object_end(&x->w);
}

static void write_name(struct writer *x, const char *kind, const char *name)
{
	json_object_begin(&x->w, NULL);
	json_cstr(&x->w, "name", kind);
	json_cstr(&x->w, "ph", "M");
	json_uint(&x->w, "pid", x->pid);
	json_uint(&x->w, "tid", x->tid);
	json_object_begin(&x->w, "args");
	json_cstr(&x->w, "name", name);
	json_object_end(&x->w);
	json_object_end(&x->w);
}

static void write_lane(struct writer *x, const struct lane *l)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	const struct profile_thread *t = &x->s->profile->threads.ptr[l->thread];

	x->tid = t->id;
	export_thread_name(t, &name);
	write_name(x, "thread_name", strbuf_cstr(&name));
	lane_events(x->s->view, l, write_event, x);
}

void export_chrome(const struct export_source *s, struct strbuf *out)
{
	struct writer x = { .s = s, .pid = s->pid, .tid = s->pid };
	struct lanes lanes;

	lanes_make(s->view, s->opts, &lanes);
	json_init(&x.w, out, JSON_COMPACT);
	json_object_begin(&x.w, NULL);
	json_array_begin(&x.w, "traceEvents");
	write_name(&x, "process_name", s->title);
	vec_for_each (&lanes, l)
		write_lane(&x, l);
	json_array_end(&x.w);
	json_cstr(&x.w, "displayTimeUnit", "ms");
	json_object_end(&x.w);
	strbuf_addch(out, '\n');
	lanes_release(&lanes);
}
