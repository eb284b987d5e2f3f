#include "target/target.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "os/file.h"
#include "test.h"

static struct target *launch(const char *script, struct cgroup_limits_wanted limits)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct error err = ERROR_INIT;
	struct target *t = NULL;

	if (geteuid() != 0)
		test_skip("control groups need root");
	ASSERT_OK_ERR(
		target_launch(&(struct target_opts){ .argv = argv, .limits = limits }, &t, &err),
		err);
	return t;
}

TEST(target_gives_its_exit_code_and_usage)
{
	CLEANUP(cleanup_target)
	struct target *t = launch("exit 7", (struct cgroup_limits_wanted){ 0 });
	struct target_usage u;

	ASSERT_INT(target_wait(t, 10 * NS_PER_S), 1);
	ASSERT_OK(target_stop(t, 0, &u, NULL));
	ASSERT_INT(u.exit_code, 7);
	ASSERT_TRUE(u.wall_ns < 10 * NS_PER_S);
}

TEST(target_errors_of_the_command_are_told_apart)
{
	const char *const missing[] = { "/no/such/command", NULL };
	const char *const folder[] = { "/tmp", NULL };
	struct error err = ERROR_INIT;
	struct target *t = NULL;

	if (geteuid() != 0)
		test_skip("control groups need root");
	ASSERT_INT(target_launch(&(struct target_opts){ .argv = missing }, &t, &err), -ENOENT);
	ASSERT_HAS(err.msg, "no command /no/such/command");
	ASSERT_INT(target_launch(&(struct target_opts){ .argv = folder }, &t, &err), -EACCES);
	ASSERT_HAS(err.msg, "/tmp cannot be executed: Permission denied");
}

/* Two busy loops under a fifth of a CPU. */
TEST(target_under_a_quota_is_throttled)
{
	CLEANUP(cleanup_target)
	struct target *t = launch("(while :; do :; done) & while :; do :; done",
				  (struct cgroup_limits_wanted){ .cpus = 0.2 });
	struct target_usage u;

	ASSERT_NEAR(target_limits(t).cpus, 0.2, 1e-9);
	ASSERT_INT(target_wait(t, NS_PER_S), 0);
	ASSERT_OK(target_stop(t, 100 * NS_PER_MS, &u, NULL));
	ASSERT_TRUE(u.throttled_share > 0.5);
	ASSERT_INT(u.signal, SIGTERM);
}

TEST(target_over_its_memory_limit_is_killed_and_counted)
{
	CLEANUP(cleanup_target)
	struct target *t = launch("x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 20",
				  (struct cgroup_limits_wanted){ .memory_bytes = 32 << 20 });
	struct target_usage u;

	ASSERT_INT(target_wait(t, 15 * NS_PER_S), 1);
	ASSERT_OK(target_stop(t, 0, &u, NULL));
	ASSERT_TRUE(u.stat.oom_kills >= 1);
	ASSERT_TRUE(u.stat.memory_peak_bytes <= 32 << 20);
}

/* Is a process of that number running (and no zombie)? */
static bool runs(pid_t pid)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return file_read(path, 4096, &text, NULL) == 0 && !strstr(strbuf_cstr(&text), ") Z");
}

static pid_t pid_in(const char *path)
{
	for (int i = 0; i < 200; i++) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
		uint64_t pid;

		if (file_read(path, 64, &text, NULL) == 0 &&
		    num_parse_u64(str_trim(strbuf_str(&text)), &pid) == 0)
			return (pid_t)pid;
		usleep(20000);
	}
	return 0;
}

#define DAEMON "setsid sh -c 'setsid sleep 60 & echo $! > %s.new; mv %s.new %s' & sleep 60"

/* A daemon that left the session and the process group is still in the control group. */
TEST(target_stop_ends_daemons_too)
{
	char path[64], script[512];
	struct target *t;
	pid_t daemon;

	snprintf(path, sizeof(path), "/tmp/assay-daemon-%d", (int)getpid());
	snprintf(script, sizeof(script), DAEMON, path, path, path);
	t = launch(script, (struct cgroup_limits_wanted){ 0 });
	daemon = pid_in(path);
	unlink(path);
	ASSERT_TRUE(daemon > 0 && runs(daemon));
	target_free(t);
	ASSERT_TRUE(!runs(daemon));
}

/* The launcher is killed with SIGKILL: the reaper ends the daemon and removes the group. */
TEST(target_does_not_outlive_a_killed_launcher)
{
	char path[64], script[512];
	pid_t launcher, daemon;

	if (geteuid() != 0)
		test_skip("control groups need root");
	snprintf(path, sizeof(path), "/tmp/assay-killed-%d", (int)getpid());
	snprintf(script, sizeof(script), DAEMON, path, path, path);
	launcher = fork();
	if (launcher == 0) {
		launch(script, (struct cgroup_limits_wanted){ .cpus = 0.5 });
		pause();
	}
	daemon = pid_in(path);
	unlink(path);
	ASSERT_TRUE(daemon > 0 && runs(daemon));
	kill(launcher, SIGKILL);
	waitpid(launcher, NULL, 0);
	for (int i = 0; i < 250 && runs(daemon); i++)
		usleep(20000);
	ASSERT_TRUE(!runs(daemon));
}
