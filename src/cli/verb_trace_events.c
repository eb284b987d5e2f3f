/* assay trace events: any event of a trace, decoded, chosen, counted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/num.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "dotnet/clr_fields.h"
#include "dotnet/payload.h"
#include "os/clock.h"
#include "profile/pattern.h"

#define READ_BYTES (1u << 18)
#define OUT_BYTES  (1u << 16)

struct flags {
	const char *provider, *name, *id;
	struct opt_list filter;
	uint64_t rows;
	bool list, json;
};

/* What is known of a kind of events; its reader's `user`. */
struct kind {
	const struct nettrace_meta *meta;
	uint64_t count, bytes;
	bool chosen;
};

struct filter {
	char *field;
	const char *value;
};

struct run {
	const struct flags *f;
	struct nettrace *reader;
	struct pattern *provider, *name;
	uint64_t id;
	VEC(struct filter) filters;
	VEC(struct kind *) kinds;
	struct arena arena;
	struct strbuf out, value;
	uint64_t chosen;
};

/* ---- choosing ---- */

static int on_kind(void *user, struct nettrace_meta *m)
{
	struct run *r = user;
	struct kind *k = xcalloc(1, sizeof(*k));

	clr_describe(m, nettrace_info(r->reader)->pointer_bytes, &r->arena);
	k->meta = m;
	k->chosen = (!r->provider || pattern_matches(r->provider, m->provider)) &&
		    (!r->name || pattern_matches(r->name, m->name)) &&
		    (!r->f->id || m->event_id == r->id);
	m->user = k;
	vec_push(&r->kinds, k);
	return 0;
}

static void value_text(const struct payload_value *v, struct strbuf *out)
{
	if (v->form == PAYLOAD_TEXT)
		payload_text(v, out);
	else if (v->form == PAYLOAD_UINT)
		strbuf_addf(out, "%llu", (unsigned long long)v->natural);
	else if (v->form == PAYLOAD_BOOL)
		strbuf_addstr(out, v->number ? "true" : "false");
	else if (v->form == PAYLOAD_INT)
		strbuf_addf(out, "%lld", (long long)v->number);
	else if (v->form == PAYLOAD_DOUBLE)
		json_add_double(out, v->real);
}

static bool passes(struct run *r, const struct nettrace_event *e)
{
	struct payload_value v;

	vec_for_each (&r->filters, f) {
		if (payload_find(e, f->field, &v) != 1)
			return false;
		strbuf_clear(&r->value);
		value_text(&v, &r->value);
		if (strcmp(strbuf_cstr(&r->value), f->value) != 0)
			return false;
	}
	return true;
}

/* ---- showing ---- */

static void flush(struct run *r, size_t above)
{
	if (r->out.len <= above)
		return;
	fwrite(r->out.ptr, 1, r->out.len, stdout);
	strbuf_clear(&r->out);
}

static void add_json(struct run *r, const struct nettrace_event *e)
{
	struct json_writer w;

	json_init(&w, &r->out, JSON_COMPACT);
	json_object_begin(&w, NULL);
	json_double(&w, "t_ms", (double)e->t_ns / (double)NS_PER_MS);
	json_cstr(&w, "provider", e->meta->provider);
	json_uint(&w, "id", e->meta->event_id);
	json_uint(&w, "version", e->version);
	json_cstr(&w, "name", e->meta->name);
	json_uint(&w, "level", e->level);
	json_uint(&w, "thread", e->thread_id);
	json_uint(&w, "frames", nettrace_depth(e));
	json_uint(&w, "bytes", e->payload.len);
	payload_json(e, "fields", &w);
	json_object_end(&w);
	strbuf_addch(&r->out, '\n');
}

static void add_line(struct run *r, const struct nettrace_event *e)
{
	struct json_writer w;

	strbuf_addf(&r->out, "%12.4f %8llu  %s/", (double)e->t_ns / (double)NS_PER_MS,
		    (unsigned long long)e->thread_id, e->meta->provider);
	if (*e->meta->name)
		strbuf_addstr(&r->out, e->meta->name);
	else
		strbuf_addf(&r->out, "%u", e->meta->event_id);
	strbuf_addch(&r->out, ' ');
	json_init(&w, &r->out, JSON_COMPACT);
	payload_json(e, NULL, &w);
	strbuf_addch(&r->out, '\n');
}

static int on_event(void *user, const struct nettrace_event *e)
{
	struct run *r = user;
	struct kind *k = e->meta->user;

	if (!k->chosen || !passes(r, e))
		return 0;
	k->count++;
	k->bytes += e->payload.len;
	if (r->chosen++ >= r->f->rows)
		return 0;
	if (r->f->json)
		add_json(r, e);
	else if (r->f->list)
		add_line(r, e);
	flush(r, OUT_BYTES);
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct kind *x = *(struct kind *const *)a, *y = *(struct kind *const *)b;
	int order = strcmp(x->meta->provider, y->meta->provider);

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (order)
		return order;
	return x->meta->event_id < y->meta->event_id ? -1 : x->meta->event_id > y->meta->event_id;
}

