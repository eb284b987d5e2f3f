/* assay get: one request and where its time went. The client does the work; this shows it. */
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/json.h"
#include "cli/proxies.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "net/client.h"
#include "os/file.h"

#define MAX_BODY_BYTES (UINT64_C(1) << 30)

struct get_opts {
	const char *method;
	struct opt_list headers;
	const char *data;
	uint64_t timeout_ns;
	bool insecure;
	const char *ca_file;
	const char *output;
	bool include;
	bool fail;
	bool json;
};

/* Everything one run of the verb holds. */
struct get {
	const struct get_opts *opts;
	struct strbuf url_text;
	struct net_url url;
	struct strbuf data; /* a body that was read from a file */
	VEC(struct net_header) headers;
	struct net_loop *loop;
	struct net_stack *stack;
	struct net_client *client;
	struct net_proxies *proxies;
	struct net_response *res;
};

static void get_release(struct get *g)
{
	net_response_free(g->res);
	net_client_free(g->client);
	net_stack_free(g->stack);
	net_loop_free(g->loop);
	net_proxies_free(g->proxies);
	vec_release(&g->headers);
	strbuf_release(&g->data);
	strbuf_release(&g->url_text);
}

static void init(void *p)
{
	struct get_opts *o = p;

	o->timeout_ns = 60 * NS_PER_S;
}

/* --- the request --- */

static int parse_url(struct get *g, const char *text, struct error *reterr)
{
	int r;

	/* As browsers and curl do. */
	if (!strstr(text, "://"))
		strbuf_addstr(&g->url_text, "http://");
	strbuf_addstr(&g->url_text, text);
	r = net_url_parse(&g->url, strbuf_str(&g->url_text), reterr);
	return r < 0 ? error_wrap(reterr, "%s", text) : 0;
}

static int parse_headers(struct get *g, struct error *reterr)
{
	const struct opt_list *list = &g->opts->headers;

	for (size_t i = 0; i < list->len; i++) {
		struct str rest = str_from(list->ptr[i]), name;

		if (str_find(rest, ':') == rest.len)
			return error_set(reterr, -1,
					 "--header \"%s\" is not of the form \"Name: value\"",
					 list->ptr[i]);
		str_split(&rest, ':', &name);
		vec_push(&g->headers, ((struct net_header){ str_trim(name), str_trim(rest) }));
	}
	return 0;
}

static bool has_header(const struct get *g, struct str name)
{
	vec_for_each (&g->headers, h)
		if (str_ieq(h->name, name))
			return true;
	return false;
}

static int take_data(struct get *g, struct str *ret_body, struct error *reterr)
{
	const char *data = g->opts->data;

	if (!data)
		return 0;
	if (!has_header(g, STR("content-type")))
		vec_push(&g->headers,
			 ((struct net_header){ STR("Content-Type"),
					       STR("application/x-www-form-urlencoded") }));
	*ret_body = str_from(data);
	if (data[0] == '@') {
		int r = file_read(data + 1, MAX_BODY_BYTES, &g->data, reterr);

		if (r < 0)
			return error_wrap(reterr, "reading the request's body");
		*ret_body = strbuf_str(&g->data);
	}
	return 0;
}

static void on_done(void *arg, struct net_response *res)
{
	struct get *g = arg;

	g->res = res;
	net_loop_stop(g->loop);
}

static struct str method_of(const struct get_opts *o)
{
	if (o->method)
		return str_from(o->method);
	return o->data ? STR("POST") : STR("GET");
}

static int perform(struct get *g, struct str body, struct error *reterr)
{
	const struct get_opts *o = g->opts;
	struct net_stack_opts stack_opts = { .tls = { .insecure = o->insecure,
						      .ca_file = o->ca_file } };
	struct net_client_opts client_opts = { .user_agent = "assay/" ASSAY_VERSION,
					       .timeout_ns = o->timeout_ns,
					       .dial_timeout_ns = o->timeout_ns,
					       .max_body_bytes = MAX_BODY_BYTES };
	struct net_request req = { .method = method_of(o),
				   .url = &g->url,
				   .headers = g->headers.ptr,
				   .n_headers = g->headers.len,
				   .body = body,
				   .discard_body = !o->output,
				   .done = on_done,
				   .arg = g };
	int r = cli_proxies(&g->proxies, reterr);

	if (r == 0)
		r = net_loop_new(&g->loop, reterr);
	if (r < 0)
		return r;
	client_opts.proxies = g->proxies;
	g->stack = net_stack_new(g->loop, &stack_opts);
	g->client = net_client_new(g->stack, &client_opts);
	net_client_send(g->client, &req);
	net_loop_run(g->loop);
	return 0;
}

