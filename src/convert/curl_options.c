/* curl's options: what each does to the request. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "convert/curl_internal.h"
#include "convert/js.h"
#include "convert/percent.h"

int curl_refuse(const struct curl_state *c, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return error_set(c->reterr, -EINVAL, "%s:%u:%u: %s", c->name, c->word->line,
			 c->word->column, message);
}

static void copy(struct strbuf *to, struct str s)
{
	strbuf_clear(to);
	strbuf_add(to, s.ptr, s.len);
}

static struct str after(struct str s, size_t n)
{
	return (struct str){ s.ptr + n, s.len - n };
}

/* ---- the request line and headers ---- */

static int take_method(struct curl_state *c, const struct curl_option *o UNUSED,
		       const struct strbuf *v)
{
	copy(&c->request.method, strbuf_str(v));
	return 0;
}

static int take_url(struct curl_state *c, const struct curl_option *o UNUSED,
		    const struct strbuf *v)
{
	struct strbuf url = STRBUF_INIT;

	strbuf_add(&url, v->ptr, v->len);
	vec_push(&c->urls, url);
	return 0;
}

static void set_header(struct curl_state *c, struct str name, struct str value)
{
	struct convert_header *h = convert_request_header(&c->request, name);

	if (h)
		copy(&h->value, value);
	else
		convert_request_add_header(&c->request, name, value);
}

/* "Name: value", "Name:" (send none), "Name;" (send it empty). */
static int take_header(struct curl_state *c, const struct curl_option *o UNUSED,
		       const struct strbuf *v)
{
	struct str s = strbuf_str(v), name, value;
	size_t colon = str_find(s, ':');

	if (s.len && s.ptr[0] == '@')
		return curl_refuse(c, "-H %s: a file of headers is not read; write them out",
				   strbuf_cstr(v));
	if (s.len && s.ptr[0] == ':') /* a browser's :authority: */
		return 0;
	name = str_trim((struct str){ s.ptr, colon });
	if (colon == s.len && str_ends_with(name, STR(";"))) {
		name.len--;
		convert_request_add_header(&c->request, name, STR(""));
		return 0;
	}
	if (colon == s.len || !name.len)
		return curl_refuse(c, "-H takes \"Name: value\", not \"%s\"", strbuf_cstr(v));
	value = str_trim(after(s, colon + 1));
	if (!value.len)
		vec_push(&c->removed, name);
	else if (!str_ieq(name, STR("Content-Length")))
		convert_request_add_header(&c->request, name, value);
	return 0;
}

static int take_agent(struct curl_state *c, const struct curl_option *o UNUSED,
		      const struct strbuf *v)
{
	set_header(c, STR("User-Agent"), strbuf_str(v));
	return 0;
}

static int take_referer(struct curl_state *c, const struct curl_option *o UNUSED,
			const struct strbuf *v)
{
	struct str s = strbuf_str(v);

	if (str_ends_with(s, STR(";auto")))
		s.len -= 5;
	if (s.len)
		set_header(c, STR("Referer"), s);
	return 0;
}

static int take_cookie(struct curl_state *c, const struct curl_option *o UNUSED,
		       const struct strbuf *v)
{
	struct convert_header *h = convert_request_header(&c->request, STR("Cookie"));
	struct str s = str_trim(strbuf_str(v));

	if (!memchr(s.ptr, '=', s.len) && !memchr(s.ptr, CONVERT_VAR_BEGIN, s.len))
		return curl_refuse(
			c, "-b %s: a file of cookies is not read; give them as \"name=value\"",
			strbuf_cstr(v));
	if (!h) {
		convert_request_add_header(&c->request, STR("Cookie"), s);
		return 0;
	}
	strbuf_addstr(&h->value, "; ");
	strbuf_add(&h->value, s.ptr, s.len);
	return 0;
}

static int take_user(struct curl_state *c, const struct curl_option *o UNUSED,
		     const struct strbuf *v)
{
	copy(&c->user, strbuf_str(v));
	return 0;
}

static int take_bearer(struct curl_state *c, const struct curl_option *o UNUSED,
		       const struct strbuf *v)
{
	c->bearer = v;
	return 0;
}

