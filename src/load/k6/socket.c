/*
 * A socket's object and its session hold each other while it is open: `self` keeps the object alive
 * though the script may have dropped it. At the end the session goes, and the object's finalizer
 * frees what is left.
 */
#include "load/k6/socket.h"

#include <math.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/k6/http.h"
#include "load/k6/modules.h"
#include "load/sample.h"
#include "net/ws.h"

/* Reading waits while more than this is in the queue. */
#define QUEUE_EVENTS_MAX 1000
#define QUEUE_BYTES_MAX	 ((size_t)4 * 1024 * 1024)

#define PINGS_MAX 1000 /* that are remembered until their pong comes */

enum event_kind {
	EVENT_OPEN,
	EVENT_TEXT,
	EVENT_BINARY,
	EVENT_PING,
	EVENT_PONG,
	EVENT_ERROR,
	EVENT_CLOSE
};

static const char *const event_names[] = {
	[EVENT_OPEN] = "open",	 [EVENT_TEXT] = "message", [EVENT_BINARY] = "binaryMessage",
	[EVENT_PING] = "ping",	 [EVENT_PONG] = "pong",	   [EVENT_ERROR] = "error",
	[EVENT_CLOSE] = "close",
};

struct event {
	enum event_kind kind;
	unsigned code;	    /* of EVENT_CLOSE */
	struct strbuf text; /* or bytes */
};

struct sent_ping {
	uint64_t id, t_ns;
};

struct load_socket {
	struct load_vu *vu;
	struct load_socket *next; /* the VU's */
	struct net_ws *ws;	  /* NULL when it is over */
	JSValue self;		  /* owned while it is open, else undefined */
	JSValue deliver;	  /* undefined = next() is used */
	struct js_task task;
	bool holding, posted;	/* the call waits for it; the task is on its way */
	bool waiting;		/* in next() */
	struct net_timer timer; /* of next() */
	VEC(struct event) events;
	size_t first, queued_bytes;
	struct net_response *res; /* the handshake's */
	char *url, *name;	  /* for tags; name NULL = url */
	struct strbuf protocol, extensions;
	char *failure; /* of the handshake */
	const struct load_tags *tags;
	uint64_t start_ns;
	bool closing; /* the script began to close it */
	bool counted; /* the session's samples are made */
	VEC(struct sent_ping) pings;
	uint64_t ping_ids;
};

/* --- samples ---------------------------------------------------------------------------------- */

static void sample(struct load_socket *s, enum load_builtin metric, double value)
{
	load_vu_sample(s->vu, metric, s->tags, value);
}

static void add_tag(struct load_socket *s, enum load_system_tag tag, struct str key,
		    struct str value)
{
	if (load_system_tag(s->vu, tag))
		s->tags = load_vu_tags_with(s->vu, s->tags, key, value);
}

static void tag_session(struct load_socket *s)
{
	CLEANUP(strbuf_release) struct strbuf ip = STRBUF_INIT;
	const char *name = s->name ? s->name : s->url;
	char status[16];

	add_tag(s, LOAD_TAG_URL, STR("url"), str_from(name));
	add_tag(s, LOAD_TAG_NAME, STR("name"), str_from(name));
	if (!s->res->error) {
		snprintf(status, sizeof(status), "%u", s->res->head.status);
		add_tag(s, LOAD_TAG_STATUS, STR("status"), str_from(status));
		/* without one as well: empty */
		add_tag(s, LOAD_TAG_SUBPROTO, STR("subproto"), strbuf_str(&s->protocol));
	}
	if (s->res->remote.sa.sa_family) {
		net_addr_fmt(&ip, &s->res->remote, false);
		add_tag(s, LOAD_TAG_IP, STR("ip"), strbuf_str(&ip));
	}
}

static void count_bytes(struct load_socket *s)
{
	uint64_t sent = 0, received = 0;

	if (s->ws)
		net_ws_take_bytes(s->ws, &sent, &received);
	s->vu->bytes_sent += sent;
	s->vu->bytes_received += received;
}

