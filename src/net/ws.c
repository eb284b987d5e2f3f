#include "net/ws.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

#define HEADERS_MAX 160
#define GUID	    "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" /* RFC 6455 1.3 */

/* Beyond it pings are not answered. */
#define PONGS_MAX_BYTES ((size_t)64 * 1024)

enum ws_state { WS_OPENING, WS_OPEN, WS_CLOSING, WS_CLOSED };

struct net_ws {
	struct net_client *client;
	struct net_loop *loop;
	const struct net_ws_ops *ops;
	void *arg;
	enum ws_state state;
	struct net_call *call; /* the handshake, while it is under way */
	struct net_link *link;
	struct net_ws_reader reader;
	struct strbuf key; /* as sent */
	struct strbuf protocols;
	struct strbuf protocol, extensions; /* as answered */
	bool offered_deflate;
	struct strbuf out;
	uint64_t sent, received;      /* reported so far */
	struct net_timer close_timer; /* our close was sent */
	bool *freed;		      /* somebody up the stack wants to know */
};

/* --- the handshake's answer ------------------------------------------------------------------- */

static void expected_accept(const struct strbuf *key, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	strbuf_addf(&text, "%s%s", strbuf_cstr(key), GUID);
	EVP_Digest(text.ptr, text.len, digest, &len, EVP_sha1(), NULL);
	base64_encode(out, (struct str){ (char *)digest, len });
}

static struct str next_word(struct str *list, char end)
{
	size_t n = str_find(*list, end);
	struct str word = str_trim((struct str){ list->ptr, n });

	n = MIN(n + 1, list->len);
	list->ptr += n;
	list->len -= n;
	return word;
}

/* RFC 7692 7.1: what we did not offer may not be answered, but for the window of the server. */
static const char *take_extensions(struct net_ws *ws, struct str answer)
{
	struct str rest = answer, name = next_word(&rest, ';');

	if (!answer.len)
		return NULL;
	strbuf_add(&ws->extensions, answer.ptr, answer.len);
	if (!ws->offered_deflate || !str_ieq(name, STR("permessage-deflate")))
		return "the server answers with an extension that was not offered";
	ws->reader.deflate = ws->reader.keeps_window = true;
	while (rest.len) {
		struct str param = next_word(&rest, ';');

		if (str_ieq(param, STR("server_no_context_takeover")))
			ws->reader.keeps_window = false;
		else if (!str_ieq(param, STR("client_no_context_takeover")) &&
			 !str_starts_with(param, STR("server_max_window_bits")))
			return "the server answers with an unknown parameter of permessage-deflate";
	}
	return NULL;
}

static const char *take_protocol(struct net_ws *ws, struct str answer)
{
	if (answer.len && !net_list_has(strbuf_str(&ws->protocols), answer))
		return "the server answers with a subprotocol that was not offered";
	strbuf_add(&ws->protocol, answer.ptr, answer.len);
	return NULL;
}

/* RFC 6455 4.1; NULL = the session is open. */
static const char *check_answer(struct net_ws *ws, const struct net_head *h)
{
	CLEANUP(strbuf_release) struct strbuf accept = STRBUF_INIT;
	const char *why;

	if (h->status != 101)
		return "websocket: bad handshake";
	expected_accept(&ws->key, &accept);
	if (!net_list_has(net_head_get(h, "Upgrade"), STR("websocket")) ||
	    !net_list_has(net_head_get(h, "Connection"), STR("upgrade")))
		return "websocket: bad handshake: the reply switches to something else";
	if (!str_eq(net_head_get(h, "Sec-WebSocket-Accept"), strbuf_str(&accept)))
		return "websocket: bad handshake: Sec-WebSocket-Accept does not answer the key";
	why = take_protocol(ws, net_head_get(h, "Sec-WebSocket-Protocol"));
	return why ? why : take_extensions(ws, net_head_get(h, "Sec-WebSocket-Extensions"));
}

/* --- sending ---------------------------------------------------------------------------------- */

static bool write_message(struct net_ws *ws, enum net_ws_op op, struct str payload)
{
	CLEANUP(strbuf_release) struct strbuf packed = STRBUF_INIT;
	unsigned char mask[4];
	bool pack = ws->reader.deflate && op <= NET_WS_BINARY;

	if (RAND_bytes(mask, sizeof(mask)) != 1)
		return false;
	if (pack && net_ws_pack(&packed, payload) < 0)
		pack = false;
	strbuf_clear(&ws->out);
	net_ws_write(&ws->out, op, pack, pack ? strbuf_str(&packed) : payload, mask);
	net_link_write(ws->link, strbuf_str(&ws->out));
	if (ws->out.cap > 64 * 1024)
		strbuf_release(&ws->out);
	return true;
}

