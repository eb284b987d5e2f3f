/*
 * A new connection: the name's addresses one after the other until one answers, then a tunnel if a
 * proxy is between, then TLS if the URL wants it. Trying the next address afterwards, rather than
 * two at a time (RFC 8305), keeps the number of connections a server sees equal to the number we
 * report. The time for dialling is shared out among the addresses that are left, so that a dead one
 * does not use up the others' time.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/client_internal.h"

struct net_dial {
	struct net_conn *conn;
	struct net_dns_query query;
	size_t next_addr;
	struct str host; /* of the server, or of the proxy before it */
	uint16_t port;	 /* its own unless the name's address came with another */
	struct net_tunnel tunnel;
	int first_error; /* the first address is the preferred one: its failure is reported */
};

static bool speaks_h2(const struct net_conn *conn)
{
	if (conn->call->upgrade)
		return false;
	if (conn->origin->tls)
		return net_tls_agreed_h2(&conn->stream);
	return conn->client->opts.http == NET_HTTP_2;
}

/* Several may be dialled at once before it is known that one suffices: the first one stays. */
static void begin_h2(struct net_conn *conn)
{
	struct net_call *call = conn->call;
	struct net_conn *other = h2_find(conn->origin);

	conn->call = NULL;
	if (other) {
		call->res->sent_bytes += conn->stream.sent_bytes;
		call->res->received_bytes += conn->stream.received_bytes;
		conn_close(conn);
	} else {
		h2_attach(conn);
	}
	h2_start(call, other ? other : conn);
}

static void established(struct net_conn *conn)
{
	struct net_call *call = conn->call;

	dial_free(conn->dial);
	conn->dial = NULL;
	net_tls_ocsp(&conn->stream, &conn->ocsp);
	if (speaks_h2(conn)) {
		begin_h2(conn);
		return;
	}
	if (conn->client->opts.http == NET_HTTP_2 && !call->upgrade) {
		call_fail(call, NET_ERR_H2, 0, "the server does not offer HTTP/2");
		return;
	}
	conn->state = CONN_BUSY;
	conn_watch(conn, EPOLLIN);
	net_timer_set(conn->client->stack->loop, &call->timer, call->deadline_ns);
	exchange_start(call);
}

static void continue_handshake(struct net_conn *conn)
{
	struct net_call *call = conn->call;
	struct error err = ERROR_INIT;
	int r = conn->stream.ops->handshake(&conn->stream, &err);

	if (r == 0)
		established(conn);
	else if (r == -EAGAIN)
		conn_watch(conn, conn->stream.wants);
	else
		call_fail(call, r == -EPROTO ? conn->stream.tls_error : net_err_of_io(r), r,
			  err.msg);
}

static enum net_alpn alpn_of(const struct net_call *call)
{
	static const enum net_alpn offers[] = { [NET_HTTP_ANY] = NET_ALPN_ANY,
						[NET_HTTP_1] = NET_ALPN_HTTP1,
						[NET_HTTP_2] = NET_ALPN_H2 };

	return call->upgrade ? NET_ALPN_HTTP1 : offers[call->client->opts.http];
}

static void begin_tls(struct net_conn *conn)
{
	struct net_call *call = conn->call;
	struct error err = ERROR_INIT;
	struct net_tls *tls;
	int r;

	call_enter_phase(call, PHASE_TLS, net_loop_now_ns());
	net_timer_set(conn->client->stack->loop, &call->timer,
		      MIN(call->deadline_ns, call->dial_deadline_ns));
	conn->state = CONN_HANDSHAKE;
	r = stack_tls(conn->client->stack, &tls, &err);
	if (r == 0)
		r = net_tls_attach(tls, &conn->stream, conn->origin->host, alpn_of(call), &err);
	if (r < 0) {
		call_fail(call, NET_ERR_TLS, r, err.msg);
		return;
	}
	if (conn->client->opts.tls_resumption)
		net_tls_resume(&conn->stream, session_slot(conn->client, conn->origin));
	continue_handshake(conn);
}

/* --- through a proxy --- */

static bool needs_tunnel(const struct net_conn *conn)
{
	return conn->origin->proxy && !call_proxy_to_ask(conn->call);
}

static void connected(struct net_conn *conn)
{
	if (conn->origin->tls)
		begin_tls(conn);
	else
		established(conn);
}

/* What is said to a proxy is less than any socket's buffer. */
static bool tunnel_send(struct net_conn *conn)
{
	struct net_tunnel *t = &conn->dial->tunnel;
	struct iovec iov = { t->out.ptr, t->out.len };
	ssize_t n = t->out.len ? conn->stream.ops->write(&conn->stream, &iov, 1) : 0;

	if (n == (ssize_t)t->out.len) {
		strbuf_clear(&t->out);
		conn_watch(conn, EPOLLIN);
		return true;
	}
	call_fail(conn->call, NET_ERR_PROXY, n < 0 ? (int)n : -EIO, NULL);
	return false;
}

