#include "dotnet/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/cursor.h"
#include "dotnet/methods.h"
#include "dotnet/payload.h"
#include "dotnet/stacks.h"
#include "os/file.h"

#define READ_BYTES (1u << 20)

/* What an event is to us; kept with its kind. */
enum role { ROLE_NONE, ROLE_SAMPLE, ROLE_RUNTIME, ROLE_RUNDOWN, ROLE_PROCESS, ROLE_REQUEST };

struct dotnet_trace_reader {
	struct nettrace *nettrace;
	struct methods *methods;
	struct dotnet_trace t;

	struct profile raw; /* whose nodes are those of the stacks */
	struct stacks *stacks;
	struct alloc_log alloc;
	struct incident_log incidents;
};

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
	if (request_log_wants(m))
		m->user = (void *)(uintptr_t)ROLE_REQUEST;
	return 0;
}

static void take_sample(struct dotnet_trace_reader *r, const struct nettrace_event *e)
{
	struct cursor c = cursor_of(e->payload, e->offset);
	uint32_t kind = cursor_u32(&c); /* 1 external, 2 managed */
	struct profile_sample s = {
		.node = stacks_node(r->stacks, e),
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
	if (role == ROLE_RUNTIME) {
		gc_log_take(&r->t.gc, e);
		alloc_log_take(&r->alloc, r->stacks, e);
		incident_log_take(&r->incidents, r->stacks, e);
	}
	if (role == ROLE_RUNTIME || role == ROLE_RUNDOWN)
		methods_take(r->methods, e, role == ROLE_RUNDOWN);
	else if (role == ROLE_PROCESS)
		take_process(r, e);
	else if (role == ROLE_REQUEST)
		request_log_take(&r->t.requests, e);
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

static void name_samples(struct dotnet_trace_reader *r, struct profile *to)
{
	struct stacks_copy copy;

	stacks_copy_begin(r->stacks, to, &copy);
	vec_for_each (&r->raw.threads, t)
		profile_thread(to, t->id);
	vec_for_each (&r->raw.samples, s) {
		struct profile_sample named = *s;

		named.node = stacks_copy_node(&copy, s->node);
		vec_push(&to->samples, named);
	}
	stacks_copy_end(&copy);
}

struct dotnet_trace_reader *dotnet_trace_reader_new(void)
{
	struct dotnet_trace_reader *r = xcalloc(1, sizeof(*r));

	r->nettrace = nettrace_new(
		&(struct nettrace_handler){ .user = r, .kind = on_kind, .event = on_event });
	r->methods = methods_new();
	r->stacks = stacks_new();
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
	stacks_free(r->stacks);
	alloc_log_release(&r->alloc);
	incident_log_release(&r->incidents);
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
	stacks_name(r->stacks, r->methods);
	r->t.frames = stacks_frames(r->stacks, &r->t.frames_known);
	name_samples(r, &r->t.cpu);
	alloc_log_finish(&r->alloc, r->stacks, &r->t.alloc);
	incident_log_finish(&r->incidents, r->stacks, &r->t.incidents);
	*ret = r->t;
	r->t = (struct dotnet_trace){ 0 };
	return 0;
}

void dotnet_trace_release(struct dotnet_trace *t)
{
	profile_release(&t->cpu);
	gc_log_release(&t->gc);
	alloc_result_release(&t->alloc);
	incidents_release(&t->incidents);
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
