/*
 * What a server may send on an HTTP/2 connection with three requests. The first byte is the length
 * of the pieces; with bit 7 the second request is given up after the first piece.
 */
#include <stdlib.h>

#include "net/http2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUEST "POST /path HTTP/1.1\r\nHost: h:1\r\nContent-Length: 4\r\nX-Own: v\r\n\r\n"

struct call {
	struct net_h2_stream stream;
	struct net_head head;
	char request[sizeof(REQUEST)];
	size_t body_bytes;
	bool over;
};

static void began(struct net_h2_stream *s)
{
	BUG_ON(container_of(s, struct call, stream)->over);
}

static bool head(struct net_h2_stream *s)
{
	const struct net_head *h = s->head;

	BUG_ON(h->status < 200 || h->status > 999 || h->text.len > NET_HEAD_MAX_BYTES);
	for (size_t i = 0; i < h->fields.len; i++) {
		const struct net_field *f = &h->fields.ptr[i];

		BUG_ON((size_t)f->value + f->value_len > h->text.len);
		BUG_ON(!net_is_token(net_field_name(h, f)));
		BUG_ON(!net_is_field_value(net_field_value(h, f)));
	}
	return true;
}

static bool body(struct net_h2_stream *s, struct str span)
{
	struct call *c = container_of(s, struct call, stream);

	BUG_ON(c->over || !s->has_head);
	c->body_bytes += span.len;
	return c->body_bytes < 1000;
}

static void ended(struct net_h2_stream *s, enum net_err error, uint32_t code UNUSED, bool refused,
		  const char *why)
{
	struct call *c = container_of(s, struct call, stream);

	BUG_ON(c->over || s->id || (error && !why) || (refused && !error));
	BUG_ON(!error && (!s->has_head || !s->has_end));
	c->over = true;
}

static const struct net_h2_ops ops = { .began = began, .head = head, .body = body, .ended = ended };

static void drain(struct net_h2 *h)
{
	struct strbuf out = STRBUF_INIT;

	while (net_h2_pull(h, &out, 65536))
		strbuf_clear(&out);
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call calls[3] = { 0 };
	struct str rest = { (const char *)data + 1, size - 1 };
	struct net_h2 *h;
	const char *why;
	int r = 0;

	if (!size)
		return 0;
	h = net_h2_new(&ops);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		memcpy(calls[i].request, REQUEST, sizeof(REQUEST));
		calls[i].stream = (struct net_h2_stream){ .head = &calls[i].head,
							  .request = str_from(calls[i].request),
							  .parts = { STR("da"), STR("ta") } };
		BUG_ON(net_h2_open(h, &calls[i].stream) < 0);
	}
	drain(h);
	while (r == 0 && rest.len) {
		struct str piece = { rest.ptr, MIN(1 + (size_t)(data[0] & 0x7f), rest.len) };

		r = net_h2_receive(h, piece, &why);
		BUG_ON(r < 0 && !why);
		if ((data[0] & 0x80) && calls[1].stream.id)
			net_h2_cancel(h, &calls[1].stream);
		drain(h);
		rest.ptr += piece.len;
		rest.len -= piece.len;
	}
	net_h2_is_over(h);
	net_h2_free(h);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		net_head_release(&calls[i].head);
	return 0;
}
