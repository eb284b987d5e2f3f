#include "os/proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/cgroup.h"
#include "os/file.h"

#define FILE_MAX (1024 * 1024)

static uint64_t ticks_to_ns(uint64_t ticks)
{
	return ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Fields of stat after the name, counted as in proc(5): state is 3. */
enum {
	STAT_STATE = 3,
	STAT_MINFLT = 10,
	STAT_MAJFLT = 12,
	STAT_UTIME = 14,
	STAT_STIME = 15,
	STAT_THREADS = 20,
	STAT_RSS = 24,
	STAT_FIELDS = 25
};

static int bad_stat(struct error *reterr)
{
	return error_set(reterr, -EBADMSG, "/proc/PID/stat is not as proc(5) describes it");
}

int proc_parse_stat(struct str text, struct proc_stat *ret, struct error *reterr)
{
	struct proc_stat st = { 0 };
	struct str rest, field[STAT_FIELDS];
	uint64_t v[STAT_FIELDS] = { 0 };
	size_t end = text.len;
	int n = STAT_STATE;

	while (end && text.ptr[end - 1] != ')')
		end--;
	if (!end || text.len - end < 2)
		return bad_stat(reterr);
	rest = (struct str){ text.ptr + end + 1, text.len - end - 1 };
	while (n < STAT_FIELDS && str_split(&rest, ' ', &field[n]))
		n++;
	if (n < STAT_FIELDS || field[STAT_STATE].len != 1)
		return bad_stat(reterr);
	for (int i = STAT_MINFLT; i < STAT_FIELDS; i++) {
		int64_t number;

		if (num_parse_i64(str_trim(field[i]), &number) < 0)
			return bad_stat(reterr);
		v[i] = number < 0 ? 0 : (uint64_t)number;
	}
	st.state = field[STAT_STATE].ptr[0];
	st.minor_faults = v[STAT_MINFLT];
	st.major_faults = v[STAT_MAJFLT];
	st.user_ns = ticks_to_ns(v[STAT_UTIME]);
	st.system_ns = ticks_to_ns(v[STAT_STIME]);
	st.threads = v[STAT_THREADS];
	st.rss_bytes = v[STAT_RSS] * (uint64_t)sysconf(_SC_PAGESIZE);
	*ret = st;
	return 0;
}

/* Value of "name:\tN" in a status file; 0 when absent. */
static uint64_t status_value(struct str text, const char *name)
{
	struct str line, key;
	uint64_t v;

	while (str_split(&text, '\n', &line))
		if (str_split(&line, ':', &key) && line.ptr && str_eq_c(key, name) &&
		    num_parse_u64(str_trim(line), &v) == 0)
			return v;
	return 0;
}

static void take_name(struct str text, struct proc_thread *t)
{
	struct str line, key;

	if (!str_split(&text, '\n', &line) || !str_split(&line, ':', &key) || !line.ptr)
		return;
	line = str_trim(line);
	line.len = MIN(line.len, sizeof(t->name) - 1);
	memcpy(t->name, line.ptr, line.len);
}

/* "run wait slices", the first two in ns (Documentation/scheduler/sched-stats.rst) */
static void take_schedstat(struct str text, struct proc_thread *t)
{
	struct str run, wait;

	t->has_schedstat = str_split(&text, ' ', &run) && str_split(&text, ' ', &wait) &&
			   num_parse_u64(run, &t->run_ns) == 0 &&
			   num_parse_u64(wait, &t->wait_ns) == 0;
}

/* False when the thread has just ended. */
static bool read_thread(const char *task, const char *tid, struct proc_thread *t)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *status = xasprintf("%s/%s/status", task, tid);
	CLEANUP(mem_cleanup) char *schedstat = xasprintf("%s/%s/schedstat", task, tid);
	uint64_t number;

	if (num_parse_u64(str_from(tid), &number) < 0 ||
	    file_read(status, FILE_MAX, &text, NULL) < 0)
		return false;
	t->tid = (pid_t)number;
	take_name(strbuf_str(&text), t);
	t->voluntary_switches = status_value(strbuf_str(&text), "voluntary_ctxt_switches");
	t->involuntary_switches = status_value(strbuf_str(&text), "nonvoluntary_ctxt_switches");
	strbuf_clear(&text);
	if (file_read(schedstat, FILE_MAX, &text, NULL) == 0)
		take_schedstat(strbuf_str(&text), t);
	return true;
}

