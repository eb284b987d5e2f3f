/* The live view as text: what stands where, at which width. */
#include "watch/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "test.h"
#include "watch/cells.h"

/* 20:33:58 UTC at t = 5 s, by date(1) */
#define ANCHOR (INT64_C(1796070838) - 5) * 1000000000

static struct watch_screen *screen(bool utf8)
{
	setenv("TZ", "UTC", 1);
	return watch_screen_new(&(struct watch_screen_opts){
		.title = "4711 shop", .interval_s = 1, .wall_anchor_ns = ANCHOR, .utf8 = utf8 });
}

static void put(struct watch_screen *s, enum watch_kind kind, const char *provider,
		const char *name, const char *unit, const char *tags, double value)
{
	watch_screen_value(s, &(struct watch_value){ .interval_s = 2,
						     .kind = kind,
						     .provider = provider,
						     .name = name,
						     .unit = unit,
						     .tags = tags,
						     .value = value,
						     .quantile = 0.99 });
}

/* Three rows: CPU goes from 0.5 to 1 s/s, memory stays, the quantile is missing in the last one. */
static struct watch_screen *filled(bool utf8)
{
	struct watch_screen *s = screen(utf8);

	for (unsigned t = 3; t <= 5; t++) {
		put(s, WATCH_RATE, "process", "process.cpu.time", "s", "state=user",
		    t == 5 ? 2 : 1);
		put(s, WATCH_GAUGE, "process", "process.memory.usage", "By", "", 6684672);
		if (t < 5)
			put(s, WATCH_QUANTILE, "Hosting", "http.server.request.duration", "s",
			    "http.route=/api/checkout", 0.0123);
		watch_screen_tick(s, t * NS_PER_S);
	}
	return s;
}

static const char *render(struct watch_screen *s, unsigned columns, unsigned lines,
			  struct strbuf *out)
{
	strbuf_clear(out);
	watch_screen_render(s, columns, lines, out);
	return strbuf_cstr(out);
}

