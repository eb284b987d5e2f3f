/*
 * URLs by RFC 3986. split() is the grammar's own cut of appendix B into scheme, authority, path,
 * query and fragment, which cannot fail; net_url_parse() then holds the parts against what a
 * request over HTTP needs. Internationalised names are refused rather than converted: IDNA is a
 * table of the size of this program, and a script can write the xn-- form.
 */
#include "net/url.h"

#include <errno.h>

#include "base/num.h"
#include "net/addr.h"

struct parts {
	struct str scheme, authority, path, query, fragment; /* ptr is NULL when absent */
};

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str cut(struct str s, size_t from, size_t to)
{
	return (struct str){ s.ptr + from, to - from };
}

static struct str after(struct str s, size_t n)
{
	return cut(s, n, s.len);
}

/* Length of the scheme in front of ":", or 0. */
static size_t scheme_len(struct str s)
{
	size_t i = 0;

	if (!s.len || !is_alpha(s.ptr[0]))
		return 0;
	while (i < s.len && (is_alpha(s.ptr[i]) || is_digit(s.ptr[i]) || s.ptr[i] == '+' ||
			     s.ptr[i] == '-' || s.ptr[i] == '.'))
		i++;
	return i < s.len && s.ptr[i] == ':' ? i : 0;
}

static struct parts split(struct str s)
{
	struct parts p = { 0 };
	size_t n = str_find(s, '#');

	if (n < s.len)
		p.fragment = after(s, n + 1);
	s.len = n;
	n = str_find(s, '?');
	if (n < s.len)
		p.query = after(s, n + 1);
	s.len = n;
	n = scheme_len(s);
	if (n) {
		p.scheme = cut(s, 0, n);
		s = after(s, n + 1);
	}
	if (str_starts_with(s, STR("//"))) {
		n = 2 + str_find(after(s, 2), '/');
		p.authority = cut(s, 2, n);
		s = after(s, n);
	}
	p.path = s;
	return p;
}

/* Position of the first byte that may not appear in a URL at all, or s.len. */
static size_t find_bad_byte(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= ' ' || (unsigned char)s.ptr[i] >= 0x7f)
			return i;
	return s.len;
}

static int bad_byte(struct str text, size_t at, struct error *reterr)
{
	unsigned char c = (unsigned char)text.ptr[at];

	if (c >= 0x80)
		return error_set(reterr, -EINVAL,
				 "URL \"%.*s\" has a non-ASCII character at position %zu; write it "
				 "%%-encoded, or the host name in its xn-- form",
				 STR_FMT(text), at + 1);
	return error_set(reterr, -EINVAL,
			 "URL has a %s (0x%02x) at position %zu; write it %%-encoded (%%%02X)",
			 c == ' ' ? "space" : "control character", c, at + 1, c);
}

static int parse_port(struct net_url *u, struct str digits, struct error *reterr)
{
	uint64_t port;

	if (!digits.len) /* "http://host:/" means the default port */
		return 0;
	if (num_parse_u64(digits, &port) < 0 || !port || port > 65535)
		return error_set(reterr, -EINVAL, "URL has the port \"%.*s\"; ports are 1 to 65535",
				 STR_FMT(digits));
	u->port = (uint16_t)port;
	return 0;
}

static bool is_host_char(char c)
{
	return is_alpha(c) || is_digit(c) || (c && strchr("-._~%!$&'()*+,;=", c));
}

static int parse_ipv6(struct net_url *u, struct error *reterr)
{
	size_t end = str_find(u->authority, ']');
	struct net_addr addr;
	struct str rest;

	if (end == u->authority.len)
		return error_set(reterr, -EINVAL, "URL has a \"[\" without \"]\" in its host");
	u->host = cut(u->authority, 1, end);
	u->host_is_ipv6 = true;
	if (net_addr_parse(&addr, u->host, 0) < 0 || addr.sa.sa_family != AF_INET6)
		return error_set(reterr, -EINVAL, "URL has \"%.*s\" as its IPv6 address",
				 STR_FMT(u->host));
	rest = after(u->authority, end + 1);
	if (rest.len && rest.ptr[0] != ':')
		return error_set(reterr, -EINVAL,
				 "URL has \"%.*s\" after its host; expected \":port\"",
				 STR_FMT(rest));
	return rest.len ? parse_port(u, after(rest, 1), reterr) : 0;
}

static int parse_authority(struct net_url *u, struct str authority, struct error *reterr)
{
	size_t at = authority.len, colon;

	while (at > 0 && authority.ptr[at - 1] != '@')
		at--;
	if (at) {
		u->has_userinfo = true;
		u->userinfo = cut(authority, 0, at - 1);
	}
	u->authority = after(authority, at);
	if (u->authority.len && u->authority.ptr[0] == '[')
		return parse_ipv6(u, reterr);
	colon = str_find(u->authority, ':');
	u->host = cut(u->authority, 0, colon);
	for (size_t i = 0; i < u->host.len; i++)
		if (!is_host_char(u->host.ptr[i]))
			return error_set(reterr, -EINVAL, "URL has a \"%c\" in its host",
					 u->host.ptr[i]);
	if (!u->host.len)
		return error_set(reterr, -EINVAL, "URL has no host; expected http://host/path");
	if (colon == u->authority.len)
		return 0;
	return parse_port(u, after(u->authority, colon + 1), reterr);
}

