/*
 * The framing: what lies around blocks. Versions 3 to 5 put them into objects of
 *"FastSerialization"
 *
 *	tag, tag 1, i32 version, i32 minimum reader version, i32 length, name, tag 6	the type
 *	[Trace] 48 bytes   or   i32 size, zeros up to a multiple of 4, size bytes
 *	tag 6
 *
 * until tag 1; version 6 has a u32 with size and kind. Bytes are gathered until a block is whole,
 * copied once into memory of its own, and read there: events that are held back stay in it.
 */
#include "dotnet/nettrace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dotnet/nettrace_internal.h"

#define MAGIC	   "Nettrace"
#define SERIALIZED "!FastSerialization.1"
#define TYPE_MAX   256 /* bytes of a type's name */

enum { TAG_NULL = 1, TAG_OBJECT = 4, TAG_PRIVATE_OBJECT = 5, TAG_END = 6 };

int nettrace_fail(struct nettrace *r, uint64_t offset, int code, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (r->failure)
		return r->failure;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->failure = code;
	error_set(&r->error, code, "nettrace: offset %llu: %s", (unsigned long long)offset, text);
	return code;
}

int nettrace_cut(struct nettrace *r, const struct cursor *c, const char *what)
{
	return nettrace_fail(r, c->offset, -EBADMSG,
			     "expected %s, found the end of its block %zu bytes later, or a number "
			     "that is too long",
			     what, cursor_left(c));
}

/* ---- a piece of the stream: 1 = taken, 0 = more bytes are needed, or an error ---- */

static int wrong_start(struct nettrace *r, struct str found)
{
	char hex[3 * 8 + 1] = "nothing";

	for (size_t i = 0; i < MIN(found.len, (size_t)8); i++)
		snprintf(hex + 3 * i, 4, "%02x ", (uint8_t)found.ptr[i]);
	return nettrace_fail(r, r->offset, -EBADMSG,
			     "expected \"" MAGIC "\", or 14 00 00 00 and \"" SERIALIZED
			     "\" of an older runtime, found %s",
			     hex);
}

static bool begins_like(struct str bytes, const char *text, size_t len)
{
	return !memcmp(bytes.ptr, text, MIN(bytes.len, len));
}

static int take_magic(struct nettrace *r, struct cursor *c)
{
	static const char old[] = "\x14\0\0\0" SERIALIZED;
	struct str bytes = { c->ptr, cursor_left(c) };

	if (begins_like(bytes, old, sizeof(old) - 1)) {
		r->state = NETTRACE_SERIALIZED;
		return bytes.len >= sizeof(old) - 1;
	}
	if (!begins_like(bytes, MAGIC, sizeof(MAGIC) - 1))
		return wrong_start(r, bytes);
	cursor_take(c, sizeof(MAGIC) - 1);
	r->state = c->bad ? NETTRACE_MAGIC : NETTRACE_SERIALIZED;
	r->has_magic = !c->bad;
	return !c->bad;
}

static int take_v6_head(struct nettrace *r, struct cursor *c)
{
	uint32_t major = cursor_u32(c);

	cursor_u32(c); /* the minor version: nothing that breaks us */
	if (c->bad)
		return 0;
	if (major != 6)
		return nettrace_fail(r, c->offset - 8, -EOPNOTSUPP,
				     "expected version 6, found %u: this program is too old for it",
				     major);
	r->info.version = 6;
	r->state = NETTRACE_V6;
	return 1;
}

static int take_serialized(struct nettrace *r, struct cursor *c)
{
	uint32_t len = cursor_u32(c);
	struct str text;

	if (c->bad)
		return 0;
	if (len == 0 && r->has_magic)
		return take_v6_head(r, c);
	text = cursor_bytes(c, sizeof(SERIALIZED) - 1);
	if (c->bad && len == sizeof(SERIALIZED) - 1)
		return 0;
	if (c->bad || len != sizeof(SERIALIZED) - 1 || !str_eq_c(text, SERIALIZED))
		return nettrace_fail(r, r->offset, -EBADMSG,
				     "expected \"" SERIALIZED "\", found a text of %u bytes", len);
	r->state = NETTRACE_OBJECTS;
	return 1;
}

struct object {
	uint64_t offset;
	struct str name;
	uint32_t version;
};

