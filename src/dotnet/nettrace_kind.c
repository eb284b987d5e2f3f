/*
 * The descriptions of kinds of events, as versions 3 to 5 have them:
 *
 *	i32 id, text provider, i32 event, text name, i64 keywords, i32 version, i32 level,
 *	i32 n, n fields, and to the end (version 5): i32 bytes, u8 tag, bytes
 *
 * A runtime that has arrays to describe says n = 0 and puts all fields into a tag.
 */
#include <errno.h>

#include "base/utf.h"
#include "dotnet/nettrace_internal.h"

enum { TAG_OPCODE = 1, TAG_FIELDS = 2 };

const char *nettrace_text(struct nettrace *r, struct str bytes, bool utf16)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct utf_decoder d = { .form = utf16 ? UTF_16LE : UTF_8, .keep_bom = true };

	utf_decode(&d, bytes, true, &text);
	return arena_str(&r->arena, strbuf_str(&text)).ptr;
}

struct nettrace_field *nettrace_new_fields(struct nettrace *r, size_t n)
{
	return arena_zalloc(&r->arena, n * sizeof(struct nettrace_field));
}

struct nettrace_type *nettrace_new_type(struct nettrace *r)
{
	return arena_zalloc(&r->arena, sizeof(struct nettrace_type));
}

static int too_much(struct nettrace *r, uint64_t offset)
{
	return nettrace_fail(r, offset, -E2BIG,
			     "descriptions of events of more than %u MB: more are not held",
			     NETTRACE_KINDS_MAX >> 20);
}

int nettrace_add_kind(struct nettrace *r, uint64_t offset, uint32_t id,
		      const struct nettrace_meta *m)
{
	struct nettrace_meta *copy = arena_alloc(&r->arena, sizeof(*copy));

	if (!copy || !m->provider || !m->name)
		return too_much(r, offset);
	*copy = *m;
	nettrace_table_put(&r->kinds, id, copy);
	r->counts.kinds++;
	return r->handler.kind ? r->handler.kind(r->handler.user, copy) : 0;
}

/* ---- fields ---- */

static int read_fields(struct nettrace *r, struct cursor *c, bool tagged, unsigned depth,
		       struct nettrace_fields *ret);

static int read_type(struct nettrace *r, struct cursor *c, bool tagged, unsigned depth,
		     struct nettrace_type *t)
{
	uint64_t offset = c->offset;
	struct nettrace_type *element;
	int32_t code = cursor_i32(c);

	if (c->bad)
		return nettrace_cut(r, c, "a field's type");
	if (depth > NETTRACE_DEPTH_MAX)
		return nettrace_fail(r, offset, -EBADMSG, "types within types, deeper than %d",
				     NETTRACE_DEPTH_MAX);
	t->code = (enum nettrace_code)code;
	if (code == NETTRACE_OBJECT)
		return read_fields(r, c, tagged, depth + 1, &t->fields);
	if (code == NETTRACE_ARRAY) {
		element = nettrace_new_type(r);
		t->element = element;
		return element ? read_type(r, c, tagged, depth + 1, element) : too_much(r, offset);
	}
	if (code < NETTRACE_BOOL32 || code > NETTRACE_UTF16Z)
		return nettrace_fail(r, offset, -EBADMSG,
				     "expected the number of a field's type, found %d", code);
	return 0;
}

/* One of a tag has its size in front and its name before its type. */
static int read_field(struct nettrace *r, struct cursor *c, bool tagged, unsigned depth,
		      struct nettrace_field *f)
{
	struct cursor body = *c;
	uint32_t bytes;
	int code = 0;

	if (!tagged) {
		code = read_type(r, c, false, depth, &f->type);
		f->name = nettrace_text(r, cursor_utf16z(c), true);
		return code;
	}
	bytes = cursor_u32(&body);
	cursor_take(c, bytes);
	if (c->bad || bytes < 4)
		return nettrace_fail(r, body.offset - 4, -EBADMSG,
				     "expected the size of a field's description, found %u", bytes);
	body.end = c->ptr;
	f->name = nettrace_text(r, cursor_utf16z(&body), true);
	code = read_type(r, &body, true, depth, &f->type);
	return code;
}

static int read_fields(struct nettrace *r, struct cursor *c, bool tagged, unsigned depth,
		       struct nettrace_fields *ret)
{
	uint64_t offset = c->offset;
	uint32_t count = cursor_u32(c);
	struct nettrace_field *fields;
	int code = 0;

	if (!c->bad && count > cursor_left(c) / 6)
		return nettrace_fail(r, offset, -EBADMSG,
				     "expected the descriptions of fields in %zu bytes, found that "
				     "there are %u",
				     cursor_left(c), count);
	fields = nettrace_new_fields(r, count);
	if (!fields)
		return too_much(r, offset);
	for (uint32_t i = 0; i < count; i++) {
		code = read_field(r, c, tagged, depth, &fields[i]);
		if (code < 0)
			return code;
		if (!fields[i].name)
			return too_much(r, offset);
	}
	if (c->bad)
		return nettrace_cut(r, c, "the descriptions of fields");
	*ret = (struct nettrace_fields){ fields, count };
	return 0;
}

/* ---- all of it ---- */

static int read_tag(struct nettrace *r, struct cursor *c, struct nettrace_meta *m)
{
	uint32_t bytes = cursor_u32(c);
	uint8_t tag = cursor_u8(c);
	struct cursor body = *c;

	cursor_take(c, bytes);
	if (c->bad)
		return nettrace_cut(r, c, "what a description adds");
	body.end = c->ptr;
	if (tag == TAG_OPCODE)
		m->opcode = cursor_u8(&body);
	return tag == TAG_FIELDS ? read_fields(r, &body, true, 0, &m->fields) : 0;
}

int nettrace_read_kind(struct nettrace *r, struct cursor *c)
{
	struct nettrace_meta m = { .date_bytes = 8 };
	uint64_t offset = c->offset;
	uint32_t id = cursor_u32(c);
	int code = 0;

	m.provider = nettrace_text(r, cursor_utf16z(c), true);
	m.event_id = cursor_u32(c);
	m.name = nettrace_text(r, cursor_utf16z(c), true);
	m.keywords = cursor_u64(c);
	m.version = cursor_u32(c);
	m.level = cursor_u32(c);
	if (c->bad)
		return nettrace_cut(r, c, "the description of an event");
	if (cursor_left(c))
		code = read_fields(r, c, false, 0, &m.fields);
	while (code >= 0 && cursor_left(c))
		code = read_tag(r, c, &m);
	return code < 0 ? code : nettrace_add_kind(r, offset, id, &m);
}
