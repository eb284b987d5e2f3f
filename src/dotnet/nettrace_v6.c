/*
 * What only version 6 has: descriptions in rows with a size, threads with an index of their own,
 * lists of labels. Everything that a later minor version may add is skipped by its size.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "dotnet/nettrace_internal.h"

static struct cursor block_cursor(struct nettrace_block *b)
{
	return cursor_of((struct str){ b->bytes, b->len }, b->offset);
}

/* A row of so many bytes as its u16 says. */
static struct cursor take_row(struct cursor *c)
{
	uint16_t bytes = cursor_u16(c);
	struct cursor row = *c;

	cursor_take(c, bytes);
	row.end = c->bad ? row.ptr : c->ptr;
	row.bad = c->bad;
	return row;
}

/* ---- the start ---- */

static void take_property(struct nettrace_info *i, struct str key, struct str value)
{
	uint64_t n;

	if (num_parse_u64(value, &n) < 0)
		return;
	if (str_eq_c(key, "ProcessId"))
		i->pid = n;
	else if (str_eq_c(key, "HardwareThreadCount"))
		i->processors = n;
	else if (str_eq_c(key, "ExpectedCPUSamplingRate"))
		i->sample_ns = n;
}

int nettrace_v6_read_trace(struct nettrace *r, struct cursor *c)
{
	struct nettrace_info *i = &r->info;
	uint64_t offset = c->offset;
	uint32_t count;

	i->wall_ns = nettrace_read_date(c);
	i->sync_ticks = cursor_u64(c);
	i->ticks_per_s = cursor_u64(c);
	i->pointer_bytes = cursor_u32(c);
	count = cursor_u32(c);
	if (c->bad || count > cursor_left(c) / 2)
		return nettrace_cut(r, c, "the start of the trace");
	for (uint32_t n = 0; n < count; n++) {
		struct str key = cursor_text8(c);

		take_property(i, key, cursor_text8(c));
	}
	if (c->bad)
		return nettrace_cut(r, c, "the properties of the trace");
	if (!i->ticks_per_s || i->ticks_per_s > INT64_MAX ||
	    (i->pointer_bytes != 4 && i->pointer_bytes != 8))
		return nettrace_fail(
			r, offset + 24, -EBADMSG,
			"expected the ticks of a second and addresses of 4 or 8 bytes, "
			"found %llu and %u",
			(unsigned long long)i->ticks_per_s, i->pointer_bytes);
	return 0;
}

/* ---- descriptions ---- */

static int read_fields(struct nettrace *r, struct cursor *c, unsigned depth,
		       struct nettrace_fields *ret);

static bool is_known(unsigned code)
{
	return code == NETTRACE_OBJECT || (code >= NETTRACE_BOOL32 && code <= NETTRACE_BOOL8);
}

static int read_type(struct nettrace *r, struct cursor *c, unsigned depth, struct nettrace_type *t)
{
	uint64_t offset = c->offset;
	struct nettrace_type *element;
	uint8_t code = cursor_u8(c);

	if (c->bad)
		return nettrace_cut(r, c, "a field's type");
	if (depth > NETTRACE_DEPTH_MAX || !is_known(code))
		return nettrace_fail(r, offset, -EBADMSG,
				     "expected the number of a field's type, at most %d within "
				     "each other, found %u",
				     NETTRACE_DEPTH_MAX, code);
	t->code = (enum nettrace_code)code;
	if (code == NETTRACE_OBJECT)
		return read_fields(r, c, depth + 1, &t->fields);
	if (code != NETTRACE_ARRAY && code != NETTRACE_FIXED_ARRAY && code != NETTRACE_RELATIVE &&
	    code != NETTRACE_ABSOLUTE)
		return 0;
	element = nettrace_new_type(r);
	if (!element)
		return nettrace_fail(r, offset, -E2BIG, "too many descriptions of events");
	t->element = element;
	if (read_type(r, c, depth + 1, element) < 0)
		return r->failure;
	t->count = code == NETTRACE_FIXED_ARRAY ? cursor_u16(c) : 0;
	return 0;
}

static int read_fields(struct nettrace *r, struct cursor *c, unsigned depth,
		       struct nettrace_fields *ret)
{
	uint64_t offset = c->offset;
	uint16_t count = cursor_u16(c);
	struct nettrace_field *fields;

