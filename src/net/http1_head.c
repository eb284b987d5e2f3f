/*
 * One pass over the lines of a complete head. RFC 9112 is followed where it says MUST and where
 * being lenient would let two readers disagree about where a response ends (repeated lengths,
 * blanks before the colon, stray CR); it is lenient where servers in the field are sloppy and
 * nothing hangs on it (LF line ends, a missing reason, obs-fold). Rejected: interpreting fields
 * while bytes arrive. A head nearly always comes in one read, and a state machine over bytes is
 * slower and harder to read.
 */
#include "net/http1_head.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "net/status.h"

/* RFC 9110 5.6.2 tchar */
static const bool is_tchar[256] = {
	['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1,	    ['&'] = 1,	       ['\''] = 1,
	['*'] = 1, ['+'] = 1, ['-'] = 1, ['.'] = 1,	    ['^'] = 1,	       ['_'] = 1,
	['`'] = 1, ['|'] = 1, ['~'] = 1, ['0' ... '9'] = 1, ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1,
};

/* What a value may hold: visible characters, blanks, and bytes above ASCII (obs-text). */
static const bool is_vchar[256] = { ['\t'] = 1, [' ' ... '~'] = 1, [0x80 ... 0xff] = 1 };

enum {
	SAW_LENGTH = 1,
	SAW_TRANSFER_ENCODING = 2,
	SAW_CHUNKED = 4,
	SAW_CLOSE = 8,
	SAW_KEEP_ALIVE = 16,
};

struct head_parser {
	struct net_head *h;
	const char *why;
	unsigned saw;
};

void net_head_release(struct net_head *h)
{
	strbuf_release(&h->text);
	vec_release(&h->fields);
}

void net_head_clear(struct net_head *h)
{
	strbuf_clear(&h->text);
	vec_clear(&h->fields);
	h->status = 0;
}

static int fail(struct head_parser *p, const char *why)
{
	p->why = why;
	return -EBADMSG;
}

bool net_is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_tchar[(unsigned char)s.ptr[i]])
			return false;
	return s.len > 0;
}

/*
 * Eight bytes at once, in one word: does any of them lie below 0x20 or equal 0x7f? It may say yes
 * for a tab, never no for a byte that is not allowed.
 */
static bool may_have_control(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
	uint64_t word, del;

	memcpy(&word, p, sizeof(word));
	del = word ^ ones * 0x7f;
	return (((word - ones * 0x20) & ~word) | ((del - ones) & ~del)) & tops;
}

bool net_is_field_value(struct str s)
{
	size_t i = 0;

	while (s.len - i >= 8 && !may_have_control(s.ptr + i))
		i += 8;
	for (; i < s.len; i++)
		if (!is_vchar[(unsigned char)s.ptr[i]])
			return false;
	return true;
}

bool net_list_has(struct str list, struct str token)
{
	struct str word;

	while (str_split(&list, ',', &word))
		if (str_ieq(str_trim(word), token))
			return true;
	return false;
}

/* Three digits, the first not 0; 0 when it is something else. */
static unsigned status_number(const char *s)
{
	unsigned status = 0;

	for (int i = 0; i < 3; i++) {
		if (s[i] < '0' || s[i] > '9')
			return 0;
		status = status * 10 + (unsigned)(s[i] - '0');
	}
	return status < 100 ? 0 : status;
}

/* HTTP/1.x SP 3DIGIT [SP reason]; the SP may be missing together with the reason. */
static int parse_status_line(struct head_parser *p, struct str line)
{
	struct net_head *h = p->h;
	const char *s = line.ptr;

	if (line.len < 12 || memcmp(s, "HTTP/1.", 7) != 0 || s[7] < '0' || s[7] > '9' ||
	    s[8] != ' ')
		return fail(p, "the status line is not of the form \"HTTP/1.x NNN reason\"");
	h->minor_version = (unsigned)(s[7] - '0');
	h->status = status_number(s + 9);
	if (!h->status || (line.len > 12 && s[12] != ' '))
		return fail(p, "the status is not a number of three digits from 100 on");
	if (!net_is_field_value((struct str){ s + 12, line.len - 12 }))
		return fail(p, "the reason has a control character");
	h->reason.value = (uint16_t)(s - h->text.ptr + (line.len > 12 ? 13 : 12));
	h->reason.value_len = (uint16_t)(line.len > 13 ? line.len - 13 : 0);
	return 0;
}

