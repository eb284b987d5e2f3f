/*
 * The order of a launch: make the group; fork the reaper; fork the child, which joins the group,
 * then execs; a close-on-exec pipe brings back which step failed. Joining in the child (and not by
 * the parent afterwards) means that no instruction of the target runs outside its limits.
 *
 * clone3(CLONE_INTO_CGROUP) would spare the join, but only for version 2.
 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/child.h"
#include "os/clock.h"

#define KILL_TIMEOUT_NS (5 * NS_PER_S)

struct target {
	struct cgroup group;
	bool owned; /* we made the group and started the process */
	pid_t pid, reaper;
	int pid_fd;
	int reaper_pipe; /* our end; closing it wakes the reaper */
	uint64_t start_ns, end_ns;
	bool ended;
	int status; /* as waitpid() gives it */
	char *name;
};

struct target *target_free(struct target *t)
{
	if (!t)
		return NULL;
	if (t->owned)
		target_stop(t, 0, NULL, NULL);
	if (t->reaper_pipe >= 0)
		close(t->reaper_pipe); /* the reaper finds an empty group and goes */
	if (t->reaper > 0)
		waitpid(t->reaper, NULL, 0);
	if (t->owned)
		cgroup_remove(&t->group);
	if (t->pid_fd >= 0)
		close(t->pid_fd);
	cgroup_release(&t->group);
	free(t->name);
	free(t);
	return NULL;
}

static struct target *new_target(void)
{
	struct target *t = xcalloc(1, sizeof(*t));

	t->pid_fd = t->reaper_pipe = -1;
	t->start_ns = clock_now_ns();
	return t;
}

/* ---- the reaper ---- */

/* Closes what was inherited, so that the reaper keeps no socket or file of ours open. */
static void close_all_but(int fd)
{
	if (fd > 0)
		syscall(SYS_close_range, 0U, (unsigned)fd - 1, 0);
	syscall(SYS_close_range, (unsigned)fd + 1, ~0U, 0);
}

NORETURN static void reaper_main(int fd, const struct cgroup *g)
{
	char byte;

	prctl(PR_SET_NAME, "assay-reaper");
	setsid(); /* a Ctrl-C at the terminal is not for the reaper */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	close_all_but(fd);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	cgroup_kill(g, KILL_TIMEOUT_NS);
	cgroup_remove(g);
	_exit(0);
}

static int start_reaper(struct target *t, struct error *reterr)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(reterr, -errno, "making a pipe");
	pid = fork();
	if (pid < 0) {
		int code = -errno;

		close(fds[0]);
		close(fds[1]);
		return error_errno(reterr, code, "starting the reaper process");
	}
	if (pid == 0) {
		close(fds[1]);
		reaper_main(fds[0], &t->group);
	}
	close(fds[0]);
	t->reaper = pid;
	t->reaper_pipe = fds[1];
	return 0;
}

/* ---- the child ---- */

enum child_step { STEP_GROUP, STEP_OUTPUT, STEP_FOLDER, STEP_EXEC };

struct child_failure {
	enum child_step step;
	int code;
};

NORETURN static void child_fail(int fd, enum child_step step, int code)
{
	struct child_failure f = { step, code };
	ssize_t n = write(fd, &f, sizeof(f));

	_exit(n == sizeof(f) ? 125 : 124);
}

/* A process group of its own, which gets the terminal if there is one to hand on. */
static void child_session(const struct target_opts *o)
{
	sigset_t none;

	setpgid(0, 0);
	if (o->foreground && isatty(0)) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int child_output(const char *path)
{
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	int in = open("/dev/null", O_RDONLY);

	if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || dup2(in, 0) < 0)
		return -errno;
	close(out);
	close(in);
	return 0;
}

NORETURN static void child_main(const struct target_opts *o, char **env, const struct cgroup *g,
				int fd)
{
	int r = cgroup_join(g, getpid());

	if (r < 0)
		child_fail(fd, STEP_GROUP, -r);
	child_session(o);
	if (o->output && child_output(o->output) < 0)
		child_fail(fd, STEP_OUTPUT, errno);
	if (o->cwd && chdir(o->cwd) < 0)
		child_fail(fd, STEP_FOLDER, errno);
	execvpe(o->argv[0], (char *const *)(uintptr_t)o->argv, env);
	child_fail(fd, STEP_EXEC, errno);
}

static int explain_failure(const struct child_failure *f, const struct target_opts *o,
			   struct error *reterr)
{
	switch (f->step) {
	case STEP_GROUP:
		return error_set(
			reterr, -ECHILD,
			"joining the control group: %s; run as root or in a delegated group",
			strerror(f->code));
	case STEP_OUTPUT:
		return error_set(reterr, -ECHILD, "opening %s: %s", o->output, strerror(f->code));
	case STEP_FOLDER:
		return error_set(reterr, -ECHILD, "entering folder %s: %s", o->cwd,
				 strerror(f->code));
	case STEP_EXEC:
		break;
	}
	if (f->code == ENOENT)
		return error_set(reterr, -ENOENT,
				 "no command %s; is it built, and is the path right?", o->argv[0]);
	return error_set(reterr, f->code == EACCES || f->code == ENOEXEC ? -EACCES : -ECHILD,
			 "%s cannot be executed: %s", o->argv[0], strerror(f->code));
}

