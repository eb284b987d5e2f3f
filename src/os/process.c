#include "os/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "os/file.h"

#define FILE_MAX    (4u * 1024 * 1024)
#define THREADS_MAX 256
#define DELETED	    STR(" (deleted)")
#define STAT_STATE  3
#define STAT_START  22

static int read_file(pid_t pid, const char *name, struct strbuf *out)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/%s", (int)pid, name);
	int r = file_read(path, FILE_MAX, out, NULL);

	return r == -ENOENT ? -ESRCH : r;
}

/* Field `number` of its stat, from 1 as in proc(5); the name may hold blanks and parentheses. */
static int stat_field(pid_t pid, int number, struct strbuf *text, struct str *ret)
{
	struct str rest;
	int r = read_file(pid, "stat", text);
	size_t end = text->len;

	if (r < 0)
		return r;
	while (end && text->ptr[end - 1] != ')')
		end--;
	rest = (struct str){ strbuf_cstr(text) + end, text->len - end };
	for (int i = 2; i <= number; i++)
		if (!str_split(&rest, ' ', ret))
			return -EBADMSG;
	*ret = str_trim(*ret);
	return 0;
}

int process_start_ticks(pid_t pid, uint64_t *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str field;
	int r = stat_field(pid, STAT_START, &text, &field);

	return r < 0 ? r : num_parse_u64(field, ret);
}

bool process_has_ended(pid_t pid)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str state;

	return stat_field(pid, STAT_STATE, &text, &state) < 0 || str_eq_c(state, "Z") ||
	       str_eq_c(state, "X");
}

/* The values of a line of its status, parted by tabs; false when there is no such line. */
static bool status_line(struct str text, const char *name, struct str *ret)
{
	struct str line, key;

	while (str_split(&text, '\n', &line)) {
		if (!str_split(&line, ':', &key) || !str_eq_c(key, name))
			continue;
		*ret = str_trim(line);
		return true;
	}
	return false;
}

int process_inner_pid(pid_t pid, pid_t *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str values, part;
	uint64_t v;
	int r = read_file(pid, "status", &text);

	if (r < 0)
		return r;
	*ret = pid;
	if (!status_line(strbuf_str(&text), "NSpid", &values))
		return 0;
	while (str_split(&values, '\t', &part))
		if (num_parse_u64(part, &v) == 0)
			*ret = (pid_t)v;
	return 0;
}

int process_user(pid_t pid, uid_t *ret)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str values, part;
	uint64_t v;
	int r = read_file(pid, "status", &text);

	if (r < 0)
		return r;
	/* real, effective, saved, for files */
	if (!status_line(strbuf_str(&text), "Uid", &values) || !str_split(&values, '\t', &part) ||
	    !str_split(&values, '\t', &part) || num_parse_u64(part, &v) < 0)
		return -EBADMSG;
	*ret = (uid_t)v;
	return 0;
}

int process_variable(pid_t pid, const char *const *names, size_t n, char **ret, size_t *ret_which)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, entry, key;
	size_t found = n;
	int r = read_file(pid, "environ", &text);

	if (r < 0)
		return r;
	rest = strbuf_str(&text);
	while (str_split(&rest, '\0', &entry)) {
		if (!str_split(&entry, '=', &key) || !entry.ptr)
			continue;
		for (size_t i = 0; i < found; i++) {
			if (!str_eq_c(key, names[i]))
				continue;
			if (found < n)
				free(*ret);
			*ret = str_dup(entry);
			*ret_which = found = i;
		}
	}
	return found < n ? 0 : -ENOENT;
}

char *process_command_line(pid_t pid)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	read_file(pid, "cmdline", &text);
	while (text.len && !text.ptr[text.len - 1])
		strbuf_truncate(&text, text.len - 1);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ')
			text.ptr[i] = ' ';
	return strbuf_detach(&text);
}

static struct str base_name(struct str path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.ptr[i - 1] == '/')
			return (struct str){ path.ptr + i, path.len - i };
	return path;
}

/* "dotnet exec --depsfile x Shop.dll --port 80": Shop */
static struct str managed_name(struct str arguments)
{
	struct str word;

	while (str_split(&arguments, '\0', &word)) {
		if (!str_ends_with(word, STR(".dll")))
			continue;
		word = base_name(word);
		word.len -= 4;
		return word;
	}
	return (struct str){ 0 };
}

char *process_name(pid_t pid)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str rest, program, managed;

	if (read_file(pid, "cmdline", &text) < 0)
		return NULL;
	rest = strbuf_str(&text);
	if (text.len && str_split(&rest, '\0', &program) && program.len) {
		program = base_name(program);
		managed = str_eq_c(program, "dotnet") && rest.ptr ? managed_name(rest)
								  : (struct str){ 0 };
		return str_dup(managed.len ? managed : program);
	}
	strbuf_clear(&text);
	if (read_file(pid, "comm", &text) < 0)
		return NULL;
	return str_dup(str_trim(strbuf_str(&text)));
}

static bool thread_begins(pid_t pid, const char *thread, const char *prefix)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *name = xasprintf("task/%s/comm", thread);

	return read_file(pid, name, &text) == 0 &&
	       str_starts_with(strbuf_str(&text), str_from(prefix));
}

bool process_has_thread(pid_t pid, const char *prefix)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;
	int n = 0;

	while (dir && !found && n < THREADS_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		found = thread_begins(pid, entry->d_name, prefix);
	}
	if (dir)
		closedir(dir);
	return found;
}

int process_mapped_file(pid_t pid, const char *name, char **ret)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("/proc/%d/maps", (int)pid);
	CLEANUP(mem_cleanup) char *line = NULL;
	FILE *f = fopen(path, "re");
	size_t size = 0;
	ssize_t n;

	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	*ret = NULL;
	while (!*ret && (n = getline(&line, &size, f)) > 0) {
		struct str text = str_trim((struct str){ line, (size_t)n });
		size_t slash = str_find(text, '/');
		struct str file = { text.ptr + slash, text.len - slash };

		if (str_ends_with(file, DELETED))
			file.len -= DELETED.len;
		if (slash < text.len && str_eq_c(base_name(file), name))
			*ret = str_dup(file);
	}
	if (!*ret)
		*ret = xstrdup("");
	fclose(f);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int process_list(pid_t **ret, size_t *ret_n, struct error *reterr)
{
	VEC(pid_t) pids = VEC_INIT;
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	uint64_t v;

	if (!dir)
		return error_errno(reterr, -errno, "opening /proc (is it mounted?)");
	while ((entry = readdir(dir)))
		if (num_parse_u64(str_from(entry->d_name), &v) == 0)
			vec_push(&pids, (pid_t)v);
	closedir(dir);
	if (!pids.len) /* an empty folder */
		return error_set(reterr, -ENOENT,
				 "/proc holds no processes: mount it (mount -t proc proc /proc)");
	qsort(pids.ptr, pids.len, sizeof(pid_t), by_pid);
	*ret = pids.ptr;
	*ret_n = pids.len;
	return 0;
}