static void add_counts(struct run *r)
{
	const struct nettrace_counts *c = nettrace_counts(r->reader);

	strbuf_addf(&r->out, "%llu events, %llu lost\n\n%10s %12s %6s %4s  %s\n",
		    (unsigned long long)c->events, (unsigned long long)c->lost, "Count", "Bytes",
		    "Id", "Ver", "Provider/Name");
	if (r->kinds.len)
		qsort(r->kinds.ptr, r->kinds.len, sizeof(*r->kinds.ptr), by_count);
	vec_for_each (&r->kinds, k)
		if ((*k)->count)
			strbuf_addf(&r->out, "%10llu %12llu %6u %4u  %s/%s\n",
				    (unsigned long long)(*k)->count,
				    (unsigned long long)(*k)->bytes, (*k)->meta->event_id,
				    (*k)->meta->version, (*k)->meta->provider, (*k)->meta->name);
}

/* ---- reading ---- */

static int add_filter(struct run *r, const char *text, struct error *reterr)
{
	const char *equals = strchr(text, '=');
	struct filter f;

	if (!equals || equals == text)
		return error_set(reterr, -EINVAL, "--filter %s: expected FIELD=VALUE", text);
	f.field = xstrndup(text, (size_t)(equals - text));
	f.value = equals + 1;
	vec_push(&r->filters, f);
	return 0;
}

static int prepare(struct run *r, struct error *reterr)
{
	const struct flags *f = r->f;

	if (f->provider && pattern_parse(str_from(f->provider), &r->provider, reterr) < 0)
		return error_wrap(reterr, "--provider");
	if (f->name && pattern_parse(str_from(f->name), &r->name, reterr) < 0)
		return error_wrap(reterr, "--name");
	if (f->id && num_parse_u64(str_from(f->id), &r->id) < 0)
		return error_set(reterr, -EINVAL, "--id %s: expected a number", f->id);
	for (size_t i = 0; i < f->filter.len; i++)
		if (add_filter(r, f->filter.ptr[i], reterr) < 0)
			return -EINVAL;
	return 0;
}

static int read_file(struct run *r, const char *path, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *buf = xmalloc(READ_BYTES);
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s", path);
	while (err == 0 && (n = read(fd, buf, READ_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? error_errno(reterr, -errno, "reading")
			    : nettrace_feed(r->reader, (struct str){ buf, (size_t)n }, reterr);
	}
	close(fd);
	if (err == 0)
		err = nettrace_end(r->reader, reterr);
	if (err == -ENODATA) { /* what there is, is shown */
		fprintf(stderr, "assay trace: the trace is cut off: %s\n", reterr->msg);
		return 0;
	}
	return err < 0 ? error_wrap(reterr, "%s", path) : 0;
}

static void release(struct run *r)
{
	nettrace_free(r->reader);
	pattern_free(r->provider);
	pattern_free(r->name);
	vec_for_each (&r->filters, f)
		free(f->field);
	vec_release(&r->filters);
	vec_for_each (&r->kinds, k)
		free(*k);
	vec_release(&r->kinds);
	arena_release(&r->arena);
	strbuf_release(&r->out);
	strbuf_release(&r->value);
}

static int run_trace_events(const struct verb_args *a)
{
	const struct flags *f = a->opts;
	struct run r = { .f = f };
	struct error err = ERROR_INIT;
	int code;

	r.reader = nettrace_new(
		&(struct nettrace_handler){ .user = &r, .kind = on_kind, .event = on_event });
	code = prepare(&r, &err);
	if (code == 0)
		code = read_file(&r, a->args[0], &err);
	if (code == 0 && !f->json && !f->list)
		add_counts(&r);
	flush(&r, 0);
	fflush(stdout);
	if (code < 0)
		term_error("trace events", &err);
	else if (nettrace_counts(r.reader)->lost)
		fprintf(stderr, "assay trace: %llu events were lost while it was taken\n",
			(unsigned long long)nettrace_counts(r.reader)->lost);
	release(&r);
	return code < 0 ? EXIT_USAGE : EXIT_OK;
}

static void init_flags(void *opts)
{
	((struct flags *)opts)->rows = UINT64_MAX;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "provider", 0, OPT_STRING, AT(provider), "PATTERN", "Only of providers that match" },
	{ "name", 0, OPT_STRING, AT(name), "PATTERN", "Only those whose name matches" },
	{ "id", 0, OPT_STRING, AT(id), "N", "Only those with this id" },
	{ "filter", 0, OPT_LIST, AT(filter), "FIELD=VALUE",
	  "Only those whose field has this value; several must all" },
	{ "list", 'l', OPT_FLAG, AT(list), NULL, "One line an event instead of the counts" },
	{ "rows", 'n', OPT_UINT, AT(rows), "N", "So many events (all)" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "One JSON object a line, for each event" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay trace events app.nettrace", "what is in it" },
	{ "assay trace events app.nettrace --name GCStart --filter Depth=2 --list",
	  "the collections of generation 2" },
	{ "assay trace events app.nettrace --provider Shop --json | jq .fields",
	  "one's own events" },
	{ 0 },
};

const struct verb verb_trace_events = {
	.name = "trace events",
	.summary = "The events of a trace, decoded and chosen",
	.usage = "[options] FILE.nettrace",
	.about = "Counts the events of a trace by kind; with --list or --json it shows each, its "
		 "fields\n"
		 "decoded by the description in the trace or, for the runtime's own events, by "
		 "what\n"
		 "is known of them. Patterns are those of trace top.\n"
		 "\n"
		 "Exit codes: 0; 2 the file or an option is wrong.",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.min_args = 1,
	.max_args = 1,
	.completes = "file",
	.run = run_trace_events,
};
