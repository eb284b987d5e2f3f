/*
 * A WebSocket against servers that send bytes as RFC 6455 and RFC 7692 have them, straight, over
 * TLS and through a proxy; and against those that do not keep to the rules.
 */
#include "net/ws.h"

#include <netinet/in.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base64.h"
#include "tls_server.h"

#define B(text) ((struct str){ text, sizeof(text) - 1 })

/* --- the client's side ------------------------------------------------------------------------ */

struct talk {
	struct net_ws *ws;
	bool open, over;
	bool stay; /* do not send anything */
	char failed[128];
	char got[64];
	unsigned messages;
	unsigned code;
	char reason[32], why[64];
	size_t most_unsent;
};

static void opened(void *arg, struct net_response *res, const char *why)
{
	struct talk *t = arg;

	t->open = !why;
	t->over = why;
	snprintf(t->failed, sizeof(t->failed), "%s", why ? why : "");
	net_response_free(res);
	if (t->open && !t->stay)
		ASSERT_TRUE(net_ws_send(t->ws, NET_WS_TEXT, STR("Hi!")));
}

static void message(void *arg, const struct net_ws_message *m)
{
	struct talk *t = arg;
	size_t len = strlen(t->got);

	t->messages++;
	t->most_unsent = MAX(t->most_unsent, net_ws_unsent(t->ws));
	snprintf(t->got + len, sizeof(t->got) - len, "%u:%.*s;", (unsigned)m->op,
		 STR_FMT(m->payload));
}

static void closed(void *arg, unsigned code, struct str reason, const char *why)
{
	struct talk *t = arg;

	t->over = true;
	t->code = code;
	snprintf(t->reason, sizeof(t->reason), "%.*s", STR_FMT(reason));
	snprintf(t->why, sizeof(t->why), "%s", why ? why : "");
}

static const struct net_ws_ops ops = { opened, message, closed };

static void talk_on(struct talk *t, struct rig *rig, const char *url_text, const char *protocols,
		    bool deflate)
{
	struct error err = ERROR_INIT;
	struct net_url url;

	ASSERT_OK_ERR(net_url_parse(&url, str_from(url_text), &err), err);
	t->ws = net_ws_open(rig->client, &(struct net_ws_opts){ .url = &url,
								.protocols = str_from(protocols),
								.deflate = deflate,
								.ops = &ops,
								.arg = t });
	for (int i = 0; i < 500 && !t->over; i++)
		rig_idle(rig, 10 * NS_PER_MS);
	ASSERT_TRUE(t->over);
	net_ws_free(t->ws);
}

/* --- the server's side ------------------------------------------------------------------------ */

struct script {
	const char *fields; /* of its answer, besides the usual */
	struct str then;    /* behind the answer, in the same write */
};

static bool reads_whole(int fd, void *buf, size_t n)
{
	return !n || recv(fd, buf, n, MSG_WAITALL) == (ssize_t)n;
}

static char received_head[2048];

/* The answer to the handshake in received_head: Sec-WebSocket-Accept by RFC 6455 4.2.2. */
static void write_answer(struct strbuf *out, const struct script *s)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, accept = STRBUF_INIT;
	const char *key = strstr(received_head, "Sec-WebSocket-Key: ");
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len;

	BUG_ON(!key);
	strbuf_addf(&text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key + 19);
	EVP_Digest(text.ptr, text.len, digest, &len, EVP_sha1(), NULL);
	base64_encode(&accept, (struct str){ (char *)digest, len });
	strbuf_addf(out,
		    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		    "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
		    strbuf_cstr(&accept), s->fields ? s->fields : "");
	strbuf_add(out, s->then.ptr, s->then.len);
}

/* The payload of one short frame, unmasked. */
static bool read_frame(int fd, char *payload, size_t size)
{
	unsigned char head[6];
	size_t n;

	if (!reads_whole(fd, head, sizeof(head)) || !(head[1] & 0x80))
		return false;
	n = head[1] & 0x7f;
	if (n >= size || !reads_whole(fd, payload, n))
		return false;
	for (size_t i = 0; i < n; i++)
		payload[i] = (char)((unsigned char)payload[i] ^ head[2 + (i & 3)]);
	payload[n] = '\0';
	return true;
}

static char received_frame[126];

