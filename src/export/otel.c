/*
 * `--out opentelemetry`: the series of the run so far to a collector by OTLP over HTTP, every ten
 * seconds. k6 sends by gRPC unless told otherwise; assay has no gRPC and says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "export/otlp.h"
#include "export/otlp_reply.h"
#include "export/push.h"

#define INTERVAL_NS	 (10 * NS_PER_S)
#define DEFAULT_ENDPOINT "localhost:4318"
#define DEFAULT_PATH	 "/v1/metrics"

struct otel_output {
	struct export_output base;
	/* options */
	struct export_push_opts opts;
	char *service, *version, *prefix;
	bool json, two_counters;

	struct export_push *push;
	struct export_table table;
	int64_t start_ns;
	uint64_t pending; /* points that no body holds yet */
};

static struct otel_output *otel_of(struct export_output *o)
{
	return container_of(o, struct otel_output, base);
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

/* --- the output ------------------------------------------------------------------------------- */

static void push_all(struct otel_output *t)
{
	struct export_otlp form = { t->service,	     t->version,  t->prefix,
				    t->two_counters, t->start_ns, wall_ns() };
	struct strbuf body = STRBUF_INIT;

	if (!t->pending && export_push_is_settled(t->push))
		return;
	if (t->json)
		export_otlp_json(&form, &t->table, &body);
	else
		export_otlp_proto(&form, &t->table, &body);
	export_push_put(t->push, &body, t->pending);
	t->pending = 0;
	strbuf_release(&body);
}

static void add_points(struct export_output *o, const struct export_point *p, size_t n)
{
	struct otel_output *t = otel_of(o);

	for (size_t i = 0; i < n; i++)
		if (export_table_add(&t->table, &p[i]))
			t->pending++;
		else
			export_lose(o, 1, "there are more than 10,000 time series");
}

static void tick(struct export_output *o)
{
	if (export_push_is_due(otel_of(o)->push))
		push_all(otel_of(o));
}

static void end(struct export_output *o)
{
	push_all(otel_of(o));
	export_push_close(TAKE(otel_of(o)->push));
}

static int begin(struct export_output *o, struct error *reterr)
{
	struct otel_output *t = otel_of(o);

	t->table.run = o->run;
	t->table.bounds = export_otlp_bounds;
	t->table.n_bounds = EXPORT_OTLP_BOUNDS;
	t->start_ns = wall_ns();
	return export_push_open(&t->push, o, &t->opts, reterr);
}

static void free_all(struct export_output *o)
{
	struct otel_output *t = otel_of(o);

	export_push_opts_release(&t->opts);
	export_table_release(&t->table);
	free(t->service);
	free(t->version);
	free(t->prefix);
	free(t);
}

/* A collector that takes a part only answers with 200 all the same. */
static bool objects(struct str answer, struct strbuf *why)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
	uint64_t rejected = export_otlp_rejected(answer, &message);

	if (!rejected && !message.len)
		return false;
	strbuf_addf(why, "it rejected %llu data points: %s", (unsigned long long)rejected,
		    message.len ? strbuf_cstr(&message) : "(no reason given)");
	return true;
}

/* --- options ---------------------------------------------------------------------------------- */

/* K6_OTEL_EXPORTER_PROTOCOL, or _TYPE as it was called in k6 1. */
static int read_protocol(struct otel_output *t, const struct export_spec *spec,
			 struct error *reterr)
{
	const char *name = "K6_OTEL_EXPORTER_PROTOCOL", *value = export_variable(spec, name);

	if (!value) {
		name = "K6_OTEL_EXPORTER_TYPE";
		value = export_variable(spec, name);
	}
	if (!value || !strcmp(value, "grpc"))
		return error_set(reterr, -ENOTSUP,
				 "assay has no gRPC, which is what k6 sends by unless told "
				 "otherwise: set K6_OTEL_EXPORTER_PROTOCOL to http/protobuf or "
				 "http/json");
	t->json = !strcmp(value, "http/json");
	if (t->json || !strcmp(value, "http/protobuf") || !strcmp(value, "http"))
		return 0;
	return error_set(reterr, -EINVAL,
			 "%s=%s: http/protobuf or http/json (or grpc, which assay has not)", name,
			 value);
}

