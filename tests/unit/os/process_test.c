#include "os/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"

/* A process that runs until its standard input closes, with these arguments and variables. */
struct child {
	pid_t pid;
	int hold;
};

static struct child start(const char *const argv[], const char *const env[])
{
	struct child c;
	int in[2], ready[2];
	char byte;

	ASSERT_OK(pipe(in));
	ASSERT_OK(pipe(ready));
	c.pid = fork();
	if (c.pid == 0) {
		dup2(in[0], 0);
		dup2(ready[1], 1);
		for (int fd = 3; fd < 16; fd++)
			close(fd);
		execve("/bin/sh", (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
		_exit(127);
	}
	close(in[0]);
	close(ready[1]);
	ASSERT_INT(read(ready[0], &byte, 1), 1); /* the shell runs */
	close(ready[0]);
	c.hold = in[1];
	return c;
}

static void stop(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->hold);
}

#define WAITING "echo; read line"

static struct child start_with(const char *const env[])
{
	const char *const argv[] = { "sh", "-c", WAITING, NULL };

	return start(argv, env);
}

TEST(process_start_is_field_22_whatever_the_name)
{
	unsigned long long expected = 0;
	char line[1024];
	uint64_t ticks = 0;
	FILE *f;

	ASSERT_OK(prctl(PR_SET_NAME, "a) (b c"));
	f = fopen("/proc/self/stat", "r");
	ASSERT_TRUE(f && fgets(line, sizeof(line), f));
	fclose(f);
	/* state, then 18 fields, then the one */
	ASSERT_INT(sscanf(strrchr(line, ')') + 1,
			  " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %llu",
			  &expected),
		   1);
	ASSERT_OK(process_start_ticks(getpid(), &ticks));
	ASSERT_INT(ticks, expected);
	ASSERT_TRUE(ticks > 0);
	ASSERT_TRUE(!process_has_ended(getpid()));
}

TEST(process_that_is_gone)
{
	char *text = NULL;
	uint64_t ticks;
	size_t which;
	pid_t inner, pid = fork();
	uid_t user;

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	ASSERT_INT(process_start_ticks(pid, &ticks), -ESRCH);
	ASSERT_INT(process_inner_pid(pid, &inner), -ESRCH);
	ASSERT_INT(process_user(pid, &user), -ESRCH);
	ASSERT_INT(process_variable(pid, (const char *[]){ "X" }, 1, &text, &which), -ESRCH);
	ASSERT_INT(process_mapped_file(pid, "x", &text), -ESRCH);
	ASSERT_TRUE(process_has_ended(pid));
	ASSERT_TRUE(!process_has_thread(pid, ""));
	ASSERT_TRUE(process_name(pid) == NULL);
}

TEST(process_that_nobody_reaped_has_ended)
{
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ASSERT_OK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	ASSERT_TRUE(process_has_ended(pid));
	waitpid(pid, NULL, 0);
}

TEST(process_inner_pid_and_user_of_our_own)
{
	pid_t inner = 0;
	uid_t user = 4711;

	ASSERT_OK(process_inner_pid(getpid(), &inner));
	ASSERT_INT(inner, getpid());
	ASSERT_OK(process_user(getpid(), &user));
	ASSERT_INT(user, geteuid());
}

TEST(process_variable_is_the_first_of_the_names)
{
	const char *const env[] = { "B=two", "AB=no", "A=", "B=three", "noise", "C=x=y", NULL };
	struct child c = start_with(env);
	char *value = NULL;
	size_t which = 99;

	ASSERT_OK(process_variable(c.pid, (const char *[]){ "X", "B" }, 2, &value, &which));
	ASSERT_STREQ(value, "two"); /* as getenv() takes it */
	ASSERT_INT(which, 1);
	free(value);
	ASSERT_OK(process_variable(c.pid, (const char *[]){ "C", "B" }, 2, &value, &which));
	ASSERT_STREQ(value, "x=y");
	ASSERT_INT(which, 0);
	free(value);
	ASSERT_OK(process_variable(c.pid, (const char *[]){ "A" }, 1, &value, &which));
	ASSERT_STREQ(value, "");
	free(value);
	ASSERT_INT(process_variable(c.pid, (const char *[]){ "noise" }, 1, &value, &which),
		   -ENOENT);
	stop(&c);
}

TEST(process_names)
{
	const char *const env[] = { NULL };
	const char *const dotnet[] = { "/usr/bin/dotnet", "-c",	  WAITING, "/srv/Shop.Api.dll",
				       "--port",	  "a\nb", NULL };
	const char *const other[] = { "/opt/shop/api", "-c", WAITING, "/srv/Shop.dll", NULL };
	const char *const bare[] = { "dotnet", "-c", WAITING, "build", NULL };
	const struct {
		const char *const *argv;
		const char *name;
	} cases[] = { { dotnet, "Shop.Api" }, { other, "api" }, { bare, "dotnet" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct child c = start(cases[i].argv, env);
		CLEANUP(mem_cleanup) char *name = process_name(c.pid);
		CLEANUP(mem_cleanup) char *line = process_command_line(c.pid);

		ASSERT_STREQ(name, cases[i].name);
		ASSERT_HAS(line, WAITING);
		if (i == 0) {
			ASSERT_HAS(line, "/srv/Shop.Api.dll --port a b");
			ASSERT_TRUE(line[strlen(line) - 1] == 'b');
		}
		stop(&c);
	}
}

static void *wait_forever(void *arg)
{
	pause();
	return arg;
}

TEST(process_threads_and_maps)
{
	CLEANUP(mem_cleanup) char *path = NULL, *none = NULL;
	pthread_t t;

	ASSERT_INT(pthread_create(&t, NULL, wait_forever, NULL), 0);
	ASSERT_TRUE(!process_has_thread(getpid(), ".NET "));
	ASSERT_INT(pthread_setname_np(t, ".NET EventPipe"), 0);
	ASSERT_TRUE(process_has_thread(getpid(), ".NET "));
	ASSERT_TRUE(!process_has_thread(getpid(), "NET "));
	ASSERT_OK(process_mapped_file(getpid(), "test_os", &path));
	ASSERT_TRUE(*path == '/' && strstr(path, "/test_os"));
	ASSERT_OK(process_mapped_file(getpid(), "est_os", &none));
	ASSERT_STREQ(none, "");
}

TEST(process_list_is_ascending_and_holds_us)
{
	CLEANUP(mem_cleanup) pid_t *pids = NULL;
	struct error err = ERROR_INIT;
	bool found = false;
	size_t n = 0;

	ASSERT_OK_ERR(process_list(&pids, &n, &err), err);
	for (size_t i = 0; i < n; i++) {
		ASSERT_TRUE(i == 0 || pids[i - 1] < pids[i]);
		found |= pids[i] == getpid();
	}
	ASSERT_TRUE(found);
}
