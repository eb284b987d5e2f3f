/*
 * All processes are gone through, and then the sockets of our own temporary folders that none of
 * them accounts for: those of processes out of sight, whose container shares the folder with ours.
 */
#include "dotnet/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "dotnet/dotnet_internal.h"
#include "os/cgroup.h"
#include "os/process.h"

#define ASK_NS NS_PER_S

static char *shown_name(pid_t pid)
{
	char *name = process_name(pid);

	return name ? name : xstrdup("?");
}

/* ---- one of them ---- */

static struct dotnet_peer *new_peer(pid_t pid, const char *root, const char *dir,
				    const char *socket, const struct dotnet_patience *p)
{
	CLEANUP(mem_cleanup)
	char *name = pid ? xasprintf("process %d", (int)pid) : xasprintf("%s/%s", dir, socket);
	struct dotnet_peer *peer = dotnet_peer_new(name, p);

	peer->root = xstrdup(root);
	peer->dir = xstrdup(dir);
	peer->socket = xstrdup(socket);
	return peer;
}

int dotnet_find_pid(pid_t pid, const struct dotnet_patience *p, struct dotnet_peer **ret,
		    struct error *reterr)
{
	CLEANUP(dotnet_place_release) struct dotnet_place at = { 0 };
	CLEANUP(mem_cleanup) char *name = NULL;
	enum dotnet_kind kind;
	bool starting;
	int r = dotnet_locate(pid, &at);

	if (r == -ESRCH)
		return error_set(reterr, r,
				 "there is no process %d that we can see; assay ps lists those "
				 "there are",
				 (int)pid);
	if (r < 0)
		return error_errno(reterr, r, "looking for process %d", (int)pid);
	if (at.socket) {
		*ret = new_peer(pid, at.root, at.dir, at.socket, p);
		return 0;
	}
	name = shown_name(pid);
	kind = dotnet_kind_of(pid, &starting);
	return dotnet_explain(&at, kind, starting, name, reterr);
}

/* ---- all of them ---- */

static void process_release(struct dotnet_process *p)
{
	free(p->name);
	free(p->command_line);
	free(p->version);
	free(p->arch);
	free(p->root);
	free(p->dir);
	free(p->socket);
	free(p->problem);
}

void dotnet_processes_release(struct dotnet_processes *all)
{
	vec_for_each (&all->list, p)
		process_release(p);
	vec_release(&all->list);
}

static void replace(char **text, char **with)
{
	if (!*with || !**with)
		return;
	free(*text);
	*text = TAKE(*with);
}

/* What its runtime says of itself. */
static void ask(struct dotnet_process *p)
{
	static const struct dotnet_patience short_one = { .connect_ns = ASK_NS,
							  .reply_ns = ASK_NS };
	struct dotnet_peer *peer = new_peer(p->pid, p->root, p->dir, p->socket, &short_one);
	struct dotnet_process_info info = { 0 };
	struct error e = ERROR_INIT;

	if (dotnet_process_info(peer, &info, &e) < 0) {
		p->problem = xstrdup(e.msg);
	} else {
		replace(&p->name, &info.entry_assembly);
		replace(&p->version, &info.version);
		replace(&p->arch, &info.arch);
		if (!p->command_line || !*p->command_line)
			replace(&p->command_line, &info.command_line);
	}
	dotnet_process_info_release(&info);
	dotnet_peer_free(peer);
}

/* ".../Microsoft.NETCore.App/10.0.12/libcoreclr.so": what can be known without asking */
static char *mapped_version(pid_t pid)
{
	CLEANUP(mem_cleanup) char *path = NULL;
	struct str rest, part, last = { 0 };

	if (process_mapped_file(pid, "libcoreclr.so", &path) < 0)
		return NULL;
	rest = str_from(path);
	while (str_split(&rest, '/', &part) && rest.ptr)
		last = part;
	return last.len && last.ptr[0] >= '0' && last.ptr[0] <= '9' ? str_dup(last) : NULL;
}

static void read_limits(pid_t pid, struct dotnet_process *p)
{
	CLEANUP(cgroup_release) struct cgroup g = CGROUP_INIT;
	struct cgroup_limits limits;

	if (cgroup_of_pid("", pid, &g, NULL) < 0 || cgroup_read_limits(&g, &limits, NULL) < 0)
		return;
	p->cpus = limits.cpus;
	p->memory_bytes = limits.memory_bytes;
}

/* False when it is gone, or a thread of the kernel. */
static bool look_at(pid_t pid, struct dotnet_process *ret)
{
	CLEANUP(dotnet_place_release) struct dotnet_place at = { 0 };
	struct dotnet_process p = { .pid = pid };
	struct error e = ERROR_INIT;
	bool starting;

	p.command_line = process_command_line(pid);
	if (!*p.command_line || dotnet_locate(pid, &at) < 0 || process_has_ended(pid)) {
		process_release(&p);
		return false;
	}
	p.name = shown_name(pid);
	p.inner_pid = at.inner_pid;
	p.kind = dotnet_kind_of(pid, &starting);
	read_limits(pid, &p);
	p.version = mapped_version(pid);
	if (at.socket) {
		p.kind = p.kind == DOTNET_KIND_NATIVE ? DOTNET_KIND_AOT : p.kind;
		p.root = TAKE(at.root);
		p.dir = TAKE(at.dir);
		p.socket = TAKE(at.socket);
		ask(&p);
	} else if (p.kind != DOTNET_KIND_NATIVE) {
		dotnet_explain(&at, p.kind, starting, p.name, &e);
		p.problem = xstrdup(e.msg);
	}
	*ret = p;
	return true;
}

struct search {
	struct dotnet_processes *all;
	const char *dir;
};

