/* What kind of .NET runs in a process, and why it has no socket: in words that say what to do. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"

#define STARTING_NS (3 * NS_PER_S)
#define SOCKETS_MAX (16u * 1024 * 1024)
#define FOLDER_MAX  60 /* leaves room for the longest name of a socket */
#define CORECLR	    "libcoreclr.so"

static bool maps(pid_t pid, const char *file)
{
	CLEANUP(mem_cleanup) char *path = NULL;

	return process_mapped_file(pid, file, &path) == 0 && *path;
}

/* Threads that only a runtime with a compiler in it has. */
static bool has_jit_threads(pid_t pid)
{
	return process_has_thread(pid, ".NET SynchManag") ||
	       process_has_thread(pid, ".NET Tiered") || process_has_thread(pid, ".NET Debug");
}

/*
 * An application of one file has the runtime linked into its program; what shows is the mapping
 * of compiled code, and threads. Threads are all that other users' processes show.
 */
enum dotnet_kind dotnet_kind_of(pid_t pid, bool *ret_starting)
{
	*ret_starting = false;
	if (maps(pid, CORECLR) || maps(pid, "memfd:doublemapper"))
		return DOTNET_KIND_CORECLR;
	if (process_has_thread(pid, ".NET "))
		return has_jit_threads(pid) ? DOTNET_KIND_CORECLR : DOTNET_KIND_AOT;
	*ret_starting = maps(pid, "libhostfxr.so") || maps(pid, "libhostpolicy.so");
	return *ret_starting ? DOTNET_KIND_CORECLR : DOTNET_KIND_NATIVE;
}

/* ---- reasons ---- */

static int explain_closed(const struct dotnet_place *at, const char *name, struct error *reterr)
{
	uid_t user;

	if (process_user(at->pid, &user) < 0)
		return error_set(reterr, -ESRCH, "process %d has ended", (int)at->pid);
	if (user == geteuid())
		return error_set(reterr, -EACCES,
				 "process %d (%s) may not be looked into though it is of the same "
				 "user: it has rights that we lack; run as root, in a container "
				 "with --cap-add SYS_PTRACE",
				 (int)at->pid, name);
	if (geteuid() == 0)
		return error_set(reterr, -EACCES,
				 "process %d (%s) belongs to user %u, and this root may not look "
				 "into it: run as that user, or add the capability SYS_PTRACE",
				 (int)at->pid, name, (unsigned)user);
	return error_set(reterr, -EACCES,
			 "process %d (%s) belongs to user %u: run as that user or as root",
			 (int)at->pid, name, (unsigned)user);
}

/* A hexadecimal number, with or without "0x". */
static bool is_zero(const char *value)
{
	if (value[0] == '0' && (value[1] | 0x20) == 'x')
		value += 2;
	return *value && strspn(value, "0") == strlen(value);
}

/* The variable that switches the port off, as the runtime reads it. */
static bool is_switched_off(pid_t pid, const char **ret_name)
{
	static const char *const names[2][2] = {
		{ "DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics" },
		{ "DOTNET_EnableDiagnostics_IPC", "COMPlus_EnableDiagnostics_IPC" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		CLEANUP(mem_cleanup) char *value = NULL;
		size_t which;

		if (process_variable(pid, names[i], 2, &value, &which) == 0 && is_zero(value)) {
			*ret_name = names[i][which];
			return true;
		}
	}
	return false;
}

/* Whether it listens on a socket of its name whose file is gone. */
static bool is_removed(const struct dotnet_place *at)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/net/unix", (int)at->pid);
	CLEANUP(mem_cleanup)
	char *name = xasprintf("/dotnet-diagnostic-%d-%llu-socket\n", (int)at->inner_pid,
			       (unsigned long long)at->key);

	return file_read(path, SOCKETS_MAX, &text, NULL) == 0 &&
	       strstr(strbuf_cstr(&text), name) != NULL;
}

static bool is_young(const struct dotnet_place *at)
{
	struct timespec boot;
	uint64_t per_tick = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK), now;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	now = (uint64_t)boot.tv_sec * NS_PER_S + (uint64_t)boot.tv_nsec;
	return now < at->key * per_tick + STARTING_NS;
}

