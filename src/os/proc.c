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

static void add_switches(pid_t pid, const char *thread, struct proc_stat *st)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/task/%s/status", (int)pid, thread);

	if (file_read(path, FILE_MAX, &text, NULL) < 0)
		return; /* the thread has just ended */
	st->voluntary_switches += status_value(strbuf_str(&text), "voluntary_ctxt_switches");
	st->involuntary_switches += status_value(strbuf_str(&text), "nonvoluntary_ctxt_switches");
}

static void read_switches(pid_t pid, struct proc_stat *st)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_switches(pid, entry->d_name, st);
	if (dir)
		closedir(dir);
}

int proc_read(pid_t pid, struct proc_stat *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/stat", (int)pid);
	struct proc_stat st;
	int r = file_read(path, FILE_MAX, &text, reterr);

	if (r == 0)
		r = proc_parse_stat(strbuf_str(&text), &st, reterr);
	if (r < 0)
		return r;
	read_switches(pid, &st);
	*ret = st;
	return 0;
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

int proc_read_cpu(struct proc_cpu *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	int r = file_read("/proc/stat", FILE_MAX, &text, reterr);

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
