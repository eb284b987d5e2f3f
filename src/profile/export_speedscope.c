#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "profile/export_internal.h"
#include "profile/lanes.h"

uint32_t *export_number_names(const struct profile_view *v, uint32_t *ret_count)
{
	uint32_t *numbers = xcalloc(v->names.len + 1, sizeof(*numbers));

	*ret_count = 0;
	for (size_t i = 0; i < v->names.len; i++)
		numbers[i] = UINT32_MAX;
	for (size_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];

		if (n->inc_count && numbers[n->name] == UINT32_MAX)
			numbers[n->name] = (*ret_count)++;
	}
	return numbers;
}

struct writer {
	const struct export_source *s;
	const uint32_t *numbers;
	struct json_writer w;
};

static void write_frames(struct writer *x)
{
	const struct profile_view *v = x->s->view;
	uint32_t next = 0;

	json_object_begin(&x->w, "shared");
	json_array_begin(&x->w, "frames");
	/* numbers were given in the order of nodes: the first node of each name is where it came */
	for (size_t i = 1; i < v->nodes.len; i++) {
		uint32_t name = v->nodes.ptr[i].name;

		if (!v->nodes.ptr[i].inc_count || x->numbers[name] != next)
			continue;
		json_object_begin(&x->w, NULL);
		json_cstr(&x->w, "name", v->names.ptr[name]);
		json_object_end(&x->w);
		next++;
	}
	json_array_end(&x->w);
	json_object_end(&x->w);
}

static void write_event(void *user, const struct lane_event *e)
{
	struct writer *x = user;

	json_object_begin(&x->w, NULL);
	json_cstr(&x->w, "type", e->open ? "O" : "C");
	json_uint(&x->w, "frame", x->numbers[x->s->view->nodes.ptr[e->node].name]);
	json_double(&x->w, "at", (double)e->at_ns / 1e6);
	json_object_end(&x->w);
}

static void begin_profile(struct writer *x, const char *type, uint32_t thread, const char *unit)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

	export_thread_name(&x->s->profile->threads.ptr[thread], &name);
	json_object_begin(&x->w, NULL);
	json_cstr(&x->w, "type", type);
	json_cstr(&x->w, "name", strbuf_cstr(&name));
	json_cstr(&x->w, "unit", unit);
}

static void write_evented(struct writer *x)
{
	struct lanes lanes;

	lanes_make(x->s->view, x->s->opts, &lanes);
	vec_for_each (&lanes, l) {
		if (!l->spans.len)
			continue;
		begin_profile(x, "evented", l->thread, "milliseconds");
		json_double(&x->w, "startValue", (double)l->spans.ptr[0].from_ns / 1e6);
		json_double(&x->w, "endValue", (double)vec_last(&l->spans).to_ns / 1e6);
		json_array_begin(&x->w, "events");
		lane_events(x->s->view, l, write_event, x);
		json_array_end(&x->w);
		json_object_end(&x->w);
	}
	lanes_release(&lanes);
}

/* Frames from the outside in. */
static void write_stack(struct writer *x, uint32_t node)
{
	const struct view_node *nodes = x->s->view->nodes.ptr;
	VEC(uint32_t) path = VEC_INIT;

	for (; node; node = nodes[node].parent)
		vec_push(&path, x->numbers[nodes[node].name]);
	json_array_begin(&x->w, NULL);
	for (size_t i = path.len; i-- > 0;)
		json_uint(&x->w, NULL, path.ptr[i]);
	json_array_end(&x->w);
	vec_release(&path);
}

static void write_sampled_thread(struct writer *x, uint32_t thread)
{
	const struct profile_view *v = x->s->view;
	double total = 0;
	bool bytes = !strcmp(v->unit, "B");

	begin_profile(x, "sampled", thread, bytes ? "bytes" : "none");
	json_array_begin(&x->w, "samples");
	vec_for_each (&v->kept, s)
		if (s->thread == thread)
			write_stack(x, s->node);
	json_array_end(&x->w);
	json_array_begin(&x->w, "weights");
	vec_for_each (&v->kept, s)
		if (s->thread == thread) {
			json_double(&x->w, NULL, s->weight);
			total += s->weight;
		}
	json_array_end(&x->w);
	json_uint(&x->w, "startValue", 0);
	json_double(&x->w, "endValue", total);
	json_object_end(&x->w);
}

static void write_sampled(struct writer *x)
{
	bool *done = xcalloc(x->s->profile->threads.len + 1, sizeof(*done));

	vec_for_each (&x->s->view->kept, s) {
		if (!done[s->thread])
			write_sampled_thread(x, s->thread);
		done[s->thread] = true;
	}
	free(done);
}

void export_speedscope(const struct export_source *s, struct strbuf *out)
{
	uint32_t count, *numbers = export_number_names(s->view, &count);
	struct writer x = { .s = s, .numbers = numbers };

	json_init(&x.w, out, JSON_COMPACT);
	json_object_begin(&x.w, NULL);
	json_cstr(&x.w, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_cstr(&x.w, "exporter", "assay");
	json_cstr(&x.w, "name", s->title);
	json_uint(&x.w, "activeProfileIndex", 0);
	write_frames(&x);
	json_array_begin(&x.w, "profiles");
	if (export_is_timed(s))
		write_evented(&x);
	else
		write_sampled(&x);
	json_array_end(&x.w);
	json_object_end(&x.w);
	strbuf_addch(out, '\n');
	free(numbers);
}
