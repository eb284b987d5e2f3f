/*
 * screen.h - the live view of a watch as text: every figure with its change, its recent course and
 * its name, cut to a given size. Nothing here knows of terminals: the caller puts the lines where
 * they belong. Text that comes from the target is made harmless.
 */
#ifndef ASSAY_WATCH_SCREEN_H
#define ASSAY_WATCH_SCREEN_H

#include "watch/value.h"

#define WATCH_SCREEN_HISTORY 120

enum watch_screen_order {
	WATCH_ORDER_PROVIDER, /* as they came */
	WATCH_ORDER_CHANGE,   /* what changed most, relative to its level, first */
	WATCH_ORDERS
};

struct watch_screen;

struct watch_screen_opts {
	const char *title;	/* of the target */
	double interval_s;	/* that was asked for */
	int64_t wall_anchor_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	bool utf8;		/* the course in blocks, else in ASCII */
};

struct watch_screen *watch_screen_new(const struct watch_screen_opts *opts);
struct watch_screen *watch_screen_free(struct watch_screen *s); /* NULL in, NULL out */
DEFINE_CLEANUP(watch_screen, struct watch_screen *, watch_screen_free)

void watch_screen_value(struct watch_screen *s, const struct watch_value *v);
void watch_screen_tick(struct watch_screen *s, uint64_t t_ns);
void watch_screen_note(struct watch_screen *s, uint64_t t_ns, const char *text);

void watch_screen_set_order(struct watch_screen *s, enum watch_screen_order order);
enum watch_screen_order watch_screen_order(const struct watch_screen *s);
void watch_screen_set_paused(struct watch_screen *s, bool paused); /* said in the head only */
/* Moves the first row shown; kept within what there is. */
void watch_screen_scroll(struct watch_screen *s, int rows);

/*
 * At most `lines` lines of at most `columns` cells each, every one with its '\n'. The first is the
 * head, the last one the foot; below 20 columns or 4 lines only what fits.
 */
void watch_screen_render(struct watch_screen *s, unsigned columns, unsigned lines,
			 struct strbuf *out);

/* The figures of the present row one a line, for where no screen is. */
void watch_screen_plain(const struct watch_screen *s, struct strbuf *out);

#endif
