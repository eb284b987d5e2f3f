/* The client over TLS against servers with certificates made here. */
#include "net/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rig.h"
#include "tls_server.h"

/* --- the good case --- */

TEST(tls_request_is_verified_timed_and_kept)
{
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, &good_cert, serve_replies);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	res = get_https(&b, "localhost", t.server.port);
	if (res->error)
		test_fail(__FILE__, __LINE__, "%s", strbuf_cstr(&res->message));
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_STREQ(res->tls_version, "TLSv1.3");
	ASSERT_HAS(res->tls_cipher, "TLS_");
	ASSERT_TRUE(res->t.tls_ns > 0 && res->t.connecting_ns > 0);
	ASSERT_TRUE(res->t.blocked_ns >= res->t.tls_ns + res->t.connecting_ns);
	/* on the wire: more than the reply, and the handshake with the first request */
	ASSERT_TRUE(res->received_bytes > 500);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_TRUE(res->reused && res->t.tls_ns == 0);
	ASSERT_TRUE(res->received_bytes > strlen(REPLY) && res->received_bytes < 1500);
	ASSERT_STREQ(res->tls_version, "TLSv1.3");
	ASSERT_INT(atomic_load(&t.server.accepted), 1);
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_STREQ(t.sni, "localhost");
	ASSERT_STREQ(t.alpn, "h2,http/1.1");
}

TEST(tls_takes_a_certificate_for_an_address_and_sends_no_name)
{
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_replies);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	ASSERT_ERR(get_https(&b, "127.0.0.1", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_STREQ(t.sni, "");
}

static void serve_ten_megabytes(SSL *ssl)
{
	static char chunk[1 << 20];

	while (ssl_read_head(ssl)) {
		static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n";

		ssl_send(ssl, head, sizeof(head) - 1);
		for (int i = 0; i < 10; i++)
			ssl_send(ssl, chunk, sizeof(chunk));
	}
}

TEST(tls_receives_large_bodies_of_both_versions)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct tls_server t;
		struct rig b;
		struct net_response *res;

		tls_server_start(&t, &good_cert, serve_ten_megabytes);
		SSL_CTX_set_max_proto_version(t.ctx, versions[i]);
		rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
		for (int k = 0; k < 2; k++) {
			res = get_https(&b, "localhost", t.server.port);
			ASSERT_ERR(res, "ok");
			ASSERT_INT(res->body.len, 10485760);
			ASSERT_INT(res->reused, k);
		}
		ASSERT_STREQ(res->tls_version, i ? "TLSv1.3" : "TLSv1.2");
		rig_close(&b);
		tls_server_stop(&t);
	}
}

static void serve_length_of_post(SSL *ssl)
{
	static char buf[65536];
	size_t left = 5000000, n;

	if (!ssl_read_head(ssl))
		return;
	while (left && SSL_read_ex(ssl, buf, MIN(left, sizeof(buf)), &n) == 1)
		left -= n;
	ssl_send(ssl, REPLY, strlen(REPLY));
	SSL_read_ex(ssl, buf, 1, &n);
}

TEST(tls_sends_a_large_body)
{
	char *data = calloc(1, 5000000), url[64];
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, serve_length_of_post);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	snprintf(url, sizeof(url), "https://localhost:%u/", t.server.port);
	rig_begin(&b, url,
		  (struct net_request){ .method = STR("POST"), .body = { data, 5000000 } });
	ASSERT_ERR(rig_wait(&b, 1), "ok");
	ASSERT_TRUE(b.res->sent_bytes > 5000000);
	rig_close(&b);
	tls_server_stop(&t);
	free(data);
}

static void count_resumed(SSL *ssl)
{
	struct tls_server *t = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

	atomic_fetch_add(&t->resumed, SSL_session_reused(ssl));
	serve_replies(ssl);
}

TEST(tls_handshakes_are_full_ones)
{
	struct tls_server t;
	struct rig b;

	tls_server_start(&t, &good_cert, count_resumed);
	SSL_CTX_set_app_data(t.ctx, &t);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file },
		 &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 3; i++)
		ASSERT_ERR(get_https(&b, "localhost", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
	ASSERT_INT(atomic_load(&t.server.accepted), 3);
	ASSERT_INT(atomic_load(&t.resumed), 0);
}

TEST(tls_sessions_are_continued_when_asked_for)
{
	for (int i = 0; i < 2; i++) {
		struct tls_server t;
		struct rig b;

		tls_server_start(&t, &good_cert, count_resumed);
		SSL_CTX_set_app_data(t.ctx, &t);
		SSL_CTX_set_max_proto_version(t.ctx, i ? TLS1_3_VERSION : TLS1_2_VERSION);
		rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file },
			 &(struct net_client_opts){ .no_reuse = true, .tls_resumption = true });
		for (int k = 0; k < 3; k++)
			ASSERT_ERR(get_https(&b, "localhost", t.server.port), "ok");
		rig_close(&b);
		tls_server_stop(&t);
		ASSERT_INT(atomic_load(&t.server.accepted), 3);
		ASSERT_INT(atomic_load(&t.resumed), 2);
	}
}

