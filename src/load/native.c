#include "load/native.h"

#include <stdlib.h>

#include "load/k6/request.h"

static void on_finished(struct load_request *req)
{
	struct load_vu *vu = req->vu;

	load_response_free(req->response);
	req->response = NULL;
	load_vu_iteration_over(vu, LOAD_VU_OK);
}

static void set_target(struct load_request *req, const struct load_target *t)
{
	free(req->method);
	req->method = xstrdup(t->method);
	strbuf_clear(&req->url);
	strbuf_addstr(&req->url, t->url);
	strbuf_clear(&req->body);
	strbuf_add(&req->body, t->body.ptr, t->body.len);
	vec_for_each (&req->headers, h)
		load_header_release(h);
	req->headers.len = 0;
	for (size_t i = 0; i < t->n_headers; i++)
		vec_push(&req->headers, ((struct load_header){ xstrdup(t->headers[i].key),
							       xstrdup(t->headers[i].value) }));
}

struct load_request *load_native_new(struct load_vu *vu)
{
	struct load_request *req = xcalloc(1, sizeof(*req));

	req->vu = vu;
	req->type = LOAD_RESPONSE_NONE;
	req->expected = vu->expected;
	req->jar = vu->jar;
	req->done = on_finished;
	set_target(req, vu->run->opts->target);
	return req;
}

void load_native_send(struct load_vu *vu)
{
	const struct load_target *t = vu->run->opts->target;
	const struct load_plan *plan = vu->run->plan;
	struct load_request *req = vu->native;
	uint64_t timeout_ns = t->timeout_ns ? t->timeout_ns : 60 * NS_PER_S;

	/* a redirect has changed it */
	if (req->redirects_left != plan->max_redirects)
		set_target(req, t);
	req->tags = vu->tags;
	req->redirects_left = plan->max_redirects;
	req->deadline_ns = vu->start_ns + timeout_ns;
	req->finished = false;
	load_request_start(req);
}

void load_native_cancel(struct load_vu *vu)
{
	load_request_cancel(vu->native);
}