static void count_opening(struct load_socket *s)
{
	const struct net_timings *t = &s->res->t;

	s->vu->bytes_sent += s->res->sent_bytes;
	s->vu->bytes_received += s->res->received_bytes;
	tag_session(s);
	s->counted = true;
	sample(s, LOAD_M_WS_SESSIONS, 1);
	sample(s, LOAD_M_WS_CONNECTING, (double)(t->end_ns - t->start_ns) / 1e6);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void unlink_socket(struct load_socket *s)
{
	struct load_socket **p = &s->vu->sockets;

	while (*p && *p != s)
		p = &(*p)->next;
	if (*p)
		*p = s->next;
}

/* Nothing more comes; what is in the queue can still be asked for. */
static void end_session(struct load_socket *s)
{
	if (!s->ws)
		return;
	count_bytes(s);
	net_ws_free(s->ws);
	s->ws = NULL;
	if (s->counted)
		sample(s, LOAD_M_WS_SESSION_DURATION,
		       (double)(net_loop_now_ns() - s->start_ns) / 1e6);
}

/* The object is the script's alone from here on. */
static void let_go(struct load_socket *s)
{
	JSContext *ctx = js_vm_context(s->vu->vm);
	JSValue self = s->self, deliver = s->deliver;

	end_session(s);
	unlink_socket(s);
	net_timer_remove(s->vu->worker->loop, &s->timer);
	s->self = s->deliver = JS_UNDEFINED;
	JS_FreeValue(ctx, deliver);
	JS_FreeValue(ctx, self); /* may free s */
}

void load_sockets_cancel(struct load_vu *vu)
{
	while (vu->sockets)
		let_go(vu->sockets);
}

static void free_socket(struct load_socket *s)
{
	vec_for_each (&s->events, e)
		strbuf_release(&e->text);
	vec_release(&s->events);
	vec_release(&s->pings);
	net_response_free(s->res);
	strbuf_release(&s->protocol);
	strbuf_release(&s->extensions);
	free(s->url);
	free(s->name);
	free(s->failure);
	free(s);
}

static void finalize(JSRuntime *rt UNUSED, JSValue val)
{
	struct load_socket *s = JS_GetOpaque(val, LOAD_CLASS_SOCKET);

	if (s)
		free_socket(s);
}

const struct js_class load_socket_class = {
	.id = LOAD_CLASS_SOCKET,
	.def = { .class_name = "Socket", .finalizer = finalize },
};

/* --- events ----------------------------------------------------------------------------------- */

static bool is_full(const struct load_socket *s)
{
	return s->events.len - s->first > QUEUE_EVENTS_MAX || s->queued_bytes > QUEUE_BYTES_MAX;
}

static void wake(struct load_socket *s)
{
	if (s->waiting) {
		s->waiting = false;
		net_timer_cancel(&s->timer);
		load_vu_resume(s->vu);
	} else if (s->holding && !s->posted) {
		s->posted = true;
		load_vu_post(s->vu, &s->task);
	}
}

static void put(struct load_socket *s, enum event_kind kind, unsigned code, struct str text)
{
	struct event e = { .kind = kind, .code = code };

	strbuf_add(&e.text, text.ptr, text.len);
	vec_push(&s->events, e);
	s->queued_bytes += text.len;
	if (s->ws && is_full(s))
		net_ws_pause(s->ws, true);
}

static void on_opened(void *arg, struct net_response *res, const char *why)
{
	struct load_socket *s = arg;

	s->res = res;
	if (!why) {
		strbuf_addf(&s->protocol, "%.*s", STR_FMT(net_ws_protocol(s->ws)));
		strbuf_addf(&s->extensions, "%.*s", STR_FMT(net_ws_extensions(s->ws)));
	}
	count_opening(s);
	if (why) {
		s->failure = xstrdup(why);
		put(s, EVENT_ERROR, 0, str_from(why));
		put(s, EVENT_CLOSE, NET_WS_ABNORMAL, (struct str){ 0 });
		end_session(s);
	} else {
		put(s, EVENT_OPEN, 0, (struct str){ 0 });
	}
	wake(s);
}

static void take_pong(struct load_socket *s, struct str payload)
{
	char text[24];

	vec_for_each (&s->pings, p) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)p->id);
		if (!str_eq(payload, str_from(text)))
			continue;
		sample(s, LOAD_M_WS_PING, (double)(net_loop_now_ns() - p->t_ns) / 1e6);
		*p = vec_last(&s->pings);
		s->pings.len--;
		return;
	}
}

