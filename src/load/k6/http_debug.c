#include "load/k6/http_debug.h"

/* Of a body; a log is to be read. */
#define BODY_BYTES_MAX ((size_t)1024 * 1024)

static enum load_http_debug wanted(const struct load_request *req)
{
	const struct load_plan *plan = req->vu->run->plan;

	return plan ? plan->http_debug : LOAD_HTTP_DEBUG_NONE;
}

static void add_body(const struct load_request *req, struct str body, struct strbuf *out)
{
	strbuf_addstr(out, "\r\n");
	if (wanted(req) == LOAD_HTTP_DEBUG_FULL)
		strbuf_add(out, body.ptr, MIN(body.len, BODY_BYTES_MAX));
}

static bool has_header(const struct net_request *net, struct str name)
{
	for (size_t i = 0; i < net->n_headers; i++)
		if (str_ieq(net->headers[i].name, name))
			return true;
	return false;
}

void load_http_debug_request(struct load_request *req, const struct net_request *net)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!wanted(req))
		return;
	strbuf_addf(&text, "Request:\n%.*s %s%.*s HTTP/1.1\r\n", STR_FMT(net->method),
		    net->url->target.len && *net->url->target.ptr == '/' ? "" : "/",
		    STR_FMT(net->url->target));
	if (!has_header(net, STR("Host")))
		strbuf_addf(&text, "Host: %.*s\r\n", STR_FMT(net->url->authority));
	if (!has_header(net, STR("User-Agent")))
		strbuf_addf(&text, "User-Agent: %s\r\n", req->vu->run->plan->user_agent);
	if (net->body.len)
		strbuf_addf(&text, "Content-Length: %zu\r\n", net->body.len);
	for (size_t i = 0; i < net->n_headers; i++)
		strbuf_addf(&text, "%.*s: %.*s\r\n", STR_FMT(net->headers[i].name),
			    STR_FMT(net->headers[i].value));
	add_body(req, net->body, &text);
	load_log_from(req->vu->run, LOAD_LOG_HTTP_DEBUG, LOAD_LOG_INFO, strbuf_cstr(&text));
}

void load_http_debug_response(struct load_request *req, const struct net_response *net)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!wanted(req) || net->error)
		return;
	strbuf_addf(&text, "Response:\n%s %u %.*s\r\n", net_head_proto(&net->head),
		    net->head.status, STR_FMT(net_head_reason(&net->head)));
	vec_for_each (&net->head.fields, f)
		strbuf_addf(&text, "%.*s: %.*s\r\n", STR_FMT(net_field_name(&net->head, f)),
			    STR_FMT(net_field_value(&net->head, f)));
	add_body(req, strbuf_str(&net->body), &text);
	load_log_from(req->vu->run, LOAD_LOG_HTTP_DEBUG, LOAD_LOG_INFO, strbuf_cstr(&text));
}
