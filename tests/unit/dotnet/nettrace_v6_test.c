/* Version 6: no real file is at hand, these are the specification's layouts by hand. */
#include <errno.h>
#include <stdio.h>

#include "dotnet/payload.h"
#include "test.h"
#include "trace_rig.h"

struct seen {
	struct strbuf text;
	struct error err;
	int code;
	struct nettrace_counts counts;
	struct nettrace_info info;
};

static int on_event(void *user, const struct nettrace_event *e)
{
	struct seen *s = user;
	struct json_writer w;

	strbuf_addf(&s->text, "%s/%u v%u l%u o%u k%llx pid %llu tid %llu at %lld a%u d%zu ",
		    e->meta->provider, e->meta->event_id, e->version, e->level, e->opcode,
		    (unsigned long long)e->keywords, (unsigned long long)e->process_id,
		    (unsigned long long)e->thread_id, (long long)e->t_ns, e->activity[0],
		    nettrace_depth(e));
	json_init(&w, &s->text, JSON_COMPACT);
	payload_json(e, NULL, &w);
	strbuf_addch(&s->text, '\n');
	return 0;
}

static void read_all(struct seen *s, const struct strbuf *t)
{
	struct nettrace_handler h = { .user = s, .event = on_event };
	struct nettrace *r = nettrace_new(&h);

	s->code = nettrace_feed(r, strbuf_str(t), &s->err);
	if (s->code == 0)
		s->code = nettrace_end(r, &s->err);
	s->counts = *nettrace_counts(r);
	s->info = *nettrace_info(r);
	nettrace_free(r);
}

/* A row of `bytes` with its u16 size in front, and some bytes of later times. */
static void put_row(struct strbuf *to, const struct strbuf *row, unsigned later)
{
	put(to, row->len + later, 2);
	strbuf_add(to, row->ptr, row->len);
	put(to, 0, later);
}

static void put_field(struct strbuf *to, const char *name, const char *type, size_t bytes)
{
	CLEANUP(strbuf_release) struct strbuf row = STRBUF_INIT;

	put_text8(&row, name);
	strbuf_add(&row, type, bytes);
	put_row(to, &row, 2);
}

#define FIELD(to, name, type) put_field(to, name, type, sizeof(type) - 1)

/* Kind 1: P/300, with one field of each kind that version 6 adds. */
static void add_kinds(struct strbuf *t)
{
	CLEANUP(strbuf_release)
	struct strbuf body = STRBUF_INIT, row = STRBUF_INIT, options = STRBUF_INIT;

	put(&body, 5, 2); /* a head that nobody knows */
	strbuf_add(&body, "later", 5);
	put_var(&row, 1);
	put_text8(&row, "P");
	put_var(&row, 300);
	put_text8(&row, "Happened");
	put(&row, 8, 2);
	FIELD(&row, "varint", "\x14");
	FIELD(&row, "varuint", "\x15");
	FIELD(&row, "pair", "\x16\x07\x02\x00"); /* two i16 */
	FIELD(&row, "text", "\x13\x17");	 /* UTF-8 with a length */
	FIELD(&row, "rel", "\x18\x17");
	FIELD(&row, "far", "\x19\x08");
	FIELD(&row, "yes", "\x1a");
	FIELD(&row, "when", "\x10");
	put(&options, 1, 1); /* opcode */
	put(&options, 5, 1);
	put(&options, 3, 1); /* keywords */
	put(&options, 0x40, 8);
	put(&options, 6, 1); /* a key and its value */
	put_text8(&options, "k");
	put_text8(&options, "v");
	put(&options, 8, 1); /* level */
	put(&options, 4, 1);
	put(&options, 9, 1); /* version */
	put(&options, 2, 1);
	put(&options, 99, 1); /* of later times */
	put_row(&row, &options, 0);
	put_row(&body, &row, 4);
	trace_block(t, "3", &body);
}

static void add_thread(struct strbuf *t, unsigned index, unsigned pid, unsigned tid)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT, row = STRBUF_INIT;

	put_var(&row, index);
	put(&row, 1, 1);
	put_text8(&row, "worker");
	put(&row, 2, 1);
	put_var(&row, pid);
	put(&row, 3, 1);
	put_var(&row, tid);
	put_row(&body, &row, 0);
	trace_block(t, "6", &body);
}

static void put_payload(struct strbuf *p)
{
	static const unsigned date[] = { 1970, 1, 4, 1, 0, 0, 1, 500 };

	put_var(p, 3); /* zigzag: -2 */
	put_var(p, 300);
	put(p, 0xffff, 2); /* -1 */
	put(p, 7, 2);
	put(p, 3, 2);
	strbuf_add(p, "\xe2\x82\xac", 3);
	put(p, 2u << 16 | (4 + 1 + 16), 4); /* 2 bytes, so far behind this field */
	put(p, 4u << 16 | 0, 4);	    /* 4 bytes at the payload's start */
	put(p, 1, 1);
	for (size_t i = 0; i < ARRAY_SIZE(date); i++)
		put(p, date[i], 2);
	strbuf_add(p, "hi", 2);
}