static int by_tid(const void *a, const void *b)
{
	const struct proc_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int proc_read_threads(const char *root, pid_t pid, struct proc_threads *ret, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *task = xasprintf("%s/proc/%d/task", root, (int)pid);
	DIR *dir = opendir(task);
	struct dirent *entry;

	if (!dir)
		return error_errno(reterr, -errno, "opening %s", task);
	vec_clear(&ret->list);
	while ((entry = readdir(dir))) {
		struct proc_thread t = { 0 };

		if (read_thread(task, entry->d_name, &t))
			vec_push(&ret->list, t);
	}
	closedir(dir);
	if (ret->list.len)
		qsort(ret->list.ptr, ret->list.len, sizeof(*ret->list.ptr), by_tid);
	return 0;
}

int proc_read(const char *root, pid_t pid, struct proc_stat *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/proc/%d/stat", root, (int)pid);
	int r = file_read(path, FILE_MAX, &text, reterr);

	return r < 0 ? r : proc_parse_stat(strbuf_str(&text), ret, reterr);
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice" in ticks */
int proc_parse_cpu(struct str text, struct proc_cpu *ret, struct error *reterr)
{
	uint64_t v[8] = { 0 };
	struct str line, word;
	size_t n = 0;

	if (!str_split(&text, '\n', &line) || !str_starts_with(line, STR("cpu ")))
		return error_set(reterr, -EBADMSG, "/proc/stat does not begin with \"cpu \"");
	line = str_trim((struct str){ line.ptr + 4, line.len - 4 });
	while (n < ARRAY_SIZE(v) && str_split(&line, ' ', &word))
		if (num_parse_u64(word, &v[n++]) < 0)
			return error_set(reterr, -EBADMSG, "/proc/stat: \"%.*s\" is no number",
					 STR_FMT(word));
	ret->busy_ns = ticks_to_ns(v[0] + v[1] + v[2] + v[5] + v[6]);
	ret->idle_ns = ticks_to_ns(v[3] + v[4]);
	ret->steal_ns = ticks_to_ns(v[7]);
	return 0;
}

int proc_read_cpu(const char *root, struct proc_cpu *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/proc/stat", root);
	int r = file_read(path, FILE_MAX, &text, reterr);

	return r < 0 ? r : proc_parse_cpu(strbuf_str(&text), ret, reterr);
}

static bool cut_group(struct str *line, const char *group)
{
	struct str name;

	return str_split(line, ':', &name) && line->ptr && str_eq_c(name, group);
}

int proc_parse_netstat(struct str text, const char *group, const char *name, uint64_t *ret)
{
	struct str header, values, key, value;

	while (str_split(&text, '\n', &header) && str_split(&text, '\n', &values)) {
		if (!cut_group(&header, group) || !cut_group(&values, group))
			continue;
		while (str_split(&header, ' ', &key) && str_split(&values, ' ', &value))
			if (str_eq_c(key, name))
				return num_parse_u64(value, ret);
	}
	return -ENOENT;
}

bool proc_parse_pressure(struct str text, const char *kind, uint64_t *ret_ns)
{
	struct str line, word;

	while (str_split(&text, '\n', &line)) {
		if (!str_split(&line, ' ', &word) || !str_eq_c(word, kind))
			continue;
		while (str_split(&line, ' ', &word)) {
			if (!str_starts_with(word, STR("total=")))
				continue;
			word = (struct str){ word.ptr + 6, word.len - 6 };
			if (num_parse_u64(word, ret_ns) < 0)
				return false;
			*ret_ns *= NS_PER_US;
			return true;
		}
	}
	return false;
}

char *proc_cpu_model(void)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, line, key;

	file_read("/proc/cpuinfo", FILE_MAX, &text, NULL);
	rest = strbuf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (str_split(&line, ':', &key) && line.ptr &&
		    str_eq_c(str_trim(key), "model name"))
			return str_dup(str_trim(line));
	return xstrdup("unknown");
}

uint64_t proc_memory_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t proc_memory_allowed_bytes(void)
{
	CLEANUP(cgroup_release) struct cgroup own = CGROUP_INIT;
	uint64_t allowed = proc_memory_bytes();
	struct cgroup_limits limits;
	struct rlimit space;

	if (cgroup_of_pid("", 0, &own, NULL) == 0 && cgroup_read_limits(&own, &limits, NULL) == 0 &&
	    limits.memory_bytes)
		allowed = MIN(allowed, limits.memory_bytes);
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		allowed = MIN(allowed, (uint64_t)space.rlim_cur);
	return allowed;
}
