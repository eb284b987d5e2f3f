#include "os/fiber.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define STACK_BYTES ((size_t)256 * 1024)

DEFINE_CLEANUP(pool, struct fiber_pool *, fiber_pool_free)

static struct fiber *make(struct fiber_pool *pool, fiber_fn *fn, void *arg)
{
	struct fiber *f = NULL;

	ASSERT_OK(fiber_new(&f, pool, fn, arg));
	return f;
}

static void count_to_three(void *arg)
{
	int *n = arg;

	for (int i = 0; i < 2; i++) {
		(*n)++;
		fiber_yield();
	}
	(*n)++;
}

TEST(fiber_yields_goes_on_and_ends)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	int n = 0;
	struct fiber *f = make(pool, count_to_three, &n);

	ASSERT_INT(n, 0);
	ASSERT_TRUE(fiber_resume(f));
	ASSERT_INT(n, 1);
	ASSERT_TRUE(fiber_resume(f));
	ASSERT_INT(n, 2);
	ASSERT_TRUE(!fiber_resume(f));
	ASSERT_INT(n, 3);
	fiber_free(f);
}

static void note_current(void *arg)
{
	*(struct fiber **)arg = fiber_current();
}

TEST(fiber_current_is_the_running_one)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct fiber *seen = NULL;
	struct fiber *f = make(pool, note_current, &seen);

	ASSERT_TRUE(fiber_current() == NULL);
	fiber_resume(f);
	ASSERT_TRUE(seen == f);
	ASSERT_TRUE(fiber_current() == NULL);
	fiber_free(f);
}

/* Many at once: each keeps a checksum of its own on its stack and in registers. */

struct walker {
	unsigned seed;
	unsigned rounds;
	uint64_t sum;
};

static uint64_t step(uint64_t sum, unsigned seed, unsigned round)
{
	return sum * 6364136223846793005u + seed + round;
}

static void walk(void *arg)
{
	struct walker *w = arg;
	volatile unsigned char scratch[2048];
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(scratch); i++)
		scratch[i] = (unsigned char)w->seed;
	for (unsigned r = 0; r < w->rounds; r++) {
		sum = step(sum, w->seed, r);
		fiber_yield();
	}
	for (size_t i = 0; i < sizeof(scratch); i++)
		ASSERT_INT(scratch[i], (unsigned char)w->seed);
	w->sum = sum;
}

static void walk_many(unsigned count, unsigned waves)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct walker w[64];
	struct fiber *f[64];
	bool alive[64];

	for (unsigned wave = 0; wave < waves; wave++) {
		unsigned left = count;

		for (unsigned i = 0; i < count; i++) {
			w[i] = (struct walker){ .seed = i + wave * 1000, .rounds = 3 + i % 7 };
			f[i] = make(pool, walk, &w[i]);
			alive[i] = true;
		}
		while (left) {
			for (unsigned i = 0; i < count; i++) {
				if (!alive[i] || fiber_resume(f[i]))
					continue;
				alive[i] = false;
				left--;
				fiber_free(f[i]);
			}
		}
		for (unsigned i = 0; i < count; i++) {
			uint64_t sum = 0;

			for (unsigned r = 0; r < w[i].rounds; r++)
				sum = step(sum, w[i].seed, r);
			ASSERT_TRUE(w[i].sum == sum);
		}
	}
}

TEST(fiber_interleaving_keeps_stacks_apart)
{
	walk_many(64, 5);
}

static void *walk_thread(void *arg UNUSED)
{
	walk_many(32, 5);
	return NULL;
}

TEST(fiber_threads_with_pools_of_their_own_do_not_meet)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		ASSERT_INT(pthread_create(&threads[i], NULL, walk_thread, NULL), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_INT(pthread_join(threads[i], NULL), 0);
}

static void do_nothing(void *arg UNUSED)
{
}

TEST(fiber_stack_is_used_again)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct fiber *first = make(pool, do_nothing, NULL);
	uintptr_t low = fiber_stack_low(first);
	struct fiber *second;

	fiber_resume(first);
	fiber_free(first);
	second = make(pool, do_nothing, NULL);
	ASSERT_TRUE(fiber_stack_low(second) == low);
	fiber_free(second); /* never resumed: allowed */
}

/* Nested: a fiber that drives another. */

struct nest {
	struct fiber_pool *pool;
	char trace[16];
	size_t len;
};

static void inner(void *arg)
{
	struct nest *n = arg;

	n->trace[n->len++] = 'b';
	fiber_yield();
	n->trace[n->len++] = 'e';
}

static void outer(void *arg)
{
	struct nest *n = arg;
	struct fiber *f = make(n->pool, inner, n);

	n->trace[n->len++] = 'a';
	fiber_resume(f);
	n->trace[n->len++] = 'c';
	fiber_yield();
	n->trace[n->len++] = 'd';
	ASSERT_TRUE(!fiber_resume(f));
	fiber_free(f);
	n->trace[n->len++] = 'f';
}

