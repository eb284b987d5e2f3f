/* WebSocket frames: the examples of RFC 6455 5.7 and RFC 7692 7.2.3, and its rules one by one. */
#include "net/ws_frame.h"

#include "test.h"

#define B(text) ((struct str){ text, sizeof(text) - 1 })

/* Reads bytes in pieces; the last result, the last message's payload in *out. */
static int read_pieces(struct net_ws_reader *r, struct str bytes, size_t piece, struct strbuf *out,
		       unsigned *ret_messages, enum net_ws_op *ret_op)
{
	const char *why;
	int result = 0;

	*ret_messages = 0;
	while (bytes.len && result >= 0) {
		struct str in = { bytes.ptr, MIN(piece, bytes.len) };
		struct net_ws_message m;

		bytes.ptr += in.len;
		bytes.len -= in.len;
		while ((result = net_ws_next(r, &in, &m, &why)) > 0) {
			strbuf_clear(out);
			strbuf_add(out, m.payload.ptr, m.payload.len);
			*ret_op = m.op;
			++*ret_messages;
		}
	}
	return result;
}

static void check(struct str bytes, bool deflate, unsigned messages, enum net_ws_op op,
		  const char *text)
{
	for (size_t piece = 1; piece <= bytes.len; piece++) {
		CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
		struct net_ws_reader r = { .max_bytes = 1000,
					   .deflate = deflate,
					   .keeps_window = deflate };
		enum net_ws_op got = NET_WS_CONTINUATION;
		unsigned n;

		ASSERT_INT(read_pieces(&r, bytes, piece, &out, &n, &got), 0);
		ASSERT_INT(n, messages);
		ASSERT_INT(got, op);
		ASSERT_STREQ(strbuf_cstr(&out), text);
		net_ws_reader_release(&r);
	}
}

TEST(ws_frame_reads_the_examples_of_the_standard)
{
	check(B("\x81\x05Hello"), false, 1, NET_WS_TEXT, "Hello");
	check(B("\x01\x03Hel\x80\x02lo"), false, 1, NET_WS_TEXT, "Hello");
	check(B("\x89\x05Hello"), false, 1, NET_WS_PING, "Hello");
	/* a ping between the pieces of a message */
	check(B("\x01\x03Hel\x89\x01p\x80\x02lo"), false, 2, NET_WS_TEXT, "Hello");
	/* packed: once, in pieces, with the window of the message before, uncompressed block */
	check(B("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"), true, 1, NET_WS_TEXT, "Hello");
	check(B("\x41\x03\xf2\x48\xcd\x80\x04\xc9\xc9\x07\x00"), true, 1, NET_WS_TEXT, "Hello");
	check(B("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"), true, 2,
	      NET_WS_TEXT, "Hello");
	check(B("\xc1\x0b\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00"), true, 1, NET_WS_TEXT,
	      "Hello");
}

TEST(ws_frame_refuses_what_breaks_the_rules)
{
	static const struct {
		struct str bytes;
		enum net_ws_code code;
	} cases[] = {
		{ { "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11 }, NET_WS_PROTOCOL_ERROR },
		{ { "\x91\x00", 2 }, NET_WS_PROTOCOL_ERROR }, /* a reserved bit */
		{ { "\xc1\x00", 2 }, NET_WS_PROTOCOL_ERROR }, /* packed, not agreed on */
		{ { "\x83\x00", 2 }, NET_WS_PROTOCOL_ERROR }, /* unknown kinds */
		{ { "\x8b\x00", 2 }, NET_WS_PROTOCOL_ERROR },
		{ { "\x80\x00", 2 }, NET_WS_PROTOCOL_ERROR }, /* continues nothing */
		{ { "\x01\x00\x81\x00", 4 }, NET_WS_PROTOCOL_ERROR },
		{ { "\x09\x00", 2 }, NET_WS_PROTOCOL_ERROR }, /* a ping in pieces */
		{ { "\x89\x7e\x00\x7e", 4 }, NET_WS_PROTOCOL_ERROR },
		{ { "\x88\x01\x03", 3 }, NET_WS_PROTOCOL_ERROR },
		{ { "\x88\x02\x03\xed", 4 }, NET_WS_PROTOCOL_ERROR }, /* 1005 */
		{ { "\x81\x01\xff", 3 }, NET_WS_BAD_DATA },
		{ { "\x88\x03\x03\xe8\xff", 5 }, NET_WS_BAD_DATA },
		{ { "\x82\x7e\x03\xe9", 4 }, NET_WS_TOO_BIG }, /* 1001 bytes of 1000 */
		{ { "\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff", 10 }, NET_WS_TOO_BIG },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
		struct net_ws_reader r = { .max_bytes = 1000 };
		enum net_ws_op op;
		unsigned n;
		int got = read_pieces(&r, cases[i].bytes, 3, &out, &n, &op);

		if (got != -(int)cases[i].code)
			test_fail(__FILE__, __LINE__, "case %zu: %d", i, got);
		net_ws_reader_release(&r);
	}
}

TEST(ws_frame_writes_the_masked_example_of_the_standard)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT, body = STRBUF_INIT;
	static const unsigned char mask[4] = { 0x37, 0xfa, 0x21, 0x3d };

	net_ws_write(&out, NET_WS_TEXT, false, STR("Hello"), mask);
	ASSERT_TRUE(str_eq(strbuf_str(&out), B("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")));
	for (int i = 0; i < 65536; i++)
		strbuf_addch(&body, 0);
	strbuf_clear(&out);
	net_ws_write(&out, NET_WS_BINARY, false, (struct str){ body.ptr, 256 }, mask);
	ASSERT_TRUE(str_starts_with(strbuf_str(&out), B("\x82\xfe\x01\x00\x37\xfa\x21\x3d\x37")));
	strbuf_clear(&out);
	net_ws_write(&out, NET_WS_BINARY, false, strbuf_str(&body), mask);
	ASSERT_TRUE(str_starts_with(strbuf_str(&out), B("\x82\xff\0\0\0\0\0\x01\0\0\x37\xfa")));
	ASSERT_INT(out.len, 65536 + 14);
	strbuf_clear(&out);
	ASSERT_OK(net_ws_pack(&out, STR("Hello")));
	ASSERT_TRUE(str_eq(strbuf_str(&out), B("\xf2\x48\xcd\xc9\xc9\x07\x00")));
}
