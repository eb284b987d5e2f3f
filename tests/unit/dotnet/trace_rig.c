#include "trace_rig.h"

#include <stdio.h>
#include <stdlib.h>

void put(struct strbuf *sb, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(sb, (char)(i < 8 ? v >> (8 * i) : 0));
}

void put_var(struct strbuf *sb, uint64_t v)
{
	while (v >= 0x80) {
		put(sb, (v & 0x7f) | 0x80, 1);
		v >>= 7;
	}
	put(sb, v, 1);
}

void put_text16(struct strbuf *sb, const char *ascii)
{
	do
		put(sb, (uint8_t)*ascii, 2);
	while (*ascii++);
}

void put_text8(struct strbuf *sb, const char *text)
{
	put_var(sb, strlen(text));
	strbuf_addstr(sb, text);
}

static void put_object(struct strbuf *t, unsigned tag, const char *name, unsigned version)
{
	put(t, tag, 1);
	put(t, tag, 1);
	put(t, 1, 1);
	put(t, version, 4);
	put(t, 0, 4);
	put(t, strlen(name), 4);
	strbuf_addstr(t, name);
	put(t, 6, 1);
}

static void put_date(struct strbuf *t)
{
	static const unsigned date[] = { 2026, 12, 1, 7, 1, 2, 3, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(date); i++)
		put(t, date[i], 2);
}

static void begin_v6(struct strbuf *t)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	strbuf_addstr(t, "Nettrace");
	put(t, 0, 4);
	put(t, 6, 4);
	put(t, 3, 4); /* a minor version of later times */
	put_date(&body);
	put(&body, 1000, 8);
	put(&body, 1000000000, 8);
	put(&body, 8, 4);
	put(&body, 3, 4);
	put_text8(&body, "ProcessId");
	put_text8(&body, "77");
	put_text8(&body, "HardwareThreadCount");
	put_text8(&body, "4");
	put_text8(&body, "of another program");
	put_text8(&body, "anything");
	trace_block(t, "1", &body);
}

static bool is_v6(const struct strbuf *t)
{
	return t->len >= 12 && !memcmp(t->ptr, "Nettrace\0\0\0\0", 12);
}

void trace_begin(struct strbuf *t, unsigned version)
{
	if (version == 6) {
		begin_v6(t);
		return;
	}
	if (version >= 4)
		strbuf_addstr(t, "Nettrace");
	put(t, 20, 4);
	strbuf_addstr(t, "!FastSerialization.1");
	put_object(t, version >= 4 ? 5 : 4, "Trace", version);
	put_date(t);
	put(t, 1000, 8);
	put(t, 1000000000, 8);
	put(t, 8, 4);
	put(t, 77, 4);
	put(t, 4, 4);
	put(t, 1000000, 4);
	put(t, 6, 1);
}

void trace_block(struct strbuf *t, const char *type, const struct strbuf *body)
{
	if (is_v6(t)) {
		put(t, body->len | strtoull(type, NULL, 10) << 24, 4);
	} else {
		bool v3 = memcmp(t->ptr, "Nettrace", 8) != 0;

		put_object(t, v3 ? 4 : 5, type, v3 ? 1 : 2);
		put(t, body->len, 4);
		while (t->len % 4)
			put(t, 0, 1);
	}
	if (body->len)
		strbuf_add(t, body->ptr, body->len);
	if (!is_v6(t))
		put(t, 6, 1);
}

void trace_end(struct strbuf *t)
{
	if (is_v6(t))
		put(t, 0, 4);
	else
		put(t, 1, 1);
}

void events_begin(struct strbuf *body, bool compressed)
{
	put(body, 20, 2);
	put(body, compressed, 2);
	put(body, 0, 8);
	put(body, 0, 8);
}

void put_kind(struct strbuf *sb, unsigned id, const char *provider, unsigned event,
	      const char *name)
{
	put(sb, id, 4);
	put_text16(sb, provider);
	put(sb, event, 4);
	put_text16(sb, name);
	put(sb, 0x10, 8);
	put(sb, 2, 4);
	put(sb, 4, 4);
	put(sb, 0, 4);
}

void trace_kind(struct strbuf *t, unsigned id, const char *provider, unsigned event,
		const char *name)
{
	CLEANUP(strbuf_release) struct strbuf kind = STRBUF_INIT, body = STRBUF_INIT;

	put_kind(&kind, id, provider, event, name);
	events_begin(&body, true);
	put(&body, 0x80, 1);
	put_var(&body, 5);
	put_var(&body, kind.len);
	strbuf_add(&body, kind.ptr, kind.len);
	trace_block(t, "MetadataBlock", &body);
}

void put_event(struct strbuf *body, const struct hand_event *e)
{
	size_t len = strlen(e->payload ? e->payload : "");

	put(body, 76 + len, 4);
	put(body, e->kind | (e->unsorted ? 0x80000000u : 0), 4);
	put(body, e->sequence, 4);
	put(body, e->thread, 8);
	put(body, e->thread, 8);
	put(body, 3, 4);
	put(body, e->stack, 4);
	put(body, e->ticks, 8);
	put(body, 0xa1, 8);
	put(body, 0, 8 + 16);
	put(body, len, 4);
	strbuf_add(body, e->payload, len);
	while (body->len % 4)
		put(body, 0, 1);
}

void trace_point(struct strbuf *t, uint64_t thread, unsigned sequence)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	put(&body, 5000, 8);
	put(&body, 1, 4);
	put(&body, thread, 8);
	put(&body, sequence, 4);
	trace_block(t, "SPBlock", &body);
}