static int take_length(struct head_parser *p, struct str value)
{
	struct str word;
	uint64_t n;

	/* "5, 5" is what a proxy makes of two equal fields (RFC 9110 8.6). */
	while (str_split(&value, ',', &word)) {
		word = str_trim(word);
		for (size_t i = 0; i < word.len; i++)
			if (word.ptr[i] < '0' || word.ptr[i] > '9')
				return fail(p, "Content-Length is not a number");
		if (num_parse_u64(word, &n) < 0 || n > INT64_MAX)
			return fail(p, "Content-Length is not a number in range");
		if ((p->saw & SAW_LENGTH) && n != p->h->content_length)
			return fail(p, "Content-Length is given twice with different values");
		p->h->content_length = n;
		p->saw |= SAW_LENGTH;
	}
	return 0;
}

static void take_transfer_encoding(struct head_parser *p, struct str value)
{
	struct str word = { 0 };

	/* Only the last coding of the last field decides the framing. */
	p->saw = (p->saw | SAW_TRANSFER_ENCODING) & ~(unsigned)SAW_CHUNKED;
	while (str_split(&value, ',', &word))
		;
	if (str_ieq(str_trim(word), STR("chunked")))
		p->saw |= SAW_CHUNKED;
}

static void take_connection(struct head_parser *p, struct str value)
{
	if (net_list_has(value, STR("close")))
		p->saw |= SAW_CLOSE;
	if (net_list_has(value, STR("keep-alive")))
		p->saw |= SAW_KEEP_ALIVE;
}

static int interpret(struct head_parser *p, struct str name, struct str value)
{
	switch (name.len) {
	case 10:
		if (str_ieq(name, STR("connection")))
			take_connection(p, value);
		return 0;
	case 14:
		return str_ieq(name, STR("content-length")) ? take_length(p, value) : 0;
	case 17:
		if (str_ieq(name, STR("transfer-encoding")))
			take_transfer_encoding(p, value);
		return 0;
	default:
		return 0;
	}
}

static struct str trim_blanks(struct str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
		s.ptr++;
		s.len--;
	}
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static int parse_field(struct head_parser *p, struct str line)
{
	struct net_head *h = p->h;
	struct str name = { line.ptr, 0 }, value;

	while (name.len < line.len && is_tchar[(unsigned char)line.ptr[name.len]])
		name.len++;
	if (!name.len || name.len == line.len || line.ptr[name.len] != ':')
		return fail(p, "a header line is not of the form \"Name: value\"");
	value = trim_blanks((struct str){ line.ptr + name.len + 1, line.len - name.len - 1 });
	if (!net_is_field_value(value))
		return fail(p, "a header value has a control character");
	if (h->fields.len == NET_HEAD_MAX_FIELDS)
		return fail(p, "the reply has more than 256 header fields");
	vec_push(&h->fields,
		 ((struct net_field){ (uint16_t)(name.ptr - h->text.ptr), (uint16_t)name.len,
				      (uint16_t)(value.ptr - h->text.ptr), (uint16_t)value.len }));
	return interpret(p, name, value);
}

/*
 * Cuts the next line, without its end, off *rest. Lines that go on in the next one (obs-fold, RFC
 * 9112 5.2) are joined in place: the line end becomes blanks.
 */
static struct str take_line(struct str *rest, bool may_fold)
{
	char *start = (char *)(uintptr_t)rest->ptr;
	size_t n = str_find(*rest, '\n');

	while (may_fold && n > 1 && n + 1 < rest->len &&
	       (start[n + 1] == ' ' || start[n + 1] == '\t')) {
		struct str behind = { start + n + 1, rest->len - n - 1 };

		start[n] = ' ';
		if (start[n - 1] == '\r')
			start[n - 1] = ' ';
		n += 1 + str_find(behind, '\n');
	}
	rest->ptr += MIN(n + 1, rest->len);
	rest->len -= MIN(n + 1, rest->len);
	if (n && start[n - 1] == '\r')
		n--;
	return (struct str){ start, n };
}