/* Many servers just close; a body that ends with the connection is complete all the same. */
static void serve_without_close_notify(SSL *ssl)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\n\r\nto the end";

	if (ssl_read_head(ssl))
		ssl_send(ssl, reply, sizeof(reply) - 1);
}

TEST(tls_may_end_without_saying_so)
{
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, &good_cert, serve_without_close_notify);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, NULL);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_ERR(res, "ok");
	ASSERT_STREQ(strbuf_cstr(&res->body), "to the end");
	rig_close(&b);
	tls_server_stop(&t);
}

/* --- failures --- */

static void handshake_fails(const struct cert_spec *spec, bool trusted, const char *kind,
			    const char *words)
{
	struct net_stack_opts opts = { 0 };
	struct tls_server t;
	struct rig b;
	struct net_response *res;

	tls_server_start(&t, spec, serve_replies);
	opts.tls.ca_file = trusted ? t.cert.file : NULL;
	rig_open(&b, &opts, NULL);
	res = get_https(&b, "localhost", t.server.port);
	ASSERT_ERR(res, kind);
	ASSERT_HAS(strbuf_cstr(&res->message), words);
	ASSERT_HAS(strbuf_cstr(&res->message), "TLS handshake with localhost:");
	ASSERT_INT(res->sent_bytes > 0, true);
	ASSERT_INT(res->t.sending_ns, 0);
	rig_close(&b);
	/* whoever does not want to know gets through */
	rig_open(&b, &(struct net_stack_opts){ .tls.insecure = true }, NULL);
	ASSERT_ERR(get_https(&b, "localhost", t.server.port), "ok");
	rig_close(&b);
	tls_server_stop(&t);
}

TEST(tls_refuses_an_unknown_authority)
{
	handshake_fails(&good_cert, false, "tls_authority", "self-signed certificate");
}

TEST(tls_refuses_another_name)
{
	static const struct cert_spec spec = { "DNS:other.example", 3600 };

	handshake_fails(&spec, true, "tls_hostname", "hostname mismatch");
}

TEST(tls_refuses_an_expired_certificate)
{
	static const struct cert_spec spec = { "DNS:localhost", -3600 };

	handshake_fails(&spec, true, "tls", "expired");
}

static void speaks_no_tls(serve_fn *serve, const void *arg, const char *kind)
{
	struct net_client_opts opts = { .timeout_ns = arg ? 20 * NS_PER_S : 200 * NS_PER_MS };
	struct server s;
	struct rig b;

	server_start(&s, serve, arg);
	rig_open(&b, NULL, &opts);
	ASSERT_ERR(get_https(&b, "127.0.0.1", s.port), kind);
	rig_close(&b);
	server_stop(&s);
}

static void serve_text(struct connection *c)
{
	server_send(c->fd, c->server->arg);
	server_wait_close(c->fd);
}

static void serve_goodbye(struct connection *c)
{
	char hello[8192];

	/* All of it at once: closing with bytes unread would be a reset. */
	ASSERT_TRUE(read(c->fd, hello, sizeof(hello)) > 100);
}

TEST(tls_tells_a_server_that_speaks_something_else)
{
	speaks_no_tls(serve_text, "HTTP/1.1 400 Bad Request\r\n\r\n", "tls_record");
	speaks_no_tls(serve_text, "220 mail ESMTP ready\r\n", "tls_record");
	speaks_no_tls(serve_silence, NULL, "timeout");
	speaks_no_tls(serve_goodbye, "", "closed");
}

TEST(tls_names_a_bad_file_of_authorities)
{
	struct server s;
	struct rig b;
	struct net_response *res;

	server_start(&s, serve_silence, NULL);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = "/nonexistent.pem" }, NULL);
	res = get_https(&b, "127.0.0.1", s.port);
	ASSERT_ERR(res, "tls");
	ASSERT_HAS(strbuf_cstr(&res->message), "/nonexistent.pem");
	rig_close(&b);
	server_stop(&s);
}

/* --- two threads, each with settings of its own --- */

struct worker {
	pthread_t thread;
	const struct tls_server *server;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct rig b;

	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = w->server->cert.file },
		 &(struct net_client_opts){ .no_reuse = true });
	for (int i = 0; i < 10; i++)
		ASSERT_ERR(get_https(&b, "localhost", w->server->server.port), "ok");
	rig_close(&b);
	return NULL;
}

TEST(tls_clients_of_two_threads_share_nothing)
{
	struct worker workers[2];
	struct tls_server t;

	tls_server_start(&t, &good_cert, serve_replies);
	for (int i = 0; i < 2; i++) {
		workers[i].server = &t;
		ASSERT_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i].thread, NULL);
	tls_server_stop(&t);
}