/* --- the answer --- */

struct phase {
	const char *name;
	uint64_t ns;
};

enum { N_PHASES = 7 };

static void list_phases(const struct net_timings *t, struct phase ret[N_PHASES])
{
	const struct phase phases[N_PHASES] = {
		{ "lookup", t->looking_up_ns },
		{ "connect", t->connecting_ns },
		{ "tls", t->tls_ns },
		{ "send", t->sending_ns },
		{ "wait", t->waiting_ns },
		{ "receive", t->receiving_ns },
		{ "total", t->end_ns - t->start_ns },
	};

	memcpy(ret, phases, sizeof(phases));
}

static void print_head(const struct net_response *res)
{
	CLEANUP(strbuf_release) struct strbuf remote = STRBUF_INIT;
	struct str reason = net_head_reason(&res->head);

	net_addr_fmt(&remote, &res->remote, true);
	printf("%s %u%s%.*s  from %s", net_head_proto(&res->head), res->head.status,
	       reason.len ? " " : "", STR_FMT(reason), strbuf_cstr(&remote));
	if (res->tls_version)
		printf("  %s %s", res->tls_version, res->tls_cipher);
	putchar('\n');
}

static void print_fields(const struct net_head *h)
{
	vec_for_each (&h->fields, f)
		printf("%.*s: %.*s\n", STR_FMT(net_field_name(h, f)),
		       STR_FMT(net_field_value(h, f)));
}

static void print_phases(const struct net_timings *t)
{
	struct phase phases[N_PHASES];

	list_phases(t, phases);
	for (size_t i = 0; i < N_PHASES; i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		duration_fmt_short(&sb, phases[i].ns);
		if (phases[i].ns)
			printf("  %-8s %s\n", phases[i].name, strbuf_cstr(&sb));
		else
			printf("  %-8s -\n", phases[i].name);
	}
}

static void print_redirect(const struct get *g)
{
	CLEANUP(strbuf_release) struct strbuf target = STRBUF_INIT;
	struct str location = net_head_get(&g->res->head, "location");

	if (g->res->head.status / 100 != 3 || !location.ptr)
		return;
	if (net_url_resolve(&target, strbuf_str(&g->url_text), location) == 0)
		printf("redirects to %s\n", strbuf_cstr(&target));
}

static void print_text(const struct get *g)
{
	const struct net_response *res = g->res;

	print_head(res);
	if (g->opts->include)
		print_fields(&res->head);
	print_phases(&res->t);
	printf("sent %llu bytes, received %llu, body %llu\n", (unsigned long long)res->sent_bytes,
	       (unsigned long long)res->received_bytes, (unsigned long long)res->body_bytes);
	print_redirect(g);
}

static void json_head(struct json_writer *w, const struct get *g)
{
	const struct net_response *res = g->res;
	CLEANUP(strbuf_release) struct strbuf remote = STRBUF_INIT;

	if (res->head.status) {
		json_uint(w, "status", res->head.status);
		json_str(w, "reason", net_head_reason(&res->head));
		json_cstr(w, "proto", net_head_proto(&res->head));
	}
	if (res->remote.sa.sa_family) {
		net_addr_fmt(&remote, &res->remote, true);
		json_str(w, "remote", strbuf_str(&remote));
	}
	if (res->tls_version) {
		json_cstr(w, "tls_version", res->tls_version);
		json_cstr(w, "tls_cipher", res->tls_cipher);
	}
	if (!g->opts->include || !res->head.status)
		return;
	json_array_begin(w, "headers");
	vec_for_each (&res->head.fields, f) {
		json_object_begin(w, NULL);
		json_str(w, "name", net_field_name(&res->head, f));
		json_str(w, "value", net_field_value(&res->head, f));
		json_object_end(w);
	}
	json_array_end(w);
}