static int start_child(struct target *t, const struct target_opts *o, struct error *reterr)
{
	CLEANUP(mem_cleanup) char **env = child_environment(o->env);
	struct child_failure failure;
	int fds[2];
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(reterr, -errno, "making a pipe");
	t->pid = fork();
	if (t->pid == 0)
		child_main(o, env, &t->group, fds[1]);
	close(fds[1]);
	if (t->pid < 0) {
		close(fds[0]);
		return error_errno(reterr, -errno, "starting %s", o->argv[0]);
	}
	while ((n = read(fds[0], &failure, sizeof(failure))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	if (n != sizeof(failure)) {
		t->pid_fd = (int)syscall(SYS_pidfd_open, t->pid, 0);
		return 0;
	}
	waitpid(t->pid, &t->status, 0);
	t->ended = true;
	return explain_failure(&failure, o, reterr);
}

int target_launch(const struct target_opts *o, struct target **ret, struct error *reterr)
{
	static unsigned serial;
	CLEANUP(cleanup_target) struct target *t = new_target();
	char name[64];
	int r;

	snprintf(name, sizeof(name), "assay-%d-%u", (int)getpid(), ++serial);
	t->name = xstrdup(o->argv[0]);
	r = cgroup_make("", name, &o->limits, &t->group, reterr);
	if (r < 0)
		return r;
	t->owned = true;
	r = start_reaper(t, reterr);
	if (r < 0)
		return r;
	r = start_child(t, o, reterr);
	if (r < 0)
		return r;
	*ret = TAKE(t);
	return 0;
}

/* ---- what was there already ---- */

int target_attach_pid(pid_t pid, struct target **ret, struct error *reterr)
{
	CLEANUP(cleanup_target) struct target *t = new_target();
	int r;

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return error_set(reterr, -ESRCH, "no process %d here", (int)pid);
	t->name = xasprintf("process %d", (int)pid);
	t->pid = pid;
	t->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	r = cgroup_of_pid("", pid, &t->group, reterr);
	if (r < 0)
		return r;
	*ret = TAKE(t);
	return 0;
}

int target_attach_cgroup(const char *path, struct target **ret, struct error *reterr)
{
	CLEANUP(cleanup_target) struct target *t = new_target();
	int r = cgroup_of_path("", path, &t->group, reterr);

	if (r < 0)
		return r;
	t->name = xasprintf("control group %s", path);
	*ret = TAKE(t);
	return 0;
}

/* ---- using it ---- */

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

const struct cgroup *target_cgroup(const struct target *t)
{
	return &t->group;
}

struct cgroup_limits target_limits(const struct target *t)
{
	struct cgroup_limits l = { 0 };

	cgroup_read_limits(&t->group, &l, NULL);
	return l;
}

int target_signal(const struct target *t, int signal)
{
	if (t->ended || !t->pid)
		return -ESRCH;
	return kill(t->pid, signal) < 0 ? -errno : 0;
}

/* Has the main process ended? Reaps it if it is our child. */
static bool check_ended(struct target *t)
{
	pid_t r;

	if (t->ended || !t->pid)
		return t->ended;
	if (!t->owned) {
		t->ended = kill(t->pid, 0) < 0 && errno == ESRCH;
	} else {
		r = waitpid(t->pid, &t->status, WNOHANG);
		t->ended = r == t->pid || (r < 0 && errno == ECHILD);
	}
	if (t->ended)
		t->end_ns = clock_now_ns();
	return t->ended;
}

bool target_alive(struct target *t)
{
	return !check_ended(t);
}

int target_wait(struct target *t, uint64_t timeout_ns)
{
	struct timespec limit = { .tv_sec = (time_t)(timeout_ns / NS_PER_S),
				  .tv_nsec = (long)(timeout_ns % NS_PER_S) };
	struct pollfd p = { .fd = t->pid_fd, .events = POLLIN };

	if (check_ended(t))
		return 1;
	if (ppoll(&p, 1, timeout_ns == UINT64_MAX ? NULL : &limit, NULL) < 0)
		return -errno;
	return check_ended(t);
}

static void fill_usage(struct target *t, struct target_usage *u)
{
	*u = (struct target_usage){ .wall_ns = (t->end_ns ? t->end_ns : clock_now_ns()) -
					       t->start_ns };
	u->exit_code = t->ended && WIFEXITED(t->status) ? WEXITSTATUS(t->status) : -1;
	u->signal = t->ended && WIFSIGNALED(t->status) ? WTERMSIG(t->status) : 0;
	cgroup_read_stat(&t->group, &u->stat, NULL);
	if (u->stat.periods)
		u->throttled_share = (double)u->stat.throttled / (double)u->stat.periods;
}

/* Waits past signals: the end is near in any case. */
static void wait_to_end(struct target *t, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_now_ns() + timeout_ns;

	for (uint64_t now_ns = clock_now_ns(); now_ns < until_ns; now_ns = clock_now_ns())
		if (target_wait(t, until_ns - now_ns) == 1)
			return;
}

int target_stop(struct target *t, uint64_t grace_ns, struct target_usage *ret, struct error *reterr)
{
	int r = 0;

	if (t->owned && !check_ended(t) && grace_ns) {
		target_signal(t, SIGTERM);
		wait_to_end(t, grace_ns);
	}
	if (t->owned) {
		if (t->pid > 0 && !check_ended(t))
			kill(-t->pid, SIGKILL); /* enough where no group could be made */
		r = cgroup_kill(&t->group, KILL_TIMEOUT_NS);
		wait_to_end(t, NS_PER_S);
	}
	if (ret)
		fill_usage(t, ret);
	if (r < 0)
		return error_errno(reterr, r, "ending all processes of %s", t->name);
	return 0;
}
