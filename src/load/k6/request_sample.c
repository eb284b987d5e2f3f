/*
 * What an exchange leaves behind: k6's error code, and its samples with their tags. A redirect is
 * an exchange of its own, and so is a failure.
 *
 * From the second request on a script's tag sets are found by pointer (tags.h), one step for each
 * tag; the steps are ordered from what never changes (method, name) to what may (status).
 */
#include "load/k6/request.h"

#include <errno.h>
#include <stdlib.h>

#include "load/sample.h"

static int transport_code(enum net_err error, int sys_errno)
{
	switch (error) {
	case NET_ERR_BAD_URL:
		return 1020;
	case NET_ERR_TIMEOUT:
		return 1050;
	case NET_ERR_DNS:
	case NET_ERR_DNS_TIMEOUT:
		return 1100;
	case NET_ERR_DNS_NO_HOST:
		return 1101;
	case NET_ERR_BLOCKED_IP:
		return 1110;
	case NET_ERR_BLOCKED_HOST:
		return 1111;
	case NET_ERR_DIAL_TIMEOUT:
		return 1211;
	case NET_ERR_DIAL_REFUSED:
		return 1212;
	case NET_ERR_DIAL:
		return sys_errno ? 1213 : 1210;
	case NET_ERR_NO_FDS:
	case NET_ERR_NO_PORTS:
		return 1213;
	case NET_ERR_RESET:
		return 1220;
	case NET_ERR_BROKEN_PIPE:
		return 1201;
	case NET_ERR_IO:
		return 1202;
	case NET_ERR_CODING:
		return 1701;
	case NET_ERR_TLS:
		return 1300;
	case NET_ERR_TLS_RECORD:
		return 1301;
	case NET_ERR_TLS_AUTHORITY:
		return 1310;
	case NET_ERR_TLS_HOSTNAME:
		return 1311;
	default:
		return 1000;
	}
}

/* k6 adds HTTP/2's own error code, of which there are 14 (RFC 9113 7). */
static int h2_code(int base, uint32_t code)
{
	return code <= 13 ? base + 1 + (int)code : base;
}

int load_http_error_code(const struct net_response *net)
{
	switch (net->error) {
	case NET_ERR_H2_GOAWAY:
		return h2_code(1610, net->h2_code);
	case NET_ERR_H2_STREAM:
		return h2_code(1630, net->h2_code);
	case NET_ERR_H2_CONNECTION:
		return h2_code(1650, net->h2_code);
	default:
		break;
	}
	if (net->error)
		return transport_code(net->error, net->sys_errno);
	return net->head.status >= 400 ? 1000 + (int)net->head.status : 0;
}

/*
 * Scripts search it for "timeout" and the like, and as a tag it must not differ with each request:
 * where k6 has a phrase for the kind, it is that. What else there is to say is in the log.
 */
const char *load_http_error_text(const struct net_response *net)
{
	static const char *const phrases[NET_ERR_COUNT] = {
		[NET_ERR_DNS_NO_HOST] = "lookup: no such host",
		[NET_ERR_DIAL_REFUSED] = "dial: connection refused",
		[NET_ERR_DIAL_TIMEOUT] = "dial: i/o timeout",
		[NET_ERR_RESET] = "read: connection reset by peer",
		[NET_ERR_BROKEN_PIPE] = "write: broken pipe",
		[NET_ERR_CLOSED] = "EOF",
		[NET_ERR_TRUNCATED] = "unexpected EOF",
		[NET_ERR_TLS_AUTHORITY] = "x509: unknown authority",
		[NET_ERR_TLS_HOSTNAME] = "x509: certificate doesn't match hostname",
		[NET_ERR_TIMEOUT] = "request timeout",
	};

	if (!net->error)
		return "";
	return phrases[net->error] ? phrases[net->error] : strbuf_cstr(&net->message);
}

const char *load_http_tls_version(const struct net_response *net)
{
	static const char *const names[][2] = { { "TLSv1.3", "tls1.3" },
						{ "TLSv1.2", "tls1.2" },
						{ "TLSv1.1", "tls1.1" },
						{ "TLSv1", "tls1.0" } };

	for (size_t i = 0; net->tls_version && i < ARRAY_SIZE(names); i++)
		if (!strcmp(net->tls_version, names[i][0]))
			return names[i][1];
	return NULL;
}

static double to_ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* ---- samples ---- */

static bool is_expected(const struct load_request *req, const struct net_response *net)
{
	const struct load_statuses *s = &req->expected;
	int status = (int)net->head.status;

	if (net->error)
		return false;
	if (load_auth_is_challenge(req, net))
		return true;
	for (unsigned i = 0; i < s->len; i++)
		if (status >= s->ranges[i].min && status <= s->ranges[i].max)
			return true;
	return false;
}

struct tag_chain {
	struct load_vu *vu;
	const struct load_tags *tags;
};

static void add(struct tag_chain *c, enum load_system_tag tag, struct str key, const char *value)
{
	if (value && *value && load_system_tag(c->vu, tag))
		c->tags = load_vu_tags_with(c->vu, c->tags, key, str_from(value));
}

static const char *number(char *buf, size_t size, int n)
{
	snprintf(buf, size, "%d", n);
	return buf;
}