bool net_ws_send(struct net_ws *ws, enum net_ws_op op, struct str payload)
{
	return ws->state == WS_OPEN && write_message(ws, op, payload);
}

static void write_close(struct net_ws *ws, unsigned code, struct str reason)
{
	char payload[NET_WS_CONTROL_MAX] = { (char)(code >> 8), (char)code };
	size_t n = MIN(reason.len, sizeof(payload) - 2);

	if (n)
		memcpy(payload + 2, reason.ptr, n);
	write_message(ws, NET_WS_CLOSE, (struct str){ payload, code ? n + 2 : 0 });
}

/* --- ending ----------------------------------------------------------------------------------- */

static void finish(struct net_ws *ws, unsigned code, struct str reason, const char *why)
{
	ws->state = WS_CLOSED;
	net_timer_cancel(&ws->close_timer);
	ws->ops->closed(ws->arg, code, reason, why);
}

static void close_overdue(struct net_timer *t)
{
	struct net_ws *ws = container_of(t, struct net_ws, close_timer);

	finish(ws, NET_WS_ABNORMAL, (struct str){ 0 }, "the peer did not answer the close");
}

void net_ws_close(struct net_ws *ws, unsigned code, struct str reason)
{
	if (ws->state != WS_OPEN)
		return;
	write_close(ws, code, reason);
	ws->state = WS_CLOSING;
	ws->close_timer.expired = close_overdue;
	net_timer_set(ws->loop, &ws->close_timer, net_loop_now_ns() + NET_WS_CLOSE_WAIT_NS);
}

static void take_close(struct net_ws *ws, struct str payload)
{
	const unsigned char *b = (const unsigned char *)payload.ptr;
	unsigned code = payload.len ? (unsigned)b[0] << 8 | b[1] : NET_WS_NO_STATUS;
	struct str reason = { 0 };

	if (payload.len > 2)
		reason = (struct str){ payload.ptr + 2, payload.len - 2 };
	if (ws->state == WS_OPEN)
		write_close(ws, payload.len ? code : 0, (struct str){ 0 });
	finish(ws, code, reason, NULL);
}

/* --- receiving -------------------------------------------------------------------------------- */

/* False: the session is over or gone. */
static bool take_message(struct net_ws *ws, const struct net_ws_message *m)
{
	bool freed = false;

	if (m->op == NET_WS_CLOSE) {
		take_close(ws, m->payload);
		return false;
	}
	/* who does not read what is sent gets no more of it (RFC 6455 5.5.3 lets pongs be left out)
	 */
	if (m->op == NET_WS_PING && ws->state == WS_OPEN && net_ws_unsent(ws) < PONGS_MAX_BYTES)
		write_message(ws, NET_WS_PONG, m->payload);
	ws->freed = &freed;
	ws->ops->message(ws->arg, m);
	if (freed)
		return false;
	ws->freed = NULL;
	return ws->state != WS_CLOSED;
}

static void on_bytes(void *arg, struct str bytes)
{
	struct net_ws *ws = arg;
	struct net_ws_message m;
	const char *why = NULL;
	int r = 1;

	while (ws->state != WS_CLOSED && (r = net_ws_next(&ws->reader, &bytes, &m, &why)) > 0)
		if (!take_message(ws, &m))
			return;
	if (r >= 0 || ws->state == WS_CLOSED)
		return;
	if (ws->state == WS_OPEN)
		write_close(ws, (unsigned)-r, (struct str){ 0 });
	finish(ws, (unsigned)-r, (struct str){ 0 }, why);
}

static void on_end(void *arg, int code)
{
	struct net_ws *ws = arg;

	if (ws->state == WS_CLOSED)
		return;
	finish(ws, NET_WS_ABNORMAL, (struct str){ 0 },
	       code ? strerrordesc_np(-code) : "the connection ended without a close");
}

static const struct net_link_ops link_ops = { on_bytes, on_end };

