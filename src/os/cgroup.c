/*
 * Where a process's groups are and what they say. Three things make this longer than a read of
 * cpu.stat: the three layouts; limits that sit on an ancestor, whose children count nothing
 * themselves; and files that this or that kernel does not have, which must read as "unknown" and
 * not as zero.
 */
#include "os/cgroup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/file.h"
#include "os/proc.h"

#define FILE_MAX (1024 * 1024)

static const char *const controller_names[] = {
	[CGROUP_CPU] = "cpu",
	[CGROUP_CPUACCT] = "cpuacct",
	[CGROUP_MEMORY] = "memory",
	[CGROUP_V2] = "",
};

void cgroup_release(struct cgroup *g)
{
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		free(g->dir[i]);
		free(g->mount[i]);
	}
	*g = (struct cgroup)CGROUP_INIT;
}

/* ---- where hierarchies are mounted ---- */

struct hierarchy {
	char *mount, *top; /* mount point; path of its root within the hierarchy */
	bool v2;
};

struct layout {
	struct hierarchy h[CGROUP_CONTROLLERS];
};

static void layout_release(struct layout *l)
{
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		free(l->h[i].mount);
		free(l->h[i].top);
	}
}

static bool list_has(struct str list, const char *word)
{
	struct str part;

	while (str_split(&list, ',', &part))
		if (str_eq_c(part, word))
			return true;
	return false;
}

static void set_hierarchy(struct hierarchy *h, const char *root, struct str mount, struct str top,
			  bool v2)
{
	if (h->mount)
		return; /* bind mounts repeat a hierarchy: the first is the one */
	h->mount = xasprintf("%s%.*s", root, STR_FMT(mount));
	h->top = str_dup(top);
	h->v2 = v2;
}

/* "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu" (proc(5), mountinfo) */
static void parse_mount(struct layout *l, const char *root, struct str line)
{
	struct str field[64], rest = line;
	size_t n = 0, dash = 0;

	while (n < ARRAY_SIZE(field) && str_split(&rest, ' ', &field[n]))
		n++;
	while (dash < n && !str_eq_c(field[dash], "-"))
		dash++;
	if (dash < 5 || dash + 3 >= n)
		return;
	if (str_eq_c(field[dash + 1], "cgroup2"))
		set_hierarchy(&l->h[CGROUP_V2], root, field[4], field[3], true);
	if (!str_eq_c(field[dash + 1], "cgroup"))
		return;
	for (int i = 0; i < CGROUP_V2; i++)
		if (list_has(field[dash + 3], controller_names[i]))
			set_hierarchy(&l->h[i], root, field[4], field[3], false);
}

/* The mounts that a process sees below its root; proc is its folder in /proc. */
static int read_layout(const char *proc, const char *root, struct layout *l, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/mountinfo", proc);
	struct str rest, line;
	int r = file_read(path, FILE_MAX, &text, reterr);

	if (r < 0)
		return r;
	rest = strbuf_str(&text);
	while (str_split(&rest, '\n', &line))
		parse_mount(l, root, line);
	return 0;
}

static int read_own_layout(const char *root, struct layout *l, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *proc = xasprintf("%s/proc/self", root);

	return read_layout(proc, root, l, reterr);
}

/*
 * Where we see no hierarchy ourselves, as in a container that has /proc and nothing else, those
 * that the process sees, through its root.
 */
static void borrow_layout(pid_t pid, struct layout *l)
{
	CLEANUP(mem_cleanup) char *proc = xasprintf("/proc/%d", (int)pid);
	CLEANUP(mem_cleanup) char *root = xasprintf("%s/root", proc);

	for (int i = 0; i < CGROUP_CONTROLLERS; i++)
		if (l->h[i].mount)
			return;
	read_layout(proc, root, l, NULL);
}

/* A controller without a version 1 hierarchy belongs to version 2, if there is one. */
static const struct hierarchy *hierarchy_of(const struct layout *l, int controller)
{
	if (l->h[controller].mount)
		return &l->h[controller];
	return l->h[CGROUP_V2].mount ? &l->h[CGROUP_V2] : NULL;
}

/* Folder of a path of the hierarchy; what lies above the mount's own top is out of sight. */
static char *folder_of(const struct hierarchy *h, struct str path)
{
	struct str top = str_from(h->top);

	if (!str_eq_c(top, "/") && str_starts_with(path, top))
		path = (struct str){ path.ptr + top.len, path.len - top.len };
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	return xasprintf("%s%.*s", h->mount, STR_FMT(path));
}

