/*
 * The HTTP/1 reader: the same bytes in one piece and cut into small ones must give the same events.
 * The first byte says how: bit 0 = reply to HEAD, the others = length of the pieces.
 */
#include <stdlib.h>

#include "net/http1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	struct net_head head;
	struct strbuf body;
	int result;
	size_t left_over;
};

static int read_piece(struct outcome *o, struct net_http1 *p, struct str *in)
{
	const char *why = NULL;
	struct str span;
	int event;

	do {
		const char *start = in->ptr;

		event = net_http1_next(p, in, &span, &why);
		if (event == NET_HTTP1_BODY) {
			BUG_ON(span.ptr < start || span.ptr + span.len > in->ptr);
			strbuf_add(&o->body, span.ptr, span.len);
		}
	} while (event == NET_HTTP1_HEAD || event == NET_HTTP1_BODY);
	BUG_ON(event == NET_HTTP1_MORE && in->len);
	BUG_ON(event < 0 && !why);
	return event;
}

static void read_all(struct outcome *o, struct str input, size_t piece_len, bool is_head)
{
	struct net_http1 p;
	const char *why;

	*o = (struct outcome){ .result = NET_HTTP1_MORE };
	net_http1_begin(&p, &o->head, is_head);
	while (o->result == NET_HTTP1_MORE && input.len) {
		struct str piece = { input.ptr, MIN(piece_len, input.len) };

		input.ptr += piece.len;
		input.len -= piece.len;
		o->result = read_piece(o, &p, &piece);
		o->left_over = input.len + piece.len;
	}
	if (o->result == NET_HTTP1_MORE)
		o->result = net_http1_eof(&p, &why);
	if (o->result == NET_HTTP1_END)
		net_http1_reusable(&p);
}

static void release(struct outcome *o)
{
	net_head_release(&o->head);
	strbuf_release(&o->body);
}

static void check_fields(const struct net_head *h)
{
	for (size_t i = 0; i < h->fields.len; i++) {
		const struct net_field *f = &h->fields.ptr[i];

		BUG_ON(f->value + f->value_len > h->text.len);
		BUG_ON(!net_is_token(net_field_name(h, f)));
		BUG_ON(!net_is_field_value(net_field_value(h, f)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, pieces;
	struct str input;

	if (!size)
		return 0;
	input = (struct str){ (const char *)data + 1, size - 1 };
	read_all(&whole, input, size, data[0] & 1);
	read_all(&pieces, input, 1 + (data[0] >> 1), data[0] & 1);
	BUG_ON(whole.result != pieces.result);
	if (whole.result >= 0) {
		BUG_ON(whole.head.status != pieces.head.status);
		BUG_ON(whole.left_over != pieces.left_over);
		BUG_ON(!str_eq(strbuf_str(&whole.body), strbuf_str(&pieces.body)));
		check_fields(&whole.head);
	}
	release(&whole);
	release(&pieces);
	return 0;
}
