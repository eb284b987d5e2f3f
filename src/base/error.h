/*
 * error.h - what went wrong, in words. Whatever meets the outside world takes a `struct error *`
 * as its last parameter and returns a negative errno; the message names what was tried, on what,
 * why it failed and what to try next. Each layer adds what it was doing with error_wrap(). Both
 * functions return the code, so that one line reports and returns:
 *
 *	return error_set(reterr, -EINVAL, "line %u: expected a number, found \"%s\"", line, text);
 *	return error_wrap(reterr, "opening run file %s", path);
 *
 * reterr may be NULL: the caller wants only the code. On success it is left untouched.
 */
#ifndef ASSAY_BASE_ERROR_H
#define ASSAY_BASE_ERROR_H

#include "base/util.h"

struct error {
	int code; /* negative errno; 0 = none */
	char msg[1024];
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		.code = 0, .msg = ""                                                               \
	}

/* Sets the message and returns code. */
int error_set(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As error_set() with ": strerror(-code)" appended. */
int error_errno(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "fmt: " before the present message and returns its code (-EINVAL when e is NULL). */
int error_wrap(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
