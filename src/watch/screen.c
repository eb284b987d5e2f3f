#include "watch/screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "watch/cells.h"
#include "watch/name.h"

#define ROWS_MAX     4000
#define NUMBER_CELLS 10
#define CHANGE_CELLS 11
#define NAME_MIN     16

struct row {
	char *provider, *label;
	size_t place, provider_place; /* in the order of coming */
	double now, before;
	double history[WATCH_SCREEN_HISTORY]; /* a ring; NAN = nothing came */
	bool seen;			      /* within the row being made */
};

struct watch_screen {
	struct watch_screen_opts opts;
	char *title;
	struct map by_key;
	VEC(struct row *) rows;
	uint64_t ticks, t_ns;
	char *note;
	uint64_t note_ns;
	enum watch_screen_order order;
	size_t first; /* row shown at the top */
	bool paused, full;
};

struct watch_screen *watch_screen_new(const struct watch_screen_opts *opts)
{
	struct watch_screen *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	s->title = xstrdup(opts->title);
	return s;
}

struct watch_screen *watch_screen_free(struct watch_screen *s)
{
	if (!s)
		return NULL;
	vec_for_each (&s->rows, r) {
		free((*r)->provider);
		free((*r)->label);
		free(*r);
	}
	vec_release(&s->rows);
	map_release(&s->by_key);
	free(s->title);
	free(s->note);
	free(s);
	return NULL;
}

/* --- values --- */

/* "process.cpu.time (s/s)[state=user]", "wait (s)[route=/a;p99]" */
static void add_label(struct strbuf *sb, const struct watch_value *v)
{
	CLEANUP(strbuf_release) struct strbuf tags = STRBUF_INIT;
	struct watch_value plain = *v;
	bool rate = v->kind == WATCH_RATE;

	plain.kind = WATCH_GAUGE;
	watch_tags(&tags, &plain, ',');
	strbuf_addstr(sb, v->display ? v->display : v->name);
	if (*v->unit && strcmp(v->unit, "1") != 0)
		strbuf_addf(sb, " (%s%s)", v->unit, rate ? "/s" : "");
	else if (rate)
		strbuf_addstr(sb, " (/s)");
	if (v->kind == WATCH_QUANTILE)
		strbuf_addf(sb, " p%.15g", v->quantile * 100);
	if (tags.len)
		strbuf_addf(sb, " [%s]", strbuf_cstr(&tags));
}

static struct row *row_of(struct watch_screen *s, const struct watch_value *v)
{
	CLEANUP(strbuf_release) struct strbuf label = STRBUF_INIT, key = STRBUF_INIT;
	struct row *r;

	add_label(&label, v);
	strbuf_addf(&key, "%s\n%s", v->provider, strbuf_cstr(&label));
	r = map_get(&s->by_key, strbuf_str(&key));
	if (r || s->rows.len == ROWS_MAX) {
		s->full = s->full || !r;
		return r;
	}
	r = xcalloc(1, sizeof(*r));
	r->provider = xstrdup(v->provider);
	r->label = strbuf_detach(&label);
	r->place = r->provider_place = s->rows.len;
	for (size_t i = 0; i < s->rows.len && r->provider_place == r->place; i++)
		if (!strcmp(s->rows.ptr[i]->provider, v->provider))
			r->provider_place = i;
	r->now = r->before = NAN;
	for (size_t i = 0; i < WATCH_SCREEN_HISTORY; i++)
		r->history[i] = NAN;
	vec_push(&s->rows, r);
	map_put(&s->by_key, strbuf_str(&key), r);
	return r;
}

void watch_screen_value(struct watch_screen *s, const struct watch_value *v)
{
	struct row *r = row_of(s, v);
	double value = v->value;

	if (!r)
		return;
	if (v->kind == WATCH_RATE)
		value = v->interval_s > 0 ? value / v->interval_s : NAN;
	if (!r->seen) {
		r->before = r->now;
		r->seen = true;
	}
	r->now = value;
}

void watch_screen_tick(struct watch_screen *s, uint64_t t_ns)
{
	s->t_ns = t_ns;
	vec_for_each (&s->rows, p) {
		struct row *r = *p;

		if (!r->seen) {
			r->before = r->now;
			r->now = NAN;
		}
		r->history[s->ticks % WATCH_SCREEN_HISTORY] = r->now;
		r->seen = false;
	}
	s->ticks++;
}

void watch_screen_note(struct watch_screen *s, uint64_t t_ns, const char *text)
{
	free(s->note);
	s->note = xstrdup(text);
	s->note_ns = t_ns;
}

void watch_screen_set_order(struct watch_screen *s, enum watch_screen_order order)
{
	s->order = order;
	s->first = 0;
}

