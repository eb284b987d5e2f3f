#include "load/k6/cookies.h"

#include "base/strbuf.h"
#include "test.h"

static struct load_cookie parse(const char *field)
{
	struct load_cookie c = { 0 };

	ASSERT_TRUE(load_cookie_parse(str_from(field), &c));
	return c;
}

/* RFC 6265 4.1.2 and 5.2; attributes in any case, unknown ones passed over. */
TEST(cookies_are_read_with_their_attributes)
{
	struct load_cookie c = parse(
		"SID=\"31d4d96e\"; path=/a; DOMAIN=example.com; Secure; x=y; HttpOnly;Max-Age=60");

	ASSERT_STREQ(c.name, "SID");
	ASSERT_STREQ(c.value, "31d4d96e");
	ASSERT_STREQ(c.path, "/a");
	ASSERT_STREQ(c.domain, "example.com");
	ASSERT_TRUE(c.secure && c.http_only);
	ASSERT_INT(c.max_age_s, 60);
	load_cookie_release(&c);

	c = parse("a= b, c ;max-age=0");
	ASSERT_STREQ(c.value, "b, c");
	ASSERT_INT(c.max_age_s, -1);
	load_cookie_release(&c);
}

/* What Go's net/http does not take either. */
TEST(cookies_with_bytes_that_none_can_have_are_not_taken)
{
	static const struct str fields[] = {
		STR("=x"),	   STR("x"),	   STR(""),	  STR("a b=c"),
		STR("(a)=b"),	   STR("a=b\x01"), STR("a=\"b"),  STR("a=b\\c"),
		STR("a=\xc3\xa9"), STR("\0a=b"),   STR("a=b\0c"),
	};
	struct load_cookie c;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		ASSERT_TRUE(!load_cookie_parse(fields[i], &c));
}

/* 784111777 is the example of RFC 9110 5.6.7, in its three forms. */
TEST(cookies_expire_at_dates_of_all_forms)
{
	static const char *const dates[] = {
		"Sun, 06 Nov 1994 08:49:37 GMT",
		"Sunday, 06-Nov-94 08:49:37 GMT",
		"Sun Nov  6 08:49:37 1994",
		"Sun, 06-Nov-1994 08:49:37 GMT",
	};
	int64_t s;

	for (size_t i = 0; i < ARRAY_SIZE(dates); i++) {
		ASSERT_TRUE(load_http_date_parse(str_from(dates[i]), &s));
		ASSERT_INT(s, 784111777);
	}
	ASSERT_TRUE(!load_http_date_parse(STR("tomorrow"), &s));
}

static void list(void *arg, const char *name, const char *value)
{
	strbuf_addf(arg, "%s=%s;", name, value);
}

static struct strbuf sent_to(struct load_jar *jar, const char *text)
{
	struct strbuf out = STRBUF_INIT;
	struct net_url url = { 0 };

	ASSERT_INT(net_url_parse(&url, str_from(text), NULL), 0);
	load_jar_match(jar, &url, list, &out);
	return out;
}

/* RFC 6265 5.1.3, 5.1.4 and 5.4: by host, path and scheme, the longest path first. */
TEST(cookies_go_where_they_belong)
{
	static const char *const fields[] = {
		"here=1",	  "below=2; Domain=shop.example",    "deep=3; Path=/a/b",
		"safe=4; Secure", "foreign=5; Domain=other.example", "gone=6; Max-Age=0",
	};
	static const struct {
		const char *url, *sent;
	} cases[] = {
		{ "http://shop.example/a/c", "here=1;below=2;" },
		{ "http://shop.example/a/b/c", "deep=3;here=1;below=2;" },
		{ "https://shop.example/a/c", "here=1;below=2;safe=4;" },
		{ "http://www.shop.example/a/c", "below=2;" },
		{ "http://shop.example/abc", "" },
		{ "http://other.example/a/c", "" },
	};
	struct load_jar *jar = load_jar_new();
	struct net_url url = { 0 };

	ASSERT_INT(net_url_parse(&url, STR("http://shop.example/a/x"), NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct load_cookie c = parse(fields[i]);

		ASSERT_INT(load_jar_set(jar, &url, &c), i != 4);
		load_cookie_release(&c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf out = sent_to(jar, cases[i].url);

		ASSERT_STREQ(strbuf_cstr(&out), cases[i].sent);
		strbuf_release(&out);
	}
	load_jar_free(jar);
}
