/*
 * The runner: one child per test, in order of name, a time limit each, TAP on stdout. The child is
 * its own process group, which is killed afterwards: what a test starts does not outlive it.
 */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIPPED 77

extern const struct test *const __start_assay_tests[];
extern const struct test *const __stop_assay_tests[];

static void print_diagnostic(const char *text)
{
	fputs("# ", stdout);
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n' && text[1])
			fputs("# ", stdout);
	}
	putchar('\n');
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	char message[8192];
	va_list ap;
	int n = snprintf(message, sizeof(message), "%s:%d: ", file, line);

	va_start(ap, fmt);
	vsnprintf(message + n, sizeof(message) - (size_t)n, fmt, ap);
	va_end(ap);
	print_diagnostic(message);
	fflush(stdout);
	_exit(1);
}

void test_skip(const char *fmt, ...)
{
	va_list ap;

	fputs("# SKIP ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	_exit(EXIT_SKIPPED);
}

const char *test_fixture(const char *name)
{
	static char path[4096];
	const char *root = getenv("ASSAY_FIXTURES");

	snprintf(path, sizeof(path), "%s/%s", root ? root : "tests/fixtures", name);
	return path;
}

static int compare_names(const void *a, const void *b)
{
	const struct test *const *x = a, *const *y = b;
	int order = strcmp((*x)->file, (*y)->file);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

/* Waits for the child, at most its time; returns the wait status, or -1 when it was killed. */
static int wait_limited(pid_t pid, unsigned timeout_s)
{
	sigset_t set;
	struct timespec limit = { .tv_sec = timeout_s };
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		if (sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
	}
}

static int run_child(const struct test *t)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		sigset_t set;

		setpgid(0, 0);
		sigemptyset(&set);
		sigprocmask(SIG_SETMASK, &set, NULL);
		t->run();
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	setpgid(pid, pid);
	status = wait_limited(pid, t->timeout_s);
	kill(-pid, SIGKILL);
	return status;
}

static bool report(unsigned number, const struct test *t, int status)
{
	bool ok = status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;

	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
		printf("ok %u %s # SKIP\n", number, t->name);
		return true;
	}
	if (status == -1)
		printf("# killed after %u s\n", t->timeout_s);
	else if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	printf("%s %u %s\n", ok ? "ok" : "not ok", number, t->name);
	return ok;
}

/* With arguments, runs only the tests whose name contains one of them. */
static bool selected(const struct test *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	size_t n = (size_t)(__stop_assay_tests - __start_assay_tests);
	const struct test **tests = calloc(n, sizeof(*tests));
	unsigned number = 0;
	bool all_ok = true;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (size_t i = 0; i < n; i++)
		tests[i] = __start_assay_tests[i];
	qsort(tests, n, sizeof(*tests), compare_names);
	for (size_t i = 0; i < n; i++)
		if (selected(tests[i], argc, argv))
			all_ok &= report(++number, tests[i], run_child(tests[i]));
	printf("1..%u\n", number);
	free(tests);
	return all_ok ? 0 : 1;
}