static void begin_tunnel(struct net_conn *conn)
{
	struct net_call *call = conn->call;

	net_timer_set(conn->client->stack->loop, &call->timer,
		      MIN(call->deadline_ns, call->dial_deadline_ns));
	conn->state = CONN_TUNNEL;
	net_tunnel_begin(&conn->dial->tunnel, conn->origin->proxy, conn->origin->host,
			 conn->origin->port);
	tunnel_send(conn);
}

static void tunnel_ready(struct net_conn *conn)
{
	struct net_tunnel *t = &conn->dial->tunnel;
	struct error err = ERROR_INIT;
	char buf[512];
	ssize_t n = conn->stream.ops->read(&conn->stream, buf, sizeof(buf));
	int r;

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		call_fail(conn->call, NET_ERR_PROXY, (int)n,
			  n ? NULL : "the proxy closed the connection");
		return;
	}
	r = net_tunnel_take(t, (struct str){ buf, (size_t)n }, &err);
	if (r == 0)
		connected(conn);
	else if (r != -EAGAIN)
		call_fail(conn->call, NET_ERR_PROXY, 0, err.msg);
	else if (t->out.len)
		tunnel_send(conn);
}

/* --- connecting --- */

/* The kernel chooses the port when it knows the peer, so that each has all ports. */
static int bind_local(int fd, const struct net_addr *local)
{
	int one = 1;

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	return bind(fd, &local->sa, net_addr_len(local)) < 0 ? -errno : 0;
}

