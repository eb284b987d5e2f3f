/*
 * The grammar as a state machine over bytes outside the data and over spans inside it:
 *
 *	chunk = 1*HEXDIG [BWS] [";" ext] CRLF data CRLF      last-chunk = 1*"0" ... CRLF
 *	body  = *chunk last-chunk *(trailer CRLF) CRLF
 *
 * A line may end in LF alone; anything else behind a size, or behind the data, is refused: reading
 *on would mean guessing where the next chunk begins.
 */
#include "net/http1_chunked.h"

#include <errno.h>

enum {
	SIZE, /* the initial state */
	SIZE_BLANK,
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER, /* at the beginning of a trailer line */
	TRAILER_LINE,
	TRAILER_LF,
	ENDED,
};

static int fail(const char **ret_why, const char *why)
{
	*ret_why = why;
	return -EBADMSG;
}

static void end_size_line(struct net_chunked *c)
{
	c->state = c->left_bytes ? DATA : TRAILER;
	c->digits = 0;
	c->line_bytes = 0;
}

static int size_byte(struct net_chunked *c, char b, const char **ret_why)
{
	int digit = c->state == SIZE ? str_hex_digit(b) : -1;

	if (digit >= 0) {
		/* 15 digits are 2^60: no overflow, and no honest chunk is larger */
		if (c->digits++ == 15)
			return fail(ret_why, "a chunk size has more than 15 digits");
		c->left_bytes = c->left_bytes * 16 + (unsigned)digit;
		return 0;
	}
	if (!c->digits)
		return fail(ret_why, "a chunk does not begin with its size in hex");
	if (b == '\n')
		end_size_line(c);
	else if (b == '\r')
		c->state = SIZE_LF;
	else if (b == ';')
		c->state = EXTENSION;
	else if (b == ' ' || b == '\t')
		c->state = SIZE_BLANK;
	else
		return fail(ret_why, "a chunk size is followed by something else than \";\"");
	return 0;
}

static int trailer_byte(struct net_chunked *c, char b)
{
	if (c->state == TRAILER && b == '\r')
		c->state = TRAILER_LF;
	else if (c->state == TRAILER && b == '\n')
		c->state = ENDED;
	else
		c->state = b == '\n' ? TRAILER : TRAILER_LINE;
	return 0;
}

static int framing_byte(struct net_chunked *c, char b, const char **ret_why)
{
	switch (c->state) {
	case SIZE:
	case SIZE_BLANK:
		return size_byte(c, b, ret_why);
	case EXTENSION:
		if (b == '\n')
			end_size_line(c);
		return 0;
	case SIZE_LF:
		if (b != '\n')
			return fail(ret_why, "a chunk size line has a CR without LF");
		end_size_line(c);
		return 0;
	case DATA_CR:
	case DATA_LF:
		if (b == '\r' && c->state == DATA_CR)
			c->state = DATA_LF;
		else if (b == '\n')
			c->state = SIZE;
		else
			return fail(ret_why, "a chunk is longer than its size says");
		c->line_bytes = 0;
		return 0;
	case TRAILER_LF:
		if (b != '\n')
			return fail(ret_why, "the trailer has a CR without LF");
		c->state = ENDED;
		return 0;
	default:
		return trailer_byte(c, b);
	}
}

static int data_span(struct net_chunked *c, struct str *in, struct str *ret_data)
{
	size_t n = (size_t)MIN((uint64_t)in->len, c->left_bytes);

	*ret_data = (struct str){ in->ptr, n };
	in->ptr += n;
	in->len -= n;
	c->left_bytes -= n;
	if (!c->left_bytes)
		c->state = DATA_CR;
	return NET_CHUNKED_DATA;
}

int net_chunked_next(struct net_chunked *c, struct str *in, struct str *ret_data,
		     const char **ret_why)
{
	while (c->state != ENDED) {
		size_t limit = c->state >= TRAILER ? NET_CHUNKED_MAX_TRAILER_BYTES
						   : NET_CHUNKED_MAX_LINE_BYTES;
		int r;

		if (!in->len)
			return NET_CHUNKED_MORE;
		if (c->state == DATA)
			return data_span(c, in, ret_data);
		if (c->line_bytes++ == limit)
			return fail(ret_why, c->state >= TRAILER
						     ? "the trailer is larger than 16 KB"
						     : "a chunk size line is larger than 4 KB");
		r = framing_byte(c, *in->ptr, ret_why);
		if (r < 0)
			return r;
		in->ptr++;
		in->len--;
	}
	return NET_CHUNKED_END;
}
