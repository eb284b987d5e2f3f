/* assay ps: the .NET processes that can be looked into, as a table or as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/fmt.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "dotnet/find.h"
#include "os/process.h"
#include "report/columns.h"

#define NAME_CELLS    24 /* longer ones are cut when there is no room */
#define COMMAND_CELLS 10 /* with less room it is left out */
#define LEAST_WIDTH   ((size_t)40)
#define WIDE	      4096 /* where there is no terminal nothing is cut */

struct flags {
	bool native;
	bool json;
};

/* ---- the table ---- */

enum { PID, INSIDE, RUNTIME, NAME, ARCH, CPUS, MEMORY, COMMAND, COLUMNS };

static const struct {
	const char *title;
	bool right;
	size_t most; /* cells, when room is short; 0 = never cut */
} columns[COLUMNS] = {
	[PID] = { "PID", true, 0 },	     [INSIDE] = { "INSIDE", true, 0 },
	[RUNTIME] = { "RUNTIME", false, 0 }, [NAME] = { "NAME", false, NAME_CELLS },
	[ARCH] = { "ARCH", false, 0 },	     [CPUS] = { "CPUS", true, 0 },
	[MEMORY] = { "MEMORY", true, 0 },    [COMMAND] = { "COMMAND", false, 0 },
};

struct row {
	char *cell[COLUMNS];
	const char *problem; /* borrowed */
};

struct table {
	VEC(struct row) rows;
	size_t width[COLUMNS];
	bool shown[COLUMNS];
};

static void table_release(struct table *t)
{
	vec_for_each (&t->rows, row)
		for (size_t c = 0; c < COLUMNS; c++)
			free(row->cell[c]);
	vec_release(&t->rows);
}

/* What a process says of itself must not move the cursor. */
static char *printable(const char *text)
{
	char *copy = xstrdup(text ? text : "");

	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return copy;
}

static char *runtime_of(const struct dotnet_process *p)
{
	const char *version = p->version ? p->version : "?";

	if (p->kind == DOTNET_KIND_NATIVE)
		return xstrdup("native");
	return xasprintf(".NET %s%s", version, p->kind == DOTNET_KIND_AOT ? " AOT" : "");
}

static char *cpus_of(const struct dotnet_process *p)
{
	return p->cpus > 0 ? xasprintf("%.3g", p->cpus) : xstrdup("-");
}

static char *memory_of(const struct dotnet_process *p)
{
	struct strbuf sb = STRBUF_INIT;

	if (p->memory_bytes)
		fmt_figure(&sb, UNIT_BYTES, (double)p->memory_bytes);
	else
		strbuf_addch(&sb, '-');
	return strbuf_detach(&sb);
}

static void add_row(struct table *t, const struct dotnet_process *p)
{
	struct row row = { .problem = p->problem };

	row.cell[PID] = p->pid ? xasprintf("%d", (int)p->pid) : xstrdup("-");
	row.cell[INSIDE] = xasprintf("%d", (int)p->inner_pid);
	row.cell[RUNTIME] = runtime_of(p);
	row.cell[NAME] = printable(p->name);
	row.cell[ARCH] = printable(p->arch ? p->arch : "-");
	row.cell[CPUS] = cpus_of(p);
	row.cell[MEMORY] = memory_of(p);
	row.cell[COMMAND] = printable(p->command_line);
	t->shown[INSIDE] |= p->inner_pid != p->pid;
	vec_push(&t->rows, row);
}

static void measure(struct table *t)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		t->width[c] = columns_width(columns[c].title);
		vec_for_each (&t->rows, row)
			t->width[c] = MAX(t->width[c], columns_width(row->cell[c]));
	}
}

/* Cells that the columns before the command take, with two blanks after each. */
static size_t used(const struct table *t)
{
	size_t all = 0;

	for (size_t c = 0; c < COMMAND; c++)
		all += t->shown[c] ? t->width[c] + 2 : 0;
	return all;
}

/* Room is made by cutting the names, then by leaving out what is least asked for. */
static void fit(struct table *t, size_t width)
{
	static const size_t least_asked[] = { ARCH, COMMAND, MEMORY, CPUS };

	for (size_t c = 0; c < COLUMNS; c++)
		t->shown[c] |= c != INSIDE;
	measure(t);
	if (used(t) + COMMAND_CELLS > width)
		t->width[NAME] = MIN(t->width[NAME], columns[NAME].most);
	for (size_t i = 0; i < ARRAY_SIZE(least_asked); i++) {
		size_t rest = t->shown[COMMAND] ? COMMAND_CELLS : 0;

		if (used(t) + rest <= width)
			break;
		t->shown[least_asked[i]] = false;
	}
	if (t->shown[COMMAND])
		t->width[COMMAND] = MIN(t->width[COMMAND], width - used(t));
}

/* Bytes of the first `cells` characters. */
static size_t bytes_of(const char *text, size_t cells)
{
	size_t n = 0;

	for (; text[n]; n++)
		if (((unsigned char)text[n] & 0xc0) != 0x80 && !cells--)
			break;
	return n;
}

static void add_cell(struct strbuf *sb, const char *text, size_t width, bool right)
{
	CLEANUP(mem_cleanup) char *cut = NULL;

	if (columns_width(text) > width) {
		cut = xasprintf("%.*s\xe2\x80\xa6", (int)bytes_of(text, width - 1), text);
		text = cut;
	}
	columns_add(sb, text, width, right);
}

