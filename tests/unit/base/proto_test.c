/* The bytes are those of the "Encoding" page of the protocol buffers' documentation. */
#include "base/proto.h"

#include "test.h"

#define ASSERT_BYTES(sb, literal)                                                                  \
	do {                                                                                       \
		ASSERT_INT((sb).len, sizeof(literal) - 1);                                         \
		ASSERT_TRUE(!memcmp((sb).ptr, literal, sizeof(literal) - 1));                      \
		strbuf_release(&(sb));                                                             \
	} while (0)

TEST(the_documentations_examples)
{
	struct strbuf sb = STRBUF_INIT;
	size_t m;

	proto_uint(&sb, 1, 150);
	ASSERT_BYTES(sb, "\x08\x96\x01");
	proto_str(&sb, 2, STR("testing"));
	ASSERT_BYTES(sb, "\x12\x07testing");
	m = proto_begin(&sb, 3);
	proto_uint(&sb, 1, 150);
	proto_end(&sb, m);
	ASSERT_BYTES(sb, "\x1a\x03\x08\x96\x01");
	m = proto_begin(&sb, 6);
	proto_varint(&sb, 3);
	proto_varint(&sb, 270);
	proto_varint(&sb, 86942);
	proto_end(&sb, m);
	ASSERT_BYTES(sb, "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
	proto_uint(&sb, 1, (uint64_t)-2);
	ASSERT_BYTES(sb, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(zigzag_and_fixed)
{
	struct strbuf sb = STRBUF_INIT;

	proto_sint(&sb, 1, 0);
	proto_sint(&sb, 1, -1);
	proto_sint(&sb, 1, 1);
	proto_sint(&sb, 1, -2);
	proto_sint(&sb, 1, 0x7fffffff);
	ASSERT_BYTES(sb, "\x08\x00\x08\x01\x08\x02\x08\x03\x08\xfe\xff\xff\xff\x0f");
	proto_fixed64(&sb, 16, 0x0102030405060708);
	ASSERT_BYTES(sb, "\x81\x01\x08\x07\x06\x05\x04\x03\x02\x01");
	proto_double(&sb, 1, 1.0); /* 0x3ff0... by IEEE 754 */
	ASSERT_BYTES(sb, "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f");
}

/* a length of two bytes moves what it counts by two */
TEST(long_messages_nest)
{
	struct strbuf sb = STRBUF_INIT;
	char text[200];
	size_t outer, inner;

	memset(text, 'x', sizeof(text));
	outer = proto_begin(&sb, 1);
	inner = proto_begin(&sb, 2);
	proto_str(&sb, 3, (struct str){ text, sizeof(text) });
	proto_end(&sb, inner);
	proto_end(&sb, outer);
	/* 200 + 3; + 3: 203 = 0xcb 0x01, 206 = 0xce 0x01 */
	ASSERT_INT(sb.len, 209);
	ASSERT_TRUE(!memcmp(sb.ptr, "\x0a\xce\x01\x12\xcb\x01\x1a\xc8\x01xxx", 12));
	ASSERT_INT(sb.ptr[208], 'x');
	strbuf_release(&sb);
}
