#include "load/csv.h"

#include <errno.h>

#include "test.h"

/* All records, fields in <>, or why not. */
static void reads(const char *text, const char *want)
{
	CLEANUP(load_csv_release) struct load_csv csv;
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	int r;

	load_csv_init(&csv, str_from(text), ',');
	while ((r = load_csv_next(&csv, &err)) > 0) {
		vec_for_each (&csv.fields, f)
			strbuf_addf(&sb, "<%.*s>", STR_FMT(*f));
		strbuf_addch(&sb, ';');
	}
	ASSERT_TRUE(r == 0 || r == -EINVAL);
	if (r < 0)
		strbuf_addstr(&sb, err.msg);
	ASSERT_STREQ(strbuf_cstr(&sb), want);
}

/* RFC 4180, section 2, by number. */
TEST(records)
{
	reads("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", "<aaa><bbb><ccc>;<zzz><yyy><xxx>;"); /* 1 */
	reads("aaa,bbb,ccc\r\nzzz,yyy,xxx", "<aaa><bbb><ccc>;<zzz><yyy><xxx>;");     /* 2 */
	reads(" a , b", "< a >< b>;");						     /* 4 */
	reads("\"aaa\",bbb,\"\"", "<aaa><bbb><>;");				     /* 5 */
	reads("\"aaa\",\"b\r\nb,b\",c\nz,y,x", "<aaa><b\nb,b><c>;<z><y><x>;");	     /* 6 */
	reads("\"aaa\",\"b\"\"bb\"", "<aaa><b\"bb>;");				     /* 7 */
}

TEST(edges)
{
	reads("", "");
	reads("\n\r\n\n", "");
	reads("a\n\nb\n", "<a>;<b>;");
	reads("a,\n,", "<a><>;<><>;");
	reads("a\rb", "<a\rb>;");
	reads("a\r", "<a>;");
	reads("\"\"\"\"", "<\">;");
}

TEST(what_is_wrong_is_told_by_line)
{
	reads("a,b\nc\n", "<a><b>;line 2: 1 fields, but the first has 2");
	reads("a\nb\"c", "<a>;line 2: a quote in a field that does not begin with one");
	reads("a\n\"b\nc\"d", "<a>;line 3: text after a closing quote");
	reads("\"a\n\n", "line 3: a quote is not closed");
}