static void set_folder(struct cgroup *g, int controller, const struct hierarchy *h, struct str path)
{
	free(g->dir[controller]);
	free(g->mount[controller]);
	g->dir[controller] = folder_of(h, path);
	g->mount[controller] = xstrdup(h->mount);
	g->v2[controller] = h->v2;
}

/* "4:memory:/path" or "0::/path" (cgroups(7)) */
static void place_line(struct cgroup *g, const struct layout *l, struct str line)
{
	struct str id, controllers;

	if (!str_split(&line, ':', &id) || !str_split(&line, ':', &controllers) || !line.ptr)
		return;
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		const struct hierarchy *h = hierarchy_of(l, i);

		if (!h)
			continue;
		if (h->v2 ? str_eq_c(id, "0") && !controllers.len
			  : list_has(controllers, controller_names[i]))
			set_folder(g, i, h, line);
	}
}

int cgroup_of_pid(const char *root, pid_t pid, struct cgroup *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(layout_release) struct layout l = { 0 };
	CLEANUP(mem_cleanup)
	char *path = pid ? xasprintf("%s/proc/%d/cgroup", root, (int)pid)
			 : xasprintf("%s/proc/self/cgroup", root);
	struct str rest, line;
	int r = read_own_layout(root, &l, reterr);

	if (r == 0 && pid && !*root)
		borrow_layout(pid, &l);
	if (r == 0)
		r = file_read(path, FILE_MAX, &text, reterr);
	if (r < 0)
		return error_wrap(reterr, "finding the control group of process %d", (int)pid);
	rest = strbuf_str(&text);
	while (str_split(&rest, '\n', &line))
		place_line(ret, &l, line);
	return 0;
}

/* The part of an absolute path below the mount point it lies in, or the path itself. */
static struct str below_mount(const struct layout *l, const char *path)
{
	struct str s = str_from(path), best = s;

	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		struct str m = str_from(l->h[i].mount);

		if (m.ptr && str_starts_with(s, m) && (s.len == m.len || s.ptr[m.len] == '/'))
			best = (struct str){ s.ptr + m.len, s.len - m.len };
	}
	return best;
}

int cgroup_of_path(const char *root, const char *path, struct cgroup *ret, struct error *reterr)
{
	CLEANUP(layout_release) struct layout l = { 0 };
	CLEANUP(mem_cleanup) char *name = NULL;
	struct str below;
	bool found = false;
	int r = read_own_layout(root, &l, reterr);

	if (r < 0)
		return r;
	below = below_mount(&l, path);
	name = xasprintf("%s%.*s", below.len && below.ptr[0] == '/' ? "" : "/", STR_FMT(below));
	for (int i = 0; i < CGROUP_CONTROLLERS; i++) {
		const struct hierarchy *h = hierarchy_of(&l, i);
		CLEANUP(mem_cleanup) char *dir = h ? xasprintf("%s%s", h->mount, name) : NULL;

		if (!dir || !file_exists(dir))
			continue;
		set_folder(ret, i, &(struct hierarchy){ h->mount, (char[]){ "/" }, h->v2 },
			   str_from(name));
		found = true;
	}
	if (!found)
		return error_set(reterr, -ENOENT,
				 "no control group %s in any hierarchy; `cat /proc/PID/cgroup` "
				 "lists those of a process",
				 path);
	return 0;
}

/* ---- reading files of a group ---- */

/* A small file's text, trimmed; false when it is not there or not readable. */
static bool read_text(const char *dir, const char *file, struct strbuf *out)
{
	CLEANUP(mem_cleanup) char *path = dir ? xasprintf("%s/%s", dir, file) : NULL;

	strbuf_clear(out);
	return path && file_read(path, FILE_MAX, out, NULL) == 0;
}

static bool read_u64(const char *dir, const char *file, uint64_t *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	return read_text(dir, file, &text) && num_parse_u64(str_trim(strbuf_str(&text)), ret) == 0;
}

/* Value of a "key value" line; keys are looked up by name because their order changes. */
static bool keyed_u64(struct str text, const char *key, uint64_t *ret)
{
	struct str line, name;

	while (str_split(&text, '\n', &line))
		if (str_split(&line, ' ', &name) && line.ptr && str_eq_c(name, key))
			return num_parse_u64(str_trim(line), ret) == 0;
	return false;
}