static int parse_scheme(struct net_url *u, const struct parts *p, struct str text,
			struct error *reterr)
{
	if (!p->scheme.ptr || !p->authority.ptr)
		return error_set(reterr, -EINVAL,
				 "\"%.*s\" is no absolute URL; expected http://host/path",
				 STR_FMT(text));
	u->tls = str_ieq(p->scheme, STR("https"));
	if (!u->tls && !str_ieq(p->scheme, STR("http")))
		return error_set(reterr, -EPROTONOSUPPORT,
				 "URL has the scheme \"%.*s\"; only http and https are spoken here",
				 STR_FMT(p->scheme));
	u->port = u->tls ? 443 : 80;
	return 0;
}

int net_url_parse(struct net_url *ret, struct str text, struct error *reterr)
{
	struct net_url u = { 0 };
	struct parts p;
	size_t bad;
	int r;

	if (text.len > NET_URL_MAX_BYTES)
		return error_set(reterr, -E2BIG, "URL of %zu bytes; the limit is %d", text.len,
				 NET_URL_MAX_BYTES);
	bad = find_bad_byte(text);
	if (bad < text.len)
		return bad_byte(text, bad, reterr);
	p = split(text);
	r = parse_scheme(&u, &p, text, reterr);
	if (r == 0)
		r = parse_authority(&u, p.authority, reterr);
	if (r < 0)
		return r;
	u.path = p.path;
	u.query = p.query;
	u.fragment = p.fragment;
	u.target = p.path;
	if (p.query.ptr)
		u.target.len = (size_t)(p.query.ptr + p.query.len - p.path.ptr);
	*ret = u;
	return 0;
}

/* --- references --- */

/* RFC 3986 5.2.4, on the part of sb from start on. The output never outgrows what has been read, so
 * one buffer does for both. */
static void remove_dot_segments(struct strbuf *sb, size_t start)
{
	struct str in = { sb->ptr + start, sb->len - start };
	char *first = sb->ptr + start, *out = first;

	while (in.len) {
		size_t n;

		if (str_starts_with(in, STR("../"))) {
			in = after(in, 3);
		} else if (str_starts_with(in, STR("./")) || str_starts_with(in, STR("/./"))) {
			in = after(in, 2);
		} else if (str_eq_c(in, "/.")) {
			in.len = 1;
		} else if (str_starts_with(in, STR("/../")) || str_eq_c(in, "/..")) {
			while (out > first && *--out != '/')
				;
			if (in.len == 3) {
				*out++ = '/';
				break;
			}
			in = after(in, 3);
		} else if (str_eq_c(in, ".") || str_eq_c(in, "..")) {
			break;
		} else {
			n = 1 + str_find(after(in, 1), '/');
			memmove(out, in.ptr, n);
			out += n;
			in = after(in, n);
		}
	}
	sb->len = (size_t)(out - sb->ptr);
	*out = '\0';
}

/* RFC 3986 5.2.3 */
static void merge_paths(struct strbuf *sb, const struct parts *base, struct str path)
{
	size_t keep = base->path.len;

	while (keep > 0 && base->path.ptr[keep - 1] != '/')
		keep--;
	if (base->authority.ptr && !base->path.len)
		strbuf_addch(sb, '/');
	strbuf_add(sb, base->path.ptr, keep);
	strbuf_add(sb, path.ptr, path.len);
}

static void add_part(struct strbuf *sb, const char *before, struct str part, const char *behind)
{
	if (!part.ptr)
		return;
	strbuf_addstr(sb, before);
	strbuf_add(sb, part.ptr, part.len);
	strbuf_addstr(sb, behind);
}

int net_url_resolve(struct strbuf *ret, struct str base, struct str reference)
{
	struct parts b = split(base), r = split(reference);
	bool own_scheme = r.scheme.ptr, own_authority = own_scheme || r.authority.ptr;
	bool own_path = own_authority || r.path.len;
	size_t start;

	if (base.len + reference.len > NET_URL_MAX_BYTES)
		return -E2BIG;
	strbuf_clear(ret);
	add_part(ret, "", own_scheme ? r.scheme : b.scheme, ":");
	add_part(ret, "//", own_authority ? r.authority : b.authority, "");
	start = ret->len;
	if (!own_path)
		strbuf_add(ret, b.path.ptr, b.path.len);
	else if (own_authority || r.path.ptr[0] == '/')
		strbuf_add(ret, r.path.ptr, r.path.len);
	else
		merge_paths(ret, &b, r.path);
	if (own_path && ret->ptr)
		remove_dot_segments(ret, start);
	add_part(ret, "?", own_path || r.query.ptr ? r.query : b.query, "");
	add_part(ret, "#", r.fragment, "");
	return 0;
}

/* --- text --- */

void net_url_decode(struct strbuf *sb, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		int high = -1, low = -1;

		if (s.ptr[i] == '%' && s.len - i > 2) {
			high = str_hex_digit(s.ptr[i + 1]);
			low = str_hex_digit(s.ptr[i + 2]);
		}
		if (high < 0 || low < 0) {
			strbuf_addch(sb, s.ptr[i]);
			continue;
		}
		strbuf_addch(sb, (char)(high * 16 + low));
		i += 2;
	}
}

void net_url_mask(struct strbuf *sb, struct str text)
{
	struct parts p = split(text);
	size_t at = p.authority.ptr ? str_find(p.authority, '@') : 0;

	if (!p.authority.ptr || at == p.authority.len) {
		strbuf_add(sb, text.ptr, text.len);
		return;
	}
	while (str_find(after(p.authority, at + 1), '@') < p.authority.len - at - 1)
		at += 1 + str_find(after(p.authority, at + 1), '@');
	strbuf_add(sb, text.ptr, (size_t)(p.authority.ptr - text.ptr));
	strbuf_addstr(sb, "****:****");
	strbuf_add(sb, p.authority.ptr + at, (size_t)(text.ptr + text.len - p.authority.ptr) - at);
}
