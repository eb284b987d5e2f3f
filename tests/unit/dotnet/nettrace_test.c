#include "dotnet/nettrace.h"

#include <errno.h>
#include <stdio.h>

#include "base/map.h"
#include "captures.h"
#include "test.h"
#include "trace_rig.h"

/* What a stream gave. */
struct seen {
	struct map kinds; /* "provider/id" to how many */
	int64_t first_ns, last_ns;
	bool disordered;
	struct strbuf text; /* a line for each event, when wanted */
	bool wants_text;
	struct error err;
	int code;
	struct nettrace_info info;
	struct nettrace_counts counts;
};

static int on_event(void *user, const struct nettrace_event *e)
{
	struct seen *s = user;
	char key[256];

	snprintf(key, sizeof(key), "%s/%u", e->meta->provider, e->meta->event_id);
	map_put(&s->kinds, str_from(key), (char *)map_get_c(&s->kinds, key) + 1);
	s->disordered |= s->counts.events && e->t_ns < s->last_ns;
	s->last_ns = e->t_ns;
	s->first_ns = s->counts.events++ ? s->first_ns : e->t_ns;
	if (s->wants_text)
		strbuf_addf(&s->text, "%s %lld %llu:%u %.*s\n", key, (long long)e->t_ns,
			    (unsigned long long)e->capture_thread, e->sequence,
			    STR_FMT(e->payload));
	return 0;
}

static void read_in_pieces(struct seen *s, struct str bytes, size_t piece)
{
	struct nettrace_handler h = { .user = s, .event = on_event };
	CLEANUP(cleanup_nettrace) struct nettrace *r = nettrace_new(&h);

	while (bytes.len && s->code >= 0) {
		struct str part = { bytes.ptr, MIN(bytes.len, piece) };

		s->code = nettrace_feed(r, part, &s->err);
		bytes = (struct str){ bytes.ptr + part.len, bytes.len - part.len };
	}
	if (s->code >= 0)
		s->code = nettrace_end(r, &s->err);
	s->info = *nettrace_info(r);
	s->counts = *nettrace_counts(r);
}

static void read_whole(struct seen *s, const struct strbuf *bytes)
{
	read_in_pieces(s, strbuf_str(bytes), 65536);
}

static void release(struct seen *s)
{
	map_release(&s->kinds);
	strbuf_release(&s->text);
}

static int count(const struct seen *s, const char *key)
{
	return (int)(intptr_t)map_get_c(&s->kinds, key);
}

static void read_shared(struct seen *s, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;

	capture_shared(name, &bytes);
	read_in_pieces(s, strbuf_str(&bytes), 65536);
}

#define METRICS "System.Diagnostics.Metrics"
#define RUNDOWN "Microsoft-Windows-DotNETRuntimeRundown"
#define SAMPLER "Microsoft-DotNETCore-SampleProfiler"

/* The numbers are those of the official parser. */
TEST(nettrace_metrics_capture)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/counters/raw_metrics_shared_kw7.nettrace.zst");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.info.version, 4);
	ASSERT_INT(count(&s, METRICS "/11"), 71);
	ASSERT_INT(count(&s, METRICS "/7"), 71);
	ASSERT_INT(count(&s, METRICS "/4"), 405);
	ASSERT_INT(count(&s, METRICS "/16"), 144);
	ASSERT_INT(count(&s, METRICS "/5"), 56);
	ASSERT_INT(count(&s, METRICS "/6"), 48);
	ASSERT_INT(count(&s, METRICS "/1"), 7);
	ASSERT_INT(count(&s, METRICS "/18"), 1);
	ASSERT_INT(s.counts.lost, 0);
	ASSERT_TRUE(!s.disordered);
	release(&s);
}

TEST(nettrace_samples_of_many_threads)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/cpu/cpuonly10.nettrace.zst");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.counts.events, 86639);
	ASSERT_INT(s.counts.lost, 0);
	ASSERT_INT(count(&s, SAMPLER "/0"), 68865);
	ASSERT_INT(count(&s, RUNDOWN "/144"), 11699);
	ASSERT_TRUE(!s.disordered);
	release(&s);
	s = (struct seen){ 0 };
	read_shared(&s, "only_managed_samples.nettrace.zip");
	ASSERT_INT(s.counts.events, 37603);
	ASSERT_INT(count(&s, SAMPLER "/0"), 7423);
	ASSERT_NEAR((double)(s.last_ns - s.first_ns) / 1e9, 10.47, 0.02);
	release(&s);
}