static int read_address(struct otel_output *t, const struct export_spec *spec, struct error *reterr)
{
	const char *endpoint = export_variable(spec, "K6_OTEL_HTTP_EXPORTER_ENDPOINT");
	const char *path = export_variable(spec, "K6_OTEL_HTTP_EXPORTER_URL_PATH");
	bool insecure = false;

	if (export_variable_bool(spec, "K6_OTEL_HTTP_EXPORTER_INSECURE", &insecure, reterr) < 0)
		return -EINVAL;
	if (!endpoint)
		endpoint = DEFAULT_ENDPOINT;
	if (!path)
		path = DEFAULT_PATH;
	if (strstr(endpoint, "://"))
		return error_set(
			reterr, -EINVAL,
			"K6_OTEL_HTTP_EXPORTER_ENDPOINT=%s: host and port only; TLS is used "
			"unless K6_OTEL_HTTP_EXPORTER_INSECURE is true",
			endpoint);
	t->opts.url = xasprintf("http%s://%s%s%s", insecure ? "" : "s", endpoint,
				*path == '/' ? "" : "/", path);
	return 0;
}

/* "k1=v1,k2=v2", values %-encoded. */
static int read_headers(struct otel_output *t, const struct export_spec *spec, struct error *reterr)
{
	const char *list = export_variable(spec, "K6_OTEL_HEADERS");
	struct str rest = str_from(list), part;

	while (list && str_split(&rest, ',', &part)) {
		CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
		size_t eq = str_find(part, '=');

		if (eq == part.len || !eq)
			return error_set(reterr, -EINVAL,
					 "K6_OTEL_HEADERS: '%.*s' is no NAME=VALUE", STR_FMT(part));
		net_url_decode(&value, (struct str){ part.ptr + eq + 1, part.len - eq - 1 });
		export_push_header(&t->opts, str_trim((struct str){ part.ptr, eq }),
				   str_trim(strbuf_str(&value)));
	}
	return 0;
}

static char *text_of(const struct export_spec *spec, const char *name, const char *other)
{
	const char *value = export_variable(spec, name);

	if (!value)
		value = other;
	return value ? xstrdup(value) : NULL;
}

static int read_options(struct otel_output *t, const struct export_spec *spec, struct error *reterr)
{
	const char *sdk_service = export_variable(spec, "OTEL_SERVICE_NAME");
	uint64_t unused_ns = 0;
	bool single = true;

	if (*spec->arg)
		return error_set(reterr, -EINVAL,
				 "it takes no argument; K6_OTEL_HTTP_EXPORTER_ENDPOINT says where");
	t->service = text_of(spec, "K6_OTEL_SERVICE_NAME", sdk_service ? sdk_service : "k6");
	t->version = text_of(spec, "K6_OTEL_SERVICE_VERSION", ASSAY_VERSION);
	t->prefix = text_of(spec, "K6_OTEL_METRIC_PREFIX", "");
	t->opts.ca_file = text_of(spec, "K6_OTEL_TLS_CERTIFICATE", NULL);
	t->opts.cert_file = text_of(spec, "K6_OTEL_TLS_CLIENT_CERTIFICATE", NULL);
	t->opts.key_file = text_of(spec, "K6_OTEL_TLS_CLIENT_KEY", NULL);
	if (read_protocol(t, spec, reterr) < 0)
		return reterr->code;
	if (read_address(t, spec, reterr) < 0 || read_headers(t, spec, reterr) < 0 ||
	    export_variable_bool(spec, "K6_OTEL_TLS_INSECURE_SKIP_VERIFY", &t->opts.insecure,
				 reterr) < 0 ||
	    export_variable_bool(spec, "K6_OTEL_SINGLE_COUNTER_FOR_RATE", &single, reterr) < 0 ||
	    export_variable_ns(spec, "K6_OTEL_FLUSH_INTERVAL", &unused_ns, reterr) < 0 ||
	    export_variable_ns(spec, "K6_OTEL_EXPORT_INTERVAL", &t->base.interval_ns, reterr) < 0)
		return -EINVAL;
	t->two_counters = !single;
	export_push_header(&t->opts, STR("Content-Type"),
			   t->json ? STR("application/json") : STR("application/x-protobuf"));
	return 0;
}

int export_otel_create(const struct export_spec *spec, struct export_output **ret,
		       struct error *reterr)
{
	static const struct export_ops ops = {
		.begin = begin,
		.points = add_points,
		.tick = tick,
		.end = end,
		.free = free_all,
	};
	struct otel_output *t = xcalloc(1, sizeof(*t));
	struct error err = ERROR_INIT;
	int r;

	t->base.ops = &ops;
	t->base.interval_ns = INTERVAL_NS;
	t->opts.cumulative = true;
	t->opts.objects = objects;
	t->opts.only_listed = true; /* OTLP/HTTP: 429, 502, 503, 504 */
	r = read_options(t, spec, &err);
	if (r < 0) {
		free_all(&t->base);
		return error_set(reterr, r, "%s", err.msg);
	}
	*ret = &t->base;
	return 0;
}
