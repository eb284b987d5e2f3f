/*
 * Groups of our own. On version 2 a group may hold processes or enabled controllers, not both, so a
 * new group goes below the top of the hierarchy when its controllers are not enabled where we are.
 * On version 1 and hybrids a folder is made in each hierarchy that is needed, and one in version 2
 * beside them, for its pressure files.
 */
#include "os/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/file.h"

#define DEFAULT_PERIOD_NS (100 * NS_PER_MS)

/* Is this the first place where the folder appears? On version 2 all controllers share one. */
static bool is_own_folder(const struct cgroup *g, int controller)
{
	if (!g->dir[controller])
		return false;
	for (int i = 0; i < controller; i++)
		if (g->dir[i] && !strcmp(g->dir[i], g->dir[controller]))
			return false;
	return true;
}

static int no_rights(struct error *reterr, int code, const char *what, const char *path)
{
	char reason[128];

	return error_set(reterr, code,
			 "%s %s: %s. Setting limits needs write access to a control group: run as "
			 "root, or in a group that was delegated to you, or start the target with "
			 "`systemd-run --user --scope -p CPUQuota=100%% -p MemoryMax=1G CMD` and "
			 "observe it by its pid",
			 what, path, strerror_r(-code, reason, sizeof(reason)));
}

static int set_control(const char *dir, const char *file, const char *value, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", dir, file);
	int r = file_write_control(path, value, NULL);

	return r < 0 ? no_rights(reterr, r, "setting a limit in", path) : 0;
}

/* Reads a limit back: the kernel may round, but what it says is what holds. */
static int verify_control(const char *dir, const char *file, const char *wanted,
			  struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", dir, file);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int r = file_read(path, 4096, &text, reterr);

	if (r < 0)
		return r;
	if (!str_eq_c(str_trim(strbuf_str(&text)), wanted))
		return error_set(reterr, -EINVAL, "%s says \"%.*s\" after \"%s\" was written", path,
				 STR_FMT(str_trim(strbuf_str(&text))), wanted);
	return 0;
}

static int set_quota(const struct cgroup *g, const struct cgroup_limits_wanted *w,
		     struct error *reterr)
{
	const char *dir = g->dir[CGROUP_CPU];
	uint64_t period_us = (w->period_ns ? w->period_ns : DEFAULT_PERIOD_NS) / NS_PER_US;
	uint64_t quota_us = (uint64_t)(w->cpus * (double)period_us + 0.5);
	char value[64];
	int r;

	if (w->cpus <= 0)
		return 0;
	if (quota_us < 1000 || period_us < 1000 || period_us > 1000000)
		return error_set(reterr, -EINVAL,
				 "a quota of %.3f CPUs in periods of %llu us: the kernel takes "
				 "periods of 1 ms to 1 s and at least 1 ms of quota in each",
				 w->cpus, (unsigned long long)period_us);
	if (g->v2[CGROUP_CPU]) {
		snprintf(value, sizeof(value), "%llu %llu", (unsigned long long)quota_us,
			 (unsigned long long)period_us);
		r = set_control(dir, "cpu.max", value, reterr);
		return r < 0 ? r : verify_control(dir, "cpu.max", value, reterr);
	}
	snprintf(value, sizeof(value), "%llu", (unsigned long long)period_us);
	r = set_control(dir, "cpu.cfs_period_us", value, reterr);
	if (r < 0)
		return r;
	snprintf(value, sizeof(value), "%llu", (unsigned long long)quota_us);
	r = set_control(dir, "cpu.cfs_quota_us", value, reterr);
	return r < 0 ? r : verify_control(dir, "cpu.cfs_quota_us", value, reterr);
}

static int set_memory(const struct cgroup *g, const struct cgroup_limits_wanted *w,
		      struct error *reterr)
{
	const char *file = g->v2[CGROUP_MEMORY] ? "memory.max" : "memory.limit_in_bytes";
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char value[32];
	int r;

	if (!w->memory_bytes)
		return 0;
	snprintf(value, sizeof(value), "%llu", (unsigned long long)(w->memory_bytes / page * page));
	r = set_control(g->dir[CGROUP_MEMORY], file, value, reterr);
	return r < 0 ? r : verify_control(g->dir[CGROUP_MEMORY], file, value, reterr);
}

/* A controller is needed for what is asked, and for counting when it can be had. */
static bool needs(const struct cgroup_limits_wanted *w, int controller)
{
	return (controller == CGROUP_CPU && w->cpus > 0) ||
	       (controller == CGROUP_MEMORY && w->memory_bytes);
}

/* On version 2: enables cpu and memory for the children of dir; best effort, set_control() tells.
 */
static void enable_controllers(const char *dir)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/cgroup.subtree_control", dir);

	file_write_control(path, "+cpu", NULL);
	file_write_control(path, "+memory", NULL);
}