static void on_message(void *arg, const struct net_ws_message *m)
{
	struct load_socket *s = arg;
	static const enum event_kind kinds[] = { [NET_WS_TEXT] = EVENT_TEXT,
						 [NET_WS_BINARY] = EVENT_BINARY,
						 [NET_WS_PING] = EVENT_PING,
						 [NET_WS_PONG] = EVENT_PONG };

	if (m->op <= NET_WS_BINARY)
		sample(s, LOAD_M_WS_MSGS_RECEIVED, 1);
	if (m->op == NET_WS_PONG)
		take_pong(s, m->payload);
	put(s, kinds[m->op], 0, m->payload);
	wake(s);
}

static const char *meaning(unsigned code)
{
	static const char *const words[] = {
		"normal",
		"going away",
		"protocol error",
		"unsupported data",
		"reserved",
		"no status",
		"abnormal closure",
		"invalid payload data",
		"policy violation",
		"message too big",
		"mandatory extension missing",
		"internal server error",
	};

	return code >= 1000 && code < 1000 + ARRAY_SIZE(words) ? words[code - 1000] : NULL;
}

/* In the words that scripts compare with: those of the library that k6 uses. */
static void put_close_error(struct load_socket *s, unsigned code, struct str reason,
			    const char *why)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (code == NET_WS_NORMAL || code == NET_WS_GOING_AWAY || s->closing)
		return;
	strbuf_addf(&text, "websocket: close %u", code);
	if (meaning(code))
		strbuf_addf(&text, " (%s)", meaning(code));
	if (why)
		strbuf_addf(&text, ": %s", why);
	else if (reason.len)
		strbuf_addf(&text, ": %.*s", STR_FMT(reason));
	put(s, EVENT_ERROR, 0, strbuf_str(&text));
}

static void on_closed(void *arg, unsigned code, struct str reason, const char *why)
{
	struct load_socket *s = arg;

	put_close_error(s, code, reason, why);
	put(s, EVENT_CLOSE, code, reason);
	end_session(s);
	wake(s);
}

static const struct net_ws_ops session_ops = { on_opened, on_message, on_closed };

/* --- events as script values ------------------------------------------------------------------ */

static JSValue response_object(JSContext *ctx, struct load_socket *s)
{
	JSValue o = JS_NewObject(ctx);
	struct net_response *res = s->res;

	js_set_str(ctx, o, "url", str_from(s->url));
	js_set_double(ctx, o, "status", res->error ? 0 : res->head.status);
	js_set(ctx, o, "headers", load_headers_object(ctx, res));
	js_set_str(ctx, o, "body", strbuf_str(&res->body));
	js_set_str(ctx, o, "error", str_from(s->failure ? s->failure : ""));
	js_set_str(ctx, o, "subprotocol", strbuf_str(&s->protocol));
	js_set_str(ctx, o, "extensions", strbuf_str(&s->extensions));
	return o;
}