static void add_outcome(struct tag_chain *c, const struct net_response *net)
{
	CLEANUP(strbuf_release) struct strbuf ip = STRBUF_INIT;
	int status = net->error ? 0 : (int)net->head.status;
	int error_code = load_http_error_code(net);
	char digits[16];

	add(c, LOAD_TAG_STATUS, STR("status"), number(digits, sizeof(digits), status));
	if (error_code)
		add(c, LOAD_TAG_ERROR_CODE, STR("error_code"),
		    number(digits, sizeof(digits), error_code));
	if (net->error) {
		add(c, LOAD_TAG_ERROR, STR("error"), load_http_error_text(net));
	} else {
		add(c, LOAD_TAG_PROTO, STR("proto"), net_head_proto(&net->head));
		add(c, LOAD_TAG_TLS_VERSION, STR("tls_version"), load_http_tls_version(net));
		add(c, LOAD_TAG_OCSP_STATUS, STR("ocsp_status"), net->ocsp.status);
	}
	if (net->remote.sa.sa_family && load_system_tag(c->vu, LOAD_TAG_IP)) {
		net_addr_fmt(&ip, &net->remote, false);
		add(c, LOAD_TAG_IP, STR("ip"), strbuf_cstr(&ip));
	}
}

static const struct load_tags *exchange_tags(const struct load_request *req,
					     const struct net_response *net)
{
	struct tag_chain c = { req->vu, req->tags };
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT;
	const char *name = req->name;

	if (!name) {
		net_url_mask(&url, strbuf_str(&req->url));
		name = strbuf_cstr(&url);
	}
	add(&c, LOAD_TAG_METHOD, STR("method"), req->method);
	add(&c, LOAD_TAG_NAME, STR("name"), name);
	add(&c, LOAD_TAG_URL, STR("url"), name);
	if (!req->expected.off)
		add(&c, LOAD_TAG_EXPECTED_RESPONSE, STR("expected_response"),
		    is_expected(req, net) ? "true" : "false");
	add_outcome(&c, net);
	return c.tags;
}

/* The place for a request that took so long, or NULL when it is not among the slowest. */
static struct load_slow *slow_place(struct load_second *s, uint64_t took_ns)
{
	struct load_slow *fastest = NULL;

	if (s->slow_count < LOAD_SLOW_MAX)
		return &s->slow[s->slow_count++];
	for (unsigned i = 0; i < LOAD_SLOW_MAX; i++) {
		struct load_slow *slow = &s->slow[i];

		if (!fastest ||
		    slow->e.end_ns - slow->e.start_ns < fastest->e.end_ns - fastest->e.start_ns)
			fastest = slow;
	}
	return fastest->e.end_ns - fastest->e.start_ns < took_ns ? fastest : NULL;
}

static void keep_slow(const struct load_request *req, const struct net_response *net)
{
	struct load_worker *w = req->vu->worker;
	const struct net_timings *t = &net->t;
	uint64_t took_ns = t->end_ns - t->start_ns;
	struct load_slow *slow;

	if (!w->run->opts->sink || took_ns <= atomic_load(&w->run->slow_floor_ns))
		return;
	slow = slow_place(w->second, took_ns);
	if (!slow)
		return;
	free(slow->method);
	free(slow->url);
	slow->method = xstrdup(req->method);
	slow->url = xstrdup(strbuf_cstr(&req->url));
	slow->e = (struct exemplar){
		.intended_ns = t->start_ns - req->lag_ns,
		.start_ns = t->start_ns,
		.end_ns = t->end_ns,
		.blocked_ns = t->blocked_ns,
		.connecting_ns = t->connecting_ns,
		.tls_ns = t->tls_ns,
		.sending_ns = t->sending_ns,
		.waiting_ns = t->waiting_ns,
		.receiving_ns = t->receiving_ns,
		.status = net->error ? 0 : (int)net->head.status,
	};
}

void load_http_emit(struct load_request *req, const struct net_response *net)
{
	struct load_vu *vu = req->vu;
	const struct net_timings *t = &net->t;
	const struct {
		enum load_builtin metric;
		uint64_t ns;
	} trends[] = {
		{ LOAD_M_HTTP_REQ_DURATION, t->sending_ns + t->waiting_ns + t->receiving_ns },
		{ LOAD_M_HTTP_REQ_BLOCKED, t->blocked_ns },
		{ LOAD_M_HTTP_REQ_CONNECTING, t->connecting_ns },
		{ LOAD_M_HTTP_REQ_TLS_HANDSHAKING, t->tls_ns },
		{ LOAD_M_HTTP_REQ_SENDING, t->sending_ns },
		{ LOAD_M_HTTP_REQ_WAITING, t->waiting_ns },
		{ LOAD_M_HTTP_REQ_RECEIVING, t->receiving_ns },
		{ LOAD_M_HTTP_REQ_DURATION_CORRECTED, t->end_ns - t->start_ns + req->lag_ns },
	};
	const struct load_metric *const *builtin = vu->run->builtin;
	const struct load_tags *tags;

	vu->bytes_sent += net->sent_bytes;
	vu->bytes_received += net->received_bytes;
	if (vu->warmup)
		return;
	vu->worker->no_fds += net->error == NET_ERR_NO_FDS;
	vu->worker->no_ports += net->error == NET_ERR_NO_PORTS;
	tags = exchange_tags(req, net);
	atomic_fetch_add_explicit(&vu->worker->requests, 1, memory_order_relaxed);
	load_vu_sample_at(vu, builtin[LOAD_M_HTTP_REQS], tags, t->end_ns, 1);
	for (size_t i = 0; i < ARRAY_SIZE(trends); i++)
		load_vu_sample_at(vu, builtin[trends[i].metric], tags, t->end_ns,
				  to_ms(trends[i].ns));
	if (!req->expected.off)
		load_vu_sample_at(vu, builtin[LOAD_M_HTTP_REQ_FAILED], tags, t->end_ns,
				  !is_expected(req, net));
	keep_slow(req, net);
}
