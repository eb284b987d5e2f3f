/*
 * texts.h - text made of tag sets, kept by the set's pointer so that each is formatted once. One
 * thread at a time.
 */
#ifndef ASSAY_EXPORT_TEXTS_H
#define ASSAY_EXPORT_TEXTS_H

#include "base/strbuf.h"

/* Appends the text of a set. */
typedef void export_text_fn(void *arg, const void *tags, struct strbuf *out);

struct export_texts {
	export_text_fn *fmt;
	void *arg;
	struct export_text *slots; /* open addressing */
	size_t count;
	struct strbuf scratch;
};

void export_texts_init(struct export_texts *t, export_text_fn *fmt, void *arg);
void export_texts_release(struct export_texts *t);

/* Valid until the next call: when there are too many sets the rest is not kept. */
struct str export_texts_get(struct export_texts *t, const void *tags);

#endif
