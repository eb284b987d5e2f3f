/*
 * The port lies in a folder of its own, which is nobody else's to enter. A variable of the
 * environment names it, so every runtime below the command dials it too: the SDK's when the command
 * is `dotnet run`, and whatever the program starts. Those are resumed at once.
 */
#include "dotnet/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "dotnet/port.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/process.h"

#define WAIT_NS (10 * NS_PER_S)
#define LOOK_NS (50 * NS_PER_MS) /* between looks whether the command has ended */
#define FOLDER	"assay-port-XXXXXX"
#define PORTS	"DOTNET_DiagnosticPorts"

struct dotnet_child {
	char *folder;
	struct dotnet_port *port;
	struct child *process;
	struct dotnet_peer *peer;
	pid_t pid;  /* of the runtime's process */
	int pid_fd; /* of it, when it is not the command's own; -1 = none */
};

/* ---- the port ---- */

static int make_port(struct dotnet_child *c, const char *temporary, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = NULL;

	/* a runtime would take these for the end of the name */
	if (!temporary || !*temporary || strpbrk(temporary, ",;"))
		temporary = "/tmp";
	c->folder = xasprintf("%s/" FOLDER, temporary);
	if (!mkdtemp(c->folder)) {
		int r = error_errno(reterr, -errno, "making a folder in %s", temporary);

		free(TAKE(c->folder));
		return r;
	}
	path = xasprintf("%s/port", c->folder);
	return dotnet_port_listen(path, &c->port, reterr);
}

/* Ours, and those that were to be dialled anyway. */
static char *name_ports(const char *ours)
{
	static const char *const variable[] = { PORTS };
	CLEANUP(mem_cleanup) char *theirs = NULL;
	size_t which;

	if (process_variable(getpid(), variable, 1, &theirs, &which) == 0 && *theirs)
		return xasprintf(PORTS "=%s;%s", ours, theirs);
	return xasprintf(PORTS "=%s", ours);
}

static int start_process(struct dotnet_child *c, const struct dotnet_child_opts *o,
			 struct error *reterr)
{
	CLEANUP(mem_cleanup) char *ports = name_ports(dotnet_port_path(c->port));
	const char *env[] = { ports, "DOTNET_EnableDiagnostics=1", "DOTNET_EnableDiagnostics_IPC=1",
			      NULL };
	struct child_opts child = { .argv = o->argv, .env = env, .silent = o->silent };

	return child_start(&child, &c->process, reterr);
}

/* ---- which runtime ---- */

/* "/usr/share/dotnet/sdk/10.0.401/MSBuild.dll" */
static bool is_of_sdk(struct str path)
{
	struct str rest = path, part, before = { 0 };

	while (str_split(&rest, '/', &part)) {
		if (str_eq_c(before, "sdk") && part.len && part.ptr[0] >= '0' && part.ptr[0] <= '9')
			return true;
		before = part;
	}
	return false;
}

static bool is_called_dotnet(struct str program)
{
	return str_eq_c(program, "dotnet") || str_ends_with(program, STR("/dotnet"));
}

bool dotnet_is_sdk(const char *command_line)
{
	struct str rest = str_from(command_line), word, program;
	bool first = true;

	str_split(&rest, ' ', &program);
	if (!is_called_dotnet(program))
		return is_of_sdk(program);
	while (str_split(&rest, ' ', &word)) {
		if (is_of_sdk(word))
			return true;
		if (str_ends_with(word, STR(".dll")) || str_ends_with(word, STR(".exe")))
			return false;
		if (first && !str_eq_c(word, "exec") && word.len && word.ptr[0] != '-')
			return true; /* dotnet run, watch, test, ... */
		first = false;
	}
	return true;
}

static bool is_passed_over(struct dotnet_peer *peer, pid_t pid)
{
	CLEANUP(mem_cleanup) char *line = pid ? process_command_line(pid) : xstrdup("");

	return *line && dotnet_is_sdk(line) && dotnet_resume(peer, NULL) == 0;
}

static int explain_ended(struct dotnet_child *c, bool saw_sdk, bool silent, struct error *reterr)
{
	return error_set(reterr, -ECHILD, "%s ended (%s%s) before a .NET program came up in it%s",
			 child_name(c->process), child_outcome(c->process),
			 silent ? ", its output hidden" : "",
			 saw_sdk ? ", other than the SDK's own" : ": is it one?");
}

