#include "net/url.h"

#include <errno.h>
#include <stdio.h>

#include "test.h"

static char text[256];

static const char *c_str(struct str s)
{
	if (!s.ptr)
		return "(absent)";
	snprintf(text, sizeof(text), "%.*s", STR_FMT(s));
	return text;
}

static struct net_url parse(const char *s)
{
	struct error err = ERROR_INIT;
	struct net_url u;

	ASSERT_OK_ERR(net_url_parse(&u, str_from(s), &err), err);
	return u;
}

TEST(url_is_cut_into_its_parts)
{
	struct net_url u = parse("HTTPS://user:pa%20ss@Example.com:8443/a/b;c?q=1&r=?/x#frag?#");

	ASSERT_TRUE(u.tls);
	ASSERT_INT(u.port, 8443);
	ASSERT_STREQ(c_str(u.userinfo), "user:pa%20ss");
	ASSERT_STREQ(c_str(u.host), "Example.com");
	ASSERT_STREQ(c_str(u.authority), "Example.com:8443");
	ASSERT_STREQ(c_str(u.target), "/a/b;c?q=1&r=?/x");
	ASSERT_STREQ(c_str(u.path), "/a/b;c");
	ASSERT_STREQ(c_str(u.query), "q=1&r=?/x");
	ASSERT_STREQ(c_str(u.fragment), "frag?#");
}

TEST(url_has_defaults_for_what_is_absent)
{
	struct net_url u = parse("http://h");

	ASSERT_TRUE(!u.tls && !u.has_userinfo);
	ASSERT_INT(u.port, 80);
	ASSERT_STREQ(c_str(u.target), "");
	ASSERT_STREQ(c_str(u.query), "(absent)");
	ASSERT_STREQ(c_str(u.fragment), "(absent)");
	ASSERT_INT(parse("https://h").port, 443);
	ASSERT_INT(parse("http://h:/x").port, 80);
	ASSERT_INT(parse("http://h:65535").port, 65535);
	u = parse("http://h?q");
	ASSERT_STREQ(c_str(u.target), "?q");
	u = parse("http://@h/");
	ASSERT_TRUE(u.has_userinfo);
	/* The last @ ends the user information: what a browser does with the others (WHATWG). */
	u = parse("http://a@b@h/");
	ASSERT_STREQ(c_str(u.userinfo), "a@b");
	ASSERT_STREQ(c_str(u.host), "h");
}

TEST(url_takes_ipv6_literals)
{
	struct net_url u = parse("http://[::1]:8080/x");

	ASSERT_TRUE(u.host_is_ipv6);
	ASSERT_STREQ(c_str(u.host), "::1");
	ASSERT_STREQ(c_str(u.authority), "[::1]:8080");
	ASSERT_INT(u.port, 8080);
	ASSERT_INT(parse("http://[2001:db8::1]").port, 80);
}

static void refuses(const char *s, int code, const char *words)
{
	struct error err = ERROR_INIT;
	struct net_url u;

	ASSERT_INT(net_url_parse(&u, str_from(s), &err), code);
	ASSERT_HAS(err.msg, words);
}

TEST(url_errors_say_what_and_where)
{
	refuses("", -EINVAL, "no absolute URL");
	refuses("/path", -EINVAL, "no absolute URL");
	refuses("example.com/x", -EINVAL, "no absolute URL");
	refuses("http:/x", -EINVAL, "no absolute URL");
	refuses("ftp://h/", -EPROTONOSUPPORT, "\"ftp\"");
	refuses("http:///x", -EINVAL, "no host");
	refuses("http://:80/", -EINVAL, "no host");
	refuses("http://h:0/", -EINVAL, "port \"0\"");
	refuses("http://h:65536/", -EINVAL, "port \"65536\"");
	refuses("http://h:8o/", -EINVAL, "port \"8o\"");
	refuses("http://h:-1/", -EINVAL, "port \"-1\"");
	refuses("http://[::1/", -EINVAL, "without \"]\"");
	refuses("http://[::g]/", -EINVAL, "\"::g\"");
	refuses("http://[]/", -EINVAL, "\"\" as its IPv6");
	refuses("http://[127.0.0.1]/", -EINVAL, "\"127.0.0.1\" as its IPv6");
	refuses("http://[::1]x/", -EINVAL, "\"x\"");
	refuses("http://a b/", -EINVAL, "space (0x20) at position 9");
	refuses("http://h/\r\nX: y", -EINVAL, "control character (0x0d) at position 10");
	refuses("http://h/\x7f", -EINVAL, "control character (0x7f)");
	refuses("http://b\xc3\xbc"
		"cher.example/",
		-EINVAL, "xn--");
	refuses("http://a<b/", -EINVAL, "\"<\"");
}

