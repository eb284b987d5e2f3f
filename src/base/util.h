/*
 * util.h - the small vocabulary every file speaks: ownership attributes, array and range helpers,
 * the assertion for the impossible. No dependencies beyond libc.
 */
#ifndef ASSAY_BASE_UTIL_H
#define ASSAY_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Ownership. `CLEANUP(strbuf_release) struct strbuf sb` calls strbuf_release(&sb) when the variable
 * leaves its scope; `return TAKE(p)` hands the pointer on and leaves NULL behind, so that a cleanup
 * attribute on p does nothing. Every destructor therefore accepts NULL and half-built objects.
 */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define TAKE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) *take_slot_ = &(p);                                                  \
		__typeof__(p) take_value_ = *take_slot_;                                           \
		*take_slot_ = NULL;                                                                \
		take_value_;                                                                       \
	})

/* Defines `cleanup_NAME(T **p)`, which calls the destructor fn(*p); use as CLEANUP(cleanup_NAME).
 */
#define DEFINE_CLEANUP(name, type, fn)                                                             \
	static inline void cleanup_##name(type *p)                                                 \
	{                                                                                          \
		if (*p)                                                                            \
			fn(*p);                                                                    \
	}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MIN(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) min_a_ = (a);                                                        \
		__typeof__(b) min_b_ = (b);                                                        \
		min_a_ < min_b_ ? min_a_ : min_b_;                                                 \
	})
#define MAX(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) max_a_ = (a);                                                        \
		__typeof__(b) max_b_ = (b);                                                        \
		max_a_ > max_b_ ? max_a_ : max_b_;                                                 \
	})

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED		       __attribute__((unused))
#define NORETURN	       __attribute__((noreturn))
#define FALLTHROUGH	       __attribute__((fallthrough))

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* The impossible happened: a broken invariant of ours, never bad input. Prints and aborts. */
#define BUG(msg) bug_at(__FILE__, __LINE__, msg)
#define BUG_ON(cond)                                                                               \
	do {                                                                                       \
		if (__builtin_expect(!!(cond), 0))                                                 \
			BUG(#cond);                                                                \
	} while (0)
NORETURN void bug_at(const char *file, int line, const char *msg);

#endif