	if (c->bad || count > cursor_left(c) / 3)
		return nettrace_cut(r, c, "the descriptions of fields");
	fields = nettrace_new_fields(r, count);
	if (!fields)
		return nettrace_fail(r, offset, -E2BIG, "too many descriptions of events");
	for (unsigned i = 0; i < count; i++) {
		struct cursor row = take_row(c);

		fields[i].name = nettrace_text(r, cursor_text8(&row), false);
		if (read_type(r, &row, depth, &fields[i].type) < 0)
			return r->failure;
		if (row.bad || !fields[i].name)
			return nettrace_cut(r, &row, "the description of a field");
	}
	*ret = (struct nettrace_fields){ fields, count };
	return 0;
}

/* One thing that a description may add; false when it is not known, and the rest neither. */
static bool take_option(struct cursor *c, struct nettrace_meta *m)
{
	switch (cursor_u8(c)) {
	case 1:
		m->opcode = cursor_u8(c);
		return true;
	case 3:
		m->keywords = cursor_u64(c);
		return true;
	case 6:
		cursor_text8(c); /* a key, and its value as in those below */
		FALLTHROUGH;
	case 4:
	case 5:
		cursor_text8(c);
		return true;
	case 7:
		cursor_take(c, 16);
		return true;
	case 8:
		m->level = cursor_u8(c);
		return true;
	case 9:
		m->version = cursor_u8(c);
		return true;
	default:
		return false;
	}
}

static int read_kind(struct nettrace *r, struct cursor row)
{
	struct nettrace_meta m = { .date_bytes = 16 };
	uint64_t offset = row.offset;
	uint32_t id = (uint32_t)cursor_varuint(&row, 32);
	struct cursor options;

	m.provider = nettrace_text(r, cursor_text8(&row), false);
	m.event_id = (uint32_t)cursor_varuint(&row, 32);
	m.name = nettrace_text(r, cursor_text8(&row), false);
	if (read_fields(r, &row, 0, &m.fields) < 0)
		return r->failure;
	options = take_row(&row);
	while (cursor_left(&options) && take_option(&options, &m))
		;
	if (row.bad || options.bad)
		return nettrace_cut(r, row.bad ? &row : &options, "the description of an event");
	return nettrace_add_kind(r, offset, id, &m);
}

int nettrace_v6_read_kinds(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	int code = 0;

	cursor_take(&c, cursor_u16(&c));
	while (code >= 0 && !c.bad && cursor_left(&c)) {
		struct cursor row = take_row(&c);

		if (!c.bad)
			code = read_kind(r, row);
	}
	return c.bad ? nettrace_cut(r, &c, "a description of an event") : code;
}

/* ---- threads ---- */

/* One thing that is said of a thread; false when it is not known, and the rest neither. */
static bool take_thread_option(struct cursor *c, struct nettrace_thread *t)
{
	switch (cursor_u8(c)) {
	case 2:
		t->process_id = cursor_varuint(c, 64);
		return true;
	case 3:
		t->id = cursor_varuint(c, 64);
		return true;
	case 4:
		cursor_text8(c); /* a key, and its value as in those below */
		FALLTHROUGH;
	case 1:
		cursor_text8(c);
		return true;
	default:
		return false;
	}
}

static int add_thread(struct nettrace *r, struct cursor row)
{
	struct nettrace_thread t = { 0 };
	uint64_t offset = row.offset, index = cursor_varuint(&row, 64);

	while (cursor_left(&row) && take_thread_option(&row, &t))
		;
	if (row.bad)
		return nettrace_cut(r, &row, "what is said of a thread");
	if (nettrace_thread(r, index))
		return nettrace_fail(
			r, offset, -EBADMSG,
			"expected the index of a new thread, found %llu, which one has",
			(unsigned long long)index);
	if (r->threads.len >= NETTRACE_INDEXES_MAX)
		return nettrace_fail(r, offset, -E2BIG, "more than %u threads at a time",
				     NETTRACE_INDEXES_MAX);
	nettrace_table_put(&r->threads, index, xmalloc(sizeof(t)));
	*nettrace_thread(r, index) = t;
	return 0;
}

