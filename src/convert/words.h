/*
 * words.h - a shell's words: quotes ('', "", $''), backslashes and continued lines as POSIX has
 * them. $NAME becomes a mark (js.h); what only a shell could compute, `...` and $(...), is refused.
 */
#ifndef ASSAY_CONVERT_WORDS_H
#define ASSAY_CONVERT_WORDS_H

#include "base/error.h"
#include "base/strbuf.h"

enum convert_word_kind {
	CONVERT_WORD,
	CONVERT_END,  /* of a command: a line's end, ; & && || */
	CONVERT_PIPE, /* | */
};

struct convert_word {
	enum convert_word_kind kind;
	struct strbuf text;
	unsigned line, column; /* where it begins, from 1; columns count bytes */
};

struct convert_words { /* a vector */
	struct convert_word *ptr;
	size_t len, cap;
};

/* Redirections (> FILE) are left out. name is that of the text, for messages. */
int convert_words_split(struct str text, const char *name, struct convert_words *ret,
			struct error *reterr);
void convert_words_release(struct convert_words *w);

#endif