static void answer(struct connection *c)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	if (!server_read_head(c->fd, received_head, sizeof(received_head)))
		return;
	write_answer(&out, c->server->arg);
	server_send_bytes(c->fd, out.ptr, out.len);
}

static void serve_script(struct connection *c)
{
	answer(c);
	read_frame(c->fd, received_frame, sizeof(received_frame));
	server_wait_close(c->fd);
}

static void talk_to(struct talk *t, serve_fn *serve, const void *arg, const char *protocols,
		    bool deflate)
{
	struct rig rig;

	rig_serve(&rig, serve, arg, NULL);
	talk_on(t, &rig, rig_url(&rig), protocols, deflate);
	rig_close(&rig);
}

/* --- by the rules ----------------------------------------------------------------------------- */

TEST(ws_talks_and_closes)
{
	struct script s = { .then = B("\x81\x05Hello\x89\x01p\x88\x05\x03\xe8"
				      "bye") };
	struct talk t = { 0 };

	talk_to(&t, serve_script, &s, "", false);
	ASSERT_STREQ(t.failed, "");
	ASSERT_TRUE(t.open);
	ASSERT_STREQ(received_frame, "Hi!");
	ASSERT_STREQ(t.got, "1:Hello;9:p;");
	ASSERT_INT(t.code, 1000);
	ASSERT_STREQ(t.reason, "bye");
	ASSERT_STREQ(t.why, "");
	ASSERT_LACKS(received_head, "Sec-WebSocket-Extensions");
	ASSERT_LACKS(received_head, "Sec-WebSocket-Protocol");
}

TEST(ws_packs_and_unpacks_when_that_was_agreed_on)
{
	struct script s = {
		.fields = "Sec-WebSocket-Extensions: permessage-deflate;  "
			  "client_no_context_takeover\r\nSec-WebSocket-Protocol: b\r\n",
		.then = B("\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00"
			  "\x88\x00"),
	};
	struct talk t = { 0 };

	talk_to(&t, serve_script, &s, "a, b", true);
	ASSERT_STREQ(t.failed, "");
	ASSERT_STREQ(t.got, "1:Hello;1:Hello;");
	ASSERT_INT(t.code, NET_WS_NO_STATUS);
	/* "Hi!" by Python's zlib: raw deflate, sync flush, without its last four bytes */
	ASSERT_TRUE(!memcmp(received_frame, "\xf2\xc8\x54\x04\x00", 6));
	ASSERT_HAS(received_head, "Sec-WebSocket-Protocol: a, b\r\n");
	ASSERT_HAS(received_head, "Sec-WebSocket-Extensions: permessage-deflate; ");
}

static const struct script *tls_script;

static void serve_tls(SSL *ssl)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	int n = SSL_read(ssl, received_head, sizeof(received_head) - 1);
	char rest[64];

	received_head[MAX(n, 0)] = '\0';
	write_answer(&out, tls_script);
	ssl_send(ssl, out.ptr, out.len);
	while (SSL_read(ssl, rest, sizeof(rest)) > 0)
		;
}

TEST(ws_talks_over_tls_and_does_not_offer_http2_there)
{
	struct script s = { .then = B("\x81\x05Hello\x88\x02\x03\xe8") };
	struct talk t = { 0 };
	struct tls_server server;
	struct rig rig;
	char url[64];

	tls_script = &s;
	tls_server_start(&server, &good_cert, serve_tls);
	rig_open(&rig, &(struct net_stack_opts){ .tls.ca_file = server.cert.file }, NULL);
	snprintf(url, sizeof(url), "https://localhost:%u/", server.server.port);
	talk_on(&t, &rig, url, "", false);
	rig_close(&rig);
	tls_server_stop(&server);
	ASSERT_STREQ(t.failed, "");
	ASSERT_STREQ(t.got, "1:Hello;");
	ASSERT_INT(t.code, 1000);
	ASSERT_STREQ(server.alpn, "http/1.1");
}

static char connect_head[512];

/* A proxy that is the server too. */
static void serve_connect(struct connection *c)
{
	if (!server_read_head(c->fd, connect_head, sizeof(connect_head)))
		return;
	server_send(c->fd, "HTTP/1.1 200 Connection established\r\n\r\n");
	serve_script(c);
}