static void print_json(const struct get *g)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT, url = STRBUF_INIT;
	struct net_response *res = g->res;
	struct phase phases[N_PHASES];
	struct json_writer w;

	net_url_mask(&url, strbuf_str(&g->url_text));
	list_phases(&res->t, phases);
	json_init(&w, &sb, JSON_INDENT);
	json_object_begin(&w, NULL);
	json_str(&w, "url", strbuf_str(&url));
	if (res->error) {
		json_object_begin(&w, "error");
		json_cstr(&w, "kind", net_err_name(res->error));
		json_str(&w, "message", strbuf_str(&res->message));
		json_object_end(&w);
	}
	json_head(&w, g);
	json_object_begin(&w, "phases_ns");
	for (size_t i = 0; i < N_PHASES; i++)
		json_uint(&w, phases[i].name, phases[i].ns);
	json_object_end(&w);
	json_object_begin(&w, "bytes");
	json_uint(&w, "sent", res->sent_bytes);
	json_uint(&w, "received", res->received_bytes);
	json_uint(&w, "body", res->body_bytes);
	json_object_end(&w);
	json_object_end(&w);
	puts(strbuf_cstr(&sb));
}

static int report(const struct get *g, struct error *reterr)
{
	const struct get_opts *o = g->opts;
	const struct net_response *res = g->res;

	if (o->json)
		print_json(g);
	if (res->error) {
		error_set(reterr, -1, "%s", strbuf_cstr(&res->message));
		return EXIT_UNMEASURED;
	}
	if (!o->json)
		print_text(g);
	if (o->output && file_write_atomic(o->output, strbuf_str(&res->body), reterr) < 0)
		return EXIT_UNMEASURED;
	return o->fail && res->head.status >= 400 ? EXIT_NEGATIVE : EXIT_OK;
}

static int run_get(const struct verb_args *a)
{
	CLEANUP(get_release) struct get g = { .opts = a->opts };
	struct error err = ERROR_INIT;
	struct str body = { 0 };
	int exit_code = EXIT_USAGE;

	if (parse_url(&g, a->args[0], &err) == 0 && parse_headers(&g, &err) == 0 &&
	    take_data(&g, &body, &err) == 0) {
		exit_code = EXIT_UNMEASURED;
		if (perform(&g, body, &err) == 0)
			exit_code = report(&g, &err);
	}
	if (err.code)
		term_error("get", &err);
	return exit_code;
}

#define AT(field) offsetof(struct get_opts, field)

static const struct opt opts[] = {
	{ "request", 'X', OPT_STRING, AT(method), "METHOD", "Method; GET, or POST with --data" },
	{ "header", 'H', OPT_LIST, AT(headers), "NAME: VALUE", "Add a header; may be repeated" },
	{ "data", 'd', OPT_STRING, AT(data), "TEXT", "Send a body; @FILE reads it from a file",
	  "file" },
	{ "timeout", 0, OPT_DURATION, AT(timeout_ns), "TIME", "Give up after this long (60s)" },
	{ "insecure", 'k', OPT_FLAG, AT(insecure), NULL, "Take any certificate" },
	{ "cacert", 0, OPT_STRING, AT(ca_file), "FILE", "Trust the authorities in a PEM file",
	  "file" },
	{ "output", 'o', OPT_STRING, AT(output), "FILE", "Write the reply's body to a file",
	  "file" },
	{ "include", 'i', OPT_FLAG, AT(include), NULL, "Show the reply's headers" },
	{ "fail", 'f', OPT_FLAG, AT(fail), NULL, "Exit with 1 when the status is 400 or above" },
	{ "json", 0, OPT_FLAG, AT(json), NULL, "Print JSON; times in ns" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay get http://127.0.0.1:8080/health", "where one request's time goes" },
	{ "assay get -H 'Accept: text/html' -i https://example.org", "with the reply's headers" },
	{ "assay get -d @cart.json -H 'Content-Type: application/json' -o quote.json "
	  "http://127.0.0.1:8080/api/checkout",
	  "posts a file, keeps the answer" },
	{ 0 },
};

const struct verb verb_get = {
	.name = "get",
	.summary = "Send one request and show where its time went",
	.usage = "[options] URL",
	.about = "Sends one HTTP/1.1 request over a new connection and prints the status, the time "
		 "of\n"
		 "each phase (lookup, connect, TLS, send, wait, receive) and the bytes. Redirects "
		 "are\n"
		 "shown, not followed. A URL without scheme means http.\n"
		 "\n"
		 "Any reply counts as success (0), as with curl; with --fail a status of 400 or "
		 "above\n"
		 "is 1. A request without a reply is 3, with the reason on stderr.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct get_opts),
	.min_args = 1,
	.max_args = 1,
	.init = init,
	.run = run_get,
};