static void fill_event(JSContext *ctx, struct load_socket *s, const struct event *e,
		       JSValueConst list)
{
	struct str text = strbuf_str(&e->text);

	JS_SetPropertyUint32(ctx, list, 0, JS_NewString(ctx, event_names[e->kind]));
	switch (e->kind) {
	case EVENT_OPEN:
		JS_SetPropertyUint32(ctx, list, 1, response_object(ctx, s));
		break;
	case EVENT_BINARY:
		JS_SetPropertyUint32(ctx, list, 1, js_new_buffer(ctx, text));
		break;
	case EVENT_CLOSE:
		JS_SetPropertyUint32(ctx, list, 1, JS_NewUint32(ctx, e->code));
		JS_SetPropertyUint32(ctx, list, 2, js_new_str(ctx, text));
		JS_SetPropertyUint32(ctx, list, 3, response_object(ctx, s));
		break;
	default:
		JS_SetPropertyUint32(ctx, list, 1, js_new_str(ctx, text));
	}
}

/* The oldest event, which there must be. */
static JSValue take_event(JSContext *ctx, struct load_socket *s)
{
	JSValue list = JS_NewArray(ctx);
	struct event e = s->events.ptr[s->first++];

	s->queued_bytes -= e.text.len;
	if (s->first == s->events.len)
		s->first = s->events.len = 0;
	if (s->ws && !is_full(s))
		net_ws_pause(s->ws, false);
	fill_event(ctx, s, &e, list);
	strbuf_release(&e.text);
	return JS_HasException(ctx) ? (JS_FreeValue(ctx, list), JS_EXCEPTION) : list;
}

static bool has_event(const struct load_socket *s)
{
	return s->first < s->events.len;
}

/* One event on the VU's fiber; the call is held until the last. */
static int deliver_event(struct js_vm *vm, struct js_task *task)
{
	struct load_socket *s = container_of(task, struct load_socket, task);
	JSContext *ctx = js_vm_context(vm);
	JSValue self = JS_DupValue(ctx, s->self), fn = JS_DupValue(ctx, s->deliver);
	JSValue event = take_event(ctx, s), r = JS_EXCEPTION;

	s->posted = s->holding = false;
	if (!JS_IsException(event))
		r = JS_Call(ctx, fn, JS_UNDEFINED, 1, &event);
	JS_FreeValue(ctx, event);
	JS_FreeValue(ctx, fn);
	if (!JS_IsException(r) && !JS_IsUndefined(s->self)) {
		if (s->ws || has_event(s)) {
			js_vm_hold(vm);
			s->holding = true;
			if (has_event(s))
				wake(s);
		} else {
			let_go(s);
		}
	}
	JS_FreeValue(ctx, self);
	if (JS_IsException(r))
		return -1;
	JS_FreeValue(ctx, r);
	return 0;
}

/* --- functions -------------------------------------------------------------------------------- */

static struct load_socket *socket_of(JSContext *ctx, int argc, JSValueConst *argv)
{
	return JS_GetOpaque2(ctx, argc > 0 ? argv[0] : JS_UNDEFINED, LOAD_CLASS_SOCKET);
}

/* ws://… as http://…, so that the request can be read as any other. NULL = it is neither. */
static char *http_url(const struct strbuf *url)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct str u = strbuf_str(url);

	if (!str_starts_with(u, STR("ws://")) && !str_starts_with(u, STR("wss://")))
		return NULL;
	strbuf_addstr(&out, "http");
	strbuf_add(&out, u.ptr + 2, u.len - 2);
	return strbuf_detach(&out);
}

/* What the script asked for; NULL with an exception. */
static struct load_request *read_request(JSContext *ctx, JSValueConst *argv)
{
	struct load_request *req = load_request_new(ctx, "GET", argv[0], JS_UNDEFINED, argv[1]);
	char *http;

	if (!req)
		return NULL;
	http = http_url(&req->url);
	if (req->refused || !http) {
		js_throw(ctx, "%s", req->refused ? req->refused : "malformed ws or wss URL");
		free(http);
		load_request_free(req);
		return NULL;
	}
	strbuf_clear(&req->url);
	strbuf_addstr(&req->url, http);
	free(http);
	return req;
}

