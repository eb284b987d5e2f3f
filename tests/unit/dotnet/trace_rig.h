/*
 * trace_rig.h - streams of events made by hand, byte by byte from the text of the format's
 * specification: what a real runtime will not write on demand, and version 6, of which there is no
 * real file.
 */
#ifndef ASSAY_TESTS_DOTNET_TRACE_RIG_H
#define ASSAY_TESTS_DOTNET_TRACE_RIG_H

#include "base/strbuf.h"

void put(struct strbuf *sb, uint64_t v, unsigned bytes);
void put_var(struct strbuf *sb, uint64_t v);
void put_text16(struct strbuf *sb, const char *ascii); /* with its terminator */
void put_text8(struct strbuf *sb, const char *text);

/* The head and the trace object: 2026-12-07 01:02:03.004 UTC is tick 1000, of 1,000,000,000 a
 * second; 8 bytes an address, pid 77, 4 processors. */
void trace_begin(struct strbuf *t, unsigned version);
/* One block; `type` is its name, or in version 6 its number as text. */
void trace_block(struct strbuf *t, const char *type, const struct strbuf *body);
void trace_end(struct strbuf *t);

/* The start of a block of events: head of 20 bytes, flags. */
void events_begin(struct strbuf *body, bool compressed);

/* A description without fields, as version 3 to 5 have it. */
void put_kind(struct strbuf *sb, unsigned id, const char *provider, unsigned event,
	      const char *name);
/* The block of it. */
void trace_kind(struct strbuf *t, unsigned id, const char *provider, unsigned event,
		const char *name);

/* An uncompressed event of version 4 with a text as payload. */
struct hand_event {
	unsigned kind, sequence;
	uint64_t thread, ticks;
	unsigned stack;
	bool unsorted;
	const char *payload;
};
void put_event(struct strbuf *body, const struct hand_event *e);

/* A sequence point of one thread. */
void trace_point(struct strbuf *t, uint64_t thread, unsigned sequence);

#endif
