/*
 * payload.h - what an event carries, by the names of its fields: any provider's events that
 * describe themselves (nettrace.h has the descriptions). Nothing is copied; a value lies in the
 * payload it was taken from. No read goes past the payload's end.
 */
#ifndef ASSAY_DOTNET_PAYLOAD_H
#define ASSAY_DOTNET_PAYLOAD_H

#include "base/json.h"
#include "dotnet/nettrace.h"

enum payload_form {
	PAYLOAD_NONE, /* a type that nobody knows */
	PAYLOAD_BOOL,
	PAYLOAD_INT,
	PAYLOAD_UINT,
	PAYLOAD_DOUBLE,
	PAYLOAD_TEXT,	 /* payload_text() gives it; arrays of UTF-8 or UTF-16 units too */
	PAYLOAD_GUID,	 /* 16 bytes, in Windows' order */
	PAYLOAD_DATE,	 /* ns since 1970, UTC, in `number` */
	PAYLOAD_DECIMAL, /* .NET's 16 bytes */
	PAYLOAD_OBJECT,	 /* payload_open() enters it */
	PAYLOAD_ARRAY,	 /* of `count` items; payload_open() enters it */
};

struct payload_value {
	enum payload_form form;
	int64_t number;	  /* of BOOL, INT and DATE */
	uint64_t natural; /* of UINT */
	double real;	  /* of DOUBLE */
	struct str bytes;
	bool utf16;	/* the text is */
	uint32_t count; /* items of an array */

	/* private */
	const struct nettrace_type *type;
	struct str payload;
	unsigned date_bytes, depth;
};

/* A walk over fields or items. */
struct payload_walk {
	/* private */
	const struct nettrace_field *fields; /* NULL: items of one type */
	const struct nettrace_type *item;
	size_t index, len;
	struct str payload;
	size_t at, end; /* in the payload */
	unsigned date_bytes, depth;
};

struct payload_walk payload_walk(const struct nettrace_event *e);

/* Walks within an OBJECT or ARRAY. */
struct payload_walk payload_open(const struct payload_value *v);

/*
 * The next field or item: 1, 0 at the end, -EBADMSG when the payload ends within it. *ret_name is
 * NULL for items; it may itself be NULL.
 */
int payload_next(struct payload_walk *w, const char **ret_name, struct payload_value *ret);

/*
 * The first field of that name, also within objects (what providers describe with classes of their
 * own lies within one): 1, or 0 without one, or -EBADMSG.
 */
int payload_find(const struct nettrace_event *e, const char *name, struct payload_value *ret);

/* NAN when it is none. */
double payload_number(const struct payload_value *v);
/* Of a TEXT: appended as UTF-8. */
void payload_text(const struct payload_value *v, struct strbuf *out);

/* An object with all fields; it ends early where the payload cannot be read. */
void payload_json(const struct nettrace_event *e, const char *key, struct json_writer *w);

#endif