static int take_range(struct curl_state *c, const struct curl_option *o UNUSED,
		      const struct strbuf *v)
{
	CLEANUP(strbuf_release) struct strbuf range = STRBUF_INIT;

	strbuf_addf(&range, "bytes=%s", strbuf_cstr(v));
	set_header(c, STR("Range"), strbuf_str(&range));
	return 0;
}

static int take_scheme(struct curl_state *c, const struct curl_option *o,
		       const struct strbuf *v UNUSED)
{
	c->request.auth = !strcmp(o->name, "digest") ? "digest" : "ntlm";
	return 0;
}

static int take_time(struct curl_state *c, const struct curl_option *o, const struct strbuf *v)
{
	double seconds;

	if (num_parse_double(strbuf_str(v), &seconds) < 0 || seconds < 0 || seconds > 1e6)
		return curl_refuse(c, "--%s takes seconds, not \"%s\"", o->name, strbuf_cstr(v));
	c->request.timeout_ns = (uint64_t)(seconds * 1000 + 0.5) * NS_PER_MS;
	return 0;
}

static int take_redirects(struct curl_state *c, const struct curl_option *o, const struct strbuf *v)
{
	int64_t n;

	if (num_parse_i64(strbuf_str(v), &n) < 0 || n < -1 || n > 1000)
		return curl_refuse(c, "--%s takes a number, not \"%s\"", o->name, strbuf_cstr(v));
	c->max_redirects = n < 0 ? 1000 : (int)n;
	return 0;
}

/* host:port:address into the option `hosts`. */
static int take_resolve(struct curl_state *c, const struct curl_option *o, const struct strbuf *v)
{
	struct strbuf *out = &c->script->options;
	struct str s = strbuf_str(v), host, port;

	if (s.len && (s.ptr[0] == '+' || s.ptr[0] == '-'))
		s = after(s, 1);
	if (!str_split(&s, ':', &host) || !str_split(&s, ':', &port) || !s.ptr || !s.len)
		return curl_refuse(c, "--%s takes HOST:PORT:ADDRESS, not \"%s\"", o->name,
				   strbuf_cstr(v));
	s.len = str_find(s, ',');
	strbuf_addstr(out, "  hosts: { ");
	convert_js_key(out, (struct str){ host.ptr, host.len + 1 + port.len });
	strbuf_addstr(out, ": ");
	convert_js_string(out, s);
	strbuf_addstr(out, " },\n");
	return 0;
}

/* ---- the body ---- */

static void push_piece(struct curl_state *c, enum convert_piece_kind kind, struct str text)
{
	struct convert_piece p = { .kind = kind };

	if (kind == CONVERT_TEXT && c->request.pieces.len &&
	    vec_last(&c->request.pieces).kind == CONVERT_TEXT) {
		strbuf_add(&vec_last(&c->request.pieces).text, text.ptr, text.len);
		return;
	}
	strbuf_add(&p.text, text.ptr, text.len);
	vec_push(&c->request.pieces, p);
}

/* curl puts & between what several -d give. */
static void part_from_before(struct curl_state *c)
{
	if (c->request.pieces.len)
		push_piece(c, CONVERT_TEXT, STR("&"));
}

static int take_data(struct curl_state *c, const struct curl_option *o, const struct strbuf *v)
{
	struct str s = strbuf_str(v);
	bool file = s.len && s.ptr[0] == '@' && strcmp(o->name, "data-raw") != 0;

	part_from_before(c);
	if (file && s.len == 2 && s.ptr[1] == '-')
		return curl_refuse(c, "@- reads what the script will not have; name a file");
	if (!file)
		push_piece(c, CONVERT_TEXT, s);
	else if (!strcmp(o->name, "data-binary"))
		push_piece(c, CONVERT_FILE, after(s, 1));
	else
		push_piece(c, CONVERT_FILE_STRIPPED, after(s, 1));
	return 0;
}

static int take_json(struct curl_state *c, const struct curl_option *o UNUSED,
		     const struct strbuf *v)
{
	struct str s = strbuf_str(v);

	c->json = true;
	if (s.len && s.ptr[0] == '@')
		push_piece(c, CONVERT_FILE, after(s, 1));
	else
		push_piece(c, CONVERT_TEXT, s);
	return 0;
}

