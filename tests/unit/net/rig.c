#include "rig.h"

#include <stdio.h>

void rig_open(struct rig *b, const struct net_stack_opts *stack_opts,
	      const struct net_client_opts *opts)
{
	struct error err = ERROR_INIT;

	*b = (struct rig){ 0 };
	ASSERT_OK_ERR(net_loop_new(&b->loop, &err), err);
	b->stack = net_stack_new(b->loop, stack_opts);
	b->client = net_client_new(b->stack, opts);
}

void rig_serve(struct rig *b, serve_fn *serve, const void *arg, const struct net_client_opts *opts)
{
	rig_open(b, NULL, opts);
	server_start(&b->server, serve, arg);
	b->has_server = true;
}

void rig_close(struct rig *b)
{
	net_response_free(b->res);
	net_client_free(b->client);
	net_stack_free(b->stack);
	net_loop_free(b->loop);
	if (b->has_server)
		server_stop(&b->server);
}

void rig_done(void *arg, struct net_response *res)
{
	struct rig *b = arg;

	net_response_free(b->res);
	b->res = res;
	b->done++;
}

struct net_call *rig_begin(struct rig *b, const char *url_text, struct net_request req)
{
	CLEANUP(mem_cleanup) char *text = xstrdup(url_text);
	struct error err = ERROR_INIT;
	struct net_url url;
	struct net_call *call;

	ASSERT_OK_ERR(net_url_parse(&url, str_from(text), &err), err);
	req.url = &url;
	req.method = req.method.len ? req.method : STR("GET");
	req.done = req.done ? req.done : rig_done;
	req.arg = b;
	call = net_client_send(b->client, &req);
	/* Nothing of the URL may be used from here on. */
	memset(&url, 0x5a, sizeof(url));
	memset(text, 0x5a, strlen(text));
	return call;
}

struct net_response *rig_wait(struct rig *b, unsigned count)
{
	uint64_t end_ns = net_loop_now_ns() + 20 * NS_PER_S;

	while (b->done < count) {
		ASSERT_TRUE(net_loop_now_ns() < end_ns);
		net_loop_run_once(b->loop, NS_PER_S);
	}
	return b->res;
}

void rig_idle(struct rig *b, uint64_t ns)
{
	uint64_t end_ns = net_loop_now_ns() + ns;

	while (net_loop_now_ns() < end_ns)
		net_loop_run_once(b->loop, 5 * NS_PER_MS);
}

const char *rig_url(const struct rig *b)
{
	static _Thread_local char text[64];

	snprintf(text, sizeof(text), "http://127.0.0.1:%u/path", b->server.port);
	return text;
}

struct net_response *rig_request(struct rig *b, struct net_request req)
{
	unsigned before = b->done;

	rig_begin(b, rig_url(b), req);
	ASSERT_INT(b->done, before); /* never before net_client_send() has returned */
	return rig_wait(b, before + 1);
}

struct net_response *rig_get(struct rig *b)
{
	return rig_request(b, (struct net_request){ 0 });
}

void serve_always(struct connection *c)
{
	char head[4096];

	while (server_read_head(c->fd, head, sizeof(head)))
		server_send(c->fd, c->server->arg);
}

void serve_once(struct connection *c)
{
	char head[4096];

	if (server_read_head(c->fd, head, sizeof(head)))
		server_send(c->fd, c->server->arg);
}

void serve_silence(struct connection *c)
{
	server_wait_close(c->fd);
}
