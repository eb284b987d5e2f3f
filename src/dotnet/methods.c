#include "dotnet/methods.h"

#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf.h"
#include "base/vec.h"
#include "dotnet/cursor.h"
#include "dotnet/nettrace_internal.h"
#include "profile/profile.h"

/* Ids of the runtime's events and of the rundown's. */
enum {
	METHOD_DC_START =
		141, /* the rundown's 141 to 144; the runtime's 141, 143 load, 142, 144 unload */
	METHOD_UNLOAD = 142,
	METHOD_LOAD_VERBOSE = 143,
	METHOD_UNLOAD_VERBOSE = 144,
	MODULE_LOAD = 152,
	RUNDOWN_DOMAIN_MODULE_START = 151,
	RUNDOWN_DOMAIN_MODULE_END = 152,
	RUNDOWN_MODULE_START = 153,
	RUNDOWN_MODULE_END = 154,
};

#define ALWAYS INT64_MIN

struct method {
	uint64_t start;
	uint64_t end_before; /* the greatest end of all before it and its own: where to stop looking
			      */
	uint32_t size;
	const char *name; /* "Ns.Type.Method(args)" */
	uint64_t module;
	int64_t loaded_ns, unloaded_ns;
};

struct methods {
	VEC(struct method) list;       /* by start, then time, once sealed */
	struct nettrace_table modules; /* id -> name in the arena */
	struct arena texts;
	struct strbuf scratch;
	bool sealed;
};

struct methods *methods_new(void)
{
	return xcalloc(1, sizeof(struct methods));
}

struct methods *methods_free(struct methods *m)
{
	if (!m)
		return NULL;
	vec_release(&m->list);
	nettrace_table_clear(&m->modules);
	arena_release(&m->texts);
	strbuf_release(&m->scratch);
	free(m);
	return NULL;
}

size_t methods_count(const struct methods *m)
{
	return m->list.len;
}

/* ---- taking ---- */

static void add_utf16(struct strbuf *out, struct str bytes)
{
	struct utf_decoder d = { .form = UTF_16LE, .keep_bom = true };

	utf_decode(&d, bytes, true, out);
}

/* A file's name without folders and its last extension, as TraceEvent shows modules. */
static struct str base_name(struct str path)
{
	struct str name = path;
	size_t dot;

	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' || path.ptr[i] == '\\')
			name = (struct str){ path.ptr + i + 1, path.len - i - 1 };
	for (dot = name.len; dot > 0 && name.ptr[dot - 1] != '.'; dot--)
		;
	if (dot > 1)
		name.len = dot - 1;
	return name;
}

static void take_module(struct methods *m, struct cursor c, bool domain)
{
	uint64_t id = cursor_u64(&c);
	struct str path, name;
	char *copy;

	cursor_take(&c, domain ? 16 : 8); /* assembly, application domain */
	cursor_take(&c, 8);		  /* flags, reserved */
	path = cursor_utf16z(&c);
	if (c.bad)
		return;
	strbuf_clear(&m->scratch);
	add_utf16(&m->scratch, path);
	name = base_name(strbuf_str(&m->scratch));
	copy = arena_zalloc(&m->texts, name.len + 1);
	memcpy(copy, name.ptr, name.len);
	nettrace_table_put(&m->modules, id, copy);
}

/* "Ns.Type" "Method" "void (int32)" -> "Ns.Type.Method(int32)" */
static const char *full_name(struct methods *m, struct str space, struct str name,
			     struct str signature)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	size_t at;

	strbuf_clear(&m->scratch);
	add_utf16(&m->scratch, space);
	if (m->scratch.len)
		strbuf_addch(&m->scratch, '.');
	add_utf16(&m->scratch, name);
	add_utf16(&text, signature);
	at = str_find(strbuf_str(&text), '(');
	strbuf_addstr(&m->scratch, strbuf_cstr(&text) + at);
	return arena_str(&m->texts, strbuf_str(&m->scratch)).ptr;
}

