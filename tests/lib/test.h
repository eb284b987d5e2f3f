/*
 * test.h - the unit-test harness. A test file holds TEST(name) functions and nothing else needs
 * registering: they are found through a linker section. The runner (test_main.c) forks for each
 * test, limits its time and prints TAP. An assertion that fails prints both values and ends the
 * test; CLEANUP variables are not run then, which is fine: the process is over.
 */
#ifndef ASSAY_TESTS_TEST_H
#define ASSAY_TESTS_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct test {
	const char *name;
	const char *file;
	void (*run)(void);
	unsigned timeout_s;
};

/* Pointers, not structs, in the section: sanitizers may pad structs, never pointers. */
#define TEST_TIMEOUT(id, seconds)                                                                  \
	static void test_##id(void);                                                               \
	static const struct test test_def_##id = { #id, __FILE__, test_##id, seconds };            \
	static const struct test *const test_ptr_##id                                              \
		__attribute__((used, section("assay_tests"))) = &test_def_##id;                    \
	static void test_##id(void)
#define TEST(id) TEST_TIMEOUT(id, 30)

/* Prints the message and ends the test as failed. */
void test_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/* Ends the test as skipped, with the reason. */
void test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Path of a file under tests/fixtures; valid until the next call. */
const char *test_fixture(const char *name);

#define ASSERT_TRUE(cond)                                                                          \
	do {                                                                                       \
		if (!(cond))                                                                       \
			test_fail(__FILE__, __LINE__, "expected %s", #cond);                       \
	} while (0)

#define ASSERT_INT(actual, expected)                                                               \
	do {                                                                                       \
		long long actual_ = (long long)(actual), expected_ = (long long)(expected);        \
		if (actual_ != expected_)                                                          \
			test_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", #actual,        \
				  actual_, expected_);                                             \
	} while (0)

#define ASSERT_OK(call)                                                                            \
	do {                                                                                       \
		int result_ = (call);                                                              \
		if (result_ < 0)                                                                   \
			test_fail(__FILE__, __LINE__, "%s failed: %s", #call, strerror(-result_)); \
	} while (0)

/* call takes &err last; on failure err's message is shown. */
#define ASSERT_OK_ERR(call, err)                                                                   \
	do {                                                                                       \
		if ((call) < 0)                                                                    \
			test_fail(__FILE__, __LINE__, "%s failed: %s", #call, (err).msg);          \
	} while (0)

#define ASSERT_NEAR(actual, expected, tolerance)                                                   \
	do {                                                                                       \
		double actual_ = (actual), expected_ = (expected);                                 \
		if (!(fabs(actual_ - expected_) <= (tolerance)))                                   \
			test_fail(__FILE__, __LINE__, "%s is %.17g, expected %.17g +- %g",         \
				  #actual, actual_, expected_, (double)(tolerance));               \
	} while (0)

#define ASSERT_STREQ(actual, expected)                                                             \
	do {                                                                                       \
		const char *actual_ = (actual), *expected_ = (expected);                           \
		if (!actual_ || strcmp(actual_, expected_) != 0)                                   \
			test_fail(__FILE__, __LINE__, "%s is:\n%s\nexpected:\n%s", #actual,        \
				  actual_ ? actual_ : "(null)", expected_);                        \
	} while (0)

/* The text contains the part. */
#define ASSERT_HAS(text, part)                                                                     \
	do {                                                                                       \
		const char *text_ = (text), *part_ = (part);                                       \
		if (!text_ || !strstr(text_, part_))                                               \
			test_fail(__FILE__, __LINE__, "%s is:\n%s\nwhich lacks: %s", #text,        \
				  text_ ? text_ : "(null)", part_);                                \
	} while (0)

#define ASSERT_LACKS(text, part)                                                                   \
	do {                                                                                       \
		const char *text_ = (text), *part_ = (part);                                       \
		if (text_ && strstr(text_, part_))                                                 \
			test_fail(__FILE__, __LINE__, "%s is:\n%s\nwhich has: %s", #text, text_,   \
				  part_);                                                          \
	} while (0)

#endif
