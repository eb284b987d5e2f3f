/*
 * nghttp2 does the protocol; this file gives it requests made for HTTP/1 and turns what comes back
 * into the same heads and bodies. A request is kept as its HTTP/1 text until it is known what the
 * connection speaks, so that there is one place where fields are checked and put together.
 *
 * Windows are as large as Go's client makes them: a stream's reply is held up by its own server
 * only, not by us.
 */
#include "net/http2.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>

#include "base/vec.h"

#define STREAM_WINDOW	  (4 * 1024 * 1024)
#define CONNECTION_WINDOW (1 << 30)

struct net_h2 {
	nghttp2_session *session;
	const struct net_h2_ops *ops;
	unsigned open;
	bool goaway, goaway_ours, broken;
	uint32_t goaway_code;
	VEC(nghttp2_nv) fields; /* of the request being opened */
};

static struct net_h2_stream *find(struct net_h2 *h, int32_t id)
{
	return nghttp2_session_get_stream_user_data(h->session, id);
}

/* The peer is told, and what it still sends for the stream is of no interest. */
static void detach(struct net_h2 *h, struct net_h2_stream *s)
{
	nghttp2_session_set_stream_user_data(h->session, s->id, NULL);
	nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_CANCEL);
	s->id = 0;
	h->open--;
}

/* --- receiving --- */

static void give_up(struct net_h2 *h, struct net_h2_stream *s, enum net_err failure,
		    const char *why)
{
	detach(h, s);
	h->ops->ended(s, failure, 0, false, why);
}