static int begin_session(JSContext *ctx, struct load_socket *s, struct load_request *req,
			 struct str protocols, bool deflate)
{
	CLEANUP(strbuf_release) struct strbuf cookies = STRBUF_INIT;
	struct net_header headers[256]; /* more than params.c lets in */
	struct error err = ERROR_INIT;
	struct net_url url;
	size_t n = 0;

	if (net_url_parse(&url, strbuf_str(&req->url), &err) < 0) {
		js_throw(ctx, "%s", err.msg);
		return -1;
	}
	vec_for_each (&req->headers, h)
		headers[n++] = (struct net_header){ str_from(h->name), str_from(h->value) };
	load_request_cookie_header(req, &url, &cookies);
	if (cookies.len)
		headers[n++] = (struct net_header){ STR("Cookie"), strbuf_str(&cookies) };
	s->ws = net_ws_open(s->vu->client, &(struct net_ws_opts){ .url = &url,
								  .headers = headers,
								  .n_headers = n,
								  .protocols = protocols,
								  .deflate = deflate,
								  .timeout_ns = req->timeout_ns,
								  .ops = &session_ops,
								  .arg = s });
	return 0;
}

static struct load_socket *new_socket(struct load_vu *vu, const struct load_request *req)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT, masked = STRBUF_INIT;
	struct load_socket *s = xcalloc(1, sizeof(*s));

	strbuf_addf(&url, "ws%s", strbuf_cstr(&req->url) + 4);
	net_url_mask(&masked, strbuf_str(&url));
	s->vu = vu;
	s->self = s->deliver = JS_UNDEFINED;
	s->url = strbuf_detach(&masked);
	s->name = req->name ? xstrdup(req->name) : NULL;
	s->tags = req->tags;
	s->start_ns = net_loop_now_ns();
	s->task.run = deliver_event;
	return s;
}

static JSValue socket_open(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf protocols = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	struct load_request *req;
	struct load_socket *s;
	JSValue self;

	if (argc < 5 || js_to_str(ctx, argv[2], &protocols) < 0)
		return JS_EXCEPTION;
	self = JS_NewObjectClass(ctx, LOAD_CLASS_SOCKET);
	req = JS_IsException(self) ? NULL : read_request(ctx, argv);
	if (!req) {
		JS_FreeValue(ctx, self);
		return JS_EXCEPTION;
	}
	s = new_socket(vu, req);
	JS_SetOpaque(self, s);
	if (begin_session(ctx, s, req, strbuf_str(&protocols), JS_ToBool(ctx, argv[3]) > 0) < 0) {
		load_request_free(req);
		JS_FreeValue(ctx, self);
		return JS_EXCEPTION;
	}
	load_request_free(req);
	s->next = vu->sockets;
	vu->sockets = s;
	s->self = JS_DupValue(ctx, self);
	if (JS_IsFunction(ctx, argv[4])) {
		s->deliver = JS_DupValue(ctx, argv[4]);
		s->holding = true;
		js_vm_hold(vu->vm);
	}
	return self;
}

static void next_expired(struct net_timer *t)
{
	struct load_socket *s = container_of(t, struct load_socket, timer);

	s->waiting = false;
	load_vu_resume(s->vu);
}

/* Waits for an event for so many ms, -1 = for ever; null when none has come, or none will. */
static JSValue socket_next(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_socket *s = socket_of(ctx, argc, argv);
	double ms = -1;

	if (!s || (argc > 1 && JS_ToFloat64(ctx, &ms, argv[1]) < 0))
		return JS_EXCEPTION;
	if (!has_event(s) && s->ws && !(ms >= 0 && ms < 1e-3)) {
		s->waiting = true;
		s->timer.expired = next_expired;
		if (ms >= 0)
			net_timer_set(s->vu->worker->loop, &s->timer,
				      net_loop_now_ns() + (uint64_t)(fmin(ms, 1e12) * 1e6));
		if (js_vm_yield(s->vu->vm) < 0) {
			s->waiting = false;
			net_timer_cancel(&s->timer);
			return js_vm_throw_aborted(ctx);
		}
	}
	return has_event(s) ? take_event(ctx, s) : JS_NULL;
}

