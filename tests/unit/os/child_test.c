#include "os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/clock.h"
#include "test.h"

static struct child *start(const char *script, const char *const *env, bool silent)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct child_opts o = { .argv = argv, .env = env, .silent = silent };
	struct child *c = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(child_start(&o, &c, &err), err);
	return c;
}

TEST(child_exit_codes)
{
	static const struct {
		const char *script, *outcome;
		int code;
	} cases[] = {
		{ "exit 0", "exit code 0", 0 },
		{ "exit 7", "exit code 7", 7 },
		{ "kill -9 $$", "signal 9", 137 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(cleanup_child) struct child *c = start(cases[i].script, NULL, true);

		ASSERT_TRUE(child_wait(c, 5 * NS_PER_S));
		ASSERT_INT(child_exit_code(c), cases[i].code);
		ASSERT_STREQ(child_outcome(c), cases[i].outcome);
	}
}

TEST(child_that_cannot_be_started)
{
	const char *none[] = { "./no-such-command", NULL }, *folder[] = { "/tmp", NULL };
	struct child_opts o = { .argv = none };
	struct error err = ERROR_INIT;
	struct child *c = NULL;

	ASSERT_INT(child_start(&o, &c, &err), -ENOENT);
	ASSERT_HAS(err.msg, "no command ./no-such-command");
	o.argv = folder;
	ASSERT_INT(child_start(&o, &c, &err), -EACCES);
	ASSERT_TRUE(c == NULL);
}

/* What a script writes to its standard output. */
static char *output_of(const char *script, const char *const *env, bool silent)
{
	char *text = xcalloc(1, 256);
	int fds[2], before = dup(1);
	struct child *c;
	ssize_t n;

	ASSERT_OK(pipe2(fds, O_CLOEXEC));
	dup2(fds[1], 1);
	c = start(script, env, silent);
	dup2(before, 1);
	close(before);
	close(fds[1]);
	n = read(fds[0], text, 255);
	text[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	child_free(c);
	return text;
}

TEST(child_environment_is_ours_with_theirs_over_it)
{
	static const char *const env[] = { "ASSAY_B=new", "ASSAY_C=", NULL };
	CLEANUP(mem_cleanup) char *text = NULL;

	setenv("ASSAY_A", "kept", 1);
	setenv("ASSAY_B", "old", 1);
	setenv("ASSAY_BB", "other", 1);
	setenv("ASSAY_C", "old", 1);
	text = output_of("echo $ASSAY_A $ASSAY_B $ASSAY_BB [$ASSAY_C]", env, false);
	ASSERT_STREQ(text, "kept new other []\n");
}

TEST(child_in_silence)
{
	CLEANUP(mem_cleanup)
	char *text = output_of("echo heard; cat; readlink /proc/self/fd/0 >&2", NULL, true);

	ASSERT_STREQ(text, "");
}

TEST(child_is_stopped_kindly_then_not)
{
	struct child *c = start("trap 'exit 3' TERM; while :; do sleep 0.01; done", NULL, true);
	uint64_t begin = clock_now_ns();

	usleep(100000); /* the trap is set */
	ASSERT_TRUE(!child_wait(c, 0));
	ASSERT_INT(child_exit_code(c), -EBUSY);
	child_stop(c, 10 * NS_PER_S);
	ASSERT_INT(child_exit_code(c), 3);
	child_free(c);

	c = start("trap '' TERM; while :; do sleep 0.01; done", NULL, true);
	usleep(100000);
	child_stop(c, 100 * NS_PER_MS);
	ASSERT_INT(child_exit_code(c), 137);
	child_free(c);
	ASSERT_TRUE(clock_now_ns() - begin < 5 * NS_PER_S);
}

TEST(child_is_killed_when_freed)
{
	struct child *c = start("trap '' TERM; while :; do sleep 0.01; done", NULL, true);
	pid_t pid = child_pid(c);

	usleep(50000);
	child_free(c);
	ASSERT_TRUE(kill(pid, 0) < 0 && errno == ESRCH);
}

TEST(child_ends_when_we_are_killed)
{
	int fds[2];
	pid_t middle, child = 0;

	ASSERT_OK(pipe(fds));
	middle = fork();
	if (middle == 0) {
		child = child_pid(start("sleep 60", NULL, true));
		if (write(fds[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		pause();
	}
	ASSERT_INT(read(fds[0], &child, sizeof(child)), sizeof(child));
	ASSERT_OK(kill(child, 0));
	kill(middle, SIGKILL);
	for (int i = 0; i < 300 && kill(child, 0) == 0; i++) {
		char path[32], state[64] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
		f = fopen(path, "r");
		if (f && fgets(state, sizeof(state), f) && strstr(state, ") Z"))
			break; /* nobody reaps it here */
		if (f)
			fclose(f);
		usleep(10000);
		ASSERT_TRUE(i < 299);
	}
}