/* An object's head up to its body. */
static int take_head(struct nettrace *r, struct cursor *c, struct object *o)
{
	uint8_t tag, inner, none, end;
	uint32_t len;

	o->offset = c->offset;
	tag = cursor_u8(c);
	inner = cursor_u8(c);
	none = cursor_u8(c);
	o->version = cursor_u32(c);
	cursor_u32(c);
	len = cursor_u32(c);
	if (c->bad)
		return 0;
	if ((tag != TAG_OBJECT && tag != TAG_PRIVATE_OBJECT) || inner != tag || none != TAG_NULL)
		return nettrace_fail(r, o->offset, -EBADMSG,
				     "expected an object (tags 5 5 1 or 4 4 1) or the end of the "
				     "stream (1), found %u %u %u",
				     tag, inner, none);
	if (!len || len > TYPE_MAX)
		return nettrace_fail(r, c->offset - 4, -EBADMSG,
				     "expected the length of an object's name, found %u", len);
	o->name = cursor_bytes(c, len);
	end = cursor_u8(c);
	if (c->bad)
		return 0;
	if (end != TAG_END)
		return nettrace_fail(r, c->offset - 1, -EBADMSG,
				     "expected the end of a type (6), found %u", end);
	return 1;
}

static int take_end(struct nettrace *r, struct cursor *c)
{
	uint8_t end = cursor_u8(c);

	if (c->bad)
		return 0;
	if (end != TAG_END)
		return nettrace_fail(r, c->offset - 1, -EBADMSG,
				     "expected the end of an object (6), found %u", end);
	return 1;
}

static bool is_trace(struct str name)
{
	return str_eq_c(name, "Trace") || str_eq_c(name, "Microsoft.DotNet.Runtime.EventPipeFile");
}

static int take_trace(struct nettrace *r, struct cursor *c, const struct object *o)
{
	int got;

	if (r->info.version)
		return nettrace_fail(r, o->offset, -EBADMSG,
				     "expected a block, found a second start of the stream");
	if (o->version < 3)
		return nettrace_fail(r, o->offset, -EOPNOTSUPP,
				     "format version %u, of .NET Core 2.0, is not read; 2.1 and "
				     "later write what is",
				     o->version);
	if (o->version > 5 || (o->version > 3) != r->has_magic)
		return nettrace_fail(r, o->offset, -EOPNOTSUPP,
				     "expected version 3 without \"" MAGIC "\" in front, or 4 or 5 "
				     "with it, found version %u",
				     o->version);
	if (cursor_left(c) < 48 + 1)
		return 0;
	got = nettrace_read_trace(r, c);
	r->info.version = MIN(o->version, 4u);
	return got < 0 ? got : take_end(r, c);
}

static int read_block(struct nettrace *r, struct str name, struct nettrace_block *b)
{
	if (str_eq_c(name, "EventBlock"))
		return r->info.version == 3 ? nettrace_read_events_v3(r, b)
					    : nettrace_read_events(r, b);
	if (str_eq_c(name, "MetadataBlock"))
		return nettrace_read_events(r, b);
	if (str_eq_c(name, "StackBlock"))
		return nettrace_read_stacks(r, b);
	if (str_eq_c(name, "SPBlock"))
		return nettrace_read_point(r, b);
	return 0;
}

/* The body of an object that is a block: read only when all of it is there. */
static int take_block(struct nettrace *r, struct cursor *c, const struct object *o)
{
	uint32_t size = cursor_u32(c);
	struct cursor body;
	struct nettrace_block *b;
	int got;

	cursor_take(c, (size_t)(-c->offset & 3));
	if (!r->info.version)
		return nettrace_fail(r, o->offset, -EBADMSG,
				     "expected the object \"Trace\", found \"%.*s\"",
				     STR_FMT(o->name));
	if (!c->bad && size > NETTRACE_BLOCK_MAX)
		return nettrace_fail(r, o->offset, -E2BIG,
				     "a block of %u bytes: at most %u are taken", size,
				     NETTRACE_BLOCK_MAX);
	body = *c;
	cursor_take(c, size);
	got = take_end(r, c);
	if (got <= 0)
		return got;
	body.end = body.ptr + size;
	b = nettrace_block_new(r, &body);
	got = read_block(r, o->name, b);
	nettrace_block_drop(b);
	return got < 0 ? got : 1;
}

static int take_object(struct nettrace *r, struct cursor *c)
{
	struct object o = { 0 };
	int got;

	if (cursor_left(c) && *c->ptr == TAG_NULL) {
		cursor_take(c, 1);
		r->state = NETTRACE_DONE;
		return 1;
	}
	got = take_head(r, c, &o);
	if (got <= 0)
		return got;
	return is_trace(o.name) ? take_trace(r, c, &o) : take_block(r, c, &o);
}

static int read_v6(struct nettrace *r, unsigned kind, struct nettrace_block *b)
{
	static int (*const readers[])(struct nettrace *, struct nettrace_block *) = {
		[2] = nettrace_read_events,	[3] = nettrace_v6_read_kinds,
		[4] = nettrace_v6_read_point,	[5] = nettrace_read_stacks,
		[6] = nettrace_v6_read_threads, [7] = nettrace_v6_remove_threads,
		[8] = nettrace_v6_read_labels,
	};
	struct cursor c = cursor_of((struct str){ b->bytes, b->len }, b->offset);

	if (kind == 1)
		return nettrace_v6_read_trace(r, &c);
	return kind < ARRAY_SIZE(readers) && readers[kind] ? readers[kind](r, b) : 0;
}

