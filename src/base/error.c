#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PRINTF_LIKE(2, 0)
static void set_message(struct error *e, const char *fmt, va_list ap)
{
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
}

int error_set(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	set_message(e, fmt, ap);
	va_end(ap);
	e->code = code;
	return code;
}

int error_errno(struct error *e, int code, const char *fmt, ...)
{
	char reason[128];
	size_t used;
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	set_message(e, fmt, ap);
	va_end(ap);
	used = strlen(e->msg);
	snprintf(e->msg + used, sizeof(e->msg) - used, ": %s",
		 strerror_r(-code, reason, sizeof(reason)));
	e->code = code;
	return code;
}

int error_wrap(struct error *e, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	size_t used;
	va_list ap;

	if (!e)
		return -EINVAL;
	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	set_message(e, fmt, ap);
	va_end(ap);
	used = strlen(e->msg);
	snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", inner);
	return e->code ? e->code : -EINVAL;
}
