/*
 * URLs: the input's first line is one, the rest is a reference to resolve against it. What was
 * parsed lies inside the text; what was resolved has no dot segments left, and parses as the same
 * thing twice.
 */
#include "net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str part, struct str text)
{
	if (part.ptr)
		BUG_ON(part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len);
}

static bool parse(struct net_url *u, struct str text)
{
	struct error err = ERROR_INIT;
	int r = net_url_parse(u, text, &err);

	BUG_ON(r < 0 && (!err.msg[0] || err.code != r));
	if (r < 0)
		return false;
	BUG_ON(!u->host.len || !u->port);
	check_inside(u->host, text);
	check_inside(u->authority, text);
	check_inside(u->userinfo, text);
	check_inside(u->target, text);
	check_inside(u->query, text);
	check_inside(u->fragment, text);
	return true;
}

static void check_resolved(struct str base, struct str reference)
{
	CLEANUP(strbuf_release) struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct net_url u;

	if (net_url_resolve(&once, base, reference) < 0 || !parse(&u, strbuf_str(&once)))
		return;
	if (reference.len && reference.ptr[0] == '/')
		BUG_ON(str_starts_with(u.path, STR("/../")) || str_starts_with(u.path, STR("/./")));
	net_url_resolve(&twice, strbuf_str(&once), strbuf_str(&once));
	net_url_resolve(&once, strbuf_str(&twice), strbuf_str(&twice));
	BUG_ON(!str_eq(strbuf_str(&once), strbuf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct str rest = { (const char *)data, size }, first;
	struct net_url u;

	if (!str_split(&rest, '\n', &first))
		return 0;
	net_url_mask(&sb, first);
	strbuf_clear(&sb);
	net_url_decode(&sb, first);
	BUG_ON(sb.len > first.len);
	if (parse(&u, first) && rest.ptr)
		check_resolved(first, rest);
	return 0;
}