TEST(ws_asks_a_proxy_for_a_tunnel_without_tls_too)
{
	struct script s = { .then = B("\x88\x02\x03\xe8") };
	struct net_proxies *proxies;
	struct talk t = { 0 };
	struct server server;
	struct rig rig;
	char address[64];

	server_start(&server, serve_connect, &s);
	snprintf(address, sizeof(address), "127.0.0.1:%u", server.port);
	ASSERT_OK(net_proxies_new(&proxies, address, NULL, NULL, NULL));
	rig_open(&rig, NULL, &(struct net_client_opts){ .proxies = proxies });
	talk_on(&t, &rig, "http://chat.test:81/room", "", false);
	rig_close(&rig);
	server_stop(&server);
	net_proxies_free(proxies);
	ASSERT_STREQ(t.failed, "");
	ASSERT_INT(t.code, 1000);
	ASSERT_HAS(connect_head, "CONNECT chat.test:81 HTTP/1.1\r\n");
	ASSERT_HAS(received_head, "GET /room HTTP/1.1\r\nHost: chat.test:81\r\n");
}

/* --- not by the rules ------------------------------------------------------------------------- */

TEST(ws_fails_on_an_ordinary_reply)
{
	struct talk t = { 0 };

	talk_to(&t, serve_always, REPLY, "", false);
	ASSERT_TRUE(!t.open);
	ASSERT_STREQ(t.failed, "websocket: bad handshake");
}

static void serve_wrong_accept(struct connection *c)
{
	if (server_read_head(c->fd, received_head, sizeof(received_head)))
		server_send(c->fd, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
				   "Connection: Upgrade\r\n"
				   "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
	server_wait_close(c->fd);
}

TEST(ws_fails_on_answers_to_other_questions)
{
	struct script protocol = { .fields = "Sec-WebSocket-Protocol: c\r\n" };
	struct script extension = { .fields = "Sec-WebSocket-Extensions: permessage-deflate\r\n" };
	struct talk t = { 0 };

	talk_to(&t, serve_wrong_accept, NULL, "", false);
	ASSERT_HAS(t.failed, "Sec-WebSocket-Accept does not answer the key");
	t = (struct talk){ 0 };
	talk_to(&t, serve_script, &protocol, "a, b", false);
	ASSERT_HAS(t.failed, "a subprotocol that was not offered");
	t = (struct talk){ 0 };
	talk_to(&t, serve_script, &extension, "", false);
	ASSERT_HAS(t.failed, "an extension that was not offered");
}

TEST(ws_ends_a_session_whose_peer_breaks_the_rules)
{
	struct script s = { .then = B("\x83\x00") };
	struct talk t = { .stay = true };

	talk_to(&t, serve_script, &s, "", false);
	ASSERT_TRUE(t.open);
	ASSERT_INT(t.code, NET_WS_PROTOCOL_ERROR);
	ASSERT_STREQ(t.why, "a frame of an unknown kind");
	ASSERT_TRUE(!memcmp(received_frame, "\x03\xea", 3)); /* 1002 */
}

static void serve_reset(struct connection *c)
{
	answer(c);
	server_sleep_ms(50);
	server_reset_on_close(c->fd);
}

TEST(ws_tells_an_end_without_a_close)
{
	struct script s = { .then = B("\x81\x05Hel") };
	struct talk t = { .stay = true };

	talk_to(&t, serve_reset, &s, "", false);
	ASSERT_INT(t.code, NET_WS_ABNORMAL);
	ASSERT_HAS(t.why, "Connection reset by peer");
	ASSERT_INT(t.messages, 0);
}

/* Pings without reading what comes back until all are sent. */
static void serve_pings(struct connection *c)
{
	char pings[127 * 64];

	for (size_t i = 0; i < sizeof(pings); i++)
		pings[i] = i % 127 == 0 ? '\x89' : i % 127 == 1 ? 125 : 'p';
	answer(c);
	for (int i = 0; i < 4000; i++)
		server_send_bytes(c->fd, pings, sizeof(pings));
	server_send_bytes(c->fd, "\x88\x02\x03\xe8", 4);
	server_wait_close(c->fd);
}

TEST(ws_stores_no_pongs_for_a_peer_that_does_not_read)
{
	struct script s = { 0 };
	struct talk t = { .stay = true };

	talk_to(&t, serve_pings, &s, "", false);
	ASSERT_INT(t.messages, 4000 * 64);
	ASSERT_TRUE(t.most_unsent > 0 && t.most_unsent < 128 * 1024);
}
