/*
 * The contents of blocks of versions 3 to 5; events and stacks of version 6 differ so little that
 * they are read here too.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dotnet/nettrace_internal.h"

struct nettrace_block *nettrace_block_new(struct nettrace *r, struct cursor *c)
{
	size_t len = cursor_left(c);
	struct nettrace_block *b = xmalloc(sizeof(*b) + len);

	*b = (struct nettrace_block){ .users = 1, .len = len, .offset = c->offset };
	memcpy(b->bytes, c->ptr, len);
	r->counts.blocks++;
	return b;
}

void nettrace_block_drop(struct nettrace_block *b)
{
	if (!--b->users)
		free(b);
}

static struct cursor block_cursor(struct nettrace_block *b)
{
	return cursor_of((struct str){ b->bytes, b->len }, b->offset);
}

/* ---- the start ---- */

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t era = y / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t nettrace_read_date(struct cursor *c)
{
	unsigned year = cursor_u16(c), month = cursor_u16(c), day, hour, minute, second, ms;

	cursor_u16(c); /* of the week */
	day = cursor_u16(c);
	hour = cursor_u16(c);
	minute = cursor_u16(c);
	second = cursor_u16(c);
	ms = cursor_u16(c);
	if (c->bad || year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
	    day > 31 || hour > 23 || minute > 59 || second > 60 || ms > 999)
		return 0;
	return (((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) *
		       1000000000 +
	       (int64_t)ms * 1000000;
}

int64_t nettrace_date(struct str bytes)
{
	struct cursor c = cursor_of(bytes, 0);

	return nettrace_read_date(&c);
}

int nettrace_read_trace(struct nettrace *r, struct cursor *c)
{
	struct nettrace_info *i = &r->info;
	uint64_t offset = c->offset;

	i->wall_ns = nettrace_read_date(c);
	i->sync_ticks = cursor_u64(c);
	i->ticks_per_s = cursor_u64(c);
	i->pointer_bytes = cursor_u32(c);
	i->pid = cursor_u32(c);
	i->processors = cursor_u32(c);
	i->sample_ns = cursor_u32(c);
	if (c->bad)
		return nettrace_cut(r, c, "48 bytes about the trace");
	if (!i->ticks_per_s || i->ticks_per_s > INT64_MAX)
		return nettrace_fail(r, offset + 24, -EBADMSG,
				     "expected the ticks of a second, found %lld",
				     (long long)i->ticks_per_s);
	if (i->pointer_bytes != 4 && i->pointer_bytes != 8)
		return nettrace_fail(r, offset + 32, -EBADMSG,
				     "expected addresses of 4 or 8 bytes, found %u",
				     i->pointer_bytes);
	return 0;
}

/* ---- events ---- */

/* An event's head as it lies in the stream; compressed ones change what the one before had. */
struct head {
	uint32_t kind, sequence, processor, stack, labels, payload_bytes;
	uint64_t thread, capture, ticks;
	uint8_t activity[16], related[16];
	bool sorted;
};

static void take_guid(struct cursor *c, uint8_t guid[16])
{
	const char *p = cursor_take(c, 16);

	if (p)
		memcpy(guid, p, 16);
}

static void take_compressed(struct cursor *c, bool v6, struct head *h)
{
	uint8_t flags = cursor_u8(c);

	if (flags & 0x01)
		h->kind = (uint32_t)cursor_varuint(c, 32);
	if (flags & 0x02) {
		h->sequence += (uint32_t)cursor_varuint(c, 32) + 1;
		h->capture = cursor_varuint(c, 64);
		h->processor = (uint32_t)cursor_varuint(c, 32);
	} else if (h->kind) {
		h->sequence++;
	}
	if (flags & 0x04)
		h->thread = cursor_varuint(c, 64);
	if (flags & 0x08)
		h->stack = (uint32_t)cursor_varuint(c, 32);
	h->ticks += cursor_varuint(c, 64);
	if (flags & 0x10 && v6)
		h->labels = (uint32_t)cursor_varuint(c, 32);
	else if (flags & 0x10)
		take_guid(c, h->activity);
	if (flags & 0x20 && !v6)
		take_guid(c, h->related);
	h->sorted = flags & 0x40;
	if (flags & 0x80)
		h->payload_bytes = (uint32_t)cursor_varuint(c, 32);
}

static void take_plain(struct cursor *c, bool v6, struct head *h)
{
	uint32_t kind;

	cursor_u32(c); /* the event's size, which follows from the payload's */
	kind = cursor_u32(c);
	h->sorted = !(kind >> 31);
	h->kind = kind & 0x7fffffff;
	h->sequence = cursor_u32(c);
	h->thread = cursor_u64(c);
	h->capture = cursor_u64(c);
	h->processor = cursor_u32(c);
	h->stack = cursor_u32(c);
	h->ticks = cursor_u64(c);
	if (v6) {
		h->labels = cursor_u32(c);
	} else {
		take_guid(c, h->activity);
		take_guid(c, h->related);
	}
	h->payload_bytes = cursor_u32(c);
}

static int64_t since_start(const struct nettrace_info *i, uint64_t ticks)
{
	int64_t delta = (int64_t)(ticks - i->sync_ticks);

	if (i->ticks_per_s == NS_PER_S)
		return delta;
	return (int64_t)((__int128)delta * (int64_t)NS_PER_S / (int64_t)i->ticks_per_s);
}

/* What all versions know of an event; its kind must have been described. */
static int begin_event(struct nettrace *r, const struct head *h, uint64_t offset,
		       struct nettrace_event *e)
{
	const struct nettrace_meta *m = nettrace_table_get(&r->kinds, h->kind);

	if (!m)
		return nettrace_fail(r, offset, -EBADMSG,
				     "expected an event of a kind that was described before, found "
				     "kind %u",
				     h->kind);
	*e = (struct nettrace_event){ .meta = m,
				      .ticks = h->ticks,
				      .t_ns = since_start(&r->info, h->ticks),
				      .thread_id = h->thread,
				      .capture_thread = h->capture,
				      .sequence = h->sequence,
				      .processor = h->processor,
				      .version = m->version,
				      .level = m->level,
				      .opcode = m->opcode,
				      .keywords = m->keywords,
				      .pointer_bytes = (uint8_t)r->info.pointer_bytes };
	memcpy(e->activity, h->activity, sizeof(e->activity));
	memcpy(e->related, h->related, sizeof(e->related));
	return 0;
}

static int find_threads(struct nettrace *r, const struct head *h, uint64_t offset,
			struct nettrace_event *e)
{
	const struct nettrace_thread *about = nettrace_thread(r, h->thread);

	if (!about || !nettrace_thread(r, h->capture))
		return nettrace_fail(
			r, offset, -EBADMSG,
			"expected a thread that was announced before, found index %llu",
			(unsigned long long)(about ? h->capture : h->thread));
	e->thread_id = about->id;
	e->process_id = about->process_id;
	nettrace_v6_apply_labels(r, h->labels, e);
	return 0;
}

static int take_event(struct nettrace *r, struct nettrace_block *b, const struct head *h,
		      uint64_t offset, struct str payload)
{
	struct nettrace_event e;
	int code = begin_event(r, h, offset, &e);

	if (code < 0)
		return code;
	if (r->info.version == 6) {
		code = find_threads(r, h, offset, &e);
		if (code < 0)
			return code;
	}
	e.payload = payload;
	e.offset = b->offset + (uint64_t)(payload.ptr - b->bytes);
	e.stack = nettrace_row(&r->stacks, h->stack);
	return nettrace_take(r, b, &e, h->sorted);
}

/* One event of versions 4 to 6, of a block of events or of descriptions. */
static int read_event(struct nettrace *r, struct nettrace_block *b, struct cursor *c,
		      bool compressed, struct head *h)
{
	uint64_t offset = c->offset;
	bool v6 = r->info.version == 6;
	struct str payload;

	if (compressed)
		take_compressed(c, v6, h);
	else
		take_plain(c, v6, h);
	if (c->bad)
		return nettrace_cut(r, c, "an event's head");
	payload = cursor_bytes(c, h->payload_bytes);
	if (c->bad)
		return nettrace_fail(r, c->offset, -EBADMSG,
				     "expected an event's %u bytes, found the end of its block "
				     "after %zu",
				     h->payload_bytes, cursor_left(c));
	if (h->kind || v6) {
		int code = take_event(r, b, h, offset, payload);

		if (code < 0)
			return code;
	} else {
		struct cursor kind =
			cursor_of(payload, b->offset + (uint64_t)(payload.ptr - b->bytes));
		int code = nettrace_read_kind(r, &kind);

		if (code < 0)
			return code;
	}
	if (!compressed && !v6)
		cursor_take(c, MIN((size_t)(-c->offset & 3), cursor_left(c)));
	return 0;
}

int nettrace_read_events(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	uint16_t head_bytes = cursor_u16(&c), flags = cursor_u16(&c);
	struct head h = { 0 };
	int code = 0;

	if (c.bad || head_bytes < 20 || head_bytes > b->len)
		return nettrace_fail(r, b->offset, -EBADMSG,
				     "expected the head of a block of events, of 20 bytes or more, "
				     "found %u of %zu",
				     head_bytes, b->len);
	cursor_take(&c, head_bytes - 4u);
	while (code >= 0 && cursor_left(&c))
		code = read_event(r, b, &c, flags & 1, &h);
	return code;
}

/* ---- version 3 ---- */

static int read_event_v3(struct nettrace *r, struct nettrace_block *b, struct cursor *c)
{
	struct head h = { .sorted = true }; /* all are */
	uint64_t offset = c->offset;
	struct nettrace_event e;
	struct str payload;
	int code;

	cursor_u32(c); /* its size, which follows from the others */
	h.kind = cursor_u32(c);
	h.thread = h.capture = cursor_u32(c);
	h.ticks = cursor_u64(c);
	take_guid(c, h.activity);
	take_guid(c, h.related);
	h.payload_bytes = cursor_u32(c);
	payload = cursor_bytes(c, h.payload_bytes);
	if (c->bad)
		return nettrace_cut(r, c, "an event");
	if (!h.kind) {
		struct cursor kind = cursor_of(payload, c->offset - payload.len);

		code = nettrace_read_kind(r, &kind);
	} else {
		code = begin_event(r, &h, offset, &e);
	}
	if (code < 0)
		return code;
	e.payload = payload;
	e.offset = c->offset - payload.len;
	e.stack = cursor_bytes(c, cursor_u32(c));
	if (c->bad)
		return nettrace_cut(r, c, "an event's stack");
	cursor_take(c, MIN((size_t)(-c->offset & 3), cursor_left(c)));
	return h.kind ? nettrace_take(r, b, &e, true) : 0;
}

int nettrace_read_events_v3(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	int code = 0;

	while (code >= 0 && cursor_left(&c))
		code = read_event_v3(r, b, &c);
	return code;
}

/* ---- stacks and other rows ---- */

struct str nettrace_row(const struct nettrace_rows *rows, uint32_t id)
{
	size_t low = 0, high = rows->len;
	const struct nettrace_rows_block *b;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->ptr[middle].first <= id)
			low = middle + 1;
		else
			high = middle;
	}
	b = low ? &rows->ptr[low - 1] : NULL;
	if (!id || !b || id - b->first >= b->count)
		return (struct str){ "", 0 };
	id -= b->first;
	return (struct str){ b->block->bytes + b->at[2 * id], b->at[2 * id + 1] };
}