/* Whether the user of the process could make a file in a folder, as far as its mode tells. */
static bool may_write(const struct stat *st, uid_t user)
{
	if (user == 0)
		return true;
	if (st->st_uid == user)
		return st->st_mode & S_IWUSR;
	return st->st_mode & (S_IWGRP | S_IWOTH);
}

/* What is wrong with the folder for temporary files; 0 = nothing that shows. */
static int explain_folder(const struct dotnet_place *at, const char *name, struct error *reterr)
{
	CLEANUP(dotnet_close) int folder = dotnet_open_folder(at->root, at->dir);
	struct statvfs fs;
	struct stat st;
	uid_t user;

	if (folder == -ENOENT || folder == -ENOTDIR)
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) has no diagnostics socket: its folder for "
				 "temporary files, %s, does not exist; make it, or start the "
				 "process with TMPDIR set to one that does",
				 (int)at->pid, name, at->dir);
	if (folder < 0)
		return error_errno(reterr, folder,
				   "process %d (%s): opening its folder for temporary files, %s",
				   (int)at->pid, name, at->dir);
	if (fstatvfs(folder, &fs) == 0 && fs.f_flag & ST_RDONLY)
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) has no diagnostics socket: its folder for "
				 "temporary files, %s, is on a read-only file system; mount a "
				 "writable volume there, or set TMPDIR to one",
				 (int)at->pid, name, at->dir);
	if (fstat(folder, &st) == 0 && process_user(at->pid, &user) == 0 && !may_write(&st, user))
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) has no diagnostics socket: its user, %u, may not "
				 "write into its folder for temporary files, %s; give it the "
				 "right, or set TMPDIR to a folder where it may",
				 (int)at->pid, name, (unsigned)user, at->dir);
	return 0;
}

static int explain_aot(const struct dotnet_place *at, const char *name, struct error *reterr)
{
	return error_set(reterr, -EOPNOTSUPP,
			 "process %d (%s) is compiled ahead of time, without a diagnostics port: "
			 "build it with the property EventSourceSupport set to true",
			 (int)at->pid, name);
}

/* ---- in order: what is certain first ---- */

int dotnet_explain(const struct dotnet_place *at, enum dotnet_kind kind, bool starting,
		   const char *name, struct error *reterr)
{
	const char *variable;
	int r;

	if (process_has_ended(at->pid))
		return error_set(reterr, -ESRCH, "process %d has ended", (int)at->pid);
	if (kind == DOTNET_KIND_NATIVE)
		return error_set(reterr, -ENOENT,
				 "process %d (%s) runs no .NET that can be seen from outside",
				 (int)at->pid, name);
	if (at->closed)
		return explain_closed(at, name, reterr);
	if (is_switched_off(at->pid, &variable))
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) has its diagnostics port switched off by %s=0 in "
				 "its environment: start it without",
				 (int)at->pid, name, variable);
	r = explain_folder(at, name, reterr);
	if (r < 0)
		return r;
	if (strlen(at->dir) > FOLDER_MAX)
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) has a folder for temporary files, %s, that is "
				 "so long that no socket's address holds it: set TMPDIR to one of "
				 "at most %d characters",
				 (int)at->pid, name, at->dir, FOLDER_MAX);
	if (is_removed(at))
		return error_set(reterr, -EOPNOTSUPP,
				 "process %d (%s) listens, but the file of its socket was removed "
				 "from %s, as cleaners of temporary files do: only a restart of "
				 "the process brings it back",
				 (int)at->pid, name, at->dir);
	if (starting || is_young(at))
		return error_set(reterr, -EAGAIN,
				 "process %d (%s) has no diagnostics socket yet: it is starting; "
				 "try again in a moment",
				 (int)at->pid, name);
	if (kind == DOTNET_KIND_AOT && !process_has_thread(at->pid, ".NET EventPipe"))
		return explain_aot(at, name, reterr);
	return error_set(
		reterr, -EOPNOTSUPP,
		"process %d (%s) has no diagnostics socket in %s, its folder for temporary "
		"files, and nothing tells why: it may have been switched off by the "
		"program itself; start it again, with DOTNET_EnableDiagnostics=1",
		(int)at->pid, name, at->dir);
}
