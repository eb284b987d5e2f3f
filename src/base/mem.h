/*
 * mem.h - allocation. Small objects of fixed size use the x-functions, which abort when memory is
 * gone: there is nothing useful left to do. A size that derives from input goes through
 * mem_alloc_capped(), which refuses instead.
 */
#ifndef ASSAY_BASE_MEM_H
#define ASSAY_BASE_MEM_H

#include <stddef.h>

void *xmalloc(size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(1)));
void *xcalloc(size_t n, size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));
void *xrealloc(void *p, size_t bytes) __attribute__((returns_nonnull, alloc_size(2)));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));

/* Formats into a new string; the caller frees it. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* Allocates at most cap bytes: 0, -E2BIG above the cap, -ENOMEM. The caller frees *ret. */
int mem_alloc_capped(void **ret, size_t bytes, size_t cap);

/* For CLEANUP(mem_cleanup) on any pointer from malloc. */
static inline void mem_cleanup(void *p)
{
	__builtin_free(*(void **)p);
}

#endif