static void add_line(struct strbuf *sb, const struct table *t, const struct row *row)
{
	const char *gap = "";

	for (size_t c = 0; c < COLUMNS; c++) {
		if (!t->shown[c])
			continue;
		strbuf_addstr(sb, gap);
		add_cell(sb, row ? row->cell[c] : columns[c].title, t->width[c], columns[c].right);
		gap = "  ";
	}
	columns_end(sb);
}

static void print_table(const struct dotnet_processes *all)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	CLEANUP(table_release) struct table t = { 0 };
	size_t width =
		isatty(STDOUT_FILENO) ? MAX((size_t)term_columns(stdout), LEAST_WIDTH) : WIDE;

	vec_for_each (&all->list, p)
		add_row(&t, p);
	fit(&t, width);
	add_line(&sb, &t, NULL);
	vec_for_each (&t.rows, row) {
		add_line(&sb, &t, row);
		if (row->problem) {
			strbuf_addstr(&sb, "    ");
			columns_wrap(&sb, row->problem, 4, MIN(width, 100u));
		}
	}
	fputs(strbuf_cstr(&sb), stdout);
}

/* ---- JSON ---- */

static void add_socket(struct json_writer *w, const struct dotnet_process *p)
{
	CLEANUP(mem_cleanup) char *path = NULL;

	if (p->socket)
		path = xasprintf("%s%s%s/%s", p->root, *p->dir == '/' || !*p->root ? "" : "/",
				 p->dir, p->socket);
	json_cstr(w, "socket", path);
}

static void add_process(struct json_writer *w, const struct dotnet_process *p)
{
	static const char *const kinds[] = { "native", "coreclr", "nativeaot" };

	json_object_begin(w, NULL);
	if (p->pid)
		json_int(w, "pid", p->pid);
	else
		json_none(w, "pid");
	json_int(w, "inner_pid", p->inner_pid);
	json_cstr(w, "kind", kinds[p->kind]);
	json_cstr(w, "name", p->name);
	json_cstr(w, "version", p->version);
	json_cstr(w, "arch", p->arch);
	if (p->cpus > 0)
		json_double(w, "cpus", p->cpus);
	else
		json_none(w, "cpus");
	if (p->memory_bytes)
		json_uint(w, "memory_bytes", p->memory_bytes);
	else
		json_none(w, "memory_bytes");
	json_cstr(w, "command_line", p->command_line);
	add_socket(w, p);
	json_cstr(w, "problem", p->problem);
	json_object_end(w);
}

static void print_json(const struct dotnet_processes *all)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	json_init(&w, &sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_array_begin(&w, "processes");
	vec_for_each (&all->list, p)
		add_process(&w, p);
	json_array_end(&w);
	json_object_end(&w);
	puts(strbuf_cstr(&sb));
}

/* ---- when there are none ---- */

/* A namespace that is not the first one of the machine, whose number the kernel fixes. */
static bool in_own_namespace(void)
{
	char name[64];
	ssize_t n = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

	return n > 0 && !str_eq_c((struct str){ name, (size_t)n }, "pid:[4026531836]");
}

static void say_none(void)
{
	CLEANUP(mem_cleanup) pid_t *pids = NULL;
	size_t n = 0;

	process_list(&pids, &n, NULL);
	fprintf(stderr, "assay ps: no .NET process among the %zu that we can see\n", n);
	fputs("  A program that was started a moment ago may not be one yet: try again.\n", stderr);
	if (in_own_namespace())
		fputs("  We are in a container or the like, and see only what runs in it: join the "
		      "target's\n"
		      "  (docker run --pid=container:NAME, kubectl debug --target=NAME), or share "
		      "its /tmp.\n",
		      stderr);
	if (geteuid() != 0)
		fputs("  /proc may hide other users' processes: run as root to see all.\n", stderr);
	fputs("  assay ps --native lists the others.\n", stderr);
}

static int run_ps(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	CLEANUP(dotnet_processes_release) struct dotnet_processes all = { 0 };
	struct error err = ERROR_INIT;

	if (dotnet_find_all(f->native, &all, &err) < 0) {
		term_error("ps", &err);
		return EXIT_UNMEASURED;
	}
	if (f->json)
		print_json(&all);
	else if (all.list.len)
		print_table(&all);
	if (!all.list.len)
		say_none();
	return all.list.len ? EXIT_OK : EXIT_NEGATIVE;
}

static const struct opt opts[] = {
	{ "native", 0, OPT_FLAG, offsetof(struct flags, native), NULL,
	  "List the processes without .NET too" },
	{ "json", 0, OPT_FLAG, offsetof(struct flags, json), NULL, "Print JSON" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay ps", "what can be looked into, and if not, why" },
	{ "sudo assay ps", "those of all users and containers of this machine" },
	{ "assay ps --json | jq '.processes[] | select(.problem == null) | .pid'",
	  "the pids, for a script" },
	{ 0 },
};

const struct verb verb_ps = {
	.name = "ps",
	.summary = "List the .NET processes and how to reach them",
	.usage = "[options]",
	.about = "Lists the .NET processes of this machine that we can see, those of containers "
		 "too:\n"
		 "pid (and the pid inside its container), runtime, entry assembly, architecture, "
		 "limits\n"
		 "of CPU and memory, command line. Below a process that cannot be looked into "
		 "stands why,\n"
		 "and what to do.\n"
		 "\n"
		 "Exit code: 0, or 1 when there are none.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.run = run_ps,
};