TEST(url_of_any_size_is_refused_not_copied)
{
	static char big[NET_URL_MAX_BYTES + 2];
	struct error err = ERROR_INIT;
	struct net_url u;

	memset(big, 'a', sizeof(big) - 1);
	memcpy(big, "http://h/", 9);
	ASSERT_INT(net_url_parse(&u, str_from(big), &err), -E2BIG);
	big[NET_URL_MAX_BYTES] = '\0';
	ASSERT_OK(net_url_parse(&u, str_from(big), &err));
}

static void resolves_to(const char *base, const char *ref, const char *expected)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	ASSERT_OK(net_url_resolve(&sb, str_from(base), str_from(ref)));
	if (strcmp(strbuf_cstr(&sb), expected) != 0)
		test_fail(__FILE__, __LINE__, "%s + %s is %s, expected %s", base, ref,
			  strbuf_cstr(&sb), expected);
}

TEST(references_resolve_as_rfc_3986_section_5_4_says)
{
	static const char *const vectors[][2] = {
		/* 5.4.1 normal */
		{ "g:h", "g:h" },
		{ "g", "http://a/b/c/g" },
		{ "./g", "http://a/b/c/g" },
		{ "g/", "http://a/b/c/g/" },
		{ "/g", "http://a/g" },
		{ "//g", "http://g" },
		{ "?y", "http://a/b/c/d;p?y" },
		{ "g?y", "http://a/b/c/g?y" },
		{ "#s", "http://a/b/c/d;p?q#s" },
		{ "g#s", "http://a/b/c/g#s" },
		{ "g?y#s", "http://a/b/c/g?y#s" },
		{ ";x", "http://a/b/c/;x" },
		{ "g;x", "http://a/b/c/g;x" },
		{ "g;x?y#s", "http://a/b/c/g;x?y#s" },
		{ "", "http://a/b/c/d;p?q" },
		{ ".", "http://a/b/c/" },
		{ "./", "http://a/b/c/" },
		{ "..", "http://a/b/" },
		{ "../", "http://a/b/" },
		{ "../g", "http://a/b/g" },
		{ "../..", "http://a/" },
		{ "../../", "http://a/" },
		{ "../../g", "http://a/g" },
		/* 5.4.2 abnormal */
		{ "../../../g", "http://a/g" },
		{ "../../../../g", "http://a/g" },
		{ "/./g", "http://a/g" },
		{ "/../g", "http://a/g" },
		{ "g.", "http://a/b/c/g." },
		{ ".g", "http://a/b/c/.g" },
		{ "g..", "http://a/b/c/g.." },
		{ "..g", "http://a/b/c/..g" },
		{ "./../g", "http://a/b/g" },
		{ "./g/.", "http://a/b/c/g/" },
		{ "g/./h", "http://a/b/c/g/h" },
		{ "g/../h", "http://a/b/c/h" },
		{ "g;x=1/./y", "http://a/b/c/g;x=1/y" },
		{ "g;x=1/../y", "http://a/b/c/y" },
		{ "g?y/./x", "http://a/b/c/g?y/./x" },
		{ "g?y/../x", "http://a/b/c/g?y/../x" },
		{ "g#s/./x", "http://a/b/c/g#s/./x" },
		{ "g#s/../x", "http://a/b/c/g#s/../x" },
		{ "http:g", "http:g" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		resolves_to("http://a/b/c/d;p?q", vectors[i][0], vectors[i][1]);
	resolves_to("http://a", "g", "http://a/g");
	resolves_to("http://a?x#f", "", "http://a?x");
	resolves_to("https://u:p@h:1/x", "/y", "https://u:p@h:1/y");
}

TEST(url_text_is_decoded_and_masked)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	net_url_decode(&sb, STR("a%20b%2Bc%2fd%zz%4"));
	ASSERT_STREQ(strbuf_cstr(&sb), "a b+c/d%zz%4");
	strbuf_clear(&sb);
	net_url_mask(&sb, STR("http://user:pw@x@h:1/p@q"));
	ASSERT_STREQ(strbuf_cstr(&sb), "http://****:****@h:1/p@q");
	strbuf_clear(&sb);
	net_url_mask(&sb, STR("http://h/p@q"));
	ASSERT_STREQ(strbuf_cstr(&sb), "http://h/p@q");
}