static int on_begin_headers(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s = find(h, frame->hd.stream_id);

	if (!s || frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	if (!s->began) {
		s->began = true;
		h->ops->began(s);
	}
	if (!s->has_head)
		net_head_clear(s->head);
	return 0;
}

static int on_header(nghttp2_session *session UNUSED, const nghttp2_frame *frame,
		     const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len,
		     uint8_t flags UNUSED, void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s = find(h, frame->hd.stream_id);
	struct str n = { (const char *)name, name_len }, v = { (const char *)value, value_len };
	const char *why;
	int r;

	/* trailers say nothing that is asked for */
	if (!s || s->has_head)
		return 0;
	r = str_eq(n, STR(":status")) ? net_head_start_h2(s->head, v, &why)
				      : net_head_add(s->head, n, v, &why);
	if (r < 0)
		give_up(h, s, r == -E2BIG ? NET_ERR_TOO_LARGE : NET_ERR_MALFORMED, why);
	return 0;
}

static const char body_too_large[] = "the body is larger than the limit";

/* Whether the stream goes on. */
static bool take_head(struct net_h2 *h, struct net_h2_stream *s)
{
	if (s->has_head || s->head->status < 200)
		return true;
	s->has_head = true;
	if (h->ops->head(s))
		return true;
	give_up(h, s, NET_ERR_TOO_LARGE, body_too_large);
	return false;
}

static int on_frame(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s;

	if (frame->hd.type == NGHTTP2_GOAWAY) {
		h->goaway = true;
		h->goaway_code = frame->goaway.error_code;
		return 0;
	}
	s = find(h, frame->hd.stream_id);
	if (!s || (frame->hd.type == NGHTTP2_HEADERS && !take_head(h, s)))
		return 0;
	if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
	    (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		s->has_end = true;
	return 0;
}

static int on_data(nghttp2_session *session UNUSED, uint8_t flags UNUSED, int32_t id,
		   const uint8_t *data, size_t len, void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s = find(h, id);

	if (s && !h->ops->body(s, (struct str){ (const char *)data, len }))
		give_up(h, s, NET_ERR_TOO_LARGE, body_too_large);
	return 0;
}

static int on_close(nghttp2_session *session UNUSED, int32_t id, uint32_t code, void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s = find(h, id);

	if (!s)
		return 0;
	h->open--;
	s->id = 0;
	if (s->has_head && s->has_end)
		h->ops->ended(s, NET_OK, code, false, NULL);
	else
		h->ops->ended(s, NET_ERR_H2_STREAM, code, code == NGHTTP2_REFUSED_STREAM,
			      nghttp2_http2_strerror(code));
	return 0;
}

static int on_frame_sent(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *arg)
{
	struct net_h2 *h = arg;

	if (frame->hd.type != NGHTTP2_GOAWAY || h->goaway)
		return 0;
	h->goaway = h->goaway_ours = true;
	h->goaway_code = frame->goaway.error_code;
	return 0;
}

int net_h2_receive(struct net_h2 *h, struct str bytes, const char **ret_why)
{
	ssize_t n = nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes.ptr, bytes.len);

	if (n >= 0 && (size_t)n == bytes.len)
		return 0;
	*ret_why = n < 0 ? nghttp2_strerror((int)n) : "the connection is over";
	h->broken = true;
	return -EPROTO;
}

/* A request that cannot be sent after all: a header above the library's 64 KB. */
static int on_not_sent(nghttp2_session *session UNUSED, const nghttp2_frame *frame, int code,
		       void *arg)
{
	struct net_h2 *h = arg;
	struct net_h2_stream *s = find(h, frame->hd.stream_id);

	if (!s || frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	detach(h, s);
	h->ops->ended(s, NET_ERR_BAD_REQUEST, 0, false, nghttp2_strerror(code));
	return 0;
}

/* --- sending --- */

/* What of the two parts has not been sent, up to where the first one ends. */
static struct str next_part(const struct net_h2_stream *s)
{
	size_t first = (size_t)MIN(s->body_sent, (uint64_t)s->parts[0].len);
	size_t second = (size_t)s->body_sent - first;

	if (first < s->parts[0].len)
		return (struct str){ s->parts[0].ptr + first, s->parts[0].len - first };
	return (struct str){ s->parts[1].ptr + second, s->parts[1].len - second };
}

static ssize_t read_body(nghttp2_session *session UNUSED, int32_t id, uint8_t *buf, size_t len,
			 uint32_t *flags, nghttp2_data_source *source UNUSED, void *arg)
{
	struct net_h2_stream *s = find(arg, id);
	struct str part;

	if (!s)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	part = next_part(s);
	len = MIN(len, part.len);
	if (len)
		memcpy(buf, part.ptr, len);
	s->body_sent += len;
	if (s->body_sent == s->parts[0].len + s->parts[1].len) {
		s->all_given = true;
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	}
	return (ssize_t)len;
}

static void put_field(struct net_h2 *h, struct str name, struct str value)
{
	vec_push(&h->fields, ((nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name.ptr,
					    .value = (uint8_t *)(uintptr_t)value.ptr,
					    .namelen = name.len,
					    .valuelen = value.len,
					    .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME |
						     NGHTTP2_NV_FLAG_NO_COPY_VALUE }));
}

/* What says something of an HTTP/1 connection (RFC 9113 8.2.2), or has another form. */
static bool is_left_out(struct str name, struct str value)
{
	static const char *const names[] = { "Connection",	 "Host",    "Keep-Alive",
					     "Proxy-Connection", "Upgrade", "Transfer-Encoding" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_ieq(name, str_from(names[i])))
			return true;
	return str_ieq(name, STR("TE")) && !str_ieq(value, STR("trailers"));
}

static struct str cut_line(struct str *rest)
{
	size_t n = str_find(*rest, '\r');
	struct str line = { rest->ptr, n };

	rest->ptr += MIN(n + 2, rest->len);
	rest->len -= MIN(n + 2, rest->len);
	return line;
}

/* Names are lower case in HTTP/2 (RFC 9113 8.2); made so where they are. */
static void lower(struct str name)
{
	char *p = (char *)(uintptr_t)name.ptr;

	for (size_t i = 0; i < name.len; i++)
		p[i] |= p[i] >= 'A' && p[i] <= 'Z' ? 0x20 : 0;
}

/* "POST /path HTTP/1.1", the Host field and the others, as fields of HTTP/2. */
static void translate(struct net_h2 *h, const struct net_h2_stream *s)
{
	struct str rest = s->request, line = cut_line(&rest);
	size_t blank = str_find(line, ' ');
	struct str method = { line.ptr, blank };
	struct str path = { line.ptr + blank + 1, line.len - blank - 1 - strlen(" HTTP/1.1") };
	size_t authority;

	vec_clear(&h->fields);
	put_field(h, STR(":method"), method);
	put_field(h, STR(":scheme"), s->is_https ? STR("https") : STR("http"));
	authority = h->fields.len;
	put_field(h, STR(":authority"), STR(""));
	put_field(h, STR(":path"), path);
	for (line = cut_line(&rest); line.len; line = cut_line(&rest)) {
		size_t colon = str_find(line, ':');
		struct str name = { line.ptr, colon };
		struct str value = { line.ptr + colon + 2, line.len - colon - 2 };

		if (str_ieq(name, STR("Host"))) {
			h->fields.ptr[authority].value = (uint8_t *)(uintptr_t)value.ptr;
			h->fields.ptr[authority].valuelen = value.len;
		}
		if (is_left_out(name, value))
			continue;
		lower(name);
		put_field(h, name, value);
	}
}

int net_h2_open(struct net_h2 *h, struct net_h2_stream *s)
{
	nghttp2_data_provider body = { .read_callback = read_body };
	bool has_body = s->parts[0].len + s->parts[1].len > 0;
	int32_t id;

	translate(h, s);
	id = nghttp2_submit_request(h->session, NULL, h->fields.ptr, h->fields.len,
				    has_body ? &body : NULL, s);
	if (id < 0)
		return -EPROTO;
	s->id = id;
	s->all_given = !has_body;
	h->open++;
	return 0;
}

void net_h2_cancel(struct net_h2 *h, struct net_h2_stream *s)
{
	if (s->id)
		detach(h, s);
}

bool net_h2_pull(struct net_h2 *h, struct strbuf *sb, size_t limit)
{
	const uint8_t *data;
	ssize_t n = 1;
	size_t before = sb->len;

	while (sb->len - before < limit) {
		n = nghttp2_session_mem_send(h->session, &data);
		if (n <= 0)
			break;
		strbuf_add(sb, (const char *)data, (size_t)n);
	}
	h->broken = h->broken || n < 0;
	return sb->len > before;
}

/* --- the whole --- */

static nghttp2_session *new_session(struct net_h2 *h)
{
	static const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, NET_HEAD_MAX_BYTES },
	};
	nghttp2_session_callbacks *callbacks;
	nghttp2_session *session;

	/* both fail for want of memory only */
	BUG_ON(nghttp2_session_callbacks_new(&callbacks) != 0);
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
	nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_not_sent);
	BUG_ON(nghttp2_session_client_new(&session, callbacks, h) != 0);
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, ARRAY_SIZE(settings));
	nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW);
	return session;
}

struct net_h2 *net_h2_new(const struct net_h2_ops *ops)
{
	struct net_h2 *h = xcalloc(1, sizeof(*h));

	h->ops = ops;
	h->session = new_session(h);
	return h;
}

void net_h2_free(struct net_h2 *h)
{
	if (!h)
		return;
	nghttp2_session_del(h->session);
	vec_release(&h->fields);
	free(h);
}

bool net_h2_has_room(const struct net_h2 *h)
{
	return !h->goaway && !h->broken && nghttp2_session_check_request_allowed(h->session) &&
	       h->open < nghttp2_session_get_remote_settings(
				 h->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool net_h2_is_over(const struct net_h2 *h)
{
	return h->broken ||
	       (!nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session));
}

bool net_h2_goaway(const struct net_h2 *h, uint32_t *ret_code, bool *ret_ours)
{
	if (!h->goaway)
		return false;
	*ret_code = h->goaway_code;
	*ret_ours = h->goaway_ours;
	return true;
}

const char *net_h2_code_name(uint32_t code)
{
	return nghttp2_http2_strerror(code);
}
