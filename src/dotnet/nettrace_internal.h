/* nettrace_internal.h - what the files of the reader share. */
#ifndef ASSAY_DOTNET_NETTRACE_INTERNAL_H
#define ASSAY_DOTNET_NETTRACE_INTERNAL_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "dotnet/cursor.h"
#include "dotnet/nettrace.h"

#define NETTRACE_BLOCK_MAX   (64u << 20) /* bytes; runtimes write up to some 100 KB */
#define NETTRACE_HELD_MAX    (96u << 20) /* bytes of blocks whose events are held back */
#define NETTRACE_PENDING_MAX (1u << 20)	 /* events held back */
#define NETTRACE_STACKS_MAX  (128u << 20)
#define NETTRACE_KINDS_MAX   (64u << 20) /* bytes of descriptions */
#define NETTRACE_THREADS_MAX (1u << 16)	 /* before version 6, where writers remove them */
#define NETTRACE_INDEXES_MAX (1u << 20)
#define NETTRACE_DEPTH_MAX   16 /* of types within types */

/* Numbers to pointers, open addressing; values are borrowed and never NULL. */
struct nettrace_table {
	struct nettrace_slot {
		uint64_t key;
		void *value;
	} * slots;
	size_t len, cap;
};

void *nettrace_table_get(const struct nettrace_table *t, uint64_t key);
void nettrace_table_put(struct nettrace_table *t, uint64_t key, void *value);
void nettrace_table_remove(struct nettrace_table *t, uint64_t key);
void nettrace_table_clear(struct nettrace_table *t);

#define nettrace_table_for_each(t, s)                                                              \
	for (struct nettrace_slot *s = (t)->slots; s && s < (t)->slots + (t)->cap; s++)            \
		if (s->value)

/* A block's bytes, kept as long as events or stacks lie in it. */
struct nettrace_block {
	size_t users, len;
	size_t held;	 /* of the users: events that are held back */
	uint64_t offset; /* of its first byte in the stream */
	char bytes[];
};

struct nettrace_thread {
	uint64_t id, process_id;
	uint32_t sequence; /* of its last event */
	bool begun;	   /* there was one */
};

/* Blocks of stacks or of labels since the last sequence point. */
struct nettrace_rows {
	struct nettrace_rows_block {
		struct nettrace_block *block; /* a user of it */
		uint32_t first;
		uint32_t *at; /* offsets in the block, one more than there are rows */
		uint32_t count;
	} * ptr;
	size_t len, cap, bytes;
};

struct nettrace_order {
	uint64_t ticks, order;
	uint32_t slot; /* of `pending` */
};

struct nettrace_pending {
	struct nettrace_event event;
	struct nettrace_block *block;
};

struct nettrace {
	struct nettrace_handler handler;
	struct nettrace_info info;
	struct nettrace_counts counts;

	/* framing */
	struct strbuf in;
	uint64_t offset; /* of in's first byte */
	enum {
		NETTRACE_MAGIC,
		NETTRACE_SERIALIZED,
		NETTRACE_OBJECTS,
		NETTRACE_V6,
		NETTRACE_DONE
	} state;
	bool has_magic; /* "Nettrace" stands in front: version 4 or later */
	int failure;
	struct error error;

	/* what events refer to */
	struct arena arena; /* kinds */
	struct nettrace_table kinds, threads;
	bool threads_dropped; /* the table was full once */
	struct nettrace_rows stacks, labels;

	/* what is held back, a heap by time and order of coming */
	VEC(struct nettrace_order) heap;
	VEC(struct nettrace_pending) pending;
	VEC(uint32_t) free_slots;
	uint64_t order;
	size_t held_bytes;
};

/* "offset N: expected WHAT, found ..."; the code. Only the first is kept. */
int nettrace_fail(struct nettrace *r, uint64_t offset, int code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* That of a record that ends with its block. */
int nettrace_cut(struct nettrace *r, const struct cursor *c, const char *what);

/* ---- the contents of blocks (nettrace_block.c, nettrace_v6.c) ---- */

struct nettrace_block *nettrace_block_new(struct nettrace *r, struct cursor *c);
void nettrace_block_drop(struct nettrace_block *b);

int nettrace_read_trace(struct nettrace *r, struct cursor *c);
int nettrace_read_events_v3(struct nettrace *r, struct nettrace_block *b);
int nettrace_read_events(struct nettrace *r, struct nettrace_block *b);
int nettrace_read_stacks(struct nettrace *r, struct nettrace_block *b);
int nettrace_read_point(struct nettrace *r, struct nettrace_block *b);

int nettrace_v6_read_trace(struct nettrace *r, struct cursor *c);
int nettrace_v6_read_kinds(struct nettrace *r, struct nettrace_block *b);
int nettrace_v6_read_point(struct nettrace *r, struct nettrace_block *b);
int nettrace_v6_read_threads(struct nettrace *r, struct nettrace_block *b);
int nettrace_v6_remove_threads(struct nettrace *r, struct nettrace_block *b);
int nettrace_v6_read_labels(struct nettrace *r, struct nettrace_block *b);
void nettrace_v6_apply_labels(const struct nettrace *r, uint32_t id, struct nettrace_event *e);

/* The date of SYSTEMTIME in ns since 1970, 0 for nonsense; 16 bytes. */
int64_t nettrace_read_date(struct cursor *c);

/* A row by its id; empty when there is none. */
struct str nettrace_row(const struct nettrace_rows *rows, uint32_t id);
int nettrace_rows_add(struct nettrace *r, struct nettrace_rows *rows, struct nettrace_block *b,
		      uint32_t first, uint32_t *at, uint32_t count);
void nettrace_rows_clear(struct nettrace_rows *rows);

/* ---- kinds (nettrace_kind.c) ---- */

/* A description as versions 3 to 5 have it, to its end. */
int nettrace_read_kind(struct nettrace *r, struct cursor *c);

/* One with all but id filled in; strings and fields live in the arena. */
int nettrace_add_kind(struct nettrace *r, uint64_t offset, uint32_t id,
		      const struct nettrace_meta *m);
const char *nettrace_text(struct nettrace *r, struct str bytes, bool utf16);
struct nettrace_field *nettrace_new_fields(struct nettrace *r, size_t n);
struct nettrace_type *nettrace_new_type(struct nettrace *r);

/* ---- order and losses (nettrace_order.c) ---- */

/* Takes an event as it comes; sorted: nothing older can follow. */
int nettrace_take(struct nettrace *r, struct nettrace_block *b, struct nettrace_event *e,
		  bool sorted);
int nettrace_emit_before(struct nettrace *r, uint64_t ticks);
int nettrace_emit_all(struct nettrace *r);

/* NULL only when version 6 has not told of it. */
struct nettrace_thread *nettrace_thread(struct nettrace *r, uint64_t id);
/* All numbers of that thread up to this one were given. */
int nettrace_saw_sequence(struct nettrace *r, uint64_t id, uint32_t sequence);
void nettrace_forget_threads(struct nettrace *r);

#endif