TEST(fiber_may_resume_another)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct nest n = { .pool = pool };
	struct fiber *f = make(pool, outer, &n);

	ASSERT_TRUE(fiber_resume(f));
	ASSERT_STREQ(n.trace, "abc");
	ASSERT_TRUE(!fiber_resume(f));
	ASSERT_STREQ(n.trace, "abcdef");
	fiber_free(f);
}

/* The rounding mode is part of mxcsr (double) and of the x87 control word (long double). */

struct thirds {
	double third;
	long double long_quotient;
};

/* 1/3 as a double and 5/3 as a long double are both nearest below their true value, so that
 * rounding upwards changes them. Not inlined: a compiler may move a division past the change of the
 * rounding mode. */
static struct thirds __attribute__((noinline)) divide(void)
{
	volatile double one = 1, three = 3;
	volatile long double five = 5, long_three = 3;

	return (struct thirds){ one / three, five / long_three };
}

static void round_up(void *arg)
{
	fesetround(FE_UPWARD);
	fiber_yield();
	*(struct thirds *)arg = divide();
}

TEST(fiber_rounding_mode_travels_with_the_fiber)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct thirds up = { 0 }, nearest = divide(), between;
	struct fiber *f = make(pool, round_up, &up);

	fiber_resume(f);
	between = divide();
	ASSERT_TRUE(between.third == nearest.third);
	ASSERT_TRUE(between.long_quotient == nearest.long_quotient);
	fiber_resume(f);
	ASSERT_TRUE(up.third > nearest.third && up.long_quotient > nearest.long_quotient);
	fiber_free(f);
}

/* An overrun is a fault at the guard page. */

static int __attribute__((noinline)) recurse(volatile int depth)
{
	volatile char frame[1024];

	frame[0] = (char)depth;
	return depth > 1000000 ? 0 : recurse(depth + 1) + frame[0];
}

static void overrun(void *arg)
{
	*(int *)arg = recurse(0);
}

TEST(fiber_overrun_hits_the_guard_page)
{
	int status, sum = 0;
	pid_t pid;

	pid = fork();
	ASSERT_TRUE(pid >= 0);
	if (pid == 0) {
		struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);

		/* a sanitizer turns the fault into a report and an exit code of its own */
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
		fiber_resume(make(pool, overrun, &sum));
		_exit(0);
	}
	ASSERT_INT(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0);
}

/* Trimming gives back what deep recursion touched and keeps what is in use. */

static int __attribute__((noinline)) touch(int depth)
{
	volatile char frame[4096];

	for (size_t i = 0; i < sizeof(frame); i += 512)
		frame[i] = (char)depth;
	return depth ? touch(depth - 1) + frame[0] : 0;
}

static void deep_then_wait(void *arg)
{
	volatile int kept = 4711;

	*(int *)arg = touch(20);
	fiber_yield();
	*(int *)arg = kept;
}

static size_t resident_pages(struct fiber *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
	unsigned char state[STACK_BYTES / 4096];

	ASSERT_OK(mincore((void *)fiber_stack_low(f), STACK_BYTES, state));
	for (size_t i = 0; i < STACK_BYTES / page; i++)
		count += state[i] & 1;
	return count;
}

TEST(fiber_trim_gives_back_what_recursion_touched)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	int value = 0;
	struct fiber *f = make(pool, deep_then_wait, &value);

	ASSERT_TRUE(fiber_resume(f));
	ASSERT_TRUE(resident_pages(f) >= 20);
	fiber_trim(f);
	ASSERT_TRUE(resident_pages(f) <= 4);
	ASSERT_TRUE(!fiber_resume(f));
	ASSERT_INT(value, 4711);
	fiber_free(f);
}

TEST(fiber_pool_trim_keeps_little_of_idle_stacks)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	int value = 0;
	struct fiber *f = make(pool, deep_then_wait, &value);

	fiber_resume(f);
	fiber_resume(f);
	fiber_free(f);
	fiber_pool_trim(pool);
	f = make(pool, do_nothing, NULL);
	ASSERT_TRUE(resident_pages(f) <= 2);
	fiber_free(f);
}

static void set_errno(void *arg UNUSED)
{
	errno = EDOM;
	fiber_yield();
	errno = ERANGE;
}

TEST(fiber_shares_errno_with_its_thread)
{
	CLEANUP(cleanup_pool) struct fiber_pool *pool = fiber_pool_new(STACK_BYTES);
	struct fiber *f = make(pool, set_errno, NULL);

	fiber_resume(f);
	ASSERT_INT(errno, EDOM);
	fiber_resume(f);
	ASSERT_INT(errno, ERANGE);
	fiber_free(f);
}
