/* The client against a server that does what servers do. */
#include <errno.h>
#include <stdlib.h>

#include "rig.h"

/* --- the good case --- */

TEST(client_gets_a_reply_with_its_phases_and_bytes)
{
	struct rig b;
	struct net_response *res;
	struct net_timings *t;

	rig_serve(&b, serve_always, REPLY, NULL);
	res = rig_get(&b);
	t = &res->t;
	ASSERT_ERR(res, "ok");
	ASSERT_INT(res->head.status, 200);
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_INT(res->body_bytes, 5);
	ASSERT_INT(res->received_bytes, strlen(REPLY));
	ASSERT_INT(net_addr_port(&res->remote), b.server.port);
	ASSERT_TRUE(!res->reused && !res->tls_version);
	ASSERT_TRUE(t->connecting_ns > 0 && t->sending_ns > 0 && t->waiting_ns > 0);
	ASSERT_INT(t->looking_up_ns + t->tls_ns, 0);
	ASSERT_TRUE(t->blocked_ns >= t->connecting_ns);
	ASSERT_INT(t->end_ns - t->start_ns,
		   t->blocked_ns + t->sending_ns + t->waiting_ns + t->receiving_ns);
	rig_close(&b);
}

TEST(client_keeps_the_connection)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	for (int i = 0; i < 5; i++) {
		struct net_response *res = rig_get(&b);

		ASSERT_ERR(res, "ok");
		ASSERT_INT(res->reused, i > 0);
		ASSERT_TRUE(i == 0 || res->t.connecting_ns == 0);
		ASSERT_INT(res->received_bytes, strlen(REPLY));
	}
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	net_client_close_idle(b.client);
	ASSERT_INT(rig_get(&b)->reused, false);
	rig_close(&b);
}

TEST(client_without_reuse_connects_each_time)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 3; i++)
		ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_INT(atomic_load(&b.server.accepted), 3);
	rig_close(&b);
}

TEST(client_runs_requests_side_by_side_and_keeps_six)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	for (int i = 0; i < 10; i++)
		rig_begin(&b, rig_url(&b), (struct net_request){ 0 });
	rig_wait(&b, 10);
	ASSERT_INT(atomic_load(&b.server.accepted), 10);
	for (int i = 0; i < 10; i++)
		rig_begin(&b, rig_url(&b), (struct net_request){ 0 });
	rig_wait(&b, 20);
	ASSERT_INT(atomic_load(&b.server.accepted), 14);
	rig_close(&b);
}

TEST(client_discards_a_body_and_counts_it)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_always, REPLY, NULL);
	res = rig_request(&b, (struct net_request){ .discard_body = true });
	ASSERT_INT(res->body_bytes, 5);
	ASSERT_INT(res->body.len, 0);
	ASSERT_INT(rig_get(&b)->reused, true);
	rig_close(&b);
}

static void serve_echo_length(struct connection *c)
{
	char head[4096];

	while (server_read_head(c->fd, head, sizeof(head))) {
		const char *length = strstr(head, "Content-Length: ");

		ASSERT_TRUE(length != NULL);
		if (!server_read_bytes(c->fd, (size_t)strtoull(length + 16, NULL, 10)))
			return;
		server_send(c->fd, REPLY);
	}
}

TEST(client_sends_bodies_small_and_large)
{
	static const size_t sizes[] = { 1, 8192, 8193, 20000000 };
	struct rig b;
	char *data = calloc(1, 20000000);

	rig_serve(&b, serve_echo_length, NULL, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct net_response *res =
			rig_request(&b, (struct net_request){ .method = STR("POST"),
							      .body = { data, sizes[i] } });

		ASSERT_ERR(res, "ok");
		ASSERT_TRUE(res->sent_bytes > sizes[i] && res->sent_bytes < sizes[i] + 200);
		ASSERT_INT(res->reused, i > 0);
	}
	rig_close(&b);
	free(data);
}

static void serve_large(struct connection *c)
{
	static char chunk[1 << 20];
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_send(c->fd, "HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n");
	for (int i = 0; i < 10; i++)
		server_send_bytes(c->fd, chunk, sizeof(chunk));
	server_wait_close(c->fd);
}

TEST(client_receives_a_large_body)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_large, NULL, NULL);
	res = rig_get(&b);
	ASSERT_ERR(res, "ok");
	ASSERT_INT(res->body.len, 10485760);
	ASSERT_TRUE(res->t.receiving_ns > 0);
	rig_close(&b);
}

static void next_request(void *arg, struct net_response *res)
{
	struct rig *b = arg;

	rig_done(arg, res);
	if (b->done < 5)
		rig_begin(b, rig_url(b), (struct net_request){ 0 });
}

TEST(client_may_be_used_from_its_callback)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	rig_begin(&b, rig_url(&b), (struct net_request){ .done = next_request });
	rig_wait(&b, 2);
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	ASSERT_TRUE(b.res->reused);
	rig_close(&b);
}

/* --- timings against known delays --- */

