/*
 * Where a process listens: in the folder for temporary files of its environment, below its own
 * root, under its pid in its own namespace and the time of its start. A path that is longer than an
 * address may be is cut by the runtime, and so the socket has a shorter name, or lies elsewhere.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/mem.h"
#include "base/num.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"
#include "os/process.h"

#define PROBE_NS    NS_PER_S
#define DEFAULT_DIR "/tmp"
#define ADDRESS_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)
#define NAME_BEGINS STR("dotnet-diagnostic-")
#define NAME_ENDS   STR("-socket")
#define ENTRIES_MAX 100000 /* of a folder */

void dotnet_place_release(struct dotnet_place *at)
{
	free(at->root);
	free(at->dir);
	free(at->socket);
	*at = (struct dotnet_place){ 0 };
}

bool dotnet_socket_name(struct str name, pid_t *ret_pid)
{
	struct str pid;
	uint64_t v, key;

	if (!str_starts_with(name, NAME_BEGINS) || !str_ends_with(name, NAME_ENDS) ||
	    name.len < NAME_BEGINS.len + NAME_ENDS.len)
		return false;
	name = (struct str){ name.ptr + NAME_BEGINS.len,
			     name.len - NAME_BEGINS.len - NAME_ENDS.len };
	if (!str_split(&name, '-', &pid) || !name.ptr || num_parse_u64(pid, &v) < 0 ||
	    num_parse_u64(name, &key) < 0 || v > INT32_MAX)
		return false;
	*ret_pid = (pid_t)v;
	return true;
}

int dotnet_listener(int folder_fd, const char *name, pid_t *ret)
{
	struct dotnet_until u = { clock_now_ns() + PROBE_NS, 0 };
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	int fd, r = dotnet_connect_in(folder_fd, name, &u, &fd);

	if (r < 0)
		return r;
	/* those of who called listen(2), with the pid translated into our namespace */
	r = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? -errno : 0;
	close(fd);
	*ret = peer.pid;
	return r;
}

static bool is_socket(int folder_fd, const char *name)
{
	struct stat st;

	return fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode);
}

void dotnet_each_socket(int folder_fd,
			void (*fn)(void *arg, int folder_fd, const char *name, pid_t inner_pid),
			void *arg)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	pid_t inner_pid;

	for (int n = 0; dir && n < ENTRIES_MAX && (entry = readdir(dir)); n++)
		if (dotnet_socket_name(str_from(entry->d_name), &inner_pid) &&
		    is_socket(folder_fd, entry->d_name))
			fn(arg, folder_fd, entry->d_name, inner_pid);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* ---- one process ---- */

static void take_if_its(void *arg, int folder_fd, const char *name, pid_t inner_pid)
{
	struct dotnet_place *at = arg;
	pid_t who;

	if (!at->socket && inner_pid == at->inner_pid &&
	    dotnet_listener(folder_fd, name, &who) == 0 && who == at->pid)
		at->socket = xstrdup(name);
}

/* The name with its key; else, where clocks of namespaces differ, one whose listener it is. */
static void look_in_folder(struct dotnet_place *at, int folder)
{
	CLEANUP(mem_cleanup)
	char *name = xasprintf("dotnet-diagnostic-%d-%llu-socket", (int)at->inner_pid,
			       (unsigned long long)at->key);

	if (is_socket(folder, name))
		at->socket = TAKE(name);
	else
		dotnet_each_socket(folder, take_if_its, at);
}

/* What is left of a path that is too long, when it is what the process listens on. */
static void look_cut(struct dotnet_place *at)
{
	CLEANUP(mem_cleanup)
	char *path = xasprintf("%s/dotnet-diagnostic-%d-%llu-socket", at->dir, (int)at->inner_pid,
			       (unsigned long long)at->key);
	char *slash;
	pid_t who;

	if (strlen(path) <= ADDRESS_MAX)
		return;
	path[ADDRESS_MAX] = '\0';
	slash = strrchr(path, '/');
	if (slash && slash[1]) {
		CLEANUP(dotnet_close) int folder = -1;

		*slash = '\0';
		folder = dotnet_open_folder(at->root, *path ? path : "/");
		if (folder < 0 || !is_socket(folder, slash + 1) ||
		    dotnet_listener(folder, slash + 1, &who) < 0 || who != at->pid)
			return;
		at->socket = xstrdup(slash + 1);
		free(at->dir);
		at->dir = xstrdup(*path ? path : "/");
	}
}

/* Looks for the socket in a folder of the process's. */
static void look(struct dotnet_place *at, const char *dir)
{
	CLEANUP(dotnet_close) int folder = -1;

	*at = (struct dotnet_place){ at->pid, at->inner_pid, at->key, .closed = at->closed };
	at->root = xasprintf("/proc/%d/%s", (int)at->pid, *dir == '/' ? "root" : "cwd");
	at->dir = xstrdup(dir);
	folder = dotnet_open_folder(at->root, dir);
	if (folder == -EACCES || folder == -EPERM) { /* perhaps its root is our root */
		at->closed = true;
		*at->root = '\0';
		folder = dotnet_open_folder(at->root, dir);
	}
	at->folder_error = MIN(folder, 0);
	if (folder >= 0)
		look_in_folder(at, folder);
	if (folder >= 0 && !at->socket)
		look_cut(at);
}

int dotnet_locate(pid_t pid, struct dotnet_place *ret)
{
	static const char *const variable[] = { "TMPDIR" };
	CLEANUP(mem_cleanup) char *dir = NULL;
	struct dotnet_place at = { .pid = pid }, other;
	size_t which;
	int r = process_start_ticks(pid, &at.key);

	if (r == 0)
		r = process_inner_pid(pid, &at.inner_pid);
	if (r < 0)
		return r;
	r = process_variable(pid, variable, 1, &dir, &which);
	at.closed = r == -EACCES || r == -EPERM;
	look(&at, dir && *dir ? dir : DEFAULT_DIR);
	/* a program may have set or unset it before the runtime came up */
	if (!at.socket && strcmp(at.dir, DEFAULT_DIR) != 0) {
		other = at;
		look(&other, DEFAULT_DIR);
		if (other.socket) {
			dotnet_place_release(&at);
			at = other;
		} else {
			dotnet_place_release(&other);
		}
	}
	*ret = at;
	return 0;
}