int nettrace_v6_read_threads(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	int code = 0;

	while (code >= 0 && !c.bad && cursor_left(&c)) {
		struct cursor row = take_row(&c);

		if (!c.bad)
			code = add_thread(r, row);
	}
	return c.bad ? nettrace_cut(r, &c, "a thread") : code;
}

int nettrace_v6_remove_threads(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	int code = 0;

	while (code >= 0 && cursor_left(&c)) {
		uint64_t offset = c.offset, index = cursor_varuint(&c, 64);
		uint32_t sequence = (uint32_t)cursor_varuint(&c, 32);
		struct nettrace_thread *t = nettrace_thread(r, index);

		if (c.bad)
			return nettrace_cut(r, &c, "a thread that is over");
		if (!t)
			return nettrace_fail(r, offset, -EBADMSG,
					     "expected a thread that was announced before, found "
					     "index %llu",
					     (unsigned long long)index);
		code = nettrace_saw_sequence(r, index, sequence);
		nettrace_table_remove(&r->threads, index);
		free(t);
	}
	return code;
}

int nettrace_v6_read_point(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	uint32_t flags, count;
	int code;

	cursor_u64(&c); /* its time: all before it is older */
	flags = cursor_u32(&c);
	count = cursor_u32(&c);
	code = nettrace_emit_all(r);
	for (uint32_t i = 0; code >= 0 && !c.bad && i < count; i++) {
		uint64_t index = cursor_varuint(&c, 64);
		uint32_t sequence = (uint32_t)cursor_varuint(&c, 32);

		code = c.bad ? 0 : nettrace_saw_sequence(r, index, sequence);
	}
	if (c.bad)
		return nettrace_cut(r, &c, "the threads of a sequence point");
	nettrace_rows_clear(&r->stacks);
	nettrace_rows_clear(&r->labels);
	if (flags & 1)
		nettrace_forget_threads(r);
	if (flags & 2)
		nettrace_table_clear(&r->kinds);
	return code;
}

/* ---- labels ---- */

/* Takes one label and what it says of its event; e may be NULL. True for the last of a list. */
static bool take_label(struct cursor *c, struct nettrace_event *e)
{
	uint8_t kind = cursor_u8(c);
	struct nettrace_event none;
	struct str guid;

	e = e ? e : &none;
	switch (kind & 0x7f) {
	case 1:
	case 2:
		guid = cursor_bytes(c, 16);
		if (guid.len)
			memcpy((kind & 0x7f) == 1 ? e->activity : e->related, guid.ptr, 16);
		break;
	case 3:
		cursor_take(c, 16);
		break;
	case 4:
		cursor_take(c, 8);
		break;
	case 5:
		cursor_text8(c);
		cursor_text8(c);
		break;
	case 6:
		cursor_text8(c);
		cursor_varuint(c, 64);
		break;
	case 7:
		e->opcode = cursor_u8(c);
		break;
	case 8:
		e->keywords = cursor_u64(c);
		break;
	case 9:
		e->level = cursor_u8(c);
		break;
	case 10:
		e->version = cursor_u8(c);
		break;
	default:
		c->bad = true; /* of an unknown length */
	}
	return kind & 0x80;
}

int nettrace_v6_read_labels(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	uint32_t first = cursor_u32(&c), count = cursor_u32(&c);
	uint32_t *at;

	if (c.bad || !first || count > cursor_left(&c) / 2)
		return nettrace_fail(r, b->offset, -EBADMSG,
				     "expected lists of labels from 1 on in %zu bytes, found %u "
				     "from %u on",
				     b->len, count, first);
	at = xmalloc((2 * (size_t)count + 1) * sizeof(*at));
	for (uint32_t i = 0; i < count && !c.bad; i++) {
		at[2 * i] = (uint32_t)(c.offset - b->offset);
		while (!c.bad && !take_label(&c, NULL))
			;
		at[2 * i + 1] = (uint32_t)(c.offset - b->offset) - at[2 * i];
	}
	if (c.bad) {
		free(at);
		return nettrace_cut(r, &c, "a label of a known kind");
	}
	return nettrace_rows_add(r, &r->labels, b, first, at, count);
}

void nettrace_v6_apply_labels(const struct nettrace *r, uint32_t id, struct nettrace_event *e)
{
	struct cursor c = cursor_of(nettrace_row(&r->labels, id), 0);

	while (cursor_left(&c) && !c.bad)
		take_label(&c, e);
}