TEST(nettrace_version_3)
{
	struct seen s = { 0 };

	read_shared(&s, "eventpipe-dotnetcore2.1-linux-x64-objver3.netperf.zip");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.info.version, 3);
	ASSERT_INT(s.info.pid, 80749);
	ASSERT_INT(s.info.processors, 4);
	ASSERT_INT(s.info.ticks_per_s, 1000000000);
	ASSERT_INT(s.counts.events, 26146);
	ASSERT_INT(count(&s, RUNDOWN "/144"), 26053);
	ASSERT_INT(count(&s, RUNDOWN "/158"), 2);
	ASSERT_INT(count(&s, RUNDOWN "/156"), 13);
	release(&s);
}

TEST(nettrace_version_2_is_refused)
{
	struct seen s = { 0 };

	read_shared(&s, "eventpipe-dotnetcore2.0-linux-objver2.netperf.zip");
	ASSERT_INT(s.code, -EOPNOTSUPP);
	ASSERT_HAS(s.err.msg, "offset 24: format version 2, of .NET Core 2.0, is not read");
	release(&s);
}

TEST(nettrace_of_a_process_that_was_killed)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/edge/target_killed.nettrace.zst");
	ASSERT_INT(s.code, -ENODATA);
	ASSERT_HAS(s.err.msg, "truncated at offset 71203");
	ASSERT_INT(s.counts.events, 6280);
	release(&s);
}

/* ---- captures of our own ---- */

static void read_fixture(struct strbuf *bytes, struct seen *whole)
{
	capture_fixture("nettrace/metrics10.nettrace", bytes);
	whole->wants_text = true;
	read_whole(whole, bytes);
	ASSERT_STREQ(whole->err.msg, "");
	ASSERT_INT(whole->counts.events, 37);
	ASSERT_INT(whole->counts.lost, 0);
	ASSERT_INT(count(whole, METRICS "/7"), 8);
	ASSERT_INT(count(whole, METRICS "/4"), 9);
	ASSERT_INT(count(whole, METRICS "/6"), 2);
	ASSERT_TRUE(!whole->disordered);
}

/* However the bytes come. */
TEST(nettrace_in_pieces_of_any_length)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct seen whole = { 0 };

	read_fixture(&bytes, &whole);
	for (size_t piece = 1; piece < 300; piece += piece < 8 ? 1 : 37) {
		struct seen s = { .wants_text = true };

		read_in_pieces(&s, strbuf_str(&bytes), piece);
		ASSERT_STREQ(s.err.msg, "");
		ASSERT_STREQ(strbuf_cstr(&s.text), strbuf_cstr(&whole.text));
		release(&s);
	}
	release(&whole);
}

/* A stream cut anywhere gives the beginning of what the whole gives, and says where it was cut. */
TEST_TIMEOUT(nettrace_cut_at_each_byte, 120)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct seen whole = { 0 };
	uint64_t most = 0;

	read_fixture(&bytes, &whole);
	for (size_t n = 0; n < bytes.len; n++) {
		struct seen s = { .wants_text = true };
		char offset[64];

		snprintf(offset, sizeof(offset), "truncated at offset %zu:", n);
		read_in_pieces(&s, (struct str){ bytes.ptr, n }, 4096);
		ASSERT_INT(s.code, -ENODATA);
		ASSERT_HAS(s.err.msg, offset);
		ASSERT_TRUE(s.counts.events >= most);
		ASSERT_INT(memcmp(strbuf_cstr(&s.text), strbuf_cstr(&whole.text), s.text.len), 0);
		most = s.counts.events;
		release(&s);
	}
	ASSERT_INT(most, 37);
	release(&whole);
}

/* ---- made by hand ---- */

#define LINE(sequence, thread, ticks, text)                                                        \
	(&(struct hand_event){ 1, sequence, thread, ticks, 0, true, text })
#define SORTED(sequence, thread, ticks, text)                                                      \
	(&(struct hand_event){ 1, sequence, thread, ticks, 0, false, text })

/* A stream of version 4 with one kind; the caller adds blocks. */
static void begin_hand_made(struct strbuf *t)
{
	trace_begin(t, 4);
	trace_kind(t, 1, "P", 9, "Happened");
}

static void add_events(struct strbuf *t, const struct hand_event *const *events, size_t n)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	events_begin(&body, false);
	for (size_t i = 0; i < n; i++)
		put_event(&body, events[i]);
	trace_block(t, "EventBlock", &body);
}

