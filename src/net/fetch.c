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

int net_fetch_open(struct net_fetch **ret, struct error *reterr)
{
	struct net_client_opts opts = { .user_agent = "assay/" ASSAY_VERSION,
					.max_body_bytes = 16 * 1024 * 1024 };
	struct net_fetch *f = xcalloc(1, sizeof(*f));
	int r = net_loop_new(&f->loop, reterr);

	if (r < 0) {
		free(f);
		return r;
	}
	f->stack = net_stack_new(f->loop, NULL);
	f->client = net_client_new(f->stack, &opts);
	*ret = f;
	return 0;
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

int net_fetch_send(struct net_fetch *f, const char *method, const char *url, struct str body,
		   uint64_t timeout_ns, struct strbuf *ret_body, struct error *reterr)
{
	const struct net_header json = { STR("Content-Type"), STR("application/json") };
	struct net_url parsed;
	int r = net_url_parse(&parsed, str_from(url), reterr);

	if (r < 0)
		return error_wrap(reterr, "%s", url);
	net_client_send(f->client, &(struct net_request){ .method = str_from(method),
							  .url = &parsed,
							  .headers = &json,
							  .n_headers = body.len ? 1 : 0,
							  .body = body,
							  .timeout_ns = timeout_ns,
							  .done = on_done,
							  .arg = f });
	net_loop_run(f->loop);
	if (f->res->error != NET_OK) {
		r = error_set(reterr, -EIO, "%s %s: %s", method, url,
			      strbuf_cstr(&f->res->message));
	} else {
		strbuf_add(ret_body, f->res->body.ptr, f->res->body.len);
		r = (int)f->res->head.status;
	}
	net_response_free(f->res);
	f->res = NULL;
	return r;
}
