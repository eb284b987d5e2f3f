/*
 * fiber.c - stacks, and the switch between them. The switch itself is assembly (fiber_ARCH.S): it
 * saves the callee-saved registers and the floating-point control words and changes the stack
 * pointer, about 10 ns. swapcontext() was rejected because it makes two system calls per switch to
 * save a signal mask that nobody here changes (220 ns); threads were rejected for their memory and
 * for the order in which the kernel wakes them.
 *
 * A fiber's own record lies at the high end of its stack, so that making one from a used stack
 * allocates nothing:
 *
 *	map          low                                        record     end
 *	| guard page | ......................... <- stack grows | struct fiber |
 *
 * The sanitizers are told about every switch. ASan keeps a "fake stack" per stack and poisons
 * frames; what a finished fiber left poisoned is cleared before the stack is used again, since its
 * last frame never returns. TSan sees each fiber as a thread of its own that hands over.
 */
#include "os/fiber.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* The x86-64 ABI lets a leaf function use this much below its stack pointer. */
#define RED_ZONE_BYTES 128

enum fiber_state { FIBER_FRESH, FIBER_RUNNING, FIBER_SUSPENDED, FIBER_FINISHED };

struct fiber {
	void *sp; /* saved stack pointer while not running */
	void *resumer_sp;
	struct fiber *resumer; /* the fiber whose fiber_resume() we run in, NULL = the thread */
	struct fiber *next;    /* in the pool's list of idle stacks */
	struct fiber_pool *pool;
	fiber_fn *fn;
	void *arg;
	char *low; /* lowest usable byte; the guard page is below */
	enum fiber_state state;
#ifdef WITH_ASAN
	void *fake_stack;
	const void *resumer_low;
	size_t resumer_bytes;
#endif
#ifdef WITH_TSAN
	void *tsan, *resumer_tsan;
#endif
};

struct fiber_pool {
	struct fiber *idle;
	size_t stack_bytes; /* whole pages, without the guard */
	size_t page_bytes;
	size_t in_use;
};

/* In fiber_ARCH.S: saves the running context's stack pointer to *save_sp and goes on at load_sp. */
void fiber_switch(void **save_sp, void *load_sp);

/* There: lays out at top what fiber_switch() expects, so that fn(arg) starts; returns the stack
 * pointer to load. */
void *fiber_prepare(void *top, void (*fn)(struct fiber *f), struct fiber *arg);

static _Thread_local struct fiber *current;

#ifdef WITH_ASAN
static size_t usable_bytes(const struct fiber *f)
{
	return (size_t)((const char *)f - f->low);
}
#endif

/* The two sides of each switch, as the sanitizers want them. */

static void before_enter(struct fiber *f UNUSED, void **fake_stack UNUSED)
{
#ifdef WITH_ASAN
	__sanitizer_start_switch_fiber(fake_stack, f->low, usable_bytes(f));
#endif
#ifdef WITH_TSAN
	f->resumer_tsan = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(f->tsan, 0);
#endif
}

static void after_enter(struct fiber *f UNUSED)
{
#ifdef WITH_ASAN
	__sanitizer_finish_switch_fiber(f->fake_stack, &f->resumer_low, &f->resumer_bytes);
#endif
}

static void before_leave(struct fiber *f UNUSED)
{
#ifdef WITH_ASAN
	/* NULL tells that the stack is left for good, which frees its fake stack */
	void **fake_stack = f->state == FIBER_FINISHED ? NULL : &f->fake_stack;

	__sanitizer_start_switch_fiber(fake_stack, f->resumer_low, f->resumer_bytes);
#endif
#ifdef WITH_TSAN
	__tsan_switch_to_fiber(f->resumer_tsan, 0);
#endif
}

static void after_leave(void *fake_stack UNUSED)
{
#ifdef WITH_ASAN
	__sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
}

static void leave(struct fiber *f, enum fiber_state state)
{
	f->state = state;
	current = f->resumer;
	before_leave(f);
	fiber_switch(&f->sp, f->resumer_sp);
	after_enter(f);
}