#define ADD(t, ...)                                                                                \
	add_events(t, (const struct hand_event *const[]){ __VA_ARGS__ },                           \
		   sizeof((const struct hand_event *const[]){ __VA_ARGS__ }) / sizeof(void *))

static void expect(struct strbuf *t, const char *text, uint64_t lost)
{
	struct seen s = { .wants_text = true };

	trace_end(t);
	read_whole(&s, t);
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_STREQ(strbuf_cstr(&s.text), text);
	ASSERT_INT(s.counts.lost, lost);
	release(&s);
}

/* Runs of two threads that overlap, and times before the start. */
TEST(nettrace_merges_threads_by_time)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;

	begin_hand_made(&t);
	ADD(&t, SORTED(1, 7, 900, "a"), LINE(2, 7, 1020, "d"), LINE(3, 7, 1040, "f"),
	    LINE(4, 7, 1040, "F"), SORTED(1, 8, 1010, "b"), LINE(2, 8, 1015, "c"),
	    LINE(3, 8, 1030, "e"));
	ADD(&t, SORTED(5, 7, 1035, "E"), LINE(6, 7, 1050, "g"));
	expect(&t,
	       "P/9 -100 7:1 a\nP/9 10 8:1 b\nP/9 15 8:2 c\nP/9 20 7:2 d\nP/9 30 8:3 e\n"
	       "P/9 35 7:5 E\nP/9 40 7:3 f\nP/9 40 7:4 F\nP/9 50 7:6 g\n",
	       0);
}

TEST(nettrace_counts_what_threads_lost)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;

	begin_hand_made(&t);
	/* a thread's first number may be any; then 3 are missing, and 2 of another */
	ADD(&t, SORTED(50, 7, 1000, "a"), SORTED(54, 7, 1001, "b"), SORTED(1, 8, 1002, "c"),
	    SORTED(4, 8, 1003, "d"));
	/* its last 5; those of a thread that never came through */
	trace_point(&t, 8, 9);
	trace_point(&t, 9, 4);
	/* a number that begins anew is an id used again; from 2^32 on they begin at 0 */
	ADD(&t, SORTED(1, 7, 1004, "e"), SORTED(0xffffffff, 11, 1005, "f"),
	    SORTED(0, 11, 1006, "g"), SORTED(2, 11, 1007, "h"));
	expect(&t,
	       "P/9 0 7:50 a\nP/9 1 7:54 b\nP/9 2 8:1 c\nP/9 3 8:4 d\nP/9 4 7:1 e\n"
	       "P/9 5 11:4294967295 f\nP/9 6 11:0 g\nP/9 7 11:2 h\n",
	       3 + 2 + 5 + 4 + 1);
}

/* What the flags of a compressed event leave out is as before; times may go back. */
TEST(nettrace_compressed_events)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, body = STRBUF_INIT;

	begin_hand_made(&t);
	events_begin(&body, true);
	put(&body, 0x01 | 0x02 | 0x04 | 0x40 | 0x80, 1);
	put_var(&body, 1);	    /* kind */
	put_var(&body, 0xffffffff); /* number: 0 + 2^32 - 1 + 1 = 0 */
	put_var(&body, 7);	    /* who wrote it */
	put_var(&body, 2);	    /* processor */
	put_var(&body, 12);	    /* whom it is about */
	put_var(&body, 1500);	    /* ticks */
	put_var(&body, 1);	    /* bytes */
	strbuf_addstr(&body, "a");
	put(&body, 0x40, 1);
	put_var(&body, 100);
	strbuf_addstr(&body, "b");
	put(&body, 0x00, 1);
	put_var(&body, (uint64_t)-50);
	strbuf_addstr(&body, "c");
	put(&body, 0x40 | 0x80, 1);
	put_var(&body, 10);
	put_var(&body, 0);
	trace_block(&t, "EventBlock", &body);
	expect(&t, "P/9 500 7:0 a\nP/9 600 7:1 b\nP/9 550 7:2 c\nP/9 560 7:3 \n", 0);
}