/* CONTENT, =CONTENT, NAME=CONTENT, @FILE, NAME@FILE */
static int take_urlencoded(struct curl_state *c, const struct curl_option *o UNUSED,
			   const struct strbuf *v)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct str s = strbuf_str(v);
	size_t eq = str_find(s, '='), at = str_find(s, '@');

	part_from_before(c);
	if (eq == s.len && at < s.len) {
		if (at) {
			strbuf_add(&text, s.ptr, at);
			strbuf_addch(&text, '=');
			push_piece(c, CONVERT_TEXT, strbuf_str(&text));
		}
		push_piece(c, CONVERT_FILE_ENCODED, after(s, at + 1));
		return 0;
	}
	if (eq < s.len) {
		strbuf_add(&text, s.ptr, eq);
		strbuf_addstr(&text, eq ? "=" : "");
		s = after(s, eq + 1);
	}
	convert_percent(&text, s, CONVERT_UNRESERVED, true);
	push_piece(c, CONVERT_TEXT, strbuf_str(&text));
	return 0;
}

static int take_upload(struct curl_state *c, const struct curl_option *o UNUSED,
		       const struct strbuf *v)
{
	if (v->len == 1 && (v->ptr[0] == '-' || v->ptr[0] == '.'))
		return curl_refuse(c, "-T %s reads what the script will not have; name a file",
				   strbuf_cstr(v));
	c->upload = v;
	return 0;
}

