/*
 * nettrace.h - the stream of events of a .NET runtime, read in one pass as its bytes come, with
 * bounded memory: from a session, from a file.
 *
 * Sources: microsoft/perfview, src/TraceEvent/EventPipe/NetPerfFormat.md (version 3),
 * NetTraceFormat_v5.md (4 and 5) and NetTraceFormat.md (6); where writers do otherwise, as they do
 * (the high bit of a metadata id says "not sorted"; sequence numbers and times wrap). Versions 1
 * and 2, of .NET Core 2.0, are refused. Version 6 was read from bytes made by hand only.
 *
 *	struct nettrace *r = nettrace_new(&handler);
 *	while ((n = read(fd, buf, sizeof(buf))) > 0)
 *		if (nettrace_feed(r, (struct str){ buf, (size_t)n }, &err) < 0)
 *			break;
 *	nettrace_end(r, &err);
 *	nettrace_free(r);
 *
 * Events come ordered by time: a runtime writes them thread by thread, and the reader holds them
 * back until nothing earlier can follow. A live reader calls nettrace_flush() when nothing more
 * comes for the moment, since a runtime writes all it has at once and then rests.
 */
#ifndef ASSAY_DOTNET_NETTRACE_H
#define ASSAY_DOTNET_NETTRACE_H

#include "base/error.h"
#include "base/str.h"

/* The types of fields, as the format numbers them. */
enum nettrace_code {
	NETTRACE_OBJECT = 1,
	NETTRACE_BOOL32 = 3,
	NETTRACE_UTF16_UNIT = 4,
	NETTRACE_I8 = 5,
	NETTRACE_U8 = 6,
	NETTRACE_I16 = 7,
	NETTRACE_U16 = 8,
	NETTRACE_I32 = 9,
	NETTRACE_U32 = 10,
	NETTRACE_I64 = 11,
	NETTRACE_U64 = 12,
	NETTRACE_F32 = 13,
	NETTRACE_F64 = 14,
	NETTRACE_DECIMAL = 15,
	NETTRACE_DATE = 16,
	NETTRACE_GUID = 17,
	NETTRACE_UTF16Z = 18,
	NETTRACE_ARRAY = 19,
	NETTRACE_VARINT = 20, /* this and the following: version 6 */
	NETTRACE_VARUINT = 21,
	NETTRACE_FIXED_ARRAY = 22,
	NETTRACE_UTF8_UNIT = 23,
	NETTRACE_RELATIVE = 24,
	NETTRACE_ABSOLUTE = 25,
	NETTRACE_BOOL8 = 26,
};

struct nettrace_field;

struct nettrace_fields {
	const struct nettrace_field *ptr;
	size_t len;
};

struct nettrace_type {
	enum nettrace_code code;
	uint16_t count;			     /* of a fixed array */
	const struct nettrace_type *element; /* of arrays */
	struct nettrace_fields fields;	     /* of an object */
};

struct nettrace_field {
	const char *name; /* UTF-8 */
	struct nettrace_type type;
};

/* A kind of event. Runtimes describe their own events without names and fields. */
struct nettrace_meta {
	const char *provider, *name; /* UTF-8; "" = not said */
	uint32_t event_id, version, level, opcode;
	uint64_t keywords;
	struct nettrace_fields fields; /* payload.h reads by them */
	unsigned date_bytes;	       /* 8, or 16 in version 6 */
	void *user;		       /* the handler's */
};

struct nettrace_event {
	const struct nettrace_meta *meta;
	uint64_t ticks;			 /* of the trace's clock */
	int64_t t_ns;			 /* since the session began; may be before it */
	uint64_t thread_id, process_id;	 /* whom it is about; process 0 = not said */
	uint64_t capture_thread;	 /* who wrote it: an id, in version 6 an index */
	uint32_t sequence, processor;	 /* 0 in version 3 */
	uint32_t version, level, opcode; /* the kind's, or this event's own */
	uint64_t keywords;
	uint8_t activity[16], related[16]; /* GUIDs in Windows' order; zeros = none */
	struct str stack;		   /* addresses, the innermost first: nettrace_ip() */
	struct str payload;
	uint64_t offset; /* of the payload in the stream */
	uint8_t pointer_bytes;
};

static inline size_t nettrace_depth(const struct nettrace_event *e)
{
	return e->stack.len / e->pointer_bytes;
}

uint64_t nettrace_ip(const struct nettrace_event *e, size_t i);

/* 16 bytes as Windows' SYSTEMTIME, UTC: ns since 1970, or 0 for nonsense. */
int64_t nettrace_date(struct str bytes);

/* What the stream says of itself at its start. */
struct nettrace_info {
	unsigned version;    /* 3, 4 (which 5 calls itself too) or 6; 0 = not there yet */
	int64_t wall_ns;     /* when the session began, since 1970, UTC; 0 = nonsense */
	uint64_t sync_ticks; /* the same on the trace's clock: CLOCK_MONOTONIC on Linux */
	uint64_t ticks_per_s;
	unsigned pointer_bytes;	  /* 4 or 8 */
	uint64_t pid, processors; /* 0 = not said */
	uint64_t sample_ns;	  /* the sampler's nominal interval; not the true one */
};

struct nettrace_counts {
	uint64_t bytes, blocks, kinds;
	uint64_t events;     /* handed over */
	uint64_t lost;	     /* that a thread numbered and that never came */
	uint64_t disordered; /* handed over early because too many were held back */
};

/*
 * Whom events go to; all is borrowed and valid during the call only, kinds until the reader's end.
 * A negative result ends reading with that code.
 */
struct nettrace_handler {
	void *user;
	int (*kind)(void *user, struct nettrace_meta *m); /* may be NULL; once for each */
	int (*event)(void *user, const struct nettrace_event *e);
	/* May be NULL: n events of a thread are missing before what comes next. */
	int (*lost)(void *user, uint64_t capture_thread, uint64_t n);
};

struct nettrace;

struct nettrace *nettrace_new(const struct nettrace_handler *h);

/* NULL in, NULL out. */
struct nettrace *nettrace_free(struct nettrace *r);
DEFINE_CLEANUP(nettrace, struct nettrace *, nettrace_free)

/*
 * -EBADMSG: the bytes break the format, with the offset, what was expected and what was found;
 * -EOPNOTSUPP: a version that is not read; -E2BIG: more than is ever held in memory; the handler's
 * code. All are final. Bytes behind the stream's end are not looked at.
 */
int nettrace_feed(struct nettrace *r, struct str bytes, struct error *reterr);

/* Hands over what is held back. */
int nettrace_flush(struct nettrace *r, struct error *reterr);

/*
 * The bytes are over: hands over what is held back. -ENODATA when the stream has no end of its own,
 * as that of a process that was killed; all up to its last whole block was handed over, and the
 * message names the offset.
 */
int nettrace_end(struct nettrace *r, struct error *reterr);

bool nettrace_is_whole(const struct nettrace *r); /* its end has come */
const struct nettrace_info *nettrace_info(const struct nettrace *r);
const struct nettrace_counts *nettrace_counts(const struct nettrace *r);

#endif
