/* rig.h - an out that writes down what it gets, as text to compare. */
#ifndef ASSAY_TESTS_WATCH_RIG_H
#define ASSAY_TESTS_WATCH_RIG_H

#include "watch/value.h"

/*
 * "name{tags}=value/interval" for each value (with " total T" or " qQ" where they have one), "|"
 * for a tick, "(text)" for a note, each followed by a blank.
 */
/* Needs no release: its text is the process's, which a test has for itself. */
struct log {
	struct watch_out out;
	struct strbuf text;
	unsigned ticks, values, notes, closed;
	int fail_after; /* values; then -ENOSPC. 0 = never */
	bool plain;	/* names only */
	unsigned slot;	/* private */
};

void log_init(struct log *l);

#endif