static void serve_with_pauses(struct connection *c)
{
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_sleep_ms(60);
	server_send(c->fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
	server_sleep_ms(40);
	server_send(c->fd, "llo");
	server_wait_close(c->fd);
}

/* A machine that stops us for a moment turns receiving into waiting, never the other way round. */
TEST(client_waiting_and_receiving_are_the_servers_pauses)
{
	uint64_t receiving_ns = 0;
	struct rig b;

	rig_serve(&b, serve_with_pauses, NULL, &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 10 && receiving_ns < 39 * NS_PER_MS; i++) {
		struct net_response *res = rig_get(&b);

		ASSERT_ERR(res, "ok");
		ASSERT_TRUE(res->t.waiting_ns >= 59 * NS_PER_MS);
		ASSERT_TRUE(res->t.waiting_ns + res->t.receiving_ns >= 99 * NS_PER_MS);
		receiving_ns = res->t.receiving_ns;
	}
	ASSERT_TRUE(receiving_ns >= 39 * NS_PER_MS);
	rig_close(&b);
}

/* --- connections that die --- */

static void serve_first_once(struct connection *c)
{
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_send(c->fd, REPLY);
	if (c->number == 0)
		server_read_head(c->fd, head, sizeof(head)); /* and closes without a reply */
	else
		serve_always(c);
}

TEST(client_repeats_a_get_on_a_stale_connection_silently)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_first_once, REPLY, NULL);
	ASSERT_ERR(rig_get(&b), "ok");
	res = rig_get(&b);
	ASSERT_ERR(res, "ok");
	ASSERT_TRUE(res->retried && !res->reused);
	ASSERT_INT(atomic_load(&b.server.accepted), 2);
	ASSERT_INT(res->t.end_ns - res->t.start_ns,
		   res->t.blocked_ns + res->t.sending_ns + res->t.waiting_ns + res->t.receiving_ns);
	rig_close(&b);
}

TEST(client_never_repeats_a_post_that_was_written)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_first_once, REPLY, NULL);
	ASSERT_ERR(rig_get(&b), "ok");
	res = rig_request(&b, (struct net_request){ .method = STR("POST") });
	ASSERT_ERR(res, "closed");
	ASSERT_HAS(strbuf_cstr(&res->message), "closed the connection without a reply");
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	rig_close(&b);
}

static void serve_nothing(struct connection *c)
{
	char head[4096];

	server_read_head(c->fd, head, sizeof(head));
}

TEST(client_never_repeats_on_a_new_connection)
{
	struct rig b;

	rig_serve(&b, serve_nothing, NULL, NULL);
	ASSERT_ERR(rig_get(&b), "closed");
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	rig_close(&b);
}

static void serve_reset(struct connection *c)
{
	char head[4096];

	server_read_head(c->fd, head, sizeof(head));
	server_reset_on_close(c->fd);
}

TEST(client_tells_a_reset)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_reset, NULL, NULL);
	res = rig_get(&b);
	ASSERT_ERR(res, "reset");
	ASSERT_INT(res->sys_errno, ECONNRESET);
	rig_close(&b);
}

TEST(client_forgets_idle_connections_the_server_closed)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_once, REPLY, NULL);
	ASSERT_ERR(rig_get(&b), "ok");
	rig_idle(&b, 30 * NS_PER_MS);
	res = rig_request(&b, (struct net_request){ .method = STR("POST") });
	ASSERT_ERR(res, "ok");
	ASSERT_TRUE(!res->retried && !res->reused);
	rig_close(&b);
}

static void serve_too_much(struct connection *c)
{
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_send(c->fd, REPLY "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
	server_wait_close(c->fd);
}

TEST(client_never_takes_leftovers_for_the_next_reply)
{
	struct rig b;

	rig_serve(&b, serve_too_much, NULL, NULL);
	for (int i = 1; i <= 3; i++) {
		ASSERT_STREQ(strbuf_cstr(&rig_get(&b)->body), "hello");
		ASSERT_INT(atomic_load(&b.server.accepted), i);
	}
	rig_close(&b);
}

/* Answers after the head and reads no further, so that the client cannot send all. */
static void serve_413(struct connection *c)
{
	const atomic_bool *over = c->server->arg;
	char head[4096];

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	server_send(c->fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
	while (!atomic_load(over))
		server_sleep_ms(2);
}

TEST(client_hears_a_server_that_answers_before_it_has_read_all)
{
	atomic_bool over = false;
	struct rig b;
	char *data = calloc(1, 20000000);
	struct net_response *res;

	rig_serve(&b, serve_413, &over, NULL);
	res = rig_request(
		&b, (struct net_request){ .method = STR("POST"), .body = { data, 20000000 } });
	ASSERT_ERR(res, "ok");
	ASSERT_INT(res->head.status, 413);
	ASSERT_TRUE(!rig_get(&b)->reused && !b.res->retried);
	atomic_store(&over, true);
	rig_close(&b);
	free(data);
}

/* --- giving up --- */

TEST(client_calls_can_be_cancelled_at_any_time)
{
	static const struct net_header header = { STR("Bad Name"), STR("x") };
	struct rig b;
	struct net_call *call;

	rig_serve(&b, serve_silence, NULL, NULL);
	/* at once: connecting; and one that has failed but was not delivered */
	net_call_cancel(rig_begin(&b, rig_url(&b), (struct net_request){ 0 }));
	net_call_cancel(rig_begin(&b, rig_url(&b),
				  (struct net_request){ .headers = &header, .n_headers = 1 }));
	/* later: waiting for the reply */
	call = rig_begin(&b, rig_url(&b), (struct net_request){ .timeout_ns = 400 * NS_PER_MS });
	rig_idle(&b, 20 * NS_PER_MS);
	ASSERT_INT(b.done, 0);
	net_call_cancel(call);
	rig_idle(&b, 450 * NS_PER_MS);
	ASSERT_INT(b.done, 0);
	/* and with the client */
	rig_begin(&b, rig_url(&b), (struct net_request){ 0 });
	rig_close(&b);
	ASSERT_INT(b.done, 0);
}

/* --- a client for each of two threads --- */

static void *work(void *arg UNUSED)
{
	struct rig b;

	rig_serve(&b, serve_always, REPLY, NULL);
	for (int i = 0; i < 200; i++)
		ASSERT_ERR(rig_get(&b), "ok");
	rig_close(&b);
	return NULL;
}

TEST(clients_of_two_threads_share_nothing)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		ASSERT_INT(pthread_create(&threads[i], NULL, work, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