static void fiber_main(struct fiber *f)
{
	after_enter(f);
	f->fn(f->arg);
	leave(f, FIBER_FINISHED);
	BUG("a finished fiber was resumed");
}

bool fiber_resume(struct fiber *f)
{
	void *fake_stack = NULL;

	BUG_ON(f->state != FIBER_FRESH && f->state != FIBER_SUSPENDED);
	f->state = FIBER_RUNNING;
	f->resumer = current;
	current = f;
	before_enter(f, &fake_stack);
	fiber_switch(&f->resumer_sp, f->sp);
	after_leave(fake_stack);
	return f->state != FIBER_FINISHED;
}

void fiber_yield(void)
{
	BUG_ON(!current);
	leave(current, FIBER_SUSPENDED);
}

struct fiber *fiber_current(void)
{
	return current;
}

uintptr_t fiber_stack_low(const struct fiber *f)
{
	return (uintptr_t)f->low;
}

struct fiber_pool *fiber_pool_new(size_t stack_bytes)
{
	struct fiber_pool *pool = xcalloc(1, sizeof(*pool));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	pool->page_bytes = page;
	pool->stack_bytes = (stack_bytes + page - 1) / page * page;
	return pool;
}

static struct fiber *stack_map(struct fiber_pool *pool)
{
	size_t bytes = pool->page_bytes + pool->stack_bytes;
	struct fiber *f;
	char *map;

	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	if (mprotect(map, pool->page_bytes, PROT_NONE) < 0) {
		munmap(map, bytes);
		return NULL;
	}

	f = (struct fiber *)(void *)(map + bytes - (sizeof(*f) + 15) / 16 * 16);
	f->low = map + pool->page_bytes;
	return f;
}

static void stack_unmap(struct fiber_pool *pool, struct fiber *f)
{
	munmap(f->low - pool->page_bytes, pool->page_bytes + pool->stack_bytes);
}

void fiber_pool_free(struct fiber_pool *pool)
{
	if (!pool)
		return;
	BUG_ON(pool->in_use);
	while (pool->idle) {
		struct fiber *f = pool->idle;

		pool->idle = f->next;
		stack_unmap(pool, f);
	}
	free(pool);
}

int fiber_new(struct fiber **ret, struct fiber_pool *pool, fiber_fn *fn, void *arg)
{
	struct fiber *f = pool->idle;

	if (f) {
		pool->idle = f->next;
	} else {
		f = stack_map(pool);
		if (!f)
			return -ENOMEM;
	}
	pool->in_use++;

	*f = (struct fiber){
		.pool = pool, .low = f->low, .fn = fn, .arg = arg, .state = FIBER_FRESH
	};
#ifdef WITH_TSAN
	f->tsan = __tsan_create_fiber(0);
#endif
	f->sp = fiber_prepare(f, fiber_main, f);
	*ret = f;
	return 0;
}

void fiber_free(struct fiber *f)
{
	if (!f)
		return;
	BUG_ON(f->state == FIBER_RUNNING || f->state == FIBER_SUSPENDED);
#ifdef WITH_ASAN
	__asan_unpoison_memory_region(f->low, usable_bytes(f));
#endif
#ifdef WITH_TSAN
	__tsan_destroy_fiber(f->tsan);
#endif
	f->next = f->pool->idle;
	f->pool->idle = f;
	f->pool->in_use--;
}

/* Drops the pages of [f->low, end) that lie in it whole. */
static void drop_pages(struct fiber *f, uintptr_t end)
{
	uintptr_t low = (uintptr_t)f->low;

	end &= ~(uintptr_t)(f->pool->page_bytes - 1);
	if (end > low)
		madvise(f->low, end - low, MADV_DONTNEED);
}

void fiber_trim(struct fiber *f)
{
	BUG_ON(f->state == FIBER_RUNNING);
	drop_pages(f, (uintptr_t)f->sp - RED_ZONE_BYTES);
}

void fiber_pool_trim(struct fiber_pool *pool)
{
	for (struct fiber *f = pool->idle; f; f = f->next)
		drop_pages(f, (uintptr_t)f);
}
