#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void *xmalloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	if (!p)
		BUG("out of memory");
	return p;
}

void *xcalloc(size_t n, size_t bytes)
{
	void *p = calloc(n ? n : 1, bytes ? bytes : 1);

	if (!p)
		BUG("out of memory");
	return p;
}

void *xrealloc(void *p, size_t bytes)
{
	void *q = realloc(p, bytes ? bytes : 1);

	if (!q)
		BUG("out of memory");
	return q;
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
	char *p = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("out of memory");
	return p;
}

int mem_alloc_capped(void **ret, size_t bytes, size_t cap)
{
	void *p;

	if (bytes > cap)
		return -E2BIG;
	p = malloc(bytes ? bytes : 1);
	if (!p)
		return -ENOMEM;
	*ret = p;
	return 0;
}
