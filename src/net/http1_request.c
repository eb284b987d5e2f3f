#include "net/http1_request.h"

#include <errno.h>

#include "base/base64.h"

/* What the request's own fields replace. */
enum { OWN_HOST = 1, OWN_USER_AGENT = 2, OWN_AUTHORIZATION = 4, OWN_CONNECTION = 8 };

enum field_kind { FIELD_PLAIN, FIELD_HOST, FIELD_DROPPED, FIELD_CONNECTION };

static enum field_kind kind_of(struct str name, unsigned *own)
{
	switch (name.len) {
	case 4:
		if (!str_ieq(name, STR("host")))
			return FIELD_PLAIN;
		*own |= OWN_HOST;
		return FIELD_HOST;
	case 10:
		if (str_ieq(name, STR("user-agent")))
			*own |= OWN_USER_AGENT;
		if (!str_ieq(name, STR("connection")))
			return FIELD_PLAIN;
		*own |= OWN_CONNECTION;
		return FIELD_CONNECTION;
	case 13:
		if (str_ieq(name, STR("authorization")))
			*own |= OWN_AUTHORIZATION;
		return FIELD_PLAIN;
	case 14:
		return str_ieq(name, STR("content-length")) ? FIELD_DROPPED : FIELD_PLAIN;
	case 17:
		return str_ieq(name, STR("transfer-encoding")) ? FIELD_DROPPED : FIELD_PLAIN;
	default:
		return FIELD_PLAIN;
	}
}

static int check_fields(const struct net_request *req, const char **ret_why)
{
	if (!net_is_token(req->method)) {
		*ret_why = "the method is not a word of letters";
		return -EINVAL;
	}
	for (size_t i = 0; i < req->n_headers; i++) {
		if (!net_is_token(req->headers[i].name)) {
			*ret_why =
				"a header name is empty or has a character that names cannot have";
			return -EINVAL;
		}
		if (!net_is_field_value(req->headers[i].value)) {
			*ret_why = "a header value has a control character";
			return -EINVAL;
		}
	}
	return 0;
}

static void add(struct strbuf *sb, struct str s)
{
	strbuf_add(sb, s.ptr, s.len);
}

static void add_field(struct strbuf *sb, struct str name, struct str value)
{
	add(sb, name);
	add(sb, STR(": "));
	add(sb, value);
	add(sb, STR("\r\n"));
}

static void add_request_line(struct strbuf *sb, const struct net_request *req, bool whole_url)
{
	struct str target = req->url->target;

	add(sb, req->method);
	add(sb, STR(" "));
	if (whole_url) {
		add(sb, STR("http://"));
		add(sb, req->url->authority);
	}
	if (!target.len || target.ptr[0] != '/')
		add(sb, STR("/"));
	add(sb, target);
	add(sb, STR(" HTTP/1.1\r\n"));
}

static void add_host(struct strbuf *sb, const struct net_url *url, const struct str *own)
{
	struct str host = own ? *own : url->authority;

	if (!own && host.len && host.ptr[host.len - 1] == ':')
		host.len--;
	add_field(sb, STR("Host"), host);
}

static void add_length(struct strbuf *sb, const struct net_request *req)
{
	struct str m = req->method;

	if (req->body.len || str_eq(m, STR("POST")) || str_eq(m, STR("PUT")) ||
	    str_eq(m, STR("PATCH")))
		strbuf_addf(sb, "Content-Length: %zu\r\n", req->body.len);
}

static void add_credentials(struct strbuf *sb, const struct net_url *url)
{
	CLEANUP(strbuf_release) struct strbuf plain = STRBUF_INIT;

	net_url_decode(&plain, url->userinfo);
	if (str_find(url->userinfo, ':') == url->userinfo.len)
		strbuf_addch(&plain, ':');
	add(sb, STR("Authorization: Basic "));
	base64_encode(sb, strbuf_str(&plain));
	add(sb, STR("\r\n"));
}

static void add_proxy_user(struct strbuf *sb, const struct net_proxy *proxy)
{
	add(sb, STR("Proxy-Authorization: "));
	net_proxy_credentials(sb, proxy);
	add(sb, STR("\r\n"));
}

static bool is_idempotent(struct str method)
{
	static const char *const methods[] = { "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE" };

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (str_eq_c(method, methods[i]))
			return true;
	return false;
}

static void add_own_fields(struct strbuf *sb, const struct net_request *req)
{
	unsigned own = 0;

	for (size_t i = 0; i < req->n_headers; i++) {
		enum field_kind kind = kind_of(req->headers[i].name, &own);

		if (kind == FIELD_PLAIN || kind == FIELD_CONNECTION)
			add_field(sb, req->headers[i].name, req->headers[i].value);
	}
}

int net_http1_write_request(struct strbuf *sb, const struct net_request *req,
			    const struct net_client_opts *opts, const struct net_proxy *proxy,
			    struct net_http1_request_info *ret, const char **ret_why)
{
	struct net_http1_request_info info = { .is_head = str_eq(req->method, STR("HEAD")),
					       .is_idempotent = is_idempotent(req->method) };
	const struct str *host = NULL;
	unsigned own = 0;

	if (check_fields(req, ret_why) < 0)
		return -EINVAL;
	for (size_t i = 0; i < req->n_headers; i++) {
		const struct net_header *h = &req->headers[i];
		enum field_kind kind = kind_of(h->name, &own);

		if (kind == FIELD_HOST)
			host = &h->value;
		if (kind == FIELD_CONNECTION && net_list_has(h->value, STR("close")))
			info.wants_close = true;
	}
	strbuf_clear(sb);
	add_request_line(sb, req, proxy != NULL);
	add_host(sb, req->url, host);
	if (opts->user_agent && !(own & OWN_USER_AGENT))
		add_field(sb, STR("User-Agent"), str_from(opts->user_agent));
	add_length(sb, req);
	if (req->url->has_userinfo && !(own & OWN_AUTHORIZATION))
		add_credentials(sb, req->url);
	if (proxy && proxy->user)
		add_proxy_user(sb, proxy);
	if (opts->no_reuse && !(own & OWN_CONNECTION))
		add(sb, STR("Connection: close\r\n"));
	add_own_fields(sb, req);
	add(sb, STR("\r\n"));
	*ret = info;
	return 0;
}
