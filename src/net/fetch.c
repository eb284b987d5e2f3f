#include "net/fetch.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct net_fetch {
	struct net_loop *loop;
	struct net_stack *stack;
	struct net_client *client;
	struct net_response *res; /* of the request under way */
};

int net_fetch_open_tls(struct net_fetch **ret, const struct net_tls_opts *tls, struct error *reterr)
{
	struct net_client_opts opts = { .user_agent = "assay/" ASSAY_VERSION,
					.max_body_bytes = 16 * 1024 * 1024 };
	struct net_stack_opts stack = { .tls = tls ? *tls : (struct net_tls_opts){ 0 } };
	struct net_fetch *f = xcalloc(1, sizeof(*f));
	int r = net_loop_new(&f->loop, reterr);

	if (r < 0) {
		free(f);
		return r;
	}
	f->stack = net_stack_new(f->loop, &stack);
	f->client = net_client_new(f->stack, &opts);
	*ret = f;
	return 0;
}

int net_fetch_open(struct net_fetch **ret, struct error *reterr)
{
	return net_fetch_open_tls(ret, NULL, reterr);
}

void net_fetch_close(struct net_fetch *f)
{
	if (!f)
		return;
	net_client_free(f->client);
	net_stack_free(f->stack);
	net_loop_free(f->loop);
	free(f);
}

static void on_done(void *arg, struct net_response *res)
{
	struct net_fetch *f = arg;

	f->res = res;
	net_loop_stop(f->loop);
}

struct net_response *net_fetch_request(struct net_fetch *f, const struct net_request *req)
{
	struct net_request r = *req;

	r.done = on_done;
	r.arg = f;
	net_client_send(f->client, &r);
	net_loop_run(f->loop);
	return TAKE(f->res);
}

int net_fetch_send(struct net_fetch *f, const char *method, const char *url, struct str body,
		   uint64_t timeout_ns, struct strbuf *ret_body, struct error *reterr)
{
	const struct net_header json = { STR("Content-Type"), STR("application/json") };
	struct net_response *res;
	struct net_url parsed;
	int r = net_url_parse(&parsed, str_from(url), reterr);

	if (r < 0)
		return error_wrap(reterr, "%s", url);
	res = net_fetch_request(f, &(struct net_request){ .method = str_from(method),
							  .url = &parsed,
							  .headers = &json,
							  .n_headers = body.len ? 1 : 0,
							  .body = body,
							  .timeout_ns = timeout_ns });
	if (res->error != NET_OK) {
		r = error_set(reterr, -EIO, "%s %s: %s", method, url, strbuf_cstr(&res->message));
	} else {
		strbuf_add(ret_body, res->body.ptr, res->body.len);
		r = (int)res->head.status;
	}
	net_response_free(res);
	return r;
}