static void take_method(struct methods *m, struct cursor c, bool verbose, int64_t t_ns)
{
	struct method new = { .loaded_ns = t_ns, .unloaded_ns = INT64_MAX };
	struct str space, name, signature;

	cursor_take(&c, 8); /* the method's id */
	new.module = cursor_u64(&c);
	new.start = cursor_u64(&c);
	new.size = cursor_u32(&c);
	cursor_take(&c, 8); /* token, flags */
	if (c.bad || !new.size)
		return;
	if (verbose) {
		space = cursor_utf16z(&c);
		name = cursor_utf16z(&c);
		signature = cursor_utf16z(&c);
		if (c.bad)
			return;
		new.name = full_name(m, space, name, signature);
	}
	vec_push(&m->list, new);
}

/* The code of a collectible assembly or a dynamic method is gone: its place may be used again. */
static void take_unload(struct methods *m, struct cursor c, int64_t t_ns)
{
	uint64_t start;

	cursor_take(&c, 16);
	start = cursor_u64(&c);
	for (size_t i = m->list.len; !c.bad && i-- > 0;)
		if (m->list.ptr[i].start == start && m->list.ptr[i].unloaded_ns == INT64_MAX) {
			m->list.ptr[i].unloaded_ns = t_ns;
			return;
		}
}

static void take_rundown(struct methods *m, struct cursor c, uint32_t id)
{
	if (id >= METHOD_DC_START && id <= METHOD_UNLOAD_VERBOSE)
		take_method(m, c, id >= METHOD_LOAD_VERBOSE, ALWAYS);
	else if (id == RUNDOWN_DOMAIN_MODULE_START || id == RUNDOWN_DOMAIN_MODULE_END)
		take_module(m, c, true);
	else if (id == RUNDOWN_MODULE_START || id == RUNDOWN_MODULE_END)
		take_module(m, c, false);
}

void methods_take(struct methods *m, const struct nettrace_event *e, bool rundown)
{
	struct cursor c = cursor_of(e->payload, e->offset);
	uint32_t id = e->meta->event_id;

	if (rundown)
		take_rundown(m, c, id);
	else if (id == METHOD_LOAD_VERBOSE || id == METHOD_DC_START)
		take_method(m, c, id == METHOD_LOAD_VERBOSE, e->t_ns);
	else if (id == METHOD_UNLOAD_VERBOSE || id == METHOD_UNLOAD)
		take_unload(m, c, e->t_ns);
	else if (id == MODULE_LOAD)
		take_module(m, c, false);
}

/* ---- finding ---- */

static int by_start(const void *a, const void *b)
{
	const struct method *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->loaded_ns < y->loaded_ns ? -1 : x->loaded_ns > y->loaded_ns;
}

static void seal(struct methods *m)
{
	uint64_t end = 0;

	m->sealed = true;
	if (m->list.len)
		qsort(m->list.ptr, m->list.len, sizeof(*m->list.ptr), by_start);
	vec_for_each (&m->list, x) {
		end = MAX(end, x->start + x->size);
		x->end_before = end;
	}
}

/* The number of methods that begin at or before an address. */
static size_t count_before(const struct methods *m, uint64_t address)
{
	size_t low = 0, high = m->list.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->list.ptr[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Of two that cover an address, the one that was there at the time: the latest that was loaded
 * before; without one the earliest that was loaded after. */
static bool is_better(const struct method *a, const struct method *b, int64_t t_ns)
{
	bool a_there = a->loaded_ns <= t_ns && t_ns < a->unloaded_ns;
	bool b_there = b->loaded_ns <= t_ns && t_ns < b->unloaded_ns;

	if (a_there != b_there)
		return a_there;
	return a_there ? a->loaded_ns > b->loaded_ns : a->loaded_ns < b->loaded_ns;
}

static const struct method *lookup(const struct methods *m, uint64_t address, int64_t t_ns)
{
	const struct method *best = NULL;

	for (size_t i = count_before(m, address); i-- > 0;) {
		const struct method *x = &m->list.ptr[i];

		if (x->end_before <= address)
			break;
		if (address - x->start < x->size && x->name && (!best || is_better(x, best, t_ns)))
			best = x;
	}
	return best;
}

bool methods_find(struct methods *m, uint64_t address, int64_t t_ns, struct strbuf *out)
{
	const struct method *found;
	const char *module;

	if (!m->sealed)
		seal(m);
	found = lookup(m, address, t_ns);
	if (!found) {
		strbuf_addstr(out, PROFILE_UNKNOWN);
		return false;
	}
	module = nettrace_table_get(&m->modules, found->module);
	strbuf_addf(out, "%s!%s", module ? module : "?", found->name);
	return true;
}
