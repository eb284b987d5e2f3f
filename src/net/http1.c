/*
 * The head is collected until its empty line and parsed at once (http1_head.c); the search for that
 * line remembers how far it came, so that a server which drips bytes costs no more than one which
 * does not. The body is never copied here: events point into the caller's read buffer.
 */
#include "net/http1.h"

#include <errno.h>

enum { IN_HEAD, IN_BODY, ENDED };
enum { IN_LINE, LINE_START, LINE_START_CR }; /* while searching the empty line */

void net_http1_begin(struct net_http1 *p, struct net_head *head, bool is_head_request)
{
	*p = (struct net_http1){ .head = head, .no_body = is_head_request };
	net_head_clear(head);
}

static int fail(const char **ret_why, int code, const char *why)
{
	*ret_why = why;
	return code;
}

/* Length of the part of s up to and with the empty line, or 0 when it is not in s. */
static size_t find_empty_line(struct net_http1 *p, struct str s)
{
	size_t i = 0;

	while (i < s.len) {
		char c = s.ptr[i];

		if (p->line_state == IN_LINE) {
			i += str_find((struct str){ s.ptr + i, s.len - i }, '\n') + 1;
			if (i <= s.len)
				p->line_state = LINE_START;
			continue;
		}
		i++;
		if (c == '\n')
			return i;
		p->line_state = c == '\r' && p->line_state == LINE_START ? LINE_START_CR : IN_LINE;
	}
	return 0;
}

/* RFC 9112 6.3 */
static void begin_body(struct net_http1 *p)
{
	struct net_head *h = p->head;

	p->state = IN_BODY;
	p->chunked = (struct net_chunked){ 0 };
	p->left_bytes = h->content_length;
	if (p->no_body || h->status == 101 || h->status == 204 || h->status == 304 ||
	    (h->framing == NET_FRAMING_LENGTH && !h->content_length))
		p->state = ENDED;
}

/* Garbage is told at once: a server that speaks something else may send no line end for long. */
static bool begins_like_http(const struct strbuf *text)
{
	return !memcmp(text->ptr, "HTTP/", MIN(text->len, (size_t)5));
}

static bool is_interim(unsigned status)
{
	return status < 200 && status != 101;
}

static int take_head(struct net_http1 *p, struct str *in, const char **ret_why)
{
	size_t end = find_empty_line(p, *in);
	size_t n = end ? end : in->len;
	int r;

	p->started = p->started || n;
	p->head_bytes += n;
	if (p->head_bytes > NET_HEAD_MAX_BYTES)
		return fail(ret_why, -E2BIG, "the reply's header is larger than 64 KB");
	strbuf_add(&p->head->text, in->ptr, n);
	in->ptr += n;
	in->len -= n;
	if (!begins_like_http(&p->head->text))
		return fail(ret_why, -EBADMSG, "the reply does not begin with \"HTTP/\"");
	if (!end)
		return NET_HTTP1_MORE;
	r = net_head_parse(p->head, ret_why);
	if (r < 0)
		return r;
	p->line_state = IN_LINE;
	if (is_interim(p->head->status)) {
		net_head_clear(p->head);
		return NET_HTTP1_MORE;
	}
	begin_body(p);
	return NET_HTTP1_HEAD;
}

static int take_chunked(struct net_http1 *p, struct str *in, struct str *ret_span,
			const char **ret_why)
{
	int r = net_chunked_next(&p->chunked, in, ret_span, ret_why);

	switch (r) {
	case NET_CHUNKED_DATA:
		return NET_HTTP1_BODY;
	case NET_CHUNKED_END:
		p->state = ENDED;
		return NET_HTTP1_END;
	case NET_CHUNKED_MORE:
		return NET_HTTP1_MORE;
	default:
		return r;
	}
}

static int take_span(struct net_http1 *p, struct str *in, struct str *ret_span)
{
	size_t n = in->len;

	if (!n)
		return NET_HTTP1_MORE;
	if (p->head->framing == NET_FRAMING_LENGTH) {
		n = (size_t)MIN((uint64_t)n, p->left_bytes);
		p->left_bytes -= n;
		if (!p->left_bytes)
			p->state = ENDED;
	}
	*ret_span = (struct str){ in->ptr, n };
	in->ptr += n;
	in->len -= n;
	return NET_HTTP1_BODY;
}

int net_http1_next(struct net_http1 *p, struct str *in, struct str *ret_span, const char **ret_why)
{
	int r;

	switch (p->state) {
	case IN_HEAD:
		do
			r = take_head(p, in, ret_why);
		while (r == NET_HTTP1_MORE && in->len);
		return r;
	case IN_BODY:
		if (p->head->framing == NET_FRAMING_CHUNKED)
			return take_chunked(p, in, ret_span, ret_why);
		return take_span(p, in, ret_span);
	default:
		return NET_HTTP1_END;
	}
}

int net_http1_eof(struct net_http1 *p, const char **ret_why)
{
	if (p->state == ENDED)
		return NET_HTTP1_END;
	if (p->state == IN_BODY && p->head->framing == NET_FRAMING_CLOSE) {
		p->state = ENDED;
		return NET_HTTP1_END;
	}
	if (!p->started)
		return fail(ret_why, -ENODATA, "the server closed the connection without a reply");
	if (p->state == IN_HEAD)
		return fail(ret_why, -EPIPE,
			    "the server closed the connection in the middle of the header");
	return fail(ret_why, -EPIPE, "the server closed the connection in the middle of the body");
}

bool net_http1_reusable(const struct net_http1 *p)
{
	/* A body that ends with the connection leaves none; a bodiless reply may still say so. */
	bool closes_by_framing = p->head->framing == NET_FRAMING_CLOSE && !p->no_body &&
				 p->head->status != 204 && p->head->status != 304;

	return p->state == ENDED && p->head->keep_alive && p->head->status != 101 &&
	       !closes_by_framing;
}
