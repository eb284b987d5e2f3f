/* The client against servers that lie, drip, never end or are not there. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"

/* --- replies that lie --- */

TEST(client_names_what_is_wrong_with_a_reply)
{
	static const struct {
		const char *reply, *kind, *words;
		unsigned status;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "truncated",
		  "middle of the body", 200 },
		{ "HTTP/1.1 200 OK\r\nContent-Le", "truncated", "middle of the header", 0 },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "truncated",
		  "middle of the body", 200 },
		{ "SSH-2.0-OpenSSH_9.2\r\n", "malformed", "HTTP/", 0 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "malformed",
		  "twice", 200 },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "too_large",
		  "larger than the limit", 200 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct net_response *res;
		struct rig b;

		rig_serve(&b, serve_once, cases[i].reply,
			  &(struct net_client_opts){ .max_body_bytes = 1000 });
		res = rig_get(&b);
		ASSERT_ERR(res, cases[i].kind);
		ASSERT_HAS(strbuf_cstr(&res->message), cases[i].words);
		ASSERT_INT(res->head.status, cases[i].status);
		ASSERT_HAS(strbuf_cstr(&res->message), "of 127.0.0.1:");
		rig_close(&b);
	}
}

static void serve_for_ever(struct connection *c)
{
	const char *const *parts = c->server->arg;
	char head[4096], part[16384];
	size_t len = strlen(parts[1]), n = 0;

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	while (n + len <= sizeof(part)) {
		memcpy(part + n, parts[1], len);
		n += len;
	}
	server_send(c->fd, parts[0]);
	while (send(c->fd, part, n, MSG_NOSIGNAL) > 0)
		;
}

TEST(client_ends_endless_replies)
{
	static const char *const cases[][3] = {
		{ "HTTP/1.1 200 OK\r\n", "X: y\r\n", "header is larger" },
		{ "HTTP/1.1 200 OK\r\n\r\n", "body", "body is larger" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nbody\r\n",
		  "body is larger" },
		{ "", "HTTP/1.1 102 Wait\r\n\r\n", "header is larger" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rig b;
		struct net_response *res;

		rig_serve(&b, serve_for_ever, cases[i],
			  &(struct net_client_opts){ .max_body_bytes = 1 << 20 });
		res = rig_get(&b);
		ASSERT_ERR(res, "too_large");
		ASSERT_HAS(strbuf_cstr(&res->message), cases[i][2]);
		ASSERT_TRUE(res->received_bytes < 4 << 20);
		rig_close(&b);
	}
}

/* --- time limits --- */

static void serve_drip(struct connection *c)
{
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_send(c->fd, "HTTP/1.1 200 OK\r\n");
	while (send(c->fd, "X", 1, MSG_NOSIGNAL) == 1)
		server_sleep_ms(2);
}

static void times_out(serve_fn *serve, bool discard)
{
	struct rig b;
	struct net_response *res;
	uint64_t spent_ns;

	rig_serve(&b, serve, NULL, NULL);
	res = rig_request(
		&b, (struct net_request){ .timeout_ns = 100 * NS_PER_MS, .discard_body = discard });
	spent_ns = res->t.end_ns - res->t.start_ns;
	ASSERT_ERR(res, "timeout");
	ASSERT_HAS(strbuf_cstr(&res->message), "timed out after 100ms");
	ASSERT_TRUE(spent_ns >= 100 * NS_PER_MS && spent_ns < 10 * NS_PER_S);
	ASSERT_INT(spent_ns,
		   res->t.blocked_ns + res->t.sending_ns + res->t.waiting_ns + res->t.receiving_ns);
	rig_close(&b);
}

static void serve_endless_body(struct connection *c)
{
	static const char *const parts[] = { "HTTP/1.1 200 OK\r\n\r\n", "x" };

	c->server->arg = parts;
	serve_for_ever(c);
}

TEST(client_timeout_ends_silence_dripping_and_endless_bodies)
{
	times_out(serve_silence, false);
	times_out(serve_drip, false);
	times_out(serve_endless_body, true);
}

TEST(client_tells_a_timeout_of_connecting)
{
	struct net_client_opts opts = { .dial_timeout_ns = 100 * NS_PER_MS };
	struct deaf_server deaf;
	struct net_response *res;
	struct rig b;

	deaf_server_start(&deaf, "127.0.0.1", 0);
	rig_open(&b, NULL, &opts);
	b.server.port = deaf.port;
	res = rig_get(&b);
	ASSERT_ERR(res, "dial_timeout");
	ASSERT_HAS(strbuf_cstr(&res->message), "connecting to 127.0.0.1:");
	ASSERT_HAS(strbuf_cstr(&res->message), "timed out after 100ms");
	ASSERT_TRUE(res->t.connecting_ns >= 99 * NS_PER_MS);
	rig_close(&b);
	deaf_server_stop(&deaf);
}

TEST(client_timers_do_not_outlive_their_request)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	rig_request(&b, (struct net_request){ .timeout_ns = 20 * NS_PER_MS });
	rig_idle(&b, 30 * NS_PER_MS);
	ASSERT_INT(b.done, 1);
	ASSERT_INT(rig_get(&b)->reused, true);
	rig_close(&b);
}

/* --- no connection --- */

TEST(client_tells_a_refused_connection)
{
	struct net_response *res;
	struct server gone;
	struct rig b;

	server_start(&gone, serve_always, REPLY);
	server_stop(&gone);
	rig_open(&b, NULL, NULL);
	b.server.port = gone.port;
	res = rig_get(&b);
	ASSERT_ERR(res, "dial_refused");
	ASSERT_INT(res->sys_errno, ECONNREFUSED);
	ASSERT_HAS(strbuf_cstr(&res->message), "is the server listening there?");
	ASSERT_INT(res->head.status, 0);
	rig_close(&b);
}

TEST(client_tells_when_descriptors_are_gone)
{
	struct rlimit limit;
	struct net_response *res;
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 3;
	ASSERT_OK(setrlimit(RLIMIT_NOFILE, &limit));
	res = rig_get(&b);
	ASSERT_ERR(res, "no_fds");
	ASSERT_HAS(strbuf_cstr(&res->message), "ulimit -n");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	rig_close(&b);
}

TEST(client_refuses_a_bad_request_by_callback)
{
	static const struct net_header header = { STR("Bad Name"), STR("x") };
	struct net_response *res;
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	res = rig_request(&b, (struct net_request){ .headers = &header, .n_headers = 1 });
	ASSERT_ERR(res, "bad_request");
	ASSERT_HAS(strbuf_cstr(&res->message), "header name");
	rig_close(&b);
}