static void conclude(struct head_parser *p)
{
	struct net_head *h = p->h;

	h->keep_alive = h->minor_version ? !(p->saw & SAW_CLOSE) : (p->saw & SAW_KEEP_ALIVE) != 0;
	if (p->saw & SAW_TRANSFER_ENCODING) {
		h->framing = p->saw & SAW_CHUNKED ? NET_FRAMING_CHUNKED : NET_FRAMING_CLOSE;
		if ((p->saw & SAW_LENGTH) || !h->minor_version)
			h->keep_alive = false;
	} else {
		h->framing = p->saw & SAW_LENGTH ? NET_FRAMING_LENGTH : NET_FRAMING_CLOSE;
	}
}

int net_head_parse(struct net_head *h, const char **ret_why)
{
	struct head_parser p = { .h = h };
	struct str rest = strbuf_str(&h->text), line;
	int r;

	BUG_ON(h->text.len > NET_HEAD_MAX_BYTES);
	vec_clear(&h->fields);
	h->content_length = 0;
	h->is_h2 = false;
	r = parse_status_line(&p, take_line(&rest, false));
	while (r == 0) {
		line = take_line(&rest, true);
		if (!line.len)
			break;
		r = parse_field(&p, line);
	}
	if (r < 0) {
		*ret_why = p.why;
		return r;
	}
	conclude(&p);
	return 0;
}

int net_head_start_h2(struct net_head *h, struct str status, const char **ret_why)
{
	const char *reason;

	net_head_clear(h);
	h->status = status.len == 3 ? status_number(status.ptr) : 0;
	if (!h->status) {
		*ret_why = "the status is not a number of three digits from 100 on";
		return -EBADMSG;
	}
	reason = net_status_reason(h->status);
	h->is_h2 = true;
	h->minor_version = 0;
	h->framing = NET_FRAMING_CLOSE;
	h->content_length = 0;
	h->keep_alive = true;
	strbuf_addstr(&h->text, "HTTP/2.0 ");
	strbuf_add(&h->text, status.ptr, status.len);
	strbuf_addch(&h->text, ' ');
	strbuf_addstr(&h->text, reason);
	strbuf_addstr(&h->text, "\r\n");
	h->reason = (struct net_field){ .value = (uint16_t)strlen("HTTP/2.0 200 "),
					.value_len = (uint16_t)strlen(reason) };
	return 0;
}

int net_head_add(struct net_head *h, struct str name, struct str value, const char **ret_why)
{
	struct head_parser p = { .h = h };
	size_t at = h->text.len, bytes = name.len + value.len + strlen(": \r\n");
	int r;

	if (at + bytes > NET_HEAD_MAX_BYTES) {
		*ret_why = "the reply's header is larger than 64 KB";
		return -E2BIG;
	}
	strbuf_reserve(&h->text, bytes);
	strbuf_add(&h->text, name.ptr, name.len);
	strbuf_add(&h->text, ": ", 2);
	strbuf_add(&h->text, value.ptr, value.len);
	strbuf_add(&h->text, "\r\n", 2);
	r = parse_field(&p, (struct str){ h->text.ptr + at, bytes - strlen("\r\n") });
	if (r < 0)
		*ret_why = p.why;
	else if (p.saw & SAW_LENGTH)
		h->framing = NET_FRAMING_LENGTH;
	return r;
}

const char *net_head_proto(const struct net_head *h)
{
	if (h->is_h2)
		return "HTTP/2.0";
	return h->minor_version ? "HTTP/1.1" : "HTTP/1.0";
}

const struct net_field *net_head_find(const struct net_head *h, struct str name, size_t *pos)
{
	while (*pos < h->fields.len) {
		const struct net_field *f = &h->fields.ptr[(*pos)++];

		if (f->name_len == name.len && str_ieq(net_field_name(h, f), name))
			return f;
	}
	return NULL;
}

struct str net_head_get(const struct net_head *h, const char *name)
{
	size_t pos = 0;
	const struct net_field *f = net_head_find(h, str_from(name), &pos);

	return f ? net_field_value(h, f) : (struct str){ 0 };
}
