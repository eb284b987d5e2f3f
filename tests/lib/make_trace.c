/*
 * make_trace: writes a trace of a .NET process (nettrace, version 4) to stdout, as a runtime does
 *that samples its threads, from lines of stdin:
 *
 *	FROM_MS TO_MS THREAD managed|external FRAME;FRAME;...
 *
 * a sample at FROM_MS and each millisecond after it, before TO_MS; frames from the outside in, each
 * "Module!Ns.Type.Method(args)". Sources of the layouts: dotnet/diagnostics, "NetTraceFormat.md",
 *and the runtime's ClrEtwAll.man.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/dotnet/trace_rig.h"
#include "base/map.h"
#include "base/vec.h"

#define METHOD_BYTES 0x1000

enum { KIND_SAMPLE = 1, KIND_METHOD, KIND_MODULE };

struct maker {
	struct strbuf samples, stacks, rundown;
	struct map methods, modules; /* name -> number from 1 */
	unsigned n_stacks;
	unsigned sequence[2]; /* of the sampler, of the thread that ends the session */
};

#define END_TICKS 1000001000 /* after a second */

/* An uncompressed event of version 4. */
static void put_whole(struct strbuf *out, struct maker *m, unsigned kind, uint64_t thread,
		      unsigned stack, uint64_t ticks, const struct strbuf *payload)
{
	put(out, 76 + payload->len, 4);
	put(out, kind, 4);
	put(out, ++m->sequence[kind != KIND_SAMPLE], 4);
	put(out, thread, 8);
	put(out, kind == KIND_SAMPLE ? 8001 : 8002, 8); /* the thread that wrote it */
	put(out, 0, 4);
	put(out, stack, 4);
	put(out, ticks, 8);
	put(out, 0, 16 + 16);
	put(out, payload->len, 4);
	strbuf_add(out, payload->ptr, payload->len);
	while (out->len % 4)
		put(out, 0, 1);
}

/* Its number; a name that is new gets one, and *ret_new is set. */
static uintptr_t number_of(struct map *names, struct str name, bool *ret_new)
{
	uintptr_t known = (uintptr_t)map_get(names, name);

	*ret_new = !known;
	if (!known) {
		known = names->len + 1;
		map_put(names, name, (void *)known);
	}
	return known;
}

static uintptr_t module_of(struct maker *m, struct str name)
{
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT, path = STRBUF_INIT;
	bool is_new;
	uintptr_t id = number_of(&m->modules, name, &is_new);

	if (!is_new)
		return id;
	strbuf_addf(&path, "/app/%.*s.dll", STR_FMT(name));
	put(&payload, id, 8);
	put(&payload, 1, 8);
	put(&payload, 0, 8);
	put_text16(&payload, strbuf_cstr(&path));
	put_text16(&payload, "");
	put_whole(&m->rundown, m, KIND_MODULE, 8002, 0, END_TICKS, &payload);
	return id;
}

static void put_part(struct strbuf *out, const char *before, struct str part)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s%.*s", before, STR_FMT(part));
	put_text16(out, strbuf_cstr(&text));
}

static uint64_t address_of(struct maker *m, struct str frame)
{
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
	bool is_new;
	uintptr_t id = number_of(&m->methods, frame, &is_new);
	size_t module = str_find(frame, '!'), arguments = str_find(frame, '('), dot = arguments;

	if (!is_new)
		return id * METHOD_BYTES;
	while (dot > module + 1 && frame.ptr[dot] != '.')
		dot--;
	put(&payload, id, 8);
	put(&payload, module_of(m, (struct str){ frame.ptr, module }), 8);
	put(&payload, id * METHOD_BYTES, 8);
	put(&payload, METHOD_BYTES, 4);
	put(&payload, 0, 8);
	put_part(&payload, "", (struct str){ frame.ptr + module + 1, dot - module - 1 });
	put_part(&payload, "", (struct str){ frame.ptr + dot + 1, arguments - dot - 1 });
	put_part(&payload, "void ", (struct str){ frame.ptr + arguments, frame.len - arguments });
	put(&payload, 0, 2 + 8);
	put_whole(&m->rundown, m, KIND_METHOD, 8002, 0, END_TICKS, &payload);
	return id * METHOD_BYTES;
}

/* Innermost first; callers by where they will go on. */
static unsigned put_stack(struct maker *m, struct str frames)
{
	VEC(uint64_t) addresses = VEC_INIT;
	struct str frame;

	while (str_split(&frames, ';', &frame))
		vec_push(&addresses, address_of(m, frame) + 0x20);
	put(&m->stacks, 8 * addresses.len, 4);
	for (size_t i = addresses.len; i-- > 0;)
		put(&m->stacks, addresses.ptr[i], 8);
	vec_release(&addresses);
	return ++m->n_stacks;
}

static void take_line(struct maker *m, const char *line)
{
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
	unsigned long long from, to, thread;
	unsigned stack;
	char state[16];
	int at;

	if (sscanf(line, "%llu %llu %llu %15s %n", &from, &to, &thread, state, &at) != 4) {
		fprintf(stderr, "make_trace: %s", line);
		exit(2);
	}
	stack = put_stack(m, str_trim(str_from(line + at)));
	put(&payload, *state == 'm' ? 2 : 1, 4);
	for (; from < to; from++)
		put_whole(&m->samples, m, KIND_SAMPLE, thread, stack, 1000 + from * 1000000,
			  &payload);
}

static void put_headed(struct strbuf *t, const char *type, const struct strbuf *events)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	events_begin(&body, false);
	strbuf_add(&body, events->ptr, events->len);
	trace_block(t, type, &body);
}

int main(void)
{
	struct maker m = { 0 };
	struct strbuf t = STRBUF_INIT, stacks = STRBUF_INIT;
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0)
		take_line(&m, line);
	trace_begin(&t, 4);
	trace_kind(&t, KIND_SAMPLE, "Microsoft-DotNETCore-SampleProfiler", 0, "");
	trace_kind(&t, KIND_METHOD, "Microsoft-Windows-DotNETRuntimeRundown", 144, "");
	trace_kind(&t, KIND_MODULE, "Microsoft-Windows-DotNETRuntimeRundown", 154, "");
	put(&stacks, 1, 4);
	put(&stacks, m.n_stacks, 4);
	strbuf_add(&stacks, m.stacks.ptr, m.stacks.len);
	trace_block(&t, "StackBlock", &stacks);
	put_headed(&t, "EventBlock", &m.samples);
	put_headed(&t, "EventBlock", &m.rundown);
	trace_end(&t);
	fwrite(t.ptr, 1, t.len, stdout);
	strbuf_release(&t);
	strbuf_release(&stacks);
	strbuf_release(&m.samples);
	strbuf_release(&m.stacks);
	strbuf_release(&m.rundown);
	map_release(&m.methods);
	map_release(&m.modules);
	free(line);
	return 0;
}
