/*
 * Clients, the servers they know (origins) and the connections kept for them. All lists are short:
 * a virtual user talks to a few servers over a few connections, so that a walk beats a hash.
 */
#include <errno.h>
#include <stdlib.h>

#include "net/client_internal.h"

static struct net_client_opts with_defaults(const struct net_client_opts *opts)
{
	struct net_client_opts o = opts ? *opts : (struct net_client_opts){ 0 };

	o.timeout_ns = o.timeout_ns ? o.timeout_ns : 60 * NS_PER_S;
	o.dial_timeout_ns = o.dial_timeout_ns ? o.dial_timeout_ns : 30 * NS_PER_S;
	o.max_body_bytes = o.max_body_bytes ? o.max_body_bytes : 64 * 1024 * 1024;
	o.max_idle = o.max_idle ? o.max_idle : 20;
	o.max_idle_per_host = o.max_idle_per_host ? o.max_idle_per_host : 6;
	return o;
}

struct net_client *net_client_new(struct net_stack *stack, const struct net_client_opts *opts)
{
	struct net_client *c = xcalloc(1, sizeof(*c));

	c->stack = stack;
	c->opts = with_defaults(opts);
	c->user_agent = c->opts.user_agent ? xstrdup(c->opts.user_agent) : NULL;
	c->opts.user_agent = c->user_agent;
	return c;
}

struct net_stack *net_client_stack(struct net_client *c)
{
	return c->stack;
}

static void free_sessions(struct net_client *c)
{
	while (c->sessions) {
		struct kept_session *k = c->sessions;

		c->sessions = k->next;
		net_tls_session_free(k->session);
		free(k->host);
		free(k);
	}
}

void net_client_free(struct net_client *c)
{
	if (!c)
		return;
	while (c->calls.len)
		net_call_cancel(vec_last(&c->calls));
	net_client_close_idle(c);
	BUG_ON(c->conns.len || c->origins);
	free_sessions(c);
	vec_release(&c->calls);
	vec_release(&c->conns);
	free(c->user_agent);
	free(c);
}

/* --- origins --- */

struct net_origin *origin_get(struct net_client *c, const struct net_url *url)
{
	struct net_origin *o;
	char *host;

	for (o = c->origins; o; o = o->next) {
		if (o->tls == url->tls && o->port == url->port && str_ieq(o->host, url->host)) {
			o->refs++;
			return o;
		}
	}
	o = xcalloc(1, sizeof(*o) + url->host.len + 1);
	host = (char *)(o + 1);
	memcpy(host, url->host.ptr, url->host.len);
	*o = (struct net_origin){ .next = c->origins,
				  .refs = 1,
				  .tls = url->tls,
				  .port = url->port,
				  .proxy = net_proxies_for(c->opts.proxies, url->tls, url->host,
							   url->port),
				  .host = { host, url->host.len } };
	c->origins = o;
	return o;
}

void origin_put(struct net_client *c, struct net_origin *o)
{
	struct net_origin **p = &c->origins;

	if (--o->refs)
		return;
	while (*p != o)
		p = &(*p)->next;
	*p = o->next;
	free(o);
}

const struct net_proxy *origin_proxy_to_ask(const struct net_client *c, const struct net_origin *o)
{
	if (!o->proxy || o->proxy->kind != NET_PROXY_HTTP || o->tls || c->opts.http == NET_HTTP_2)
		return NULL;
	return o->proxy;
}

const struct net_proxy *call_proxy_to_ask(const struct net_call *call)
{
	return call->upgrade ? NULL : origin_proxy_to_ask(call->client, call->origin);
}

struct ssl_session_st **session_slot(struct net_client *c, const struct net_origin *o)
{
	struct kept_session *k;

	for (k = c->sessions; k; k = k->next)
		if (k->port == o->port && str_ieq(str_from(k->host), o->host))
			return &k->session;
	k = xmalloc(sizeof(*k));
	*k = (struct kept_session){ .next = c->sessions,
				    .port = o->port,
				    .host = str_dup(o->host) };
	c->sessions = k;
	return &k->session;
}