/* Quota of one group: true when it has one. */
static bool read_quota_v2(const char *dir, double *ret_cpus, uint64_t *ret_period_ns)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, quota;
	uint64_t quota_us, period_us;

	if (!read_text(dir, "cpu.max", &text))
		return false;
	rest = str_trim(strbuf_str(&text));
	if (!str_split(&rest, ' ', &quota) || !rest.ptr || num_parse_u64(quota, &quota_us) < 0 ||
	    num_parse_u64(rest, &period_us) < 0 || !period_us)
		return false; /* "max 100000" */
	*ret_cpus = (double)quota_us / (double)period_us;
	*ret_period_ns = period_us * NS_PER_US;
	return true;
}

static bool read_quota_v1(const char *dir, double *ret_cpus, uint64_t *ret_period_ns)
{
	uint64_t quota_us, period_us;

	if (!read_u64(dir, "cpu.cfs_quota_us", &quota_us) || /* -1 = none: not a u64 */
	    !read_u64(dir, "cpu.cfs_period_us", &period_us) || !period_us)
		return false;
	*ret_cpus = (double)quota_us / (double)period_us;
	*ret_period_ns = period_us * NS_PER_US;
	return true;
}

static bool read_quota(const struct cgroup *g, const char *dir, double *ret_cpus,
		       uint64_t *ret_period_ns)
{
	return g->v2[CGROUP_CPU] ? read_quota_v2(dir, ret_cpus, ret_period_ns)
				 : read_quota_v1(dir, ret_cpus, ret_period_ns);
}

/* Version 1 writes "no limit" as the largest page-aligned number. */
#define MEMORY_NO_LIMIT (UINT64_C(1) << 62)

static bool read_memory_limit(const struct cgroup *g, const char *dir, uint64_t *ret)
{
	const char *file = g->v2[CGROUP_MEMORY] ? "memory.max" : "memory.limit_in_bytes";

	return read_u64(dir, file, ret) && *ret < MEMORY_NO_LIMIT;
}

/* Cuts the last folder off path; false at the mount. */
static bool go_up(char *path, const char *mount)
{
	char *slash = strrchr(path, '/');

	if (!slash || strlen(path) <= strlen(mount))
		return false;
	*slash = '\0';
	return true;
}

static void smallest_quota(const struct cgroup *g, struct cgroup_limits *ret)
{
	CLEANUP(mem_cleanup) char *dir = xstrdup(g->dir[CGROUP_CPU]);
	bool own = true;

	do {
		double cpus;
		uint64_t period_ns;

		if (read_quota(g, dir, &cpus, &period_ns) && (ret->cpus == 0 || cpus < ret->cpus)) {
			ret->cpus = cpus;
			ret->period_ns = period_ns;
			ret->cpu_from_ancestor = !own;
		}
		own = false;
	} while (go_up(dir, g->mount[CGROUP_CPU]));
}

static void smallest_memory(const struct cgroup *g, struct cgroup_limits *ret)
{
	CLEANUP(mem_cleanup) char *dir = xstrdup(g->dir[CGROUP_MEMORY]);
	bool own = true;

	do {
		uint64_t bytes;

		if (read_memory_limit(g, dir, &bytes) &&
		    (!ret->memory_bytes || bytes < ret->memory_bytes)) {
			ret->memory_bytes = bytes;
			ret->memory_from_ancestor = !own;
		}
		own = false;
	} while (go_up(dir, g->mount[CGROUP_MEMORY]));
}

int cgroup_read_limits(const struct cgroup *g, struct cgroup_limits *ret, struct error *reterr)
{
	struct cgroup_limits l = { 0 };

	if (g->dir[CGROUP_CPU] && !file_exists(g->dir[CGROUP_CPU]))
		return error_set(reterr, -ENOENT, "control group %s is gone", g->dir[CGROUP_CPU]);
	if (g->dir[CGROUP_CPU])
		smallest_quota(g, &l);
	if (g->dir[CGROUP_MEMORY])
		smallest_memory(g, &l);
	*ret = l;
	return 0;
}

/* ---- counters ---- */

static bool read_periods(const char *dir, struct cgroup_stat *st)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str s;
	uint64_t time;

	if (!read_text(dir, "cpu.stat", &text))
		return false;
	s = strbuf_str(&text);
	if (!keyed_u64(s, "nr_periods", &st->periods) ||
	    !keyed_u64(s, "nr_throttled", &st->throttled))
		return false;
	if (keyed_u64(s, "throttled_usec", &time)) /* version 2 */
		st->throttled_ns = time * NS_PER_US;
	else if (keyed_u64(s, "throttled_time", &time)) /* version 1, ns */
		st->throttled_ns = time;
	return true;
}

