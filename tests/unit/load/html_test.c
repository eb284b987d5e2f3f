#include "load/k6/html_walk.h"

#include <errno.h>

#include "test.h"

static struct load_html_doc *page(const char *text)
{
	struct error err = ERROR_INIT;
	struct load_html_doc *doc = NULL;

	ASSERT_OK_ERR(load_html_parse(&doc, str_from(text), "", NULL, &err), err);
	return doc;
}

static void writes(const char *text, const char *want)
{
	CLEANUP(cleanup_load_html_doc) struct load_html_doc *doc = page(text);
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	load_html_outer(doc->root, &sb);
	ASSERT_STREQ(strbuf_cstr(&sb), want);
}

/* Number of elements that match, or -errno. */
static int count(const char *text, const char *selector)
{
	CLEANUP(cleanup_load_html_doc) struct load_html_doc *doc = page(text);
	CLEANUP(cleanup_load_html_selector) struct load_html_selector *s = NULL;
	CLEANUP(load_html_list_release) struct load_html_list top = { 0 }, found = { 0 };
	struct load_html_filter only = { 0 };
	uint64_t steps = 0;
	struct load_html_walk w = { .doc = doc, .from = &top, .only = &only, .steps = &steps };
	int r = load_html_selector_new(&s, str_from(selector), NULL);

	if (r < 0)
		return r;
	only.selector = s;
	vec_push(&top, doc->root);
	load_html_find(&w, &found);
	return steps > LOAD_HTML_STEPS_MAX ? -ETIME : (int)found.len;
}

/* The trees are those of the HTML standard's parsing algorithm. */
TEST(parsing)
{
	writes("", "<html><head></head><body></body></html>");
	writes("<!doctype html><p>a<p>b",
	       "<!DOCTYPE html><html><head></head><body><p>a</p><p>b</p></body></html>");
	writes("<b>1<i>2</b>3</i>",
	       "<html><head></head><body><b>1<i>2</i></b><i>3</i></body></html>");
	writes("<table><tr><td>x<div>y",
	       "<html><head></head><body><table><tbody><tr><td>x<div>y</div></td></tr></tbody>"
	       "</table></body></html>");
	writes("<br>&lt;&eacute;<!-- c --><script>a<b</script>",
	       "<html><head></head><body><br/>&lt;\xc3\xa9<!-- c --><script>a<b</script></body>"
	       "</html>");
	writes("<svg viewbox=1><FOREIGNobject/></svg><x-y A='\"'>",
	       "<html><head></head><body><svg viewBox=\"1\"><foreignObject></foreignObject></svg>"
	       "<x-y a=\"&#34;\"></x-y></body></html>");
	writes("<body><noscript><p>x</noscript>",
	       "<html><head></head><body><noscript><p>x</noscript></body></html>");
	writes("a\xff", "<html><head></head><body>a\xef\xbf\xbd</body></html>");
}

TEST(a_page_has_bounds)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct load_html_doc *doc = NULL;
	struct error err = ERROR_INIT;

	for (int i = 0; i < LOAD_HTML_DEPTH_MAX; i++)
		strbuf_addstr(&sb, "<div>");
	ASSERT_INT(load_html_parse(&doc, strbuf_str(&sb), "", NULL, &err), -E2BIG);
	strbuf_clear(&sb);
	for (size_t i = 0; i < LOAD_HTML_NODES_MAX; i++)
		strbuf_addstr(&sb, "<p>");
	ASSERT_INT(load_html_parse(&doc, strbuf_str(&sb), "", NULL, &err), -E2BIG);
	strbuf_clear(&sb);
	for (int i = 0; i < 1000000; i++) /* quadratic for the parser */
		strbuf_addstr(&sb, "<div>");
	ASSERT_TRUE(load_html_parse(&doc, strbuf_str(&sb), "", NULL, &err) < 0);
	ASSERT_INT(
		load_html_parse(&doc, (struct str){ "", LOAD_HTML_BYTES_MAX + 1 }, "", NULL, &err),
		-E2BIG);
}

