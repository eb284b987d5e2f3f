/*
 * fiber.h - a function on a stack of its own that can stop in the middle and go on later, so that
 * code which waits (a script's http.get()) reads top to bottom while one thread serves thousands.
 * A fiber runs only inside fiber_resume() and stops by fiber_yield() or by returning. It stays on
 * the thread that first resumed it: compilers keep addresses of thread-local variables (errno)
 * across calls. Pools and fibers are used by one thread at a time and hold no locks.
 *
 * Stacks are reserved address space: the kernel gives memory page by page as they are touched, and
 * below each lies a guard page, so that an overrun is a fault and not silent damage. A guarded
 * stack takes two of the process's memory maps (vm.max_map_count, 65,530 by default): about 32,000
 * fibers can be suspended at once.
 */
#ifndef ASSAY_OS_FIBER_H
#define ASSAY_OS_FIBER_H

#include "base/util.h"

struct fiber;
struct fiber_pool;

typedef void fiber_fn(void *arg);

/* A set of stacks of one size (rounded up to whole pages) that are used again and again. */
struct fiber_pool *fiber_pool_new(size_t stack_bytes);

/* Unmaps the stacks. Every fiber must have been freed. NULL in, nothing done. */
void fiber_pool_free(struct fiber_pool *pool);

/* Gives the memory of idle stacks back to the system, all but a page of each. One system call per
 * idle stack and page faults when they are used again: not for a hot path. */
void fiber_pool_trim(struct fiber_pool *pool);

/* Makes a fiber that will run fn(arg), suspended before its first instruction. The pool must
 * outlive it. 0; -ENOMEM when neither memory nor maps are left. */
int fiber_new(struct fiber **ret, struct fiber_pool *pool, fiber_fn *fn, void *arg);

/* Returns the stack to the pool. The fiber must have finished or never have been resumed: what is
 * on a suspended stack would never be released. NULL in, nothing done. */
void fiber_free(struct fiber *f);

/*
 * Runs f until it yields (true) or returns (false). May be called on another fiber, which then
 * waits as any caller does. A finished fiber must not be resumed.
 */
bool fiber_resume(struct fiber *f);

/* Stops the running fiber; its fiber_resume() returns true. Only inside a fiber. */
void fiber_yield(void);

/* The running fiber, NULL on a thread's own stack. */
struct fiber *fiber_current(void);

/* The lowest usable address of the stack; it grows down towards it. */
uintptr_t fiber_stack_low(const struct fiber *f);

/* Gives back the memory below the stack pointer of a suspended fiber (what a deep recursion has
 * touched and left). One system call. */
void fiber_trim(struct fiber *f);

#endif