/* Begins to connect to one address; negative errno when that failed at once. */
static int connect_to(struct net_conn *conn, const struct net_addr *addr)
{
	const struct net_addr *local = &conn->client->opts.local;
	int fd = socket(addr->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1, r = 0;

	if (fd < 0)
		return -errno;
	conn->remote = *addr;
	net_addr_set_port(&conn->remote, conn->dial->port);
	if (addr->sa.sa_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (local->sa.sa_family && addr->sa.sa_family != AF_UNIX)
		r = bind_local(fd, local);
	if (r == 0)
		do
			r = connect(fd, &conn->remote.sa, net_addr_len(addr)) < 0 ? -errno : 0;
		while (r == -EINTR);
	/* a unix socket whose queue is full says so at once */
	if (r == -EAGAIN && addr->sa.sa_family == AF_UNIX)
		r = -ECONNREFUSED;
	if (r == 0 || r == -EINPROGRESS)
		r = net_watch_add(conn->client->stack->loop, &conn->watch, fd, EPOLLOUT);
	if (r < 0) {
		close(fd);
		return r;
	}
	conn->events = EPOLLOUT;
	net_stream_init_tcp(&conn->stream, fd);
	return 0;
}

static void address_failed(struct net_dial *d, int code)
{
	enum net_err kind = net_err_of_dial(code);

	if (!d->first_error)
		d->first_error = code;
	/* What another address cannot cure. */
	if (kind == NET_ERR_NO_FDS || kind == NET_ERR_NO_PORTS)
		d->next_addr = d->query.addrs.n;
}

/* When to give up the address about to be tried. */
static void set_address_timer(struct net_conn *conn)
{
	const struct net_dial *d = conn->dial;
	struct net_call *call = conn->call;
	uint64_t now_ns = net_loop_now_ns(),
		 end_ns = MIN(call->deadline_ns, call->dial_deadline_ns);
	uint64_t left_ns = end_ns - MIN(end_ns, now_ns);

	net_timer_set(conn->client->stack->loop, &call->timer,
		      now_ns + left_ns / (d->query.addrs.n - d->next_addr));
}

static void try_addresses(struct net_conn *conn)
{
	struct net_dial *d = conn->dial;

	conn->state = CONN_CONNECTING;
	while (d->next_addr < d->query.addrs.n) {
		int r;

		set_address_timer(conn);
		r = connect_to(conn, &d->query.addrs.list[d->next_addr++]);

		if (r == 0)
			return;
		address_failed(d, r);
	}
	net_addr_set_port(&d->query.addrs.list[0], d->port);
	conn->remote = d->query.addrs.list[0];
	call_fail(conn->call, net_err_of_dial(d->first_error), d->first_error, NULL);
}

static void give_up_address(struct net_conn *conn, int code)
{
	address_failed(conn->dial, code);
	net_watch_remove(conn->client->stack->loop, &conn->watch);
	conn->stream.ops->close(&conn->stream);
	try_addresses(conn);
}

bool dial_expired(struct net_conn *conn)
{
	if (conn->state != CONN_CONNECTING || conn->dial->next_addr == conn->dial->query.addrs.n)
		return false;
	give_up_address(conn, -ETIMEDOUT);
	return true;
}

static void connect_ended(struct net_conn *conn)
{
	int code = 0;
	socklen_t len = sizeof(code);

	getsockopt(conn->stream.fd, SOL_SOCKET, SO_ERROR, &code, &len);
	if (code) {
		give_up_address(conn, -code);
	} else if (needs_tunnel(conn)) {
		begin_tunnel(conn);
	} else {
		connected(conn);
	}
}

void dial_ready(struct net_conn *conn)
{
	if (conn->state == CONN_CONNECTING)
		connect_ended(conn);
	else if (conn->state == CONN_TUNNEL)
		tunnel_ready(conn);
	else
		continue_handshake(conn);
}

static void fail_blocked(struct net_conn *conn, enum net_err kind, const char *rule)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;

	strbuf_addf(&why, "blocked by the rule %s", rule);
	call_fail(conn->call, kind, 0, strbuf_cstr(&why));
}

/* The address to be tried first decides; the others are left out when they are blocked. */
static const char *leave_out_blocked(struct net_conn *conn)
{
	const struct net_names *names = conn->client->opts.names;
	struct net_addrs *addrs = &conn->dial->query.addrs;
	const char *rule = net_names_blocked_net(names, &addrs->list[0]);
	size_t n = 1;

	if (!rule && names) {
		for (size_t i = 1; i < addrs->n; i++)
			if (!net_names_blocked_net(names, &addrs->list[i]))
				addrs->list[n++] = addrs->list[i];
		addrs->n = n;
	}
	return rule;
}

static void looked_up(struct net_conn *conn)
{
	struct net_dns_query *q = &conn->dial->query;
	const char *rule;

	if (q->error) {
		call_fail(conn->call, q->error, 0, q->why);
		return;
	}
	rule = leave_out_blocked(conn);
	if (rule) {
		conn->remote = q->addrs.list[0];
		fail_blocked(conn, NET_ERR_BLOCKED_IP, rule);
		return;
	}
	call_enter_phase(conn->call, PHASE_CONNECT, net_loop_now_ns());
	try_addresses(conn);
}

static void lookup_done(struct net_dns_query *q)
{
	looked_up(container_of(q, struct net_dial, query)->conn);
}

/* What the test's own rules say of the name; false when they say nothing. */
static bool apply_names(struct net_conn *conn)
{
	const struct net_names *names = conn->client->opts.names;
	struct net_dial *d = conn->dial;
	struct str host = d->host;
	struct net_addr addr;
	const char *rule = NULL;

	if (!names)
		return false;
	if (net_addr_parse(&addr, host, 0) < 0)
		rule = net_names_blocked_host(names, host);
	if (rule) {
		fail_blocked(conn, NET_ERR_BLOCKED_HOST, rule);
		return true;
	}
	if (!net_names_find(names, host, d->port, &addr))
		return false;
	d->port = net_addr_port(&addr);
	d->query.addrs = (struct net_addrs){ .n = 1, .list = { addr } };
	looked_up(conn);
	return true;
}

void dial_start(struct net_call *call)
{
	struct net_client *c = call->client;
	struct net_conn *conn = conn_new(c, call->origin);
	const struct net_proxy *proxy = call->origin->proxy;
	uint64_t now_ns = net_loop_now_ns();

	call->conn = conn;
	call->dial_deadline_ns = now_ns + c->opts.dial_timeout_ns;
	net_timer_set(c->stack->loop, &call->timer, MIN(call->deadline_ns, call->dial_deadline_ns));
	conn->call = call;
	conn->state = CONN_LOOKUP;
	conn->dial = xcalloc(1, sizeof(*conn->dial));
	conn->dial->conn = conn;
	conn->dial->host = proxy ? str_from(proxy->host) : conn->origin->host;
	conn->dial->port = proxy ? proxy->port : conn->origin->port;
	conn->dial->query.done = lookup_done;
	if (apply_names(conn))
		return;
	if (net_dns_lookup(c->stack->dns, &conn->dial->query, conn->dial->host)) {
		/* Known already: no time spent on it worth a phase of its own. */
		if (conn->dial->query.error)
			call_enter_phase(call, PHASE_LOOKUP, now_ns);
		looked_up(conn);
	} else {
		call_enter_phase(call, PHASE_LOOKUP, now_ns);
	}
}

void dial_free(struct net_dial *dial)
{
	if (!dial)
		return;
	net_dns_cancel(&dial->query);
	net_tunnel_release(&dial->tunnel);
	free(dial);
}