static int take_v6(struct nettrace *r, struct cursor *c)
{
	uint64_t offset = c->offset;
	uint32_t head = cursor_u32(c), size = head & 0xffffff, kind = head >> 24;
	struct nettrace_block *b;
	struct cursor body = *c;
	int got;

	cursor_take(c, size);
	if (c->bad)
		return 0;
	if (!kind) {
		r->state = NETTRACE_DONE;
		return 1;
	}
	if ((kind == 1) == (r->info.ticks_per_s != 0) && kind <= 8)
		return nettrace_fail(r, offset, -EBADMSG,
				     kind == 1 ? "expected no second start of the stream"
					       : "expected the block of the trace (1) first, found "
						 "another kind");
	body.end = body.ptr + size;
	b = nettrace_block_new(r, &body);
	got = read_v6(r, kind, b);
	nettrace_block_drop(b);
	return got < 0 ? got : 1;
}

static int take_piece(struct nettrace *r, struct cursor *c)
{
	switch (r->state) {
	case NETTRACE_MAGIC:
		return take_magic(r, c);
	case NETTRACE_SERIALIZED:
		return take_serialized(r, c);
	case NETTRACE_OBJECTS:
		return take_object(r, c);
	case NETTRACE_V6:
		return take_v6(r, c);
	default:
		return 0;
	}
}

/* Everything that is whole. */
static int take_all(struct nettrace *r)
{
	struct cursor c = cursor_of(strbuf_str(&r->in), r->offset);
	int got = 1;

	while (got > 0 && cursor_left(&c)) {
		struct cursor piece = c;

		got = take_piece(r, &piece);
		if (got > 0)
			c = piece;
		if (r->state == NETTRACE_DONE)
			break;
	}
	strbuf_consume(&r->in, (size_t)(c.offset - r->offset));
	r->offset = c.offset;
	return MIN(got, 0);
}

static int report(struct nettrace *r, int code, struct error *reterr)
{
	if (code >= 0)
		return 0;
	if (!r->failure) /* the handler's */
		return r->failure = error_set(&r->error, code, "reading events was ended");
	return error_set(reterr, r->failure, "%s", r->error.msg);
}

int nettrace_feed(struct nettrace *r, struct str bytes, struct error *reterr)
{
	if (r->failure)
		return report(r, r->failure, reterr);
	r->counts.bytes += bytes.len;
	if (r->state == NETTRACE_DONE || !bytes.len)
		return 0;
	strbuf_add(&r->in, bytes.ptr, bytes.len);
	return report(r, take_all(r), reterr);
}

int nettrace_flush(struct nettrace *r, struct error *reterr)
{
	if (r->failure)
		return report(r, r->failure, reterr);
	return report(r, nettrace_emit_all(r), reterr);
}

int nettrace_end(struct nettrace *r, struct error *reterr)
{
	int code = nettrace_flush(r, reterr);

	if (code < 0 || r->state == NETTRACE_DONE)
		return code;
	return error_set(reterr, -ENODATA,
			 "nettrace: truncated at offset %llu: the stream has no end; all was read "
			 "up to the last whole block, which ends at %llu",
			 (unsigned long long)(r->offset + r->in.len),
			 (unsigned long long)r->offset);
}

struct nettrace *nettrace_new(const struct nettrace_handler *h)
{
	struct nettrace *r = xcalloc(1, sizeof(*r));

	r->handler = *h;
	r->arena.limit_bytes = NETTRACE_KINDS_MAX;
	return r;
}

struct nettrace *nettrace_free(struct nettrace *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; i < r->heap.len; i++)
		nettrace_block_drop(r->pending.ptr[r->heap.ptr[i].slot].block);
	vec_release(&r->heap);
	vec_release(&r->pending);
	vec_release(&r->free_slots);
	nettrace_forget_threads(r);
	nettrace_table_clear(&r->kinds);
	nettrace_rows_clear(&r->stacks);
	nettrace_rows_clear(&r->labels);
	free(r->stacks.ptr);
	free(r->labels.ptr);
	arena_release(&r->arena);
	strbuf_release(&r->in);
	free(r);
	return NULL;
}

bool nettrace_is_whole(const struct nettrace *r)
{
	return r->state == NETTRACE_DONE;
}

const struct nettrace_info *nettrace_info(const struct nettrace *r)
{
	return &r->info;
}

const struct nettrace_counts *nettrace_counts(const struct nettrace *r)
{
	return &r->counts;
}