/* What curl says a file is, by the end of its name. */
static const char *type_of(struct str path)
{
	static const struct {
		struct str end;
		const char *type;
	} types[] = {
		{ STR(".gif"), "image/gif" },	    { STR(".jpg"), "image/jpeg" },
		{ STR(".jpeg"), "image/jpeg" },	    { STR(".png"), "image/png" },
		{ STR(".svg"), "image/svg+xml" },   { STR(".txt"), "text/plain" },
		{ STR(".htm"), "text/html" },	    { STR(".html"), "text/html" },
		{ STR(".pdf"), "application/pdf" }, { STR(".xml"), "application/xml" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (str_ends_with(path, types[i].end))
			return types[i].type;
	return "application/octet-stream";
}

/* ";type=..." and ";filename=..." cut off the end of a -F value. */
static struct str cut_attributes(struct str s, struct convert_part *p)
{
	static const struct str type = STR("type="), filename = STR("filename=");
	size_t end = str_find(s, ';');
	struct str rest = after(s, end), word;

	while (str_split(&rest, ';', &word)) {
		word = str_trim(word);
		if (str_starts_with(word, type)) {
			copy(&p->type, after(word, type.len));
		} else if (str_starts_with(word, filename)) {
			word = after(word, filename.len);
			if (word.len > 1 && word.ptr[0] == '"' && word.ptr[word.len - 1] == '"')
				word = (struct str){ word.ptr + 1, word.len - 2 };
			copy(&p->file_name, word);
		}
	}
	return (struct str){ s.ptr, end };
}

static struct str unquoted(struct str s)
{
	if (s.len > 1 && s.ptr[0] == '"' && s.ptr[s.len - 1] == '"')
		return (struct str){ s.ptr + 1, s.len - 2 };
	return s;
}

static int take_form(struct curl_state *c, const struct curl_option *o, const struct strbuf *v)
{
	struct convert_part p = { 0 };
	struct str s = strbuf_str(v);
	size_t eq = str_find(s, '=');
	struct str value;

	if (eq == s.len || !eq)
		return curl_refuse(c, "-F takes NAME=VALUE, not \"%s\"", strbuf_cstr(v));
	strbuf_add(&p.name, s.ptr, eq);
	value = after(s, eq + 1);
	c->form = true;
	if (strcmp(o->name, "form-string") != 0 && value.len) {
		value = cut_attributes(value, &p);
		p.upload = value.len && value.ptr[0] == '@';
		p.from_file = value.len && value.ptr[0] == '<';
		if (p.upload || p.from_file)
			value = after(value, 1);
		value = unquoted(value);
	}
	strbuf_add(&p.value, value.ptr, value.len);
	if (p.upload && !p.file_name.len) {
		const char *slash = memrchr(value.ptr, '/', value.len);
		size_t skip = slash ? (size_t)(slash + 1 - value.ptr) : 0;

		copy(&p.file_name, after(value, skip));
	}
	if (p.upload && !p.type.len)
		strbuf_addstr(&p.type, type_of(value));
	vec_push(&c->request.parts, p);
	return 0;
}

/* ---- the table ---- */

#define FLAG(field)                                                                                \
	static bool *flag_##field(struct curl_state *c)                                            \
	{                                                                                          \
		return &c->field;                                                                  \
	}
FLAG(get)
FLAG(head)
FLAG(follow)
FLAG(compressed)
FLAG(basic)
FLAG(globoff)

static bool *flag_insecure(struct curl_state *c)
{
	if (!strstr(strbuf_cstr(&c->script->options), "insecureSkipTLSVerify"))
		strbuf_addstr(&c->script->options, "  insecureSkipTLSVerify: true,\n");
	return NULL;
}

/* clang-format off */
static const struct curl_option options[] = {
	/* what is sent */
	{ "url", 0, true, take_url },
	{ "request", 'X', true, take_method },
	{ "header", 'H', true, take_header },
	{ "user-agent", 'A', true, take_agent },
	{ "referer", 'e', true, take_referer },
	{ "cookie", 'b', true, take_cookie },
	{ "user", 'u', true, take_user },
	{ "oauth2-bearer", 0, true, take_bearer },
	{ "range", 'r', true, take_range },
	{ "data", 'd', true, take_data },
	{ "data-ascii", 0, true, take_data },
	{ "data-raw", 0, true, take_data },
	{ "data-binary", 0, true, take_data },
	{ "data-urlencode", 0, true, take_urlencoded },
	{ "json", 0, true, take_json },
	{ "form", 'F', true, take_form },
	{ "form-string", 0, true, take_form },
	{ "upload-file", 'T', true, take_upload },
	{ "get", 'G', false, NULL, flag_get },
	{ "head", 'I', false, NULL, flag_head },
	{ "location", 'L', false, NULL, flag_follow },
	{ "location-trusted", 0, false, NULL, flag_follow },
	{ "compressed", 0, false, NULL, flag_compressed },
	{ "basic", 0, false, NULL, flag_basic },
	{ "digest", 0, false, take_scheme },
	{ "ntlm", 0, false, take_scheme },
	{ "insecure", 'k', false, NULL, flag_insecure },
	{ "globoff", 'g', false, NULL, flag_globoff },
	{ "max-time", 'm', true, take_time },
	{ "max-redirs", 0, true, take_redirects },
	{ "resolve", 0, true, take_resolve },

	/* what is sent, or how, and a script has no such thing */
	{ "proxy", 'x', true, .note = true },
	{ "proxy-user", 'U', true, .note = true },
	{ "proxy-header", 0, true, .note = true },
	{ "preproxy", 0, true, .note = true },
	{ "socks5", 0, true, .note = true },
	{ "socks5-hostname", 0, true, .note = true },
	{ "socks4", 0, true, .note = true },
	{ "socks4a", 0, true, .note = true },
	{ "noproxy", 0, true, .note = true },
	{ "proxy-insecure", 0, false, .note = true },
	{ "http2", 0, false, .note = true },
	{ "http2-prior-knowledge", 0, false, .note = true },
	{ "http3", 0, false, .note = true },
	{ "http3-only", 0, false, .note = true },
	{ "http1.0", '0', false, .note = true },
	{ "cert", 'E', true, .note = true },
	{ "cert-type", 0, true, .note = true },
	{ "key", 0, true, .note = true },
	{ "key-type", 0, true, .note = true },
	{ "pass", 0, true, .note = true },
	{ "cacert", 0, true, .note = true },
	{ "capath", 0, true, .note = true },
	{ "pinnedpubkey", 0, true, .note = true },
	{ "ciphers", 0, true, .note = true },
	{ "tls-max", 0, true, .note = true },
	{ "tlsv1", '1', false, .note = true },
	{ "tlsv1.0", 0, false, .note = true },
	{ "tlsv1.1", 0, false, .note = true },
	{ "tlsv1.2", 0, false, .note = true },
	{ "tlsv1.3", 0, false, .note = true },
	{ "connect-to", 0, true, .note = true },
	{ "connect-timeout", 0, true, .note = true },
	{ "interface", 0, true, .note = true },
	{ "dns-servers", 0, true, .note = true },
	{ "unix-socket", 0, true, .note = true },
	{ "ipv4", '4', false, .note = true },
	{ "ipv6", '6', false, .note = true },
	{ "negotiate", 0, false, .note = true },
	{ "anyauth", 0, false, .note = true },
	{ "aws-sigv4", 0, true, .note = true },
	{ "netrc", 'n', false, .note = true },
	{ "netrc-file", 0, true, .note = true },
	{ "config", 'K', true, .note = true },
	{ "limit-rate", 0, true, .note = true },
	{ "retry", 0, true, .note = true },
	{ "retry-delay", 0, true, .note = true },
	{ "retry-max-time", 0, true, .note = true },
	{ "retry-all-errors", 0, false, .note = true },
	{ "retry-connrefused", 0, false, .note = true },
	{ "continue-at", 'C', true, .note = true },
	{ "time-cond", 'z', true, .note = true },
	{ "post301", 0, false, .note = true },
	{ "post302", 0, false, .note = true },
	{ "post303", 0, false, .note = true },
	{ "haproxy-protocol", 0, false, .note = true },

	/* the terminal, files, and what makes no difference here */
	{ "http1.1", 0, false },
	{ "silent", 's', false },
	{ "show-error", 'S', false },
	{ "verbose", 'v', false },
	{ "include", 'i', false },
	{ "show-headers", 0, false },
	{ "fail", 'f', false },
	{ "fail-with-body", 0, false },
	{ "fail-early", 0, false },
	{ "output", 'o', true },
	{ "output-dir", 0, true },
	{ "remote-name", 'O', false },
	{ "remote-name-all", 0, false },
	{ "remote-header-name", 'J', false },
	{ "create-dirs", 0, false },
	{ "write-out", 'w', true },
	{ "dump-header", 'D', true },
	{ "cookie-jar", 'c', true },
	{ "junk-session-cookies", 'j', false },
	{ "progress-bar", '#', false },
	{ "no-progress-meter", 0, false },
	{ "no-buffer", 'N', false },
	{ "no-keepalive", 0, false },
	{ "keepalive-time", 0, true },
	{ "tcp-nodelay", 0, false },
	{ "tcp-fastopen", 0, false },
	{ "parallel", 'Z', false },
	{ "parallel-max", 0, true },
	{ "parallel-immediate", 0, false },
	{ "path-as-is", 0, false },
	{ "stderr", 0, true },
	{ "trace", 0, true },
	{ "trace-ascii", 0, true },
	{ "trace-time", 0, false },
	{ "disable", 'q', false },
	{ "speed-limit", 'Y', true },
	{ "speed-time", 'y', true },
	{ "expect100-timeout", 0, true },
	{ "ssl", 0, false },
	{ "ssl-reqd", 0, false },
	{ "ssl-no-revoke", 0, false },
	{ "raw", 0, false },
	{ "styled-output", 0, false },
	{ "proto", 0, true },
	{ "proto-default", 0, true },
	{ "proto-redir", 0, true },
	{ "rate", 0, true },
	{ "max-filesize", 0, true },
	{ "xattr", 0, false },
	{ "no-clobber", 0, false },
	{ "no-styled-output", 0, false },
};
/* clang-format on */

const struct curl_option *curl_option_by_name(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (str_eq_c(name, options[i].name))
			return &options[i];
	return NULL;
}

const struct curl_option *curl_option_by_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

const char *curl_option_near(const char *name)
{
	const char *names[ARRAY_SIZE(options)];

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		names[i] = options[i].name;
	return str_nearest(name, names, ARRAY_SIZE(options));
}