/*
 * The folder for the new group: below the caller's own group, except on version 2, where the own
 * group holds processes (us) and so cannot pass controllers on: there beside it.
 */
static char *place_for(const struct cgroup *own, int controller, const char *name)
{
	CLEANUP(mem_cleanup) char *parent = xstrdup(own->dir[controller]);
	bool at_top = !strcmp(parent, own->mount[controller]);

	if (own->v2[controller] && !at_top)
		*strrchr(parent, '/') = '\0';
	return xasprintf("%s/%s", parent, name);
}

static int make_folder(const struct cgroup *own, const struct cgroup_limits_wanted *w, int i,
		       const char *name, struct cgroup *ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *dir = place_for(own, i, name);

	if (own->v2[i]) {
		CLEANUP(mem_cleanup)
		char *parent = xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));

		enable_controllers(parent);
	}
	if (mkdir(dir, 0755) < 0 && errno != EEXIST) {
		int code = -errno;

		return needs(w, i) ? no_rights(reterr, code, "creating", dir) : 0;
	}
	ret->dir[i] = TAKE(dir);
	ret->mount[i] = xstrdup(own->mount[i]);
	ret->v2[i] = own->v2[i];
	return 0;
}

static int check_controllers(const struct cgroup *own, const struct cgroup_limits_wanted *w,
			     struct error *reterr)
{
	static const char *const names[] = { "cpu", "cpuacct", "memory", "cgroup2" };

	for (int i = 0; i < CGROUP_CONTROLLERS; i++)
		if (needs(w, i) && !own->dir[i])
			return error_set(
				reterr, -ENOSYS,
				"no %s control group is mounted here, so its limit cannot "
				"be set; `mount -t cgroup2 none /sys/fs/cgroup` mounts one",
				names[i]);
	return 0;
}

int cgroup_make(const char *root, const char *name, const struct cgroup_limits_wanted *w,
		struct cgroup *ret, struct error *reterr)
{
	CLEANUP(cgroup_release) struct cgroup own = CGROUP_INIT;
	struct cgroup made = CGROUP_INIT;
	int r = cgroup_of_pid(root, 0, &own, reterr);

	if (r == 0)
		r = check_controllers(&own, w, reterr);
	for (int i = 0; i < CGROUP_CONTROLLERS && r == 0; i++)
		if (own.dir[i])
			r = make_folder(&own, w, i, name, &made, reterr);
	if (r == 0)
		r = set_memory(&made, w, reterr);
	if (r == 0)
		r = set_quota(&made, w, reterr);
	if (r < 0) {
		cgroup_remove(&made);
		cgroup_release(&made);
		return r;
	}
	*ret = made;
	return 0;
}

/* No allocation and no locks: a child calls this between fork and exec. */
int cgroup_join(const struct cgroup *g, pid_t pid)
{
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		char path[4096], value[16];
		int fd, n;

		if (!is_own_folder(g, i))
			continue;
		n = snprintf(path, sizeof(path), "%s/cgroup.procs", g->dir[i]);
		if (n < 0 || (size_t)n >= sizeof(path))
			return -ENAMETOOLONG;
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		n = snprintf(value, sizeof(value), "%d", (int)pid);
		if (write(fd, value, (size_t)n) != n) {
			int code = -errno;

			close(fd);
			return code;
		}
		close(fd);
	}
	return 0;
}

/* Sends SIGKILL to all in one folder; returns how many there were, or a negative errno. */
static int kill_members(const char *dir)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/cgroup.procs", dir);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, line;
	int n = 0;

	if (file_read(path, 1024 * 1024, &text, NULL) < 0)
		return 0;
	rest = strbuf_str(&text);
	while (str_split(&rest, '\n', &line)) {
		uint64_t pid;

		if (num_parse_u64(line, &pid) < 0 || !pid)
			continue;
		kill((pid_t)pid, SIGKILL);
		n++;
	}
	return n;
}

int cgroup_kill(const struct cgroup *g, uint64_t timeout_ns)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (uint64_t waited_ns = 0; waited_ns <= timeout_ns; waited_ns += 2 * NS_PER_MS) {
		int members = 0;

		for (int i = 0; i < CGROUP_CONTROLLERS; i++)
			if (is_own_folder(g, i))
				members += kill_members(g->dir[i]);
		if (!members)
			return 0;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

/* A group whose last process just died may be busy for some ms. */
static int remove_folder(const char *dir)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0; i < 500; i++) {
		if (rmdir(dir) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

int cgroup_remove(const struct cgroup *g)
{
	int r = 0;

	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		int one = is_own_folder(g, i) ? remove_folder(g->dir[i]) : 0;

		r = r ? r : one;
	}
	return r;
}
