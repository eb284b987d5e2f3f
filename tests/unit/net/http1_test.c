#include "net/http1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* --- what a whole response reads as --- */

struct reply {
	struct net_head head;
	struct strbuf body;
	int result; /* of the last call: NET_HTTP1_END, MORE or an error */
	const char *why;
	size_t left_over;
	bool reusable;
};

/*
 * Feeds text in pieces of piece_len bytes; each lies in a heap block of its own size, so that the
 * address sanitizer sees a read past its end. at_eof: the connection then ends.
 */
static void read_reply(struct reply *r, const char *text, size_t piece_len, bool is_head,
		       bool at_eof)
{
	struct net_http1 p;
	struct str rest = str_from(text), span;

	*r = (struct reply){ 0 };
	net_http1_begin(&p, &r->head, is_head);
	do {
		size_t n = MIN(piece_len, rest.len);
		char *piece = xmalloc(n + !n);
		struct str in = { piece, n };

		memcpy(piece, rest.ptr, n);
		do {
			r->result = net_http1_next(&p, &in, &span, &r->why);
			if (r->result == NET_HTTP1_BODY)
				strbuf_add(&r->body, span.ptr, span.len);
		} while (r->result == NET_HTTP1_HEAD || r->result == NET_HTTP1_BODY);
		rest.ptr += n;
		rest.len -= n;
		r->left_over = in.len + rest.len;
		free(piece);
	} while (r->result == NET_HTTP1_MORE && rest.len);
	if (r->result == NET_HTTP1_MORE && at_eof)
		r->result = net_http1_eof(&p, &r->why);
	if (r->result == NET_HTTP1_END)
		r->reusable = net_http1_reusable(&p);
}

static void reply_release(struct reply *r)
{
	net_head_release(&r->head);
	strbuf_release(&r->body);
}

struct expected {
	const char *text;
	unsigned status;
	const char *body;
	bool reusable;
	bool is_head;
	bool at_eof;
	size_t left_over;
};

/* In one piece, and byte by byte: the result may not depend on how the text was cut. */
static void reads_as(const struct expected *e)
{
	static const size_t pieces[] = { 1u << 20, 1, 2, 3, 7 };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		CLEANUP(reply_release) struct reply r;

		read_reply(&r, e->text, pieces[i], e->is_head, e->at_eof);
		if (r.result < 0)
			test_fail(__FILE__, __LINE__, "%s in pieces of %zu: %s", e->text, pieces[i],
				  r.why);
		ASSERT_INT(r.result, NET_HTTP1_END);
		ASSERT_INT(r.head.status, e->status);
		ASSERT_STREQ(strbuf_cstr(&r.body), e->body);
		ASSERT_INT(r.reusable, e->reusable);
		ASSERT_INT(r.left_over, e->left_over);
	}
}