static struct dotnet_process *by_pid(struct dotnet_processes *all, pid_t pid)
{
	vec_for_each (&all->list, p)
		if (p->pid == pid)
			return p;
	return NULL;
}

/* A socket that no process accounts for: it is stale, of one out of sight or of one in disguise. */
static void take_rest(void *arg, int folder_fd, const char *name, pid_t inner_pid)
{
	const struct search *s = arg;
	struct dotnet_process new = { .inner_pid = inner_pid, .kind = DOTNET_KIND_CORECLR }, *p;
	pid_t who = 0;
	int r;

	vec_for_each (&s->all->list, known)
		if (known->socket && !strcmp(known->socket, name))
			return;
	r = dotnet_listener(folder_fd, name, &who);
	if (r < 0 && r != -EACCES && r != -EPERM)
		return;
	p = who ? by_pid(s->all, who) : NULL;
	if (p ? p->socket != NULL : r < 0) /* another user's, and may be stale */
		return;
	if (!p) {
		new.name = xstrdup("?");
		vec_push(&s->all->list, new);
		p = &vec_last(&s->all->list);
	}
	p->root = xstrdup("");
	p->dir = xstrdup(s->dir);
	p->socket = xstrdup(name);
	p->kind = p->kind == DOTNET_KIND_NATIVE ? DOTNET_KIND_AOT : p->kind;
	free(p->problem);
	p->problem = NULL;
	ask(p);
}

static void look_in_our_folder(struct dotnet_processes *all, const char *dir)
{
	CLEANUP(dotnet_close) int folder = dotnet_open_folder("", dir);
	struct search s = { all, dir };

	if (folder >= 0)
		dotnet_each_socket(folder, take_rest, &s);
}

static void drop_native(struct dotnet_processes *all)
{
	size_t kept = 0;

	vec_for_each (&all->list, p) {
		if (p->kind == DOTNET_KIND_NATIVE)
			process_release(p);
		else
			all->list.ptr[kept++] = *p;
	}
	all->list.len = kept;
}

static int compare(const void *a, const void *b)
{
	const struct dotnet_process *x = a, *y = b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid)
				: (x->inner_pid > y->inner_pid) - (x->inner_pid < y->inner_pid);
}

int dotnet_find_all(bool with_native, struct dotnet_processes *ret, struct error *reterr)
{
	static const char *const variable[] = { "TMPDIR" };
	CLEANUP(mem_cleanup) pid_t *pids = NULL;
	CLEANUP(mem_cleanup) char *ours = NULL;
	size_t n, which;
	int r = process_list(&pids, &n, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		struct dotnet_process p;

		if (look_at(pids[i], &p))
			vec_push(&ret->list, p);
	}
	if (process_variable(getpid(), variable, 1, &ours, &which) == 0 && *ours &&
	    strcmp(ours, "/tmp") != 0)
		look_in_our_folder(ret, ours);
	look_in_our_folder(ret, "/tmp");
	if (!with_native)
		drop_native(ret);
	if (ret->list.len)
		qsort(ret->list.ptr, ret->list.len, sizeof(*ret->list.ptr), compare);
	return 0;
}

/* ---- by name ---- */

static bool is_called(const struct dotnet_process *p, struct str name)
{
	CLEANUP(mem_cleanup) char *program = p->pid ? process_name(p->pid) : NULL;

	return str_ieq(str_from(p->name), name) || (program && str_ieq(str_from(program), name));
}

static void add_choice(struct strbuf *list, const struct dotnet_process *p)
{
	strbuf_addf(list, "\n  %d  %.100s", (int)p->pid, p->command_line ? p->command_line : "");
}

static int several(const char *name, const struct strbuf *list, struct error *reterr)
{
	return error_set(reterr, -ENOTUNIQ,
			 "several .NET processes are called %s; say which pid:%s", name,
			 strbuf_cstr(list));
}

int dotnet_find_name(const char *name, const struct dotnet_patience *p, struct dotnet_peer **ret,
		     pid_t *ret_pid, struct error *reterr)
{
	CLEANUP(dotnet_processes_release) struct dotnet_processes all = { 0 };
	CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;
	const struct dotnet_process *found = NULL;
	size_t n = 0;
	int r = dotnet_find_all(false, &all, reterr);

	if (r < 0)
		return r;
	vec_for_each (&all.list, one) {
		if (!is_called(one, str_from(name)))
			continue;
		add_choice(&list, one);
		found = one;
		n++;
	}
	if (!n)
		return error_set(reterr, -ENOENT,
				 "no .NET process is called %s; assay ps lists those there are",
				 name);
	if (n > 1)
		return several(name, &list, reterr);
	if (ret_pid)
		*ret_pid = found->pid;
	if (!found->socket)
		return dotnet_find_pid(found->pid, p, ret, reterr);
	*ret = new_peer(found->pid, found->root, found->dir, found->socket, p);
	return 0;
}

int dotnet_find(const char *word, const struct dotnet_patience *p, struct dotnet_peer **ret,
		pid_t *ret_pid, struct error *reterr)
{
	pid_t pid = 0;
	uint64_t v;
	int r;

	if (num_parse_u64(str_from(word), &v) < 0 && !strchr(word, '/'))
		return dotnet_find_name(word, p, ret, ret_pid, reterr);
	if (strchr(word, '/')) {
		r = dotnet_peer_of_socket(word, p, ret, reterr);
	} else if (v == 0 || v > INT32_MAX) {
		return error_set(reterr, -ESRCH, "%s is no pid", word);
	} else {
		pid = (pid_t)v;
		r = dotnet_find_pid(pid, p, ret, reterr);
	}
	if (r == 0 && ret_pid)
		*ret_pid = pid;
	return r;
}