TEST(screen_at_60_columns)
{
	struct watch_screen *s = filled(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	/* 10 cells for the value, 11 for the change, 9 for the course, 26 for names */
	ASSERT_STREQ(render(s, 60, 9, &out),
		     "20:33:58  4711 shop  every 1 s\n"
		     "process\n"
		     " process.cpu.time …te=user]          1      +0.500 ▅▅█\n"
		     " process.memory.usage (By)      6.68 M             ███\n"
		     "Hosting\n"
		     " http.server.reque…heckout]          -             ██\n"
		     "\n\n"
		     "q quit  p pause  s sort (now by provider)\n");
	watch_screen_free(s);
}

TEST(screen_by_change_has_no_providers_and_the_restless_first)
{
	struct watch_screen *s = filled(false);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	watch_screen_set_order(s, WATCH_ORDER_CHANGE);
	watch_screen_set_paused(s, true);
	watch_screen_note(s, 4 * NS_PER_S, "a page\n did not \033[2Jcome");
	ASSERT_STREQ(render(s, 60, 5, &out),
		     "20:33:58  4711 shop  every 1 s  PAUSED\n"
		     " process.cpu.time ~te=user]          1      +0.500 ==#\n"
		     " process.memory.usage (By)      6.68 M             ###\n"
		     " http.server.reque~heckout]          -             ##\n"
		     "20:33:57 a page? did not ?[2Jcome\n");
	watch_screen_free(s);
}

TEST(screen_at_200_columns_shows_whole_names_and_a_long_course)
{
	struct watch_screen *s = filled(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	render(s, 200, 9, &out);
	ASSERT_HAS(strbuf_cstr(&out), " http.server.request.duration (s) p99 "
				      "[http.route=/api/checkout]          -             ██\n");
	watch_screen_free(s);
}

TEST(screen_puts_first_what_changed_most_for_its_size)
{
	struct watch_screen *s = screen(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	const char *a, *b, *c;

	for (unsigned t = 1; t <= 2; t++) {
		put(s, WATCH_GAUGE, "p", "calm", "", "", 5);
		put(s, WATCH_GAUGE, "p", "large", "", "", 1e9 + 1e6 * t);
		put(s, WATCH_GAUGE, "p", "small", "", "", t);
		watch_screen_tick(s, t * NS_PER_S);
	}
	watch_screen_set_order(s, WATCH_ORDER_CHANGE);
	render(s, 80, 6, &out);
	a = strstr(strbuf_cstr(&out), "small");
	b = strstr(strbuf_cstr(&out), "large");
	c = strstr(strbuf_cstr(&out), "calm");
	ASSERT_TRUE(a && b && c && a < b && b < c);
	watch_screen_free(s);
}

static unsigned widest(const char *text, unsigned *ret_lines)
{
	struct str rest = str_from(text), line;
	unsigned most = 0;

	*ret_lines = 0;
	while (rest.len && str_split(&rest, '\n', &line)) {
		most = MAX(most, watch_cells(line));
		++*ret_lines;
	}
	return most;
}

/* Names of every kind; no line is wider, and there are never more lines, than was said. */
TEST(screen_keeps_within_any_size)
{
	struct watch_screen *s = screen(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	static const char *const names[] = {
		"a",
		"\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97.wide",
		"bad \xff\xc3 bytes",
		"e\xcc\x81t\xc3\xa9",
		"esc\033[31m",
		"x.very.long.name.that.goes.on.and.on.and"
		".on.until.nobody.reads.it.any.more.but.on.it.goes"
	};
	unsigned lines;

	for (unsigned t = 1; t < 300; t++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			put(s, WATCH_GAUGE, i % 2 ? "p" : "provider", names[i], "By", "k=v",
			    t == 5 && !i ? NAN : -1e12 * t);
		watch_screen_tick(s, t * NS_PER_S);
	}
	for (unsigned columns = 1; columns < 260; columns += columns < 80 ? 1 : 17) {
		for (unsigned height = 0; height < 14; height++) {
			render(s, columns, height, &out);
			ASSERT_TRUE(widest(strbuf_cstr(&out), &lines) <= columns);
			ASSERT_INT(lines, height);
			ASSERT_LACKS(strbuf_cstr(&out), "\033");
		}
	}
	watch_screen_free(s);
}

TEST(screen_scrolls_within_what_there_is)
{
	struct watch_screen *s = filled(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	watch_screen_set_order(s, WATCH_ORDER_CHANGE);
	ASSERT_HAS(render(s, 100, 3, &out), "(now by change)  1-1 of 3\n");
	watch_screen_scroll(s, 2);
	ASSERT_HAS(render(s, 100, 3, &out), "http.server.request.duration");
	ASSERT_HAS(strbuf_cstr(&out), "3-3 of 3\n");
	watch_screen_scroll(s, 50);
	ASSERT_HAS(render(s, 100, 3, &out), "3-3 of 3\n");
	watch_screen_scroll(s, -50);
	ASSERT_HAS(render(s, 100, 3, &out), "1-1 of 3\n");
	watch_screen_free(s);
}

TEST(screen_numbers_are_short)
{
	static const struct {
		double value;
		const char *text;
	} numbers[] = {
		{ 0, "0" },
		{ 1, "1" },
		{ 0.0123, "0.012" },
		{ 0.00004, "4e-05" },
		{ 9.999, "10.0" },
		{ 12.34, "12.3" },
		{ 999.96, "1000" },
		{ 1234, "1234" },
		{ 9999.4, "9999" },
		{ 12345, "12.3 k" },
		{ 999499, "999 k" },
		{ 999600, "1.00 M" },
		{ -6684672, "-6.68 M" },
		{ 1e22, "1.00e+22" },
		{ NAN, "-" },
		{ INFINITY, "inf" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

		watch_add_short_number(&out, numbers[i].value);
		ASSERT_STREQ(strbuf_cstr(&out), numbers[i].text);
	}
}

TEST(screen_plain_lines_for_where_no_screen_is)
{
	struct watch_screen *s = filled(true);
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	watch_screen_plain(s, &out);
	ASSERT_STREQ(
		strbuf_cstr(&out),
		"20:33:58          1      +0.500  process process.cpu.time (s/s) [state=user]\n"
		"20:33:58     6.68 M              process process.memory.usage (By)\n"
		"20:33:58          -              Hosting http.server.request.duration (s) p99 "
		"[http.route=/api/checkout]\n");
	watch_screen_free(s);
}
