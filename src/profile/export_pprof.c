/* Fields by number are those of google/pprof's proto/profile.proto. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/proto.h"
#include "profile/export_internal.h"

#define GZIP_WINDOW (15 + 16)

struct writer {
	const struct export_source *s;
	struct strbuf message;
	struct map texts; /* -> index + 1 */
	uint32_t *name;	  /* by number of name: id - 1 of its location and function */
	uint32_t names;
};

static uint64_t text(struct writer *x, const char *s)
{
	uintptr_t known = (uintptr_t)map_get(&x->texts, str_from(s));

	if (!known) {
		known = x->texts.len + 1;
		map_put(&x->texts, str_from(s), (void *)known);
	}
	return known - 1;
}

static void write_type(struct writer *x, unsigned field, const char *type, const char *unit)
{
	size_t m = proto_begin(&x->message, field);

	proto_uint(&x->message, 1, text(x, type));
	proto_uint(&x->message, 2, text(x, unit));
	proto_end(&x->message, m);
}

static bool is_of_bytes(const struct writer *x)
{
	return !strcmp(x->s->view->unit, "B");
}

/* How many values a sample has: their number, and what they weigh. */
static bool has_weights(const struct writer *x)
{
	return export_is_timed(x->s) || is_of_bytes(x);
}

static void write_types(struct writer *x)
{
	write_type(x, 1, "samples", "count");
	if (is_of_bytes(x))
		write_type(x, 1, "alloc_space", "bytes");
	else if (has_weights(x))
		write_type(x, 1, "wall", "nanoseconds");
}

static void write_sample(struct writer *x, uint32_t node)
{
	const struct profile_view *v = x->s->view;
	const struct view_node *n = &v->nodes.ptr[node];
	size_t sample = proto_begin(&x->message, 2), list = proto_begin(&x->message, 1);

	for (uint32_t at = node; at; at = v->nodes.ptr[at].parent)
		proto_varint(&x->message, x->name[v->nodes.ptr[at].name] + 1);
	proto_end(&x->message, list);
	list = proto_begin(&x->message, 2);
	proto_varint(&x->message, n->exc_count);
	if (has_weights(x))
		proto_varint(&x->message, (uint64_t)llround(n->exc * (is_of_bytes(x) ? 1 : 1e6)));
	proto_end(&x->message, list);
	proto_end(&x->message, sample);
}

static void write_mapping(struct writer *x)
{
	size_t m = proto_begin(&x->message, 3);

	proto_uint(&x->message, 1, 1);
	proto_uint(&x->message, 5, text(x, x->s->title));
	for (unsigned has = 7; has <= 10; has++) /* functions, files, lines, inlined frames */
		proto_uint(&x->message, has, has == 7);
	proto_end(&x->message, m);
}

/* A location and its function, both of this id. */
static void write_function(struct writer *x, uint64_t id, const char *name)
{
	size_t m = proto_begin(&x->message, 4), line;

	proto_uint(&x->message, 1, id);
	proto_uint(&x->message, 2, 1);
	line = proto_begin(&x->message, 4);
	proto_uint(&x->message, 1, id);
	proto_end(&x->message, line);
	proto_end(&x->message, m);
	m = proto_begin(&x->message, 5);
	proto_uint(&x->message, 1, id);
	proto_uint(&x->message, 2, text(x, name));
	proto_uint(&x->message, 3, text(x, name));
	proto_end(&x->message, m);
}

static void write_functions(struct writer *x)
{
	const struct profile_view *v = x->s->view;
	uint32_t next = 0;

	for (size_t i = 1; i < v->nodes.len; i++) {
		const struct view_node *n = &v->nodes.ptr[i];

		if (!n->inc_count || x->name[n->name] != next)
			continue;
		write_function(x, ++next, v->names.ptr[n->name]);
	}
}

static void write_times(struct writer *x)
{
	const struct profile_view *v = x->s->view;

	if (x->s->wall_ns > 0)
		proto_uint(&x->message, 9, (uint64_t)(x->s->wall_ns + v->first_ns));
	proto_uint(&x->message, 10, (uint64_t)(v->last_ns - v->first_ns));
	if (is_of_bytes(x) || x->s->interval_ns <= 0)
		return;
	write_type(x, 11, "wall", "nanoseconds");
	proto_uint(&x->message, 12, (uint64_t)x->s->interval_ns);
}

/* Last, as the table of texts grows until then. */
static void write_texts(struct writer *x)
{
	map_for_each (&x->texts, e)
		proto_str(&x->message, 6, (struct str){ e->key, e->key_len });
}

static int compress_all(struct str from, struct strbuf *out, struct error *reterr)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)from.ptr, .avail_in = (uInt)from.len };
	size_t room;
	int r;

	if (from.len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
						  GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return error_set(reterr, -EIO, "the profile cannot be compressed");
	room = deflateBound(&z, from.len);
	strbuf_reserve(out, room);
	z.next_out = (Bytef *)strbuf_tail(out);
	z.avail_out = (uInt)MIN(room, (size_t)UINT32_MAX);
	r = deflate(&z, Z_FINISH);
	strbuf_commit(out, z.total_out);
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : error_set(reterr, -EIO, "the profile cannot be compressed");
}

int export_pprof(const struct export_source *s, struct strbuf *out, struct error *reterr)
{
	struct writer x = { .s = s };
	int r;

	x.name = export_number_names(s->view, &x.names);
	text(&x, ""); /* the first, as the format has it */
	write_types(&x);
	for (uint32_t i = 1; i < s->view->nodes.len; i++)
		if (s->view->nodes.ptr[i].exc_count)
			write_sample(&x, i);
	write_mapping(&x);
	write_functions(&x);
	write_times(&x);
	write_texts(&x);
	r = compress_all(strbuf_str(&x.message), out, reterr);
	strbuf_release(&x.message);
	map_release(&x.texts);
	free(x.name);
	return r;
}
