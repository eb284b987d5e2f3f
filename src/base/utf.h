/*
 * utf.h - UTF-8 and UTF-16 from outside made into valid UTF-8, as the Encoding standard has it: one
 * U+FFFD for each longest piece that could still have become a character. Input comes in pieces; a
 * character may be split over them.
 */
#ifndef ASSAY_BASE_UTF_H
#define ASSAY_BASE_UTF_H

#include "base/strbuf.h"

enum utf_form { UTF_8, UTF_16LE, UTF_16BE };

/* Zeroed = UTF-8 that replaces what is wrong and drops a byte order mark. */
struct utf_decoder {
	enum utf_form form;
	bool fatal;    /* what is wrong ends it */
	bool keep_bom; /* U+FEFF at the start is a character like others */

	/* private: how far it is */
	bool begun;
	uint32_t character; /* bits that have come */
	uint8_t missing;    /* bytes of UTF-8 that are still to come */
	uint8_t low, high;  /* the next of them lies between these */
	bool half;	    /* one byte of two is in `first` */
	uint8_t first;
	uint16_t lead; /* a leading surrogate whose other half is still to come; 0 = none */
};

/*
 * Appends what the bytes mean. last: nothing follows, so that half a character is wrong; the
 * decoder is then as new. 0, or -EILSEQ when it is fatal, and as new too; what was appended before
 * the fault stays.
 */
int utf_decode(struct utf_decoder *d, struct str bytes, bool last, struct strbuf *out);

/* The bytes of a character at the start of valid UTF-8: 1 to 4. */
static inline unsigned utf8_bytes(char first)
{
	unsigned char c = (unsigned char)first;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

#endif