static JSValue socket_send(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct load_socket *s = socket_of(ctx, argc, argv);
	JSValueConst data = argc > 1 ? argv[1] : JS_UNDEFINED;
	enum net_ws_op op = NET_WS_BINARY;
	struct str bytes;
	bool sent;

	if (!s)
		return JS_EXCEPTION;
	if (!js_bytes(ctx, data, &bytes)) {
		if (js_to_str(ctx, data, &text) < 0)
			return JS_EXCEPTION;
		bytes = strbuf_str(&text);
		op = NET_WS_TEXT;
	}
	sent = s->ws && net_ws_send(s->ws, op, bytes);
	if (sent)
		sample(s, LOAD_M_WS_MSGS_SENT, 1);
	return JS_NewBool(ctx, sent);
}

static JSValue socket_ping(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_socket *s = socket_of(ctx, argc, argv);
	struct sent_ping ping;
	char text[24];

	if (!s)
		return JS_EXCEPTION;
	ping = (struct sent_ping){ ++s->ping_ids, net_loop_now_ns() };
	snprintf(text, sizeof(text), "%llu", (unsigned long long)ping.id);
	if (!s->ws || !net_ws_send(s->ws, NET_WS_PING, str_from(text)))
		return JS_FALSE;
	if (s->pings.len < PINGS_MAX)
		vec_push(&s->pings, ping);
	return JS_TRUE;
}

static JSValue socket_close(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf reason = STRBUF_INIT;
	struct load_socket *s = socket_of(ctx, argc, argv);
	uint32_t code = NET_WS_NORMAL;

	if (!s || (argc > 1 && JS_ToUint32(ctx, &code, argv[1]) < 0) ||
	    (argc > 2 && js_to_str(ctx, argv[2], &reason) < 0))
		return JS_EXCEPTION;
	if (!net_ws_code_is_valid(code))
		return js_throw(ctx, "%u is no code to close with: 1000 to 1014, 3000 to 4999",
				code);
	if (reason.len > NET_WS_CONTROL_MAX - 2)
		return js_throw(ctx, "a reason of %zu bytes: there may be 123", reason.len);
	s->closing = true;
	if (s->ws)
		net_ws_close(s->ws, code, strbuf_str(&reason));
	return JS_UNDEFINED;
}

/* Ends it without waiting for the peer; the queue is dropped. */
static JSValue socket_end(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_socket *s = socket_of(ctx, argc, argv);

	if (!s)
		return JS_EXCEPTION;
	if (!JS_IsUndefined(s->self) && !s->holding)
		let_go(s);
	return JS_UNDEFINED;
}

static JSValue socket_unsent(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	struct load_socket *s = socket_of(ctx, argc, argv);

	if (!s)
		return JS_EXCEPTION;
	return JS_NewInt64(ctx, s->ws ? (int64_t)net_ws_unsent(s->ws) : 0);
}

static const JSCFunctionListEntry functions[] = {
	JS_CFUNC_DEF("open", 5, socket_open),	  JS_CFUNC_DEF("next", 2, socket_next),
	JS_CFUNC_DEF("send", 2, socket_send),	  JS_CFUNC_DEF("ping", 1, socket_ping),
	JS_CFUNC_DEF("close", 3, socket_close),	  JS_CFUNC_DEF("end", 1, socket_end),
	JS_CFUNC_DEF("unsent", 1, socket_unsent),
};

JSValue load_socket_functions(JSContext *ctx)
{
	JSValue o = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, o, functions, ARRAY_SIZE(functions));
	return o;
}