/* From Selectors Level 3: 6.6.5 for :nth-child(), 6.3 for attributes, 7 for escapes. */
TEST(selectors)
{
	const char *list = "<ul><li>1<li>2<li>3<li>4<li>5<li>6<li>7</ul>";

	ASSERT_INT(count(list, "li:nth-child(2n+1)"), 4);
	ASSERT_INT(count(list, "li:nth-child(odd)"), 4);
	ASSERT_INT(count(list, "li:nth-child(10n-1)"), 0);
	ASSERT_INT(count(list, "li:nth-child(-n + 3)"), 3);
	ASSERT_INT(count(list, "li:nth-last-of-type(3n)"), 2);
	ASSERT_INT(count(list, "li:nth-child( 5 )"), 1);
	ASSERT_INT(count("<p title='a b'>", "[title~=\"a b\"]"), 0);
	ASSERT_INT(count("<p title='a b'>", "[title*=\"\"]"), 0);
	ASSERT_INT(count("<p lang=en-US><p lang=enx>", "[lang|=en]"), 1);
	ASSERT_INT(count("<p id=1a>", "#\\31 a"), 1);
	ASSERT_INT(count("<p class='a:b'>", ".a\\:b"), 1);
	ASSERT_INT(count("<p class='a b c'>", "P.c.a"), 1);
	ASSERT_INT(count("<div><p><b>x</b></p></div>", "div:not(:has(i)) :is(b, i)"), 1);
	ASSERT_INT(count("<h2>a</h2><p>1<p>2", "h2+p"), 1);
	ASSERT_INT(count("<h2>a</h2><p>1<p>2", "h2~p"), 2);
}

TEST(descendants_are_found_whatever_lies_between)
{
	const char *text = "<div class=a><div class=b><p><i>x</i></p></div></div>";

	ASSERT_INT(count(text, ".a > .b i"), 1);
	ASSERT_INT(count(text, ".a > p i"), 0);
	ASSERT_INT(count("<div class=a><div><div class=b><i></i></div></div></div>", ".a > .b i"),
		   0);
	ASSERT_INT(count("<ul class=a><li></ul><ul><li></ul><ul><li></ul>", ".a ~ ul > li"), 2);
	ASSERT_INT(count("<div class=a></div><div><div></div><p><b></b></p></div>", ".a ~ div b"),
		   1);
}

TEST(what_is_no_selector)
{
	const char *bad[] = { "",      " ",  "a,",     "> a",  "a >",	 "a:first", "a:eq(1)",
			      "[a=1]", "[a", "[a='b]", "a..b", ":not(",	 ":not()",  ":nth-child(x)",
			      "a::b",  "#",  ".",      "1a",   ":hover", "a b)",    "[a=\"\\" };
	char deep[200] = "";

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ASSERT_INT(count("<a>", bad[i]), -EINVAL);
	for (int i = 0; i < 20; i++)
		strcat(deep, ":not(");
	ASSERT_INT(count("<a>", deep), -EINVAL);
	ASSERT_INT(count("<a>", "a:matches(x)"), -ENOTSUP);
	ASSERT_INT(count("<a>", "a[b#=(x)]"), -ENOTSUP);
}

/* A search on a page that is made for it ends. */
TEST(searching_has_bounds)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < 900; i++)
		strbuf_addstr(&sb, "<div>");
	ASSERT_INT(count(strbuf_cstr(&sb), "i div div div div div div div div"), 0);
	ASSERT_INT(count(strbuf_cstr(&sb), "div div div div div div div div i"), 0);
	strbuf_clear(&sb);
	for (int i = 0; i < 30000; i++)
		strbuf_addstr(&sb, "<p></p>");
	ASSERT_INT(count(strbuf_cstr(&sb), "p:nth-last-child(1)"), 1);
	ASSERT_INT(count(strbuf_cstr(&sb), "i ~ p"), 0 - ETIME);
}