enum watch_screen_order watch_screen_order(const struct watch_screen *s)
{
	return s->order;
}

void watch_screen_set_paused(struct watch_screen *s, bool paused)
{
	s->paused = paused;
}

void watch_screen_scroll(struct watch_screen *s, int rows)
{
	size_t up = rows < 0 ? (size_t)-rows : 0;

	s->first = rows < 0 ? s->first - MIN(up, s->first) : s->first + (size_t)rows;
	if (s->first >= s->rows.len)
		s->first = s->rows.len ? s->rows.len - 1 : 0;
}

/* --- order --- */

static double change_of(const struct row *r)
{
	return r->now - r->before;
}

/* 0 for what stayed or is unknown, at most 2. */
static double relative_change(const struct row *r)
{
	double level = fmax(fabs(r->now), fabs(r->before));

	return isnan(change_of(r)) || !(level > 0) ? 0 : fabs(change_of(r)) / level;
}

static int by_provider(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->provider_place != y->provider_place)
		return x->provider_place > y->provider_place ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int by_change(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	double cx = relative_change(x), cy = relative_change(y);

	return cx != cy ? (cx < cy) - (cx > cy) : by_provider(a, b);
}

/* --- lines --- */

/* Cells of each column; 0 = not shown. */
struct layout {
	unsigned name, number, change, course;
};

/* The course gives way first, then the change; names take what they need. */
static struct layout lay_out(const struct watch_screen *s, unsigned columns)
{
	struct layout l = { .number = MIN(columns / 3, (unsigned)NUMBER_CELLS) };
	unsigned longest = NAME_MIN, rest;

	vec_for_each (&s->rows, r)
		longest = MAX(longest, watch_cells(str_from((*r)->label)));
	rest = columns - MIN(columns, l.number + 1);
	if (rest >= NAME_MIN + CHANGE_CELLS + 1) {
		l.change = CHANGE_CELLS;
		rest -= CHANGE_CELLS + 1;
	}
	if (rest >= NAME_MIN + 6 + 2) {
		unsigned least = MIN(rest / 4, 20u);

		l.name = MIN(longest + 1, rest - least - 1); /* one for the indent */
		l.course = MIN(rest - l.name - 1, (unsigned)WATCH_SCREEN_HISTORY);
	} else {
		l.name = rest;
	}
	return l;
}