static void on_answer(void *arg, struct net_response *res)
{
	struct net_ws *ws = arg;
	const char *why = res->error ? strbuf_cstr(&res->message) : check_answer(ws, &res->head);

	ws->call = NULL;
	if (why) {
		ws->state = WS_CLOSED;
		ws->ops->opened(ws->arg, res, why);
		return;
	}
	ws->link = TAKE(res->link);
	ws->sent = net_link_sent_bytes(ws->link);
	ws->received = net_link_received_bytes(ws->link);
	ws->state = WS_OPEN;
	net_link_listen(ws->link, &link_ops, ws);
	ws->ops->opened(ws->arg, res, NULL);
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool is_handshake_field(struct str name)
{
	return str_ieq(name, STR("Upgrade")) || str_ieq(name, STR("Connection")) ||
	       str_ieq(name, STR("Sec-WebSocket-Key")) ||
	       str_ieq(name, STR("Sec-WebSocket-Version")) ||
	       str_ieq(name, STR("Sec-WebSocket-Extensions")) ||
	       str_ieq(name, STR("Sec-WebSocket-Protocol"));
}

static size_t collect_headers(struct net_ws *ws, const struct net_ws_opts *opts,
			      struct net_header *h)
{
	size_t n = 0;

	h[n++] = (struct net_header){ STR("Upgrade"), STR("websocket") };
	h[n++] = (struct net_header){ STR("Connection"), STR("Upgrade") };
	h[n++] = (struct net_header){ STR("Sec-WebSocket-Key"), strbuf_str(&ws->key) };
	h[n++] = (struct net_header){ STR("Sec-WebSocket-Version"), STR("13") };
	if (opts->protocols.len)
		h[n++] = (struct net_header){ STR("Sec-WebSocket-Protocol"), opts->protocols };
	if (opts->deflate)
		h[n++] = (struct net_header){ STR("Sec-WebSocket-Extensions"),
					      STR("permessage-deflate; server_no_context_takeover; "
						  "client_no_context_takeover") };
	for (size_t i = 0; i < opts->n_headers && n < HEADERS_MAX; i++)
		if (!is_handshake_field(opts->headers[i].name))
			h[n++] = opts->headers[i];
	return n;
}

struct net_ws *net_ws_open(struct net_client *c, const struct net_ws_opts *opts)
{
	struct net_ws *ws = xcalloc(1, sizeof(*ws));
	struct net_header headers[HEADERS_MAX];
	unsigned char nonce[16];

	ws->client = c;
	ws->loop = net_stack_loop(net_client_stack(c));
	ws->ops = opts->ops;
	ws->arg = opts->arg;
	ws->offered_deflate = opts->deflate;
	ws->reader.max_bytes = NET_WS_MESSAGE_MAX;
	strbuf_add(&ws->protocols, opts->protocols.ptr, opts->protocols.len);
	if (RAND_bytes(nonce, sizeof(nonce)) != 1)
		memset(nonce, 0, sizeof(nonce)); /* any key is answered */
	base64_encode(&ws->key, (struct str){ (char *)nonce, sizeof(nonce) });
	ws->call = net_client_send(c, &(struct net_request){
					      .method = STR("GET"),
					      .url = opts->url,
					      .headers = headers,
					      .n_headers = collect_headers(ws, opts, headers),
					      .upgrade = true,
					      .timeout_ns = opts->timeout_ns,
					      .done = on_answer,
					      .arg = ws,
				      });
	return ws;
}

void net_ws_free(struct net_ws *ws)
{
	if (!ws)
		return;
	if (ws->freed)
		*ws->freed = true;
	if (ws->call)
		net_call_cancel(ws->call);
	net_link_close(ws->link);
	net_timer_remove(ws->loop, &ws->close_timer);
	net_ws_reader_release(&ws->reader);
	strbuf_release(&ws->key);
	strbuf_release(&ws->protocols);
	strbuf_release(&ws->protocol);
	strbuf_release(&ws->extensions);
	strbuf_release(&ws->out);
	free(ws);
}

struct str net_ws_protocol(const struct net_ws *ws)
{
	return strbuf_str(&ws->protocol);
}

struct str net_ws_extensions(const struct net_ws *ws)
{
	return strbuf_str(&ws->extensions);
}

void net_ws_pause(struct net_ws *ws, bool paused)
{
	if (ws->link)
		net_link_pause(ws->link, paused);
}

size_t net_ws_unsent(const struct net_ws *ws)
{
	return ws->link ? net_link_unsent(ws->link) : 0;
}

void net_ws_take_bytes(struct net_ws *ws, uint64_t *ret_sent, uint64_t *ret_received)
{
	uint64_t sent = ws->link ? net_link_sent_bytes(ws->link) : 0;
	uint64_t received = ws->link ? net_link_received_bytes(ws->link) : 0;

	*ret_sent = sent - ws->sent;
	*ret_received = received - ws->received;
	ws->sent = sent;
	ws->received = received;
}