/* The folder on the way up with the smallest quota; the group's own when none has any. */
static char *folder_of_quota(const struct cgroup *g)
{
	CLEANUP(mem_cleanup) char *dir = xstrdup(g->dir[CGROUP_CPU]);
	char *found = xstrdup(dir);
	double least = INFINITY, cpus;
	uint64_t period_ns;

	do {
		if (!read_quota(g, dir, &cpus, &period_ns) || cpus >= least)
			continue;
		least = cpus;
		free(found);
		found = xstrdup(dir);
	} while (go_up(dir, g->mount[CGROUP_CPU]));
	return found;
}

static void read_throttling(const struct cgroup *g, struct cgroup_stat *st)
{
	CLEANUP(mem_cleanup) char *dir = folder_of_quota(g);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	uint64_t local;

	if (read_periods(dir, st))
		st->have |= CGROUP_HAVE_PERIODS;
	if (!read_text(g->dir[CGROUP_CPU], "cpu.stat.local", &text))
		return;
	if (keyed_u64(strbuf_str(&text), "throttled_usec", &local))
		st->throttled_local_ns = local * NS_PER_US;
	else if (keyed_u64(strbuf_str(&text), "throttled_time", &local))
		st->throttled_local_ns = local;
	else
		return;
	st->have |= CGROUP_HAVE_LOCAL;
}

static void read_cpu_time(const struct cgroup *g, struct cgroup_stat *st)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *dir = g->dir[CGROUP_CPUACCT];
	uint64_t usec;

	if (!g->v2[CGROUP_CPUACCT]) {
		if (read_u64(dir, "cpuacct.usage", &st->cpu_ns))
			st->have |= CGROUP_HAVE_CPU;
	} else if (read_text(dir, "cpu.stat", &text) &&
		   keyed_u64(strbuf_str(&text), "usage_usec", &usec)) {
		st->cpu_ns = usec * NS_PER_US;
		st->have |= CGROUP_HAVE_CPU;
	}
}

static void read_memory(const struct cgroup *g, struct cgroup_stat *st)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *dir = g->dir[CGROUP_MEMORY];
	bool v2 = g->v2[CGROUP_MEMORY];

	if (read_u64(dir, v2 ? "memory.current" : "memory.usage_in_bytes", &st->memory_bytes))
		st->have |= CGROUP_HAVE_MEMORY;
	if (read_u64(dir, v2 ? "memory.peak" : "memory.max_usage_in_bytes", &st->memory_peak_bytes))
		st->have |= CGROUP_HAVE_PEAK;
	if (read_text(dir, v2 ? "memory.events" : "memory.oom_control", &text) &&
	    keyed_u64(strbuf_str(&text), "oom_kill", &st->oom_kills))
		st->have |= CGROUP_HAVE_OOM;
	if (v2 ? keyed_u64(strbuf_str(&text), "max", &st->memory_limit_hits)
	       : read_u64(dir, "memory.failcnt", &st->memory_limit_hits))
		st->have |= CGROUP_HAVE_LIMIT_HITS;
	if (v2 && keyed_u64(strbuf_str(&text), "high", &st->memory_high))
		st->have |= CGROUP_HAVE_HIGH;
}

static void read_pressure(const struct cgroup *g, struct cgroup_stat *st)
{
	const struct {
		const char *file;
		uint64_t *some, *full;
	} files[] = {
		{ "cpu.pressure", &st->cpu_some_ns, &st->cpu_full_ns },
		{ "memory.pressure", &st->memory_some_ns, &st->memory_full_ns },
		{ "io.pressure", &st->io_some_ns, &st->io_full_ns },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

		if (!read_text(g->dir[CGROUP_V2], files[i].file, &text))
			continue;
		if (proc_parse_pressure(strbuf_str(&text), "some", files[i].some))
			st->have |= CGROUP_HAVE_PRESSURE;
		proc_parse_pressure(strbuf_str(&text), "full", files[i].full);
	}
}

int cgroup_read_stat(const struct cgroup *g, struct cgroup_stat *ret, struct error *reterr)
{
	struct cgroup_stat st = { 0 };

	if (g->dir[CGROUP_CPU])
		read_throttling(g, &st);
	if (g->dir[CGROUP_CPUACCT])
		read_cpu_time(g, &st);
	if (g->dir[CGROUP_MEMORY])
		read_memory(g, &st);
	if (g->dir[CGROUP_V2])
		read_pressure(g, &st);
	if (!st.have)
		return error_set(reterr, -ENOENT,
				 "no control group file of the target could be read (%s)",
				 g->dir[CGROUP_CPU] ? g->dir[CGROUP_CPU] : "no hierarchy mounted");
	*ret = st;
	return 0;
}
