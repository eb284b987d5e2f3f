#include "dotnet/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/cursor.h"
#include "dotnet/methods.h"
#include "dotnet/payload.h"
#include "os/file.h"

#define READ_BYTES (1u << 20)

/* What an event is to us; kept with its kind. */
enum role { ROLE_NONE, ROLE_SAMPLE, ROLE_RUNTIME, ROLE_RUNDOWN, ROLE_PROCESS };

/* A stack that came before, found by its bytes. */
struct known_stack {
	uint64_t hash;
	uint32_t node; /* in raw; 0 = a free place */
	uint32_t bytes;
	size_t at; /* in stack_bytes */
};

struct dotnet_trace_reader {
	struct nettrace *nettrace;
	struct methods *methods;
	struct dotnet_trace t;

	/* Stacks of addresses: a "frame" of raw is an index in addresses. */
	struct profile raw;
	VEC(uint64_t) addresses; /* shifted, the lowest bit: it is the innermost frame */
	VEC(int64_t) seen_ns;	 /* when each was first met */
	struct nettrace_address_index {
		uint32_t *slots;
		size_t count;
	} index;
	struct known_stack *stacks;
	size_t stack_slots, stack_count;
	struct strbuf stack_bytes;
};

/* ---- stacks ---- */

static uint64_t hash_of(struct str bytes)
{
	uint64_t h = bytes.len;

	for (size_t i = 0; i + 8 <= bytes.len; i += 8) {
		uint64_t word;

		memcpy(&word, bytes.ptr + i, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h | 1;
}

static void grow_index(struct dotnet_trace_reader *r)
{
	size_t count = r->index.count ? r->index.count * 2 : 4096;

	free(r->index.slots);
	r->index.slots = xcalloc(count, sizeof(*r->index.slots));
	r->index.count = count;
	for (uint32_t i = 0; i < r->addresses.len; i++) {
		size_t at = (size_t)(r->addresses.ptr[i] * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
			    (count - 1);

		while (r->index.slots[at])
			at = (at + 1) & (count - 1);
		r->index.slots[at] = i + 1;
	}
}

static uint32_t address_number(struct dotnet_trace_reader *r, uint64_t address, int64_t t_ns)
{
	size_t at;

	if (r->addresses.len * 2 >= r->index.count)
		grow_index(r);
	at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (r->index.count - 1);
	for (; r->index.slots[at]; at = (at + 1) & (r->index.count - 1))
		if (r->addresses.ptr[r->index.slots[at] - 1] == address)
			return r->index.slots[at] - 1;
	vec_push(&r->addresses, address);
	vec_push(&r->seen_ns, t_ns);
	r->index.slots[at] = (uint32_t)r->addresses.len;
	return (uint32_t)r->addresses.len - 1;
}

static uint32_t add_stack(struct dotnet_trace_reader *r, const struct nettrace_event *e)
{
	size_t depth = nettrace_depth(e);
	uint32_t node = 0;

	for (size_t i = depth; i-- > 0;)
		node = profile_child(&r->raw, node,
				     address_number(r, nettrace_ip(e, i) << 1 | (i == 0), e->t_ns));
	return node;
}

static void grow_stacks(struct dotnet_trace_reader *r)
{
	size_t count = r->stack_slots ? r->stack_slots * 2 : 4096;
	struct known_stack *bigger = xcalloc(count, sizeof(*bigger));

	for (size_t i = 0; i < r->stack_slots; i++) {
		size_t at = (size_t)(r->stacks[i].hash >> 8) & (count - 1);

		if (!r->stacks[i].node)
			continue;
		while (bigger[at].node)
			at = (at + 1) & (count - 1);
		bigger[at] = r->stacks[i];
	}
	free(r->stacks);
	r->stacks = bigger;
	r->stack_slots = count;
}

/* The same stack comes again and again: its frames are looked at once. */
static uint32_t stack_node(struct dotnet_trace_reader *r, const struct nettrace_event *e)
{
	uint64_t hash = hash_of(e->stack);
	struct known_stack *s;
	size_t at;

	if (!e->stack.len)
		return 0;
	if (r->stack_count * 2 >= r->stack_slots)
		grow_stacks(r);
	at = (size_t)(hash >> 8) & (r->stack_slots - 1);
	for (; r->stacks[at].node; at = (at + 1) & (r->stack_slots - 1)) {
		s = &r->stacks[at];
		if (s->hash == hash && s->bytes == e->stack.len &&
		    !memcmp(r->stack_bytes.ptr + s->at, e->stack.ptr, e->stack.len))
			return s->node;
	}
	r->stacks[at] = (struct known_stack){ hash, add_stack(r, e), (uint32_t)e->stack.len,
					      r->stack_bytes.len };
	strbuf_add(&r->stack_bytes, e->stack.ptr, e->stack.len);
	r->stack_count++;
	return r->stacks[at].node;
}

/* ---- events ---- */

static int on_kind(void *user, struct nettrace_meta *m)
{
	static const struct {
		const char *provider;
		enum role role;
	} roles[] = {
		{ "Microsoft-DotNETCore-SampleProfiler", ROLE_SAMPLE },
		{ "Microsoft-Windows-DotNETRuntime", ROLE_RUNTIME },
		{ "Microsoft-Windows-DotNETRuntimeRundown", ROLE_RUNDOWN },
		{ "Microsoft-DotNETCore-EventPipe", ROLE_PROCESS },
	};

	(void)user;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (!strcmp(m->provider, roles[i].provider))
			m->user = (void *)(uintptr_t)roles[i].role;
	return 0;
}

static void take_sample(struct dotnet_trace_reader *r, const struct nettrace_event *e)
{
	struct cursor c = cursor_of(e->payload, e->offset);
	uint32_t kind = cursor_u32(&c); /* 1 external, 2 managed */
	struct profile_sample s = {
		.node = stack_node(r, e),
		.thread = profile_thread(&r->raw, e->thread_id),
		.t_ns = e->t_ns,
		.weight = 1,
		.state = kind == 2   ? PROFILE_MANAGED
			 : kind == 1 ? PROFILE_EXTERNAL
				     : PROFILE_STATE_NONE,
	};

	if (e->meta->event_id)
		return;
	r->t.without_stack += !s.node;
	vec_push(&r->raw.samples, s);
}

static void take_process(struct dotnet_trace_reader *r, const struct nettrace_event *e)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct payload_value v;

	if (r->t.command_line || payload_find(e, "CommandLine", &v) != 1)
		return;
	payload_text(&v, &text);
	r->t.command_line = strbuf_detach(&text);
}

static int on_event(void *user, const struct nettrace_event *e)
{
	struct dotnet_trace_reader *r = user;
	enum role role = (enum role)(uintptr_t)e->meta->user;

	if (!r->t.first_ns || e->t_ns < r->t.first_ns)
		r->t.first_ns = e->t_ns;
	if (e->t_ns > r->t.last_ns)
		r->t.last_ns = e->t_ns;
	if (role != ROLE_RUNDOWN && e->t_ns > r->t.ended_ns)
		r->t.ended_ns = e->t_ns;
	if (role == ROLE_SAMPLE)
		take_sample(r, e);
	if (role == ROLE_RUNTIME)
		gc_log_take(&r->t.gc, e);
	if (role == ROLE_RUNTIME || role == ROLE_RUNDOWN)
		methods_take(r->methods, e, role == ROLE_RUNDOWN);
	else if (role == ROLE_PROCESS)
		take_process(r, e);
	return 0;
}

/* ---- the end ---- */

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The sampler's true interval is not what the trace says; see what came. */
static double median_interval_ms(const struct profile *p)
{
	int64_t *last = xcalloc(p->threads.len + 1, sizeof(*last));
	VEC(double) gaps = VEC_INIT;
	double median = 0;

	vec_for_each (&p->samples, s) {
		if (last[s->thread])
			vec_push(&gaps, (double)(s->t_ns - last[s->thread]) / 1e6);
		last[s->thread] = s->t_ns;
	}
	if (gaps.len) {
		qsort(gaps.ptr, gaps.len, sizeof(*gaps.ptr), compare_doubles);
		median = gaps.ptr[gaps.len / 2];
	}
	vec_release(&gaps);
	free(last);
	return median;
}

/* Addresses become names, and nodes whose addresses lie in one method become one. */
static void name_stacks(struct dotnet_trace_reader *r, struct profile *to)
{
	uint32_t *frames = xcalloc(r->addresses.len + 1, sizeof(*frames));
	uint32_t *nodes = xcalloc(r->raw.nodes.len, sizeof(*nodes));

	for (size_t i = 0; i < r->addresses.len; i++) {
		CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
		uint64_t address = r->addresses.ptr[i] >> 1;
		bool innermost = r->addresses.ptr[i] & 1;

		r->t.frames_known += methods_find(r->methods, innermost ? address : address - 1,
						  r->seen_ns.ptr[i], &name);
		frames[i] = profile_frame(to, strbuf_cstr(&name));
	}
	r->t.frames = r->addresses.len;
	for (size_t i = 1; i < r->raw.nodes.len; i++)
		nodes[i] = profile_child(to, nodes[r->raw.nodes.ptr[i].parent],
					 frames[r->raw.nodes.ptr[i].frame]);
	vec_for_each (&r->raw.threads, t)
		profile_thread(to, t->id);
	vec_for_each (&r->raw.samples, s) {
		struct profile_sample named = *s;

		named.node = nodes[s->node];
		vec_push(&to->samples, named);
	}
	free(frames);
	free(nodes);
}

struct dotnet_trace_reader *dotnet_trace_reader_new(void)
{
	struct dotnet_trace_reader *r = xcalloc(1, sizeof(*r));

	r->nettrace = nettrace_new(
		&(struct nettrace_handler){ .user = r, .kind = on_kind, .event = on_event });
	r->methods = methods_new();
	profile_init(&r->raw, "samples");
	return r;
}

struct dotnet_trace_reader *dotnet_trace_reader_free(struct dotnet_trace_reader *r)
{
	if (!r)
		return NULL;
	nettrace_free(r->nettrace);
	methods_free(r->methods);
	profile_release(&r->raw);
	dotnet_trace_release(&r->t);
	vec_release(&r->addresses);
	vec_release(&r->seen_ns);
	free(r->index.slots);
	free(r->stacks);
	strbuf_release(&r->stack_bytes);
	free(r);
	return NULL;
}

int dotnet_trace_feed(struct dotnet_trace_reader *r, struct str bytes, struct error *reterr)
{
	return nettrace_feed(r->nettrace, bytes, reterr);
}

int dotnet_trace_end(struct dotnet_trace_reader *r, struct dotnet_trace *ret, struct error *reterr)
{
	struct error cut = ERROR_INIT;
	int err = nettrace_end(r->nettrace, &cut);

	if (err == -ENODATA)
		r->t.truncated = xstrdup(cut.msg);
	else if (err < 0) {
		*reterr = cut;
		return err;
	}
	r->t.info = *nettrace_info(r->nettrace);
	r->t.counts = *nettrace_counts(r->nettrace);
	r->t.methods = methods_count(r->methods);
	r->t.interval_ms = median_interval_ms(&r->raw);
	profile_init(&r->t.cpu, "samples");
	name_stacks(r, &r->t.cpu);
	*ret = r->t;
	r->t = (struct dotnet_trace){ 0 };
	return 0;
}

void dotnet_trace_release(struct dotnet_trace *t)
{
	profile_release(&t->cpu);
	gc_log_release(&t->gc);
	free(t->command_line);
	free(t->truncated);
}

static int read_all(int fd, const char *path, struct dotnet_trace_reader *r, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *buf = xmalloc(READ_BYTES);
	ssize_t n;

	while ((n = read(fd, buf, READ_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(reterr, -errno, "reading %s", path);
		if (dotnet_trace_feed(r, (struct str){ buf, (size_t)n }, reterr) < 0)
			return error_wrap(reterr, "%s", path);
	}
	return 0;
}

int dotnet_trace_read(const char *path, struct dotnet_trace *ret, struct error *reterr)
{
	CLEANUP(cleanup_dotnet_trace_reader) struct dotnet_trace_reader *r = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s", path);
	r = dotnet_trace_reader_new();
	err = read_all(fd, path, r, reterr);
	close(fd);
	if (err < 0)
		return err;
	if (dotnet_trace_end(r, ret, reterr) < 0)
		return error_wrap(reterr, "%s", path);
	return 0;
}
