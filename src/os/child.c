#include "os/child.h"

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
#include "base/vec.h"
#include "os/clock.h"

#define LOOK_NS (10 * NS_PER_MS) /* where the kernel has no descriptor for a process */

struct child {
	pid_t pid;
	int pid_fd; /* -1 = none */
	bool ended;
	int status; /* as waitpid() gives it */
	char *name;
	char outcome[32];
};

char **child_environment(const char *const *over)
{
	struct {
		char **ptr;
		size_t len, cap;
	} env = { 0 };

	for (char **e = environ; *e; e++) {
		size_t name = strcspn(*e, "=");
		bool replaced = false;

		for (const char *const *o = over; o && *o; o++)
			replaced |= !strncmp(*e, *o, name + 1);
		if (!replaced)
			vec_push(&env, *e);
	}
	for (const char *const *o = over; o && *o; o++)
		vec_push(&env, (char *)(uintptr_t)*o);
	vec_push(&env, NULL);
	return env.ptr;
}

/* ---- the child's side ---- */

static void silence(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

NORETURN static void child_main(const struct child_opts *o, char **env, pid_t parent, int fd)
{
	sigset_t none;
	int code;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(125);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (o->silent)
		silence();
	execvpe(o->argv[0], (char *const *)(uintptr_t)o->argv, env);
	code = errno;
	_exit(write(fd, &code, sizeof(code)) == sizeof(code) ? 125 : 124);
}

/* ---- ours ---- */

static int explain_exec(int code, const char *name, struct error *reterr)
{
	if (code == ENOENT)
		return error_set(reterr, -ENOENT,
				 "no command %s; is it built, and is the path right?", name);
	return error_set(reterr, code == EACCES || code == ENOEXEC ? -EACCES : -ECHILD,
			 "%s cannot be executed: %s", name, strerror(code));
}

int child_start(const struct child_opts *o, struct child **ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char **env = child_environment(o->env);
	CLEANUP(cleanup_child) struct child *c = xcalloc(1, sizeof(*c));
	pid_t parent = getpid();
	int fds[2], code;
	ssize_t n;

	c->pid_fd = -1;
	c->name = xstrdup(o->argv[0]);
	c->ended = true;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(reterr, -errno, "making a pipe");
	c->pid = fork();
	if (c->pid == 0)
		child_main(o, env, parent, fds[1]);
	close(fds[1]);
	if (c->pid < 0) {
		close(fds[0]);
		return error_errno(reterr, -errno, "starting %s", o->argv[0]);
	}
	c->ended = false;
	while ((n = read(fds[0], &code, sizeof(code))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	if (n == sizeof(code))
		return explain_exec(code, o->argv[0], reterr);
	c->pid_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	*ret = TAKE(c);
	return 0;
}

struct child *child_free(struct child *c)
{
	if (!c)
		return NULL;
	if (!c->ended && !child_wait(c, 0)) {
		kill(c->pid, SIGKILL);
		child_wait(c, UINT64_MAX);
	}
	if (c->pid_fd >= 0)
		close(c->pid_fd);
	free(c->name);
	free(c);
	return NULL;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

const char *child_name(const struct child *c)
{
	return c->name;
}

static bool check_ended(struct child *c)
{
	pid_t r;

	if (c->ended)
		return true;
	r = waitpid(c->pid, &c->status, WNOHANG);
	c->ended = r == c->pid || (r < 0 && errno == ECHILD);
	return c->ended;
}

bool child_wait(struct child *c, uint64_t timeout_ns)
{
	uint64_t now_ns = clock_now_ns(), until_ns = now_ns + MIN(timeout_ns, UINT64_MAX - now_ns);

	while (!check_ended(c)) {
		struct pollfd p = { .fd = c->pid_fd, .events = POLLIN };
		struct timespec left;

		now_ns = clock_now_ns();
		if (now_ns >= until_ns)
			return false;
		left = clock_timespec(c->pid_fd < 0 ? MIN(until_ns - now_ns, LOOK_NS)
						    : MIN(until_ns - now_ns, NS_PER_S));
		ppoll(&p, 1, &left, NULL);
	}
	return true;
}

void child_stop(struct child *c, uint64_t grace_ns)
{
	if (check_ended(c))
		return;
	kill(c->pid, SIGTERM);
	if (child_wait(c, grace_ns))
		return;
	kill(c->pid, SIGKILL);
	child_wait(c, UINT64_MAX);
}

int child_exit_code(struct child *c)
{
	if (!check_ended(c))
		return -EBUSY;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

const char *child_outcome(struct child *c)
{
	if (!check_ended(c))
		return "it runs";
	if (WIFSIGNALED(c->status))
		snprintf(c->outcome, sizeof(c->outcome), "signal %d", WTERMSIG(c->status));
	else
		snprintf(c->outcome, sizeof(c->outcome), "exit code %d", WEXITSTATUS(c->status));
	return c->outcome;
}