/* --- connections --- */

/* Whatever comes on an idle connection ends it, but for TLS's own records (session tickets). */
static void idle_ready(struct net_conn *conn)
{
	char *scratch = conn->client->stack->scratch;

	if (conn->stream.ops->read(&conn->stream, scratch, SCRATCH_BYTES) != -EAGAIN)
		conn_close(conn);
}

static void conn_ready(struct net_watch *w, uint32_t events)
{
	struct net_conn *conn = container_of(w, struct net_conn, watch);

	if (conn->state == CONN_LINK)
		link_ready(conn->link);
	else if (conn->state == CONN_H2)
		h2_ready(conn);
	else if (conn->state == CONN_BUSY)
		exchange_ready(conn->call, events);
	else if (conn->state == CONN_IDLE)
		idle_ready(conn);
	else
		dial_ready(conn);
}

static void conn_resume(struct net_task *t)
{
	struct net_conn *conn = container_of(t, struct net_conn, resume);

	conn->resuming = false;
	conn_ready(&conn->watch, EPOLLIN);
}

void conn_resume_later(struct net_conn *conn)
{
	if (conn->resuming)
		return;
	conn->resuming = true;
	net_loop_defer(conn->client->stack->loop, &conn->resume);
}

struct net_conn *conn_new(struct net_client *c, struct net_origin *o)
{
	struct net_conn *conn = xcalloc(1, sizeof(*conn));

	conn->client = c;
	conn->origin = o;
	o->refs++;
	conn->stream.fd = -1;
	conn->watch.ready = conn_ready;
	conn->resume.run = conn_resume;
	conn->index = c->conns.len;
	vec_push(&c->conns, conn);
	return conn;
}

static void unlink_idle(struct net_conn *conn)
{
	struct net_conn **p = &conn->origin->idle;

	while (*p != conn)
		p = &(*p)->next_idle;
	*p = conn->next_idle;
	conn->origin->n_idle--;
	conn->client->n_idle--;
}

void conn_close(struct net_conn *conn)
{
	struct net_client *c = conn->client;
	struct net_conn *last = vec_last(&c->conns);

	if (conn->state == CONN_IDLE)
		unlink_idle(conn);
	if (conn->resuming)
		net_loop_undefer(c->stack->loop, &conn->resume);
	net_watch_remove(c->stack->loop, &conn->watch);
	h2_free(conn);
	link_free(conn->link);
	if (conn->stream.ops)
		conn->stream.ops->close(&conn->stream);
	dial_free(conn->dial);
	last->index = conn->index;
	c->conns.ptr[conn->index] = last;
	c->conns.len--;
	origin_put(c, conn->origin);
	free(conn);
}

void conn_watch(struct net_conn *conn, uint32_t events)
{
	if (conn->events == events)
		return;
	conn->events = events;
	net_watch_change(conn->client->stack->loop, &conn->watch, events);
}

struct net_conn *conn_take_idle(struct net_client *c, struct net_origin *o)
{
	struct net_conn *conn = o->idle;

	if (!conn)
		return NULL;
	o->idle = conn->next_idle;
	o->n_idle--;
	c->n_idle--;
	conn->state = CONN_BUSY;
	return conn;
}

void conn_make_idle(struct net_conn *conn)
{
	struct net_client *c = conn->client;
	struct net_origin *o = conn->origin;

	if (c->n_idle >= c->opts.max_idle || o->n_idle >= c->opts.max_idle_per_host) {
		conn_close(conn);
		return;
	}
	conn->call = NULL;
	conn->state = CONN_IDLE;
	conn->next_idle = o->idle;
	o->idle = conn;
	o->n_idle++;
	c->n_idle++;
}

void net_client_close_idle(struct net_client *c)
{
	for (size_t i = c->conns.len; i-- > 0;)
		if (c->conns.ptr[i]->state == CONN_IDLE || h2_is_idle(c->conns.ptr[i]))
			conn_close(c->conns.ptr[i]);
}