TEST(http1_reads_each_kind_of_body)
{
	static const struct expected cases[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello",
		  .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\n\r\nto the end", 200, "to the end", .at_eof = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "5\r\nhello\r\n6;ext=\"a\"\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
		  200, "hello world", .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n0\r\n\r\n", 200, "",
		  .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxyz", 200, "xyz",
		  .at_eof = 1 },
		/* RFC 9112 6.3: no body, whatever the fields say */
		{ "HTTP/1.1 204 No Content\r\n\r\n", 204, "", .reusable = 1 },
		{ "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", 304, "",
		  .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", 200, "", .reusable = 1,
		  .is_head = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "", .reusable = 1,
		  .is_head = 1 },
		/* the length loses against the coding, and the connection is not trusted further */
		{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "5\r\nhello\r\n0\r\n\r\n",
		  200, "hello" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		reads_as(&cases[i]);
}

TEST(http1_skips_interim_replies_but_for_101)
{
	static const struct expected cases[] = {
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
		  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		  200, "ok", .reusable = 1 },
		{ "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nrest", 101, "",
		  .left_over = 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		reads_as(&cases[i]);
}

TEST(http1_keeps_or_closes_the_connection)
{
	static const struct expected cases[] = {
		{ "HTTP/1.1 204 x\r\nConnection: close\r\n\r\n", 204, "" },
		{ "HTTP/1.1 204 x\r\nConnection: foo, Close\r\n\r\n", 204, "" },
		{ "HTTP/1.0 204 x\r\n\r\n", 204, "" },
		{ "HTTP/1.0 204 x\r\nConnection: Keep-Alive\r\n\r\n", 204, "", .reusable = 1 },
		{ "HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\nabc", 200, "a", .reusable = 1,
		  .left_over = 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		reads_as(&cases[i]);
}

TEST(http1_tolerates_what_hurts_nobody)
{
	static const struct expected cases[] = {
		{ "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", 200, "a", .reusable = 1 },
		{ "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\na", 200, "a", .reusable = 1 },
		{ "HTTP/1.1 200 OK\nContent-Length: 1\n\na", 200, "a", .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nX:\r\ncontent-LENGTH:\t 1 \t\r\n\r\na", 200, "a",
		  .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 200, "a",
		  .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na", 200, "a", .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n", 200,
		  "a", .reusable = 1 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n", 200, "a",
		  .reusable = 1 },
		{ "HTTP/1.1 999 \xc3\xa4\r\nContent-Length: 0\r\n\r\n", 999, "", .reusable = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		reads_as(&cases[i]);
}

static void fails_with(const char *text, int code, const char *words)
{
	static const size_t pieces[] = { 1u << 20, 1, 3 };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		CLEANUP(reply_release) struct reply r;

		read_reply(&r, text, pieces[i], false, true);
		if (r.result != code)
			test_fail(__FILE__, __LINE__, "%s gives %d, expected %d", text, r.result,
				  code);
		ASSERT_HAS(r.why, words);
	}
}

TEST(http1_refuses_what_is_no_reply)
{
	fails_with("garbage", -EBADMSG, "HTTP/");
	fails_with("\x16\x03\x01", -EBADMSG, "HTTP/");
	fails_with("HTTP/2 200\r\n\r\n", -EBADMSG, "status line");
	fails_with("HTTP/1.1 20\r\n\r\n", -EBADMSG, "status line");
	fails_with("HTTP/1.1 2000 OK\r\n\r\n", -EBADMSG, "three digits");
	fails_with("HTTP/1.1 099 OK\r\n\r\n", -EBADMSG, "three digits");
	fails_with("HTTP/1.1 2x0 OK\r\n\r\n", -EBADMSG, "three digits");
	fails_with("HTTP/1.1 200 O\x01K\r\n\r\n", -EBADMSG, "reason");
}

TEST(http1_refuses_headers_two_readers_would_read_differently)
{
	fails_with("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", -EBADMSG, "Name: value");
	fails_with("HTTP/1.1 200 OK\r\n: empty\r\n\r\n", -EBADMSG, "Name: value");
	fails_with("HTTP/1.1 200 OK\r\nName : x\r\n\r\n", -EBADMSG, "Name: value");
	fails_with("HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", -EBADMSG, "Name: value");
	fails_with("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", -EBADMSG, "control character");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", -EBADMSG,
		   "twice");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", -EBADMSG, "twice");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", -EBADMSG, "not a number");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", -EBADMSG, "not a number");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\n", -EBADMSG, "not a number");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 1 1\r\n\r\n", -EBADMSG, "not a number");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", -EBADMSG, "not a number");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", -EBADMSG,
		   "in range");
}

TEST(http1_says_where_a_reply_broke_off)
{
	fails_with("", -ENODATA, "without a reply");
	fails_with("HTTP/1.1 200 OK\r\nA: b\r\n", -EPIPE, "middle of the header");
	fails_with("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", -EPIPE,
		   "middle of the body");
	fails_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", -EPIPE,
		   "middle of the body");
	fails_with("HTTP/1.1 100 Continue\r\n\r\n", -EPIPE, "middle of the header");
}

TEST(http1_refuses_broken_chunks)
{
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	fails_with(CHUNKED "\r\n", -EBADMSG, "size in hex");
	fails_with(CHUNKED "xyz\r\n", -EBADMSG, "size in hex");
	fails_with(CHUNKED "-5\r\nhello\r\n", -EBADMSG, "size in hex");
	fails_with(CHUNKED "5\r\nhello!\r\n", -EBADMSG, "longer than");
	fails_with(CHUNKED "5x\r\nhello\r\n", -EBADMSG, "something else");
	fails_with(CHUNKED "5\rhello", -EBADMSG, "CR without LF");
	fails_with(CHUNKED "0\r\n\rx", -EBADMSG, "CR without LF");
	fails_with(CHUNKED "1000000000000000\r\n", -EBADMSG, "15 digits");
#undef CHUNKED
}

/* --- fields --- */