static int explain_timeout(struct dotnet_child *c, uint64_t wait_ns, struct error *reterr)
{
	bool starting;
	double wait_s = (double)wait_ns / 1e9;

	if (dotnet_kind_of(child_pid(c->process), &starting) == DOTNET_KIND_NATIVE)
		return error_set(reterr, -ETIMEDOUT,
				 "no .NET runtime came up in %s within %g s: is it a .NET program?",
				 child_name(c->process), wait_s);
	return error_set(reterr, -ETIMEDOUT,
			 "the .NET runtime in %s did not dial %s within %g s: those before .NET 5 "
			 "know no ports, and in another container or as another user it cannot "
			 "reach ours",
			 child_name(c->process), dotnet_port_path(c->port), wait_s);
}

/* The first runtime that is not the SDK's. */
static int wait_for_runtime(struct dotnet_child *c, const struct dotnet_child_opts *o,
			    struct error *reterr)
{
	struct dotnet_patience patience = { .cancel_fd = o->cancel_fd };
	uint64_t wait_ns = o->wait_ns ? o->wait_ns : WAIT_NS, begin_ns = clock_now_ns();
	bool saw_sdk = false;

	for (;;) {
		struct dotnet_peer *peer = NULL;
		struct error e = ERROR_INIT;
		bool ended = child_wait(c->process, 0);
		int r = dotnet_port_accept(c->port, &patience, LOOK_NS, &peer, &c->pid, &e);

		if (r == 0 && is_passed_over(peer, c->pid)) {
			saw_sdk = true; /* it may build for a long time */
			dotnet_peer_free(peer);
			continue;
		}
		if (r == 0) {
			c->peer = peer;
			return 0;
		}
		if (r == -ECANCELED)
			return error_set(reterr, r, "given up before a .NET runtime came up in %s",
					 child_name(c->process));
		if (r != -ETIMEDOUT)
			return error_set(reterr, r, "%s", e.msg);
		if (ended)
			return explain_ended(c, saw_sdk, o->silent, reterr);
		if (!saw_sdk && clock_now_ns() - begin_ns >= wait_ns)
			return explain_timeout(c, wait_ns, reterr);
	}
}

int dotnet_child_start(const struct dotnet_child_opts *o, struct dotnet_child **ret,
		       struct error *reterr)
{
	CLEANUP(cleanup_dotnet_child) struct dotnet_child *c = xcalloc(1, sizeof(*c));
	int r;

	c->pid_fd = -1;
	r = make_port(c, o->temporary, reterr);
	if (r == 0)
		r = start_process(c, o, reterr);
	if (r == 0)
		r = wait_for_runtime(c, o, reterr);
	if (r < 0)
		return r;
	dotnet_port_resume_others(c->port);
	if (!c->pid)
		c->pid = child_pid(c->process);
	if (c->pid != child_pid(c->process))
		c->pid_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	*ret = TAKE(c);
	return 0;
}

struct dotnet_peer *dotnet_child_peer(const struct dotnet_child *c)
{
	return c->peer;
}

pid_t dotnet_child_pid(const struct dotnet_child *c)
{
	return c->pid;
}

bool dotnet_child_wait(struct dotnet_child *c, uint64_t timeout_ns)
{
	return child_wait(c->process, timeout_ns);
}

static void signal_runtime(const struct dotnet_child *c, int signal)
{
	if (c->pid_fd >= 0)
		syscall(SYS_pidfd_send_signal, c->pid_fd, signal, NULL, 0);
}

void dotnet_child_stop(struct dotnet_child *c, uint64_t grace_ns)
{
	struct dotnet_until u = { clock_now_ns() + grace_ns, 0 };

	signal_runtime(c, SIGTERM);
	child_stop(c->process, grace_ns);
	if (c->pid_fd >= 0 && dotnet_wait_fd(c->pid_fd, POLLIN, &u) < 0)
		signal_runtime(c, SIGKILL);
}

int dotnet_child_exit_code(struct dotnet_child *c)
{
	return child_exit_code(c->process);
}

const char *dotnet_child_outcome(struct dotnet_child *c)
{
	return child_outcome(c->process);
}

struct dotnet_child *dotnet_child_free(struct dotnet_child *c)
{
	if (!c)
		return NULL;
	if (c->process)
		dotnet_child_stop(c, 0);
	child_free(c->process);
	dotnet_close(&c->pid_fd);
	dotnet_peer_free(c->peer);
	dotnet_port_free(c->port);
	if (c->folder)
		rmdir(c->folder);
	free(c->folder);
	free(c);
	return NULL;
}