void nettrace_rows_clear(struct nettrace_rows *rows)
{
	vec_for_each (rows, b) {
		nettrace_block_drop(b->block);
		free(b->at);
	}
	vec_clear(rows);
	rows->bytes = 0;
}

int nettrace_rows_add(struct nettrace *r, struct nettrace_rows *rows, struct nettrace_block *b,
		      uint32_t first, uint32_t *at, uint32_t count)
{
	struct nettrace_rows_block row = { b, first, at, count };
	int code = 0;
	size_t i;

	if (rows->bytes + b->len > NETTRACE_STACKS_MAX) {
		/* those who are held back refer to them */
		code = nettrace_emit_all(r);
		nettrace_rows_clear(rows);
	}
	b->users++;
	rows->bytes += b->len;
	vec_push(rows, row);
	for (i = rows->len - 1; i && rows->ptr[i - 1].first > first; i--)
		rows->ptr[i] = rows->ptr[i - 1];
	rows->ptr[i] = row;
	return code;
}

int nettrace_read_stacks(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	uint32_t first = cursor_u32(&c), count = cursor_u32(&c);
	uint32_t *at;

	if (c.bad || count > cursor_left(&c) / 4)
		return nettrace_fail(r, b->offset, -EBADMSG,
				     "expected the stacks of a block of %zu bytes, found that it "
				     "says it has %u",
				     b->len, count);
	at = xmalloc((2 * (size_t)count + 1) * sizeof(*at));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bytes = cursor_u32(&c);

		at[2 * i] = (uint32_t)(c.offset - b->offset);
		at[2 * i + 1] = bytes;
		cursor_take(&c, bytes);
	}
	if (c.bad) {
		free(at);
		return nettrace_cut(r, &c, "a stack");
	}
	return nettrace_rows_add(r, &r->stacks, b, first, at, count);
}

uint64_t nettrace_ip(const struct nettrace_event *e, size_t i)
{
	struct cursor c = cursor_of(e->stack, 0);

	cursor_take(&c, i * e->pointer_bytes);
	return cursor_number(&c, e->pointer_bytes);
}

/* ---- sequence points ---- */

int nettrace_read_point(struct nettrace *r, struct nettrace_block *b)
{
	struct cursor c = block_cursor(b);
	uint32_t count;
	int code;

	cursor_u64(&c); /* its time: all before it is older */
	count = cursor_u32(&c);
	if (c.bad || count > cursor_left(&c) / 12)
		return nettrace_fail(r, b->offset, -EBADMSG,
				     "expected the threads of a sequence point of %zu bytes, found "
				     "that it says it has %u",
				     b->len, count);
	code = nettrace_emit_all(r);
	for (uint32_t i = 0; code >= 0 && i < count; i++) {
		uint64_t id = cursor_u64(&c);

		code = nettrace_saw_sequence(r, id, cursor_u32(&c));
	}
	nettrace_rows_clear(&r->stacks);
	return code;
}