/* Version 3: no compression, no numbers, the stack beside its event. */
TEST(nettrace_version_3_by_hand)
{
	CLEANUP(strbuf_release)
	struct strbuf t = STRBUF_INIT, body = STRBUF_INIT, kind = STRBUF_INIT;
	struct seen s = { .wants_text = true };

	trace_begin(&t, 3);
	put_kind(&kind, 1, "P", 9, "Happened");
	for (unsigned i = 0; i < 3; i++) {
		struct str payload = i ? STR("abc") : strbuf_str(&kind);

		put(&body, 60 + payload.len + 8 * i, 4);
		put(&body, i ? 1 : 0, 4);
		put(&body, 7, 4);
		put(&body, 1000 + i, 8);
		put(&body, 0, 32);
		put(&body, payload.len, 4);
		strbuf_add(&body, payload.ptr, payload.len);
		put(&body, 8 * i, 4);
		put(&body, 0x1111, 8 * i);
		while (body.len % 4)
			put(&body, 0, 1);
	}
	trace_block(&t, "EventBlock", &body);
	trace_end(&t);
	read_whole(&s, &t);
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.info.version, 3);
	ASSERT_STREQ(strbuf_cstr(&s.text), "P/9 1 7:0 abc\nP/9 2 7:0 abc\n");
	release(&s);
}

struct details {
	struct nettrace_event e;
	uint64_t ip[3];
	size_t depth;
	int n;
};

static int keep_details(void *user, const struct nettrace_event *e)
{
	struct details *d = user;

	d->e = *e;
	d->depth = nettrace_depth(e);
	for (size_t i = 0; i < 3; i++)
		d->ip[i] = nettrace_ip(e, i);
	d->n++;
	return 0;
}

static struct nettrace *read_details(const struct strbuf *t, struct details *d, int *ret_code,
				     struct error *err)
{
	struct nettrace_handler h = { .user = d, .event = keep_details };
	struct nettrace *r = nettrace_new(&h);

	*ret_code = nettrace_feed(r, strbuf_str(t), err);
	if (*ret_code == 0)
		*ret_code = nettrace_end(r, err);
	return r;
}

static void add_stacks(struct strbuf *t, const char *type, unsigned first)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	put(&body, first, 4);
	put(&body, 2, 4);
	put(&body, 0, 4);
	put(&body, 16, 4);
	put(&body, 0x7fff00001111, 8);
	put(&body, 0x2222, 8);
	trace_block(t, type, &body);
}

TEST(nettrace_all_of_an_event)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct details d = { 0 };
	struct nettrace *r;
	int code;

	begin_hand_made(&t);
	add_stacks(&t, "StackBlock", 4);
	trace_block(&t, "BlockOfLaterTimes",
		    &(struct strbuf){ .ptr = (char[]){ "xyz" }, .len = 3 });
	ADD(&t, (&(struct hand_event){ 1, 1, 7, 1000, 5, false, "payload" }));
	trace_end(&t);
	r = read_details(&t, &d, &code, &err);
	ASSERT_STREQ(err.msg, "");
	ASSERT_INT(d.n, 1);
	ASSERT_STREQ(d.e.meta->provider, "P");
	ASSERT_STREQ(d.e.meta->name, "Happened");
	ASSERT_INT(d.e.meta->event_id, 9);
	ASSERT_INT(d.e.version, 2);
	ASSERT_INT(d.e.level, 4);
	ASSERT_INT(d.e.keywords, 0x10);
	ASSERT_INT(d.e.thread_id, 7);
	ASSERT_INT(d.e.processor, 3);
	ASSERT_INT(d.e.activity[0], 0xa1);
	ASSERT_INT(d.depth, 2);
	ASSERT_TRUE(d.ip[0] == 0x7fff00001111 && d.ip[1] == 0x2222 && d.ip[2] == 0);
	ASSERT_INT(nettrace_info(r)->version, 4);
	ASSERT_INT(nettrace_info(r)->pid, 77);
	/* date -u -d "2026-12-07 01:02:03" +%s */
	ASSERT_INT(nettrace_info(r)->wall_ns, 1796605323004000000);
	ASSERT_TRUE(nettrace_is_whole(r));
	nettrace_free(r);
}

/* A sequence point ends what stacks mean. */
TEST(nettrace_forgets_stacks_at_a_sequence_point)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct details d = { 0 };
	int code;

	begin_hand_made(&t);
	add_stacks(&t, "StackBlock", 4);
	trace_point(&t, 7, 0);
	ADD(&t, (&(struct hand_event){ 1, 1, 7, 1000, 5, false, "payload" }));
	trace_end(&t);
	nettrace_free(read_details(&t, &d, &code, &err));
	ASSERT_STREQ(err.msg, "");
	ASSERT_INT(d.n, 1);
	ASSERT_INT(d.depth, 0);
}

static void expect_failure(const struct strbuf *t, int code, const char *message)
{
	struct seen s = { 0 };

	read_whole(&s, t);
	ASSERT_HAS(s.err.msg, message);
	ASSERT_INT(s.code, code);
	release(&s);
}

