#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

TEST(json_minds_commas_and_nesting)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &sb, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_cstr(&w, "a", "x\"\n\x01");
	json_array_begin(&w, "b");
	json_int(&w, NULL, -1);
	json_double(&w, NULL, 0.1);
	json_double(&w, NULL, INFINITY);
	json_array_end(&w);
	json_object_begin(&w, "c");
	json_object_end(&w);
	json_bool(&w, "d", true);
	json_object_end(&w);
	ASSERT_STREQ(sb.ptr, "{\"a\":\"x\\\"\\n\\u0001\",\"b\":[-1,0.1,null],\"c\":{},\"d\":true}");
}

TEST(json_indents_for_people)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_uint(&w, "n", 1);
	json_array_begin(&w, "list");
	json_none(&w, NULL);
	json_array_end(&w);
	json_object_end(&w);
	ASSERT_STREQ(sb.ptr, "{\n  \"n\": 1,\n  \"list\": [\n    null\n  ]\n}");
}

TEST(json_replaces_bytes_that_are_not_utf8)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	json_add_quoted(&sb, STR("\xc3\xa4\xff\xc0\x80"));
	ASSERT_STREQ(sb.ptr, "\"\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(json_doubles_are_the_shortest_that_read_back)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{ 1, "1" }, { 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" }, { 1e300, "1e+300" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		json_add_double(&sb, cases[i].v);
		ASSERT_STREQ(sb.ptr, cases[i].text);
	}
}

/* the way without printf writes what printf does */
TEST(json_doubles_of_millionths_are_printfs)
{
	struct strbuf sb = STRBUF_INIT;
	uint64_t x = 88172645463325252;
	char want[40];

	for (int i = 0; i < 200000; i++) {
		double v;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v = (double)(x >> (8 + i % 50)) / (i % 3 ? 1e6 : 1e3) * (i % 2 ? 1 : -1);
		if (fabs(v) >= 1e9 || v == 0)
			continue;
		strbuf_clear(&sb);
		json_add_double(&sb, v);
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(want, sizeof(want), "%.*g", digits, v);
			if (strtod(want, NULL) == v)
				break;
		}
		ASSERT_STREQ(strbuf_cstr(&sb), want);
	}
	strbuf_release(&sb);
}