static void add_event(struct strbuf *t, unsigned flags, unsigned thread, unsigned sequence,
		      unsigned labels)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT, payload = STRBUF_INIT;

	put_payload(&payload);
	put(&body, 24, 2); /* a longer head */
	put(&body, 1, 2);
	put(&body, 0, 20);
	put(&body, 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x80 | flags, 1);
	put_var(&body, 1);
	put_var(&body, sequence - 1);
	put_var(&body, thread);
	put_var(&body, 0);
	put_var(&body, thread);
	put_var(&body, 9); /* stack */
	put_var(&body, 1000 + 10 * sequence);
	put_var(&body, labels);
	put_var(&body, payload.len);
	strbuf_add(&body, payload.ptr, payload.len);
	trace_block(t, "2", &body);
}

static void add_stack(struct strbuf *t)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	put(&body, 9, 4);
	put(&body, 1, 4);
	put(&body, 8, 4);
	put(&body, 0x1234, 8);
	trace_block(t, "5", &body);
}

static void add_labels(struct strbuf *t)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	put(&body, 1, 4);
	put(&body, 2, 4);
	put(&body, 1, 1); /* list 1: an activity, a key, and this event's own level */
	put(&body, 0xab, 16);
	put(&body, 5, 1);
	put_text8(&body, "k");
	put_text8(&body, "v");
	put(&body, 0x80 | 9, 1);
	put(&body, 1, 1);
	put(&body, 0x80 | 8, 1); /* list 2: its own keywords */
	put(&body, 0xf0, 8);
	trace_block(t, "8", &body);
}

#define PAYLOAD                                                                                    \
	"{\"varint\":-2,\"varuint\":300,\"pair\":[-1,7],\"text\":\"\xe2\x82\xac\",\"rel\":\"hi\"," \
	"\"far\":[44035,65282],\"yes\":true,\"when\":1500000000}"

static void begin(struct strbuf *t)
{
	trace_begin(t, 6);
	add_kinds(t);
	add_thread(t, 5, 77, 4711);
	add_stack(t);
	add_labels(t);
	trace_block(t, "200", &(struct strbuf){ .ptr = (char[]){ "later" }, .len = 5 });
}

TEST(nettrace_v6_events)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct seen s = { 0 };

	begin(&t);
	add_event(&t, 0x40, 5, 1, 0);
	add_event(&t, 0x40, 5, 2, 1);
	add_event(&t, 0x40, 5, 3, 2);
	trace_end(&t);
	read_all(&s, &t);
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_STREQ(strbuf_cstr(&s.text),
		     "P/300 v2 l4 o5 k40 pid 77 tid 4711 at 10 a0 d1 " PAYLOAD "\n"
		     "P/300 v2 l1 o5 k40 pid 77 tid 4711 at 20 a171 d1 " PAYLOAD "\n"
		     "P/300 v2 l4 o5 kf0 pid 77 tid 4711 at 30 a0 d1 " PAYLOAD "\n");
	ASSERT_INT(s.info.version, 6);
	ASSERT_INT(s.info.pid, 77);
	ASSERT_INT(s.info.processors, 4);
	ASSERT_INT(s.info.wall_ns, 1796605323004000000);
	ASSERT_INT(s.counts.lost, 0);
	strbuf_release(&s.text);
}

static void add_point(struct strbuf *t, unsigned flags, unsigned thread, unsigned sequence)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	put(&body, 2000, 8);
	put(&body, flags, 4);
	put(&body, 1, 4);
	put_var(&body, thread);
	put_var(&body, sequence);
	trace_block(t, "4", &body);
}

/* Numbers begin at 1 here, so that what is missing before is lost. */
TEST(nettrace_v6_losses)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, gone = STRBUF_INIT;
	struct seen s = { 0 };

	begin(&t);
	add_event(&t, 0, 5, 4, 0); /* 3 */
	add_point(&t, 0, 5, 6);	   /* 2 */
	put_var(&gone, 5);
	put_var(&gone, 10); /* 4 */
	trace_block(&t, "7", &gone);
	add_thread(&t, 5, 77, 4712); /* the index anew */
	add_event(&t, 0, 5, 1, 0);
	trace_end(&t);
	read_all(&s, &t);
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.counts.events, 2);
	ASSERT_INT(s.counts.lost, 9);
	ASSERT_HAS(strbuf_cstr(&s.text), "tid 4712 at 10 a0 d0 "); /* its stack is forgotten */
	strbuf_release(&s.text);
}

static void expect_failure(struct strbuf *t, const char *message)
{
	struct seen s = { 0 };

	trace_end(t);
	read_all(&s, t);
	ASSERT_HAS(s.err.msg, message);
	ASSERT_INT(s.code, -EBADMSG);
	strbuf_release(&s.text);
	strbuf_clear(t);
	begin(t);
}

TEST(nettrace_v6_faults)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, gone = STRBUF_INIT;

	begin(&t);
	add_thread(&t, 5, 1, 1);
	expect_failure(&t, "expected the index of a new thread, found 5");
	add_event(&t, 0, 6, 1, 0);
	expect_failure(&t, "expected a thread that was announced before, found index 6");
	put_var(&gone, 6);
	put_var(&gone, 1);
	trace_block(&t, "7", &gone);
	expect_failure(&t, "expected a thread that was announced before, found index 6");
	add_point(&t, 1, 5, 0); /* forgets threads */
	add_event(&t, 0, 5, 1, 0);
	expect_failure(&t, "expected a thread that was announced before, found index 5");
	add_point(&t, 2, 5, 0); /* forgets kinds */
	add_event(&t, 0, 5, 1, 0);
	expect_failure(&t, "of a kind that was described before, found kind 1");
}