TEST(nettrace_says_what_is_wrong_and_where)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, body = STRBUF_INIT;

	strbuf_addstr(&t, "PK\3\4 a zip file");
	expect_failure(&t, -EBADMSG, "offset 0: expected \"Nettrace\", or 14 00 00 00");
	strbuf_clear(&t);
	trace_begin(&t, 7);
	expect_failure(&t, -EOPNOTSUPP, "found version 7");
	strbuf_clear(&t);
	begin_hand_made(&t);
	t.ptr[33] = 9; /* the tag of the first object's type */
	expect_failure(&t, -EBADMSG, "offset 32: expected an object");
	strbuf_clear(&t);
	begin_hand_made(&t);
	ADD(&t, (&(struct hand_event){ 2, 1, 7, 1000, 0, false, "" }));
	expect_failure(&t, -EBADMSG, "of a kind that was described before, found kind 2");
	strbuf_clear(&t);
	begin_hand_made(&t);
	put(&t, 3, 1);
	put(&t, 0, 15);
	expect_failure(&t, -EBADMSG, "expected an object (tags 5 5 1 or 4 4 1) or the end");
	strbuf_clear(&t);
	begin_hand_made(&t);
	events_begin(&body, false);
	put(&body, 0, 30);
	trace_block(&t, "EventBlock", &body);
	expect_failure(&t, -EBADMSG, "expected an event's head, found the end of its block");
	strbuf_clear(&t);
	begin_hand_made(&t);
	strbuf_clear(&body);
	put(&body, 1, 4);
	put(&body, 1000000, 4);
	trace_block(&t, "StackBlock", &body);
	expect_failure(&t, -EBADMSG, "says it has 1000000");
}

/* Nobody's memory is taken because a number says so. */
TEST(nettrace_refuses_blocks_of_gigabytes)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	size_t at;

	begin_hand_made(&t);
	at = t.len;
	trace_block(&t, "EventBlock", &(struct strbuf){ 0 });
	memset(t.ptr + at + 11 + 4 + 10 + 1, 0xf0, 4);
	expect_failure(&t, -E2BIG, "a block of 4042322160 bytes: at most");
}

static int refuse(void *user, const struct nettrace_event *e)
{
	(void)e;
	return ++*(int *)user == 2 ? -EPIPE : 0;
}

TEST(nettrace_ends_when_the_handler_wants)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct error err = ERROR_INIT;
	int n = 0;
	struct nettrace_handler h = { .user = &n, .event = refuse };
	struct nettrace *r = nettrace_new(&h);

	begin_hand_made(&t);
	ADD(&t, SORTED(1, 7, 1000, "a"), SORTED(2, 7, 1001, "b"), SORTED(3, 7, 1002, "c"));
	ASSERT_INT(nettrace_feed(r, strbuf_str(&t), &err), -EPIPE);
	ASSERT_INT(nettrace_feed(r, strbuf_str(&t), &err), -EPIPE);
	ASSERT_INT(nettrace_end(r, &err), -EPIPE);
	ASSERT_INT(n, 2);
	nettrace_free(r);
}

/* A writer that never says "sorted" does not fill the memory. */
TEST(nettrace_bounds_what_is_held_back)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, body = STRBUF_INIT;
	int n = 10; /* nothing is refused */
	struct nettrace_handler h = { .user = &n, .event = refuse };
	struct nettrace *r = nettrace_new(&h);
	struct error err = ERROR_INIT;

	begin_hand_made(&t);
	events_begin(&body, true);
	put(&body, 0x01 | 0x02 | 0x04, 1);
	put_var(&body, 1);
	put_var(&body, 0);
	put_var(&body, 7);
	put_var(&body, 2);
	put_var(&body, 7);
	put_var(&body, 1500);
	for (int i = 1; i < 100000; i++)
		put(&body, 0x0100, 2);
	for (int i = 0; i < 15; i++)
		trace_block(&t, "EventBlock", &body);
	ASSERT_OK_ERR(nettrace_feed(r, strbuf_str(&t), &err), err);
	ASSERT_INT(nettrace_counts(r)->events, 1500000 - (1 << 20));
	ASSERT_INT(nettrace_counts(r)->disordered, 1500000 - (1 << 20));
	ASSERT_OK_ERR(nettrace_flush(r, &err), err);
	ASSERT_INT(nettrace_counts(r)->events, 1500000);
	nettrace_free(r);
}
