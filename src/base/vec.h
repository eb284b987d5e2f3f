/*
 * vec.h - a growing array of any element type. Declare with VEC(T), zero initialisation is valid:
 *
 *	VEC(uint64_t) starts = VEC_INIT;
 *	vec_push(&starts, now_ns);
 *	vec_for_each(&starts, p)
 *		total += *p;
 *	vec_release(&starts);
 *
 * Elements move when the vector grows: keep indices, not pointers. What elements own is the
 * caller's to free before vec_release().
 */
#ifndef ASSAY_BASE_VEC_H
#define ASSAY_BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"
#include "base/util.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *ptr;                                                                         \
		size_t len;                                                                        \
		size_t cap;                                                                        \
	}
#define VEC_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

#define vec_push(v, value)                                                                         \
	do {                                                                                       \
		if ((v)->len == (v)->cap) {                                                        \
			(v)->cap = (v)->cap ? (v)->cap * 2 : 8;                                    \
			(v)->ptr = xrealloc((v)->ptr, (v)->cap * sizeof(*(v)->ptr));               \
		}                                                                                  \
		(v)->ptr[(v)->len++] = (value);                                                    \
	} while (0)

#define vec_clear(v) ((void)((v)->len = 0))
#define vec_release(v)                                                                             \
	do {                                                                                       \
		free((v)->ptr);                                                                    \
		(v)->ptr = NULL;                                                                   \
		(v)->len = (v)->cap = 0;                                                           \
	} while (0)

#define vec_last(v) ((v)->ptr[(v)->len - 1])
/* An empty vector has no array: NULL + 0 is undefined, so p is looked at first. */
#define vec_for_each(v, p)                                                                         \
	for (__typeof__((v)->ptr + 0) p = (v)->ptr; p && p < (v)->ptr + (v)->len; p++)

#endif
