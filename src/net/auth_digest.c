/* Digest: RFC 7616 3.4; names in comments are the RFC's. */
#include <errno.h>
#include <openssl/evp.h>

#include "net/auth.h"

struct challenge {
	struct str realm, nonce, opaque, algorithm, qop;
	const EVP_MD *md;
	bool sess;
};

/* ---- reading the challenge ---- */

/* Behind a '"': up to the next that is not escaped. */
static size_t quoted_end(struct str s, size_t i)
{
	while (i < s.len && s.ptr[i] != '"')
		i += s.ptr[i] == '\\' ? 2 : 1;
	return MIN(i, s.len);
}

static size_t skip_separators(struct str s)
{
	size_t i = 0;

	while (i < s.len && strchr(" \t,", s.ptr[i]))
		i++;
	return i;
}

/* One name=value off *rest; value without its quotes, escapes stay. False at the end. */
static bool next_pair(struct str *rest, struct str *ret_name, struct str *ret_value)
{
	size_t start = skip_separators(*rest), end;
	struct str s = { rest->ptr + start, rest->len - start };
	size_t eq = str_find(s, '=');

	if (eq == s.len || str_find((struct str){ s.ptr, eq }, ',') < eq)
		return false;
	*ret_name = str_trim((struct str){ s.ptr, eq });
	s = (struct str){ s.ptr + eq + 1, s.len - eq - 1 };
	if (s.len && s.ptr[0] == '"') {
		end = quoted_end(s, 1);
		*ret_value = (struct str){ s.ptr + 1, end - 1 };
		end = MIN(end + 1, s.len);
	} else {
		end = str_find(s, ',');
		*ret_value = str_trim((struct str){ s.ptr, end });
	}
	*rest = (struct str){ s.ptr + end, s.len - end };
	return true;
}

static int choose_algorithm(struct challenge *c, struct error *reterr)
{
	static const struct {
		const char *name;
		const EVP_MD *(*md)(void);
	} known[] = {
		{ "MD5", EVP_md5 },
		{ "SHA-256", EVP_sha256 },
		{ "SHA-512-256", EVP_sha512_256 },
	};
	struct str name = c->algorithm.len ? c->algorithm : STR("MD5");

	c->sess = name.len > 5 && str_ieq((struct str){ name.ptr + name.len - 5, 5 }, STR("-sess"));
	if (c->sess)
		name.len -= 5;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_ieq(name, str_from(known[i].name)))
			c->md = known[i].md();
	if (c->md)
		return 0;
	return error_set(reterr, -ENOTSUP, "digest authentication by %.*s", (int)name.len,
			 name.ptr);
}

static int read_challenge(struct str text, struct challenge *c, struct error *reterr)
{
	struct str name, value;
	size_t space = str_find(text, ' ');

	if (!str_ieq((struct str){ text.ptr, space }, STR("Digest")) || space == text.len)
		return error_set(reterr, -EINVAL, "no Digest challenge");
	text = (struct str){ text.ptr + space, text.len - space };
	while (next_pair(&text, &name, &value)) {
		if (str_ieq(name, STR("realm")))
			c->realm = value;
		else if (str_ieq(name, STR("nonce")))
			c->nonce = value;
		else if (str_ieq(name, STR("opaque")))
			c->opaque = value;
		else if (str_ieq(name, STR("algorithm")))
			c->algorithm = value;
		else if (str_ieq(name, STR("qop")))
			c->qop = value;
	}
	if (!c->nonce.ptr)
		return error_set(reterr, -EINVAL, "a Digest challenge without a nonce");
	return choose_algorithm(c, reterr);
}

/* "auth" before "auth-int"; NULL when the challenge has none of them. */
static const char *choose_qop(struct str list)
{
	const char *qop = NULL;
	struct str part;

	while (str_split(&list, ',', &part)) {
		part = str_trim(part);
		if (str_ieq(part, STR("auth")))
			return "auth";
		if (str_ieq(part, STR("auth-int")))
			qop = "auth-int";
	}
	return qop;
}

/* ---- answering ---- */

/* Replaces text with the hash of it, in hex. */
static void hash(const EVP_MD *md, struct strbuf *text)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	EVP_Digest(strbuf_cstr(text), text->len, sum, &len, md, NULL);
	strbuf_clear(text);
	for (unsigned i = 0; i < len; i++)
		strbuf_addf(text, "%02x", sum[i]);
}

static void add(struct strbuf *sb, struct str s)
{
	strbuf_add(sb, s.ptr, s.len);
}

static void make_a1(const struct challenge *c, const struct net_auth_digest *with,
		    struct strbuf *a1)
{
	add(a1, with->user);
	strbuf_addch(a1, ':');
	add(a1, c->realm);
	strbuf_addch(a1, ':');
	add(a1, with->password);
	hash(c->md, a1);
	if (!c->sess)
		return;
	strbuf_addch(a1, ':');
	add(a1, c->nonce);
	strbuf_addf(a1, ":%s", with->cnonce);
	hash(c->md, a1);
}

static void make_a2(const struct challenge *c, const struct net_auth_digest *with, const char *qop,
		    struct strbuf *a2)
{
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	add(a2, with->method);
	strbuf_addch(a2, ':');
	add(a2, with->target);
	if (qop && !strcmp(qop, "auth-int")) {
		add(&body, with->body);
		hash(c->md, &body);
		strbuf_addf(a2, ":%s", strbuf_cstr(&body));
	}
	hash(c->md, a2);
}

static void add_quoted(struct strbuf *out, const char *name, struct str value)
{
	strbuf_addf(out, ", %s=\"", name);
	for (size_t i = 0; i < value.len; i++) {
		if ((unsigned char)value.ptr[i] < ' ')
			continue;
		strbuf_addch(out, value.ptr[i]);
	}
	strbuf_addch(out, '"');
}

static void add_user(struct strbuf *out, struct str user)
{
	strbuf_addstr(out, "Digest username=\"");
	for (size_t i = 0; i < user.len; i++) {
		if (user.ptr[i] == '"' || user.ptr[i] == '\\')
			strbuf_addch(out, '\\');
		if ((unsigned char)user.ptr[i] >= ' ')
			strbuf_addch(out, user.ptr[i]);
	}
	strbuf_addch(out, '"');
}

int net_auth_digest(struct str text, const struct net_auth_digest *with, struct strbuf *out,
		    struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf response = STRBUF_INIT, a2 = STRBUF_INIT;
	struct challenge c = { .md = NULL };
	const char *qop;
	int r = read_challenge(text, &c, reterr);

	if (r < 0)
		return r;
	qop = choose_qop(c.qop);
	make_a1(&c, with, &response);
	make_a2(&c, with, qop, &a2);
	strbuf_addch(&response, ':');
	add(&response, c.nonce);
	if (qop)
		strbuf_addf(&response, ":00000001:%s:%s", with->cnonce, qop);
	strbuf_addf(&response, ":%s", strbuf_cstr(&a2));
	hash(c.md, &response);

	add_user(out, with->user);
	add_quoted(out, "realm", c.realm);
	add_quoted(out, "nonce", c.nonce);
	add_quoted(out, "uri", with->target);
	if (c.algorithm.len)
		strbuf_addf(out, ", algorithm=%.*s", (int)c.algorithm.len, c.algorithm.ptr);
	if (qop)
		strbuf_addf(out, ", qop=%s, nc=00000001, cnonce=\"%s\"", qop, with->cnonce);
	strbuf_addf(out, ", response=\"%s\"", strbuf_cstr(&response));
	if (c.opaque.ptr)
		add_quoted(out, "opaque", c.opaque);
	return 0;
}