TEST(http1_fields_are_found_in_any_case_and_order)
{
	CLEANUP(reply_release) struct reply r;
	size_t pos = 0;
	const struct net_field *f;

	read_reply(&r,
		   "HTTP/1.1 201 All is well\r\nSet-Cookie: a=1\r\nX-Empty:\r\n"
		   "X-Folded: one\r\n\t two\r\n  three\r\nset-cookie:  b=2 \r\n"
		   "Content-Length: 0\r\n\r\n",
		   1u << 20, false, false);
	ASSERT_INT(r.result, NET_HTTP1_END);
	ASSERT_INT(r.head.fields.len, 5);
	ASSERT_TRUE(str_eq_c(net_head_reason(&r.head), "All is well"));
	f = net_head_find(&r.head, STR("Set-Cookie"), &pos);
	ASSERT_TRUE(f && str_eq_c(net_field_value(&r.head, f), "a=1"));
	f = net_head_find(&r.head, STR("Set-Cookie"), &pos);
	ASSERT_TRUE(f && str_eq_c(net_field_value(&r.head, f), "b=2"));
	ASSERT_TRUE(str_eq_c(net_field_name(&r.head, f), "set-cookie"));
	ASSERT_TRUE(!net_head_find(&r.head, STR("Set-Cookie"), &pos));
	ASSERT_TRUE(str_eq_c(net_head_get(&r.head, "x-empty"), ""));
	ASSERT_TRUE(net_head_get(&r.head, "x-absent").ptr == NULL);
	ASSERT_TRUE(str_eq_c(net_head_get(&r.head, "x-folded"), "one  \t two    three"));
}

/* --- limits --- */

static void make_head(struct strbuf *sb, size_t fields, size_t value_len)
{
	strbuf_addstr(sb, "HTTP/1.1 200 OK\r\n");
	for (size_t i = 0; i < fields; i++) {
		strbuf_addf(sb, "F%zu: ", i);
		for (size_t k = 0; k < value_len; k++)
			strbuf_addch(sb, 'v');
		strbuf_addstr(sb, "\r\n");
	}
	strbuf_addstr(sb, "\r\n");
}

TEST(http1_limits_the_number_of_fields_and_their_size)
{
	static const struct {
		size_t fields, value_len;
		int result;
	} cases[] = {
		{ 256, 1, NET_HTTP1_END }, /* ends with the connection */
		{ 257, 1, -EBADMSG },	   { 1, 65000, NET_HTTP1_END },
		{ 1, 65535, -E2BIG },	   { 60, 1100, -E2BIG },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
		CLEANUP(reply_release) struct reply r;

		make_head(&sb, cases[i].fields, cases[i].value_len);
		read_reply(&r, strbuf_cstr(&sb), 1000, false, true);
		ASSERT_INT(r.result, cases[i].result);
	}
}

/* A server that never ends its header, its interim replies, its chunk extensions or its trailer. */
TEST(http1_ends_what_never_ends)
{
	static const struct {
		const char *start, *again;
		int result;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\n", "X: y\r\n", -E2BIG },
		{ "HTTP/1.1 200 OK\r\nX: ", "yyyyyyy", -E2BIG },
		{ "", "HTTP/1.1 100 Continue\r\n\r\n", -E2BIG },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", "x", -EBADMSG },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5", " ", -EBADMSG },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0", -EBADMSG },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n",
		  -EBADMSG },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
		CLEANUP(reply_release) struct reply r;

		strbuf_addstr(&sb, cases[i].start);
		while (sb.len < 200000)
			strbuf_addstr(&sb, cases[i].again);
		read_reply(&r, strbuf_cstr(&sb), 100, false, false);
		ASSERT_INT(r.result, cases[i].result);
		ASSERT_TRUE(r.left_over > 100000);
	}
}

/* Every byte at every place of a value, against RFC 9110 5.5: VCHAR, obs-text, SP and HTAB. */
TEST(http1_values_are_checked_byte_by_byte)
{
	char value[24];

	for (unsigned byte = 0; byte < 256; byte++) {
		bool allowed = byte == '\t' || (byte >= ' ' && byte != 0x7f);

		for (size_t at = 0; at < sizeof(value); at++) {
			for (unsigned char fill = 'a'; fill > 0; fill = fill == 'a' ? 0xff : 0) {
				memset(value, fill, sizeof(value));
				value[at] = (char)byte;
				ASSERT_INT(net_is_field_value((struct str){ value, sizeof(value) }),
					   allowed);
			}
		}
	}
}
