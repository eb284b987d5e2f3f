/*
 * http1_head.h - the head of an HTTP/1 response: status line and fields (RFC 9112 4 and 5). The
 * text is kept as it came and the fields are offsets into it, so that a response nobody looks into
 * costs one pass and no allocation once its buffers have grown.
 */
#ifndef ASSAY_NET_HTTP1_HEAD_H
#define ASSAY_NET_HTTP1_HEAD_H

#include "base/strbuf.h"
#include "base/vec.h"

/* The size limit lets offsets fit 16 bits. */
#define NET_HEAD_MAX_BYTES  (64 * 1024 - 1)
#define NET_HEAD_MAX_FIELDS 256

struct net_field {
	uint16_t name, name_len;
	uint16_t value, value_len;
};

enum net_framing {
	NET_FRAMING_CLOSE,   /* the body ends with the connection */
	NET_FRAMING_LENGTH,  /* content_length bytes */
	NET_FRAMING_CHUNKED, /* RFC 9112 7.1 */
};

struct net_head {
	struct strbuf text; /* from the status line on, as received; obs-fold replaced by blanks */
	VEC(struct net_field) fields;
	unsigned status;	 /* 100..999 */
	unsigned minor_version;	 /* HTTP/1.x */
	bool is_h2;		 /* came as HTTP/2; text is what it would be in HTTP/1 */
	struct net_field reason; /* value and value_len only */

	/* What the fields say of the body and the connection. Whether there is a body at all
	 * depends on the status and the request too: net_http1 knows. */
	enum net_framing framing;
	uint64_t content_length;
	bool keep_alive;
};

void net_head_release(struct net_head *h);

/* Empties h and keeps its memory. */
void net_head_clear(struct net_head *h);

/*
 * Reads h->text, which holds a whole head with its empty line. 0, or -EBADMSG with *ret_why set to
 * a constant text. Lines may end in LF alone; a field name is a token without blanks behind it;
 * values hold no control characters but tab. Content-Length must be digits and, when repeated,
 * equal. With Transfer-Encoding the length is ignored and the connection is not kept; its last
 * coding must be chunked or the body ends with the connection.
 */
int net_head_parse(struct net_head *h, const char **ret_why);

/*
 * The same from HTTP/2's fields, one at a time, the value of ":status" first. 0, or -EBADMSG or
 * -E2BIG (limits above) with *ret_why set to a constant text. The reason is the registered one.
 */
int net_head_start_h2(struct net_head *h, struct str status, const char **ret_why);
int net_head_add(struct net_head *h, struct str name, struct str value, const char **ret_why);

/* "HTTP/1.1", "HTTP/2.0"; constant text, as in k6's tag proto. */
const char *net_head_proto(const struct net_head *h);

static inline struct str net_field_name(const struct net_head *h, const struct net_field *f)
{
	return (struct str){ h->text.ptr + f->name, f->name_len };
}
static inline struct str net_field_value(const struct net_head *h, const struct net_field *f)
{
	return (struct str){ h->text.ptr + f->value, f->value_len };
}
static inline struct str net_head_reason(const struct net_head *h)
{
	return net_field_value(h, &h->reason);
}

/* The first field of that name (case does not matter) from index *pos on, whose place is then
 * stored behind *pos; NULL when there is none. Start with pos = 0 to see all. */
const struct net_field *net_head_find(const struct net_head *h, struct str name, size_t *pos);

/* The first field's value; ptr is NULL when absent. */
struct str net_head_get(const struct net_head *h, const char *name);

/* RFC 9110 5.6.2 and 5.5: what a field name, and a field value, may be. */
bool net_is_token(struct str s);
bool net_is_field_value(struct str s);

/* Is token one of the comma-separated words of list? Case does not matter. */
bool net_list_has(struct str list, struct str token);

#endif