static const char *const blocks_utf8[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const blocks_ascii[] = { "_", ".", ":", "-", "=", "+", "*", "#" };

/* The latest values, oldest first; from zero, or the lowest below it, to the highest. */
static void add_course(const struct watch_screen *s, const struct row *r, unsigned cells,
		       struct strbuf *out)
{
	const char *const *blocks = s->opts.utf8 ? blocks_utf8 : blocks_ascii;
	double low = 0, high = 0;

	for (size_t i = 0; i < WATCH_SCREEN_HISTORY; i++) {
		if (!isfinite(r->history[i]))
			continue;
		low = fmin(low, r->history[i]);
		high = fmax(high, r->history[i]);
	}
	for (uint64_t back = MIN(cells, s->ticks); back-- > 0;) {
		double v = r->history[(s->ticks - 1 - back) % WATCH_SCREEN_HISTORY];
		double share = high > low ? (v - low) / (high - low) : 0;

		if (isfinite(v))
			strbuf_addstr(out, blocks[MIN((int)(share * 8), 7)]);
		else
			strbuf_addch(out, ' ');
	}
}

static void add_change(const struct row *r, struct strbuf *out)
{
	double change = change_of(r);

	if (isnan(change) || change == 0)
		return;
	strbuf_addch(out, change > 0 ? '+' : '-');
	watch_add_short_number(out, fabs(change));
}

/* Drops blanks at the end and ends the line. */
static void end_line(struct strbuf *out)
{
	while (out->len && out->ptr[out->len - 1] == ' ')
		strbuf_truncate(out, out->len - 1);
	strbuf_addch(out, '\n');
}

static void add_row(const struct watch_screen *s, const struct row *r, const struct layout *l,
		    struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf number = STRBUF_INIT, change = STRBUF_INIT;

	watch_add_short_number(&number, r->now);
	add_change(r, &change);
	if (l->name) {
		strbuf_addch(out, ' ');
		watch_add_left(out, str_from(r->label), l->name - 1, s->opts.utf8);
	}
	strbuf_addch(out, ' ');
	watch_add_right(out, strbuf_str(&number), l->number, s->opts.utf8);
	if (l->change) {
		strbuf_addch(out, ' ');
		watch_add_right(out, strbuf_str(&change), l->change, s->opts.utf8);
	}
	if (l->course) {
		strbuf_addch(out, ' ');
		add_course(s, r, l->course, out);
	}
	end_line(out);
}

static void add_clock(const struct watch_screen *s, uint64_t t_ns, struct strbuf *out)
{
	time_t at = (time_t)(((int64_t)t_ns + s->opts.wall_anchor_ns) / 1000000000);
	char text[16];
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	strbuf_addstr(out, text);
}

static void add_head(const struct watch_screen *s, unsigned columns, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf head = STRBUF_INIT;

	if (s->ticks)
		add_clock(s, s->t_ns, &head);
	else
		strbuf_addstr(&head, "waiting ");
	strbuf_addf(&head, "  %s  every %.15g s%s", s->title, s->opts.interval_s,
		    s->paused ? "  PAUSED" : "");
	watch_add_cut(out, strbuf_str(&head), columns, s->opts.utf8);
	end_line(out);
}

static void add_foot(const struct watch_screen *s, size_t shown, unsigned columns,
		     struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf foot = STRBUF_INIT;
	size_t last = MIN(s->first + shown, s->rows.len);

	if (s->note) {
		add_clock(s, s->note_ns, &foot);
		strbuf_addf(&foot, " %s", s->note);
	} else if (s->full) {
		strbuf_addf(&foot, "more than %d figures: the others are not shown", ROWS_MAX);
	} else {
		strbuf_addstr(&foot, s->order == WATCH_ORDER_CHANGE
					     ? "q quit  p pause  s sort (now by change)"
					     : "q quit  p pause  s sort (now by provider)");
	}
	if (s->rows.len > shown || s->first)
		strbuf_addf(&foot, "  %zu-%zu of %zu", s->first + 1, last, s->rows.len);
	watch_add_cut(out, strbuf_str(&foot), columns, s->opts.utf8);
	/* the last line: no blanks to drop, nothing after it */
	strbuf_addch(out, '\n');
}

static struct row **in_order(const struct watch_screen *s)
{
	struct row **rows = xcalloc(s->rows.len + 1, sizeof(*rows));

	for (size_t i = 0; i < s->rows.len; i++)
		rows[i] = s->rows.ptr[i];
	qsort(rows, s->rows.len, sizeof(*rows),
	      s->order == WATCH_ORDER_CHANGE ? by_change : by_provider);
	return rows;
}

/* Rows with their providers' names above them; returns how many rows there were room for. */
static size_t add_rows(const struct watch_screen *s, unsigned columns, unsigned lines,
		       struct strbuf *out)
{
	CLEANUP(mem_cleanup) struct row **rows = in_order(s);
	struct layout l = lay_out(s, columns);
	const char *provider = NULL;
	size_t shown = 0;

	for (size_t i = s->first; i < s->rows.len && lines; i++) {
		bool heads = s->order == WATCH_ORDER_PROVIDER &&
			     (!provider || strcmp(provider, rows[i]->provider) != 0);

		if (heads && lines < 2)
			break;
		if (heads) {
			watch_add_cut(out, str_from(rows[i]->provider), columns, s->opts.utf8);
			end_line(out);
			lines--;
		}
		provider = rows[i]->provider;
		add_row(s, rows[i], &l, out);
		lines--;
		shown++;
	}
	while (lines--)
		strbuf_addch(out, '\n');
	return shown;
}

void watch_screen_render(struct watch_screen *s, unsigned columns, unsigned lines,
			 struct strbuf *out)
{
	size_t shown;

	watch_screen_scroll(s, 0);
	if (!lines)
		return;
	add_head(s, columns, out);
	if (lines < 2)
		return;
	shown = add_rows(s, columns, lines - 2, out);
	add_foot(s, shown, columns, out);
}

void watch_screen_plain(const struct watch_screen *s, struct strbuf *out)
{
	CLEANUP(mem_cleanup) struct row **rows = in_order(s);

	for (size_t i = 0; i < s->rows.len; i++) {
		CLEANUP(strbuf_release) struct strbuf number = STRBUF_INIT, change = STRBUF_INIT;

		watch_add_short_number(&number, rows[i]->now);
		add_change(rows[i], &change);
		add_clock(s, s->t_ns, out);
		strbuf_addch(out, ' ');
		watch_add_right(out, strbuf_str(&number), NUMBER_CELLS, s->opts.utf8);
		strbuf_addch(out, ' ');
		watch_add_right(out, strbuf_str(&change), CHANGE_CELLS, s->opts.utf8);
		strbuf_addf(out, "  %s ", rows[i]->provider);
		watch_add_cut(out, str_from(rows[i]->label), 1000, s->opts.utf8);
		end_line(out);
	}
}
