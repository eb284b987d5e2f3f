/*
 * The three forms of the page, from the case of case_rig.h: what comes from outside (names, texts,
 * commands) must not become markup; the headings of an incident report are all there, in their
 * order; HTML is balanced and runs nothing; text keeps to the width of a terminal.
 */
#include "report/report.h"

#include <stdlib.h>

#include "base/mem.h"
#include "case_rig.h"
#include "model/meta.h"
#include "test.h"

/* Would be markup in HTML, in Markdown and in a cell of a table. */
#define HOSTILE "<script>alert(1)</script> \"&amp;' | **b** `c` [x](y)\nnext"

static struct rig *hostile_rig(void)
{
	struct rig *r = rig_new();
	struct case_desc *d = r->desc;

	free(d->name);
	d->name = xstrdup(HOSTILE);
	free(d->texts.symptom);
	d->texts.symptom = xstrdup(HOSTILE);
	free(d->suspects.ptr[0].text);
	d->suspects.ptr[0].text = xstrdup(HOSTILE);
	free(d->command_line);
	d->command_line = xstrdup("assay case run -e A=" HOSTILE);
	rig_set(r, NULL, META_TARGET_COMMAND, HOSTILE);
	return r;
}

static char *rendered(void (*render)(struct strbuf *, const struct case_finding *),
		      const struct rig *r)
{
	CLEANUP(cleanup_case_finding) struct case_finding *f = rig_judge(r);
	struct strbuf sb = STRBUF_INIT;

	render(&sb, f);
	return strbuf_detach(&sb);
}

TEST(html_escapes_what_comes_from_outside)
{
	CLEANUP(cleanup_rig) struct rig *r = hostile_rig();
	CLEANUP(mem_cleanup) char *html = rendered(report_html, r);

	ASSERT_LACKS(html, "<script");
	ASSERT_LACKS(html, "alert(1)</");
	ASSERT_HAS(html, "&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;amp;");
	ASSERT_HAS(html, "<title>");
}

TEST(html_allows_nothing_to_run_or_to_be_fetched)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(mem_cleanup) char *html = rendered(report_html, r);

	ASSERT_HAS(html, "Content-Security-Policy");
	ASSERT_HAS(html, "default-src 'none'");
	ASSERT_LACKS(html, " src=");
	ASSERT_LACKS(html, "<link");
	ASSERT_LACKS(html, "@import");
	ASSERT_LACKS(html, "url(");
}

/* Elements that HTML closes by itself, or that have no end. */
static bool is_void(const char *name, size_t len)
{
	static const char *const voids[] = { "meta", "br", "!doctype", "!--", "img", "hr" };

	for (size_t i = 0; i < ARRAY_SIZE(voids); i++)
		if (strlen(voids[i]) == len && !strncasecmp(voids[i], name, len))
			return true;
	return false;
}

TEST(html_closes_what_it_opens)
{
	CLEANUP(cleanup_rig) struct rig *r = hostile_rig();
	CLEANUP(mem_cleanup) char *html = rendered(report_html, r);
	struct str open[64];
	size_t depth = 0;

	for (char *p = strchr(html, '<'); p; p = strchr(p + 1, '<')) {
		bool end = p[1] == '/';
		const char *name = p + 1 + end;
		size_t len = strcspn(name, " />\n");
		const char *close = strchr(p, '>');

		ASSERT_TRUE(close != NULL);
		if (is_void(name, len) || close[-1] == '/')
			continue;
		if (!end) {
			ASSERT_TRUE(depth < ARRAY_SIZE(open));
			open[depth++] = (struct str){ name, len };
			continue;
		}
		ASSERT_TRUE(depth > 0);
		ASSERT_TRUE(str_eq(open[--depth], (struct str){ name, len }));
	}
	ASSERT_INT(depth, 0);
}

static const char *const headings[] = {
	"Symptom", "Environment", "Findings, step by step", "Root cause",	 "Fix",
	"Proof",   "Open items",  "Metric to watch",	    "The six questions",
};

static void check_headings(const char *page, const char *mark)
{
	const char *at = page;

	for (size_t i = 0; i < ARRAY_SIZE(headings); i++) {
		CLEANUP(mem_cleanup) char *line = xasprintf("%s%s", mark, headings[i]);

		ASSERT_HAS(at, line);
		at = strstr(at, line);
	}
}

TEST(the_headings_are_those_of_an_incident_report)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(mem_cleanup) char *html = rendered(report_html, r);
	CLEANUP(mem_cleanup) char *markdown = rendered(report_markdown, r);

	check_headings(html, ">");
	check_headings(markdown, "## ");
}

/* Beside the client's figure, for every variant; the runtime's columns only where it says any. */
TEST(the_servers_side_stands_beside_the_clients)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(mem_cleanup) char *plain = rendered(report_markdown, r), *full = NULL;
	const struct series_def allocated = { "go_memstats_alloc_bytes_total", "By", "",
					      SERIES_COUNTER };
	const struct series_def heap = { "go_memstats_heap_alloc_bytes", "By", "", SERIES_GAUGE };

	ASSERT_HAS(plain, "| fixed | 1.54 ms | 1.30 ms | they agree, within the steps of a "
			  "histogram |");
	ASSERT_LACKS(plain, "allocation");
	rig_add_series(r, "slow", &allocated, 0, 3 * 1048576);
	rig_add_series(r, "slow", &heap, 10 * 1048576, 1048576);
	full = rendered(report_markdown, r);
	ASSERT_HAS(full,
		   "| slow | 537 ms | 6.00 ms | 3.00 MiB/s | \xe2\x80\x93 | 10.0 MiB "
		   "\xe2\x86\x92 15.0 MiB | requests waited before the server's clock began: ");
	ASSERT_HAS(full, "| fixed | 1.54 ms | 1.30 ms | \xe2\x80\x93 | \xe2\x80\x93 | ");
	ASSERT_HAS(full, "| allocation | 3.00 MiB/s");
}

/* Every line of a table has as many bars that count as its heading. */
TEST(markdown_tables_survive_bars_and_line_ends)
{
	CLEANUP(cleanup_rig) struct rig *r = hostile_rig();
	CLEANUP(mem_cleanup) char *markdown = rendered(report_markdown, r);
	struct str rest = str_from(markdown), line;
	int wanted = 0;

	ASSERT_LACKS(markdown, "<script");
	ASSERT_LACKS(markdown, "**b**");
	ASSERT_LACKS(markdown, "[x](y)");
	while (str_split(&rest, '\n', &line)) {
		int bars = 0;

		if (!str_starts_with(line, STR("|"))) {
			wanted = 0;
			continue;
		}
		for (size_t i = 0; i < line.len; i++)
			bars += line.ptr[i] == '|' && (!i || line.ptr[i - 1] != '\\');
		wanted = wanted ? wanted : bars;
		ASSERT_INT(bars, wanted);
	}
}

static size_t columns_of(struct str line)
{
	size_t n = 0;

	for (size_t i = 0; i < line.len; i++)
		n += ((unsigned char)line.ptr[i] & 0xC0) != 0x80; /* UTF-8: not a continuation */
	return n;
}

/* The table of figures needs 71 columns and is not broken up. */
TEST(text_keeps_to_the_width)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *f = rig_judge(r);
	static const unsigned widths[] = { 72, 80, 120 };

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
		struct str rest, line;

		report_text(&sb, f, widths[i]);
		rest = strbuf_str(&sb);
		while (str_split(&rest, '\n', &line))
			ASSERT_TRUE(columns_of(line) <= widths[i]);
	}
}
