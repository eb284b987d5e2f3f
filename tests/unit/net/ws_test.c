/* A WebSocket against a server that sends bytes as RFC 6455 has them. */
#include "net/ws.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base64.h"
#include "rig.h"

struct talk {
	struct rig *rig;
	struct net_ws *ws;
	bool open, closed;
	char failed[128];
	char got[64];
	unsigned code;
};

static void opened(void *arg, struct net_response *res, const char *why)
{
	struct talk *t = arg;

	t->open = !why;
	t->closed = why;
	snprintf(t->failed, sizeof(t->failed), "%s", why ? why : "");
	net_response_free(res);
	if (t->open)
		net_ws_send(t->ws, NET_WS_TEXT, STR("Hi!"));
}

static void message(void *arg, const struct net_ws_message *m)
{
	struct talk *t = arg;

	snprintf(t->got + strlen(t->got), sizeof(t->got) - strlen(t->got), "%u:%.*s;",
		 (unsigned)m->op, STR_FMT(m->payload));
}

static void closed(void *arg, unsigned code, struct str reason UNUSED, const char *why UNUSED)
{
	struct talk *t = arg;

	t->closed = true;
	t->code = code;
}

static const struct net_ws_ops ops = { opened, message, closed };

/* Answers the handshake; arg is what follows it in the same write. */
static void serve_talk(struct connection *c)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, accept = STRBUF_INIT;
	unsigned char digest[EVP_MAX_MD_SIZE];
	const struct str *then = c->server->arg;
	unsigned len;
	char head[2048];
	const char *key;

	if (!server_read_head(c->fd, head, sizeof(head)))
		return;
	key = strstr(head, "Sec-WebSocket-Key: ") + 19;
	strbuf_addf(&text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	EVP_Digest(text.ptr, text.len, digest, &len, EVP_sha1(), NULL);
	base64_encode(&accept, (struct str){ (char *)digest, len });
	strbuf_clear(&text);
	strbuf_addf(&text,
		    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		    "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		    strbuf_cstr(&accept));
	strbuf_add(&text, then->ptr, then->len);
	server_send_bytes(c->fd, text.ptr, text.len);
	server_read_bytes(c->fd, 2 + 4 + 3); /* "Hi!" */
	server_wait_close(c->fd);
}

static void talk_to(struct talk *t, serve_fn *serve, const void *arg)
{
	struct rig rig;
	struct net_url url;

	rig_serve(&rig, serve, arg, NULL);
	t->rig = &rig;
	ASSERT_OK(net_url_parse(&url, str_from(rig_url(&rig)), NULL));
	t->ws = net_ws_open(rig.client,
			    &(struct net_ws_opts){ .url = &url, .ops = &ops, .arg = t });
	for (int i = 0; i < 200 && !t->closed; i++)
		rig_idle(&rig, 10 * NS_PER_MS);
	net_ws_free(t->ws);
	rig_close(&rig);
}

TEST(ws_talks_and_closes)
{
	struct str then = { "\x81\x05Hello\x89\x01p\x88\x02\x03\xe8", 14 };
	struct talk t = { 0 };

	talk_to(&t, serve_talk, &then);
	ASSERT_STREQ(t.failed, "");
	ASSERT_TRUE(t.open);
	ASSERT_STREQ(t.got, "1:Hello;9:p;");
	ASSERT_INT(t.code, 1000);
}

TEST(ws_ends_a_session_whose_peer_breaks_the_rules)
{
	struct str then = { "\x83\x00", 2 };
	struct talk t = { 0 };

	talk_to(&t, serve_talk, &then);
	ASSERT_TRUE(t.open);
	ASSERT_INT(t.code, NET_WS_PROTOCOL_ERROR);
}

TEST(ws_fails_on_an_ordinary_reply)
{
	struct talk t = { 0 };

	talk_to(&t, serve_always, REPLY);
	ASSERT_TRUE(!t.open);
	ASSERT_STREQ(t.failed, "websocket: bad handshake");
}
