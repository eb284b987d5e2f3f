#include "convert/curl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base64.h"
#include "convert/body.h"
#include "convert/curl_internal.h"
#include "convert/js.h"
#include "convert/percent.h"

/* ---- the command's words ---- */

static int take_option(struct curl_state *c, const struct curl_option *o,
		       const struct strbuf *value)
{
	bool *flag = o->flag ? o->flag(c) : NULL;

	if (flag)
		*flag = true;
	if (o->note)
		convert_note(c->script, "curl's --%s%s%s", o->name, value ? " " : "",
			     value ? strbuf_cstr(value) : "");
	return o->take ? o->take(c, o, value) : 0;
}

/* The word after the one being read; *w moves on. */
static const struct strbuf *next_value(const struct convert_word **w,
				       const struct convert_word *end)
{
	return *w + 1 < end ? &(++*w)->text : NULL;
}

static int read_long(struct curl_state *c, const struct convert_word **w,
		     const struct convert_word *end)
{
	const char *name = (*w)->text.ptr + 2;
	const struct curl_option *o = curl_option_by_name(str_from(name));
	const struct strbuf *value = NULL;
	const char *near = o ? NULL : curl_option_near(name);

	if (!o && near)
		return curl_refuse(c, "curl has no option --%s; did you mean --%s?", name, near);
	if (!o)
		return curl_refuse(c, "the option --%s is not known", name);
	if (o->takes)
		value = next_value(w, end);
	if (o->takes && !value)
		return curl_refuse(c, "--%s needs a value", name);
	return take_option(c, o, value);
}

/* "-sSL", "-XPOST", "-X POST" */
static int read_letters(struct curl_state *c, const struct convert_word **w,
			const struct convert_word *end)
{
	const struct strbuf *word = &(*w)->text;

	for (size_t i = 1; i < word->len; i++) {
		CLEANUP(strbuf_release) struct strbuf rest = STRBUF_INIT;
		const struct curl_option *o = curl_option_by_letter(word->ptr[i]);
		const struct strbuf *value = NULL;
		int r;

		if (!o)
			return curl_refuse(c, "the option -%c is not known", word->ptr[i]);
		if (o->takes && i + 1 < word->len) {
			strbuf_add(&rest, word->ptr + i + 1, word->len - i - 1);
			value = &rest;
		} else if (o->takes) {
			value = next_value(w, end);
		}
		if (o->takes && !value)
			return curl_refuse(c, "-%c needs a value", word->ptr[i]);
		r = take_option(c, o, value);
		if (r < 0 || o->takes)
			return r;
	}
	return 0;
}

static int read_word(struct curl_state *c, const struct convert_word **w,
		     const struct convert_word *end)
{
	struct str s = strbuf_str(&(*w)->text);
	struct strbuf url = STRBUF_INIT;

	c->word = *w;
	if (s.len > 2 && str_starts_with(s, STR("--")))
		return read_long(c, w, end);
	if (s.len > 1 && s.ptr[0] == '-' && s.ptr[1] != '-')
		return read_letters(c, w, end);
	if (!s.len)
		return curl_refuse(c, "this word is empty; a URL was expected");
	strbuf_add(&url, s.ptr, s.len);
	vec_push(&c->urls, url);
	return 0;
}

/* ---- what the words make ---- */

static bool is_removed(const struct curl_state *c, struct str name)
{
	vec_for_each (&c->removed, r)
		if (str_ieq(*r, name))
			return true;
	return false;
}

/* A header that curl sets of itself, unless the command says another or none. */
static void add_default(struct curl_state *c, struct str name, struct str value)
{
	if (!is_removed(c, name) && !convert_request_header(&c->request, name))
		convert_request_add_header(&c->request, name, value);
}

/* The boundary is made with the form: a type that was given has none, or another. */
static void drop_form_type(struct curl_state *c)
{
	struct convert_header *h = convert_request_header(&c->request, STR("Content-Type"));

	if (!h || !str_starts_with(strbuf_str(&h->value), STR("multipart/form-data")))
		return;
	strbuf_release(&h->name);
	strbuf_release(&h->value);
	*h = vec_last(&c->request.headers);
	c->request.headers.len--;
}

static void set_body_headers(struct curl_state *c)
{
	if (c->form)
		drop_form_type(c);
	if (c->json) {
		add_default(c, STR("Content-Type"), STR("application/json"));
		add_default(c, STR("Accept"), STR("application/json"));
	} else if (c->form && convert_parts_are_text(&c->request)) {
		add_default(c, STR("Content-Type"),
			    STR("multipart/form-data; boundary=" CONVERT_BOUNDARY));
	} else if (c->request.pieces.len && !c->get && !c->upload) {
		add_default(c, STR("Content-Type"), STR("application/x-www-form-urlencoded"));
	}
}

static const char *method_of(const struct curl_state *c)
{
	if (c->head)
		return "HEAD";
	if (c->get)
		return "GET";
	if (c->upload)
		return "PUT";
	return c->form || c->json || c->request.pieces.len ? "POST" : "GET";
}

static int set_credentials(struct curl_state *c)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	struct str user = strbuf_str(&c->user);
	bool variable = memchr(user.ptr, CONVERT_VAR_BEGIN, user.len);

	if (c->bearer) {
		strbuf_addf(&value, "Bearer %s", strbuf_cstr(c->bearer));
		add_default(c, STR("Authorization"), strbuf_str(&value));
		return 0;
	}
	if (!user.len)
		return 0;
	if (variable)
		return curl_refuse(c, "-u with a variable of the shell: put in what it holds");
	if (!memchr(user.ptr, ':', user.len))
		return curl_refuse(c,
				   "-u %s: curl would ask for a password; write it, NAME:PASSWORD",
				   strbuf_cstr(&c->user));
	if (c->request.auth) {
		convert_percent(&c->request.user, user, CONVERT_UNRESERVED ":", false);
		return 0;
	}
	strbuf_addstr(&value, "Basic ");
	base64_encode(&value, user);
	add_default(c, STR("Authorization"), strbuf_str(&value));
	return 0;
}

/* -G: the data goes behind the question mark. */
static int move_to_query(struct curl_state *c, struct strbuf *url)
{
	size_t hash = str_find(strbuf_str(url), '#');
	struct strbuf *data;

	strbuf_truncate(url, hash);
	if (!c->request.pieces.len)
		return 0;
	data = &c->request.pieces.ptr[0].text;
	if (c->request.pieces.len > 1 || c->request.pieces.ptr[0].kind != CONVERT_TEXT)
		return curl_refuse(c, "-G with data of a file: put the data into the URL");
	strbuf_addch(url, memchr(url->ptr, '?', url->len) ? '&' : '?');
	strbuf_add(url, data->ptr, data->len);
	return 0;
}

static int set_upload(struct curl_state *c, struct strbuf *url)
{
	struct convert_piece p = { .kind = CONVERT_FILE };
	const char *slash;

	if (!c->upload)
		return 0;
	if (c->request.pieces.len || c->form)
		return curl_refuse(c, "-T and -d or -F exclude each other");
	strbuf_add(&p.text, c->upload->ptr, c->upload->len);
	vec_push(&c->request.pieces, p);
	slash = memrchr(c->upload->ptr, '/', c->upload->len);
	if (url->len && url->ptr[url->len - 1] == '/')
		strbuf_addstr(url, slash ? slash + 1 : strbuf_cstr(c->upload));
	return 0;
}

/* "host/path" is http; braces and brackets would make curl fetch several. */
static int set_url(struct curl_state *c, const struct strbuf *given)
{
	struct strbuf *url = &c->request.url;
	struct str s = strbuf_str(given);
	bool variable = s.len && s.ptr[0] == CONVERT_VAR_BEGIN;

	strbuf_clear(url);
	if (!c->globoff && memchr(s.ptr, '{', s.len) && memchr(s.ptr, '}', s.len))
		return curl_refuse(c, "%s: curl makes several of it; write them out, or say -g",
				   strbuf_cstr(given));
	if (!variable && !memmem(s.ptr, s.len, "://", 3))
		strbuf_addstr(url, "http://");
	else if (!variable && !str_starts_with(s, STR("http://")) &&
		 !str_starts_with(s, STR("https://")))
		return curl_refuse(c, "%s: only http and https can be loaded", strbuf_cstr(given));
	strbuf_add(url, s.ptr, s.len);
	return c->get ? move_to_query(c, url) : set_upload(c, url);
}

static int check_text(struct curl_state *c)
{
	vec_for_each (&c->request.pieces, p) {
		struct str s = strbuf_str(&p->text);

		for (size_t i = 0; i < s.len;) {
			size_t n = str_utf8_length(s, i);

			if (!n && s.ptr[i] == CONVERT_VAR_BEGIN)
				n = str_find((struct str){ s.ptr + i, s.len - i },
					     CONVERT_VAR_END) +
				    1;
			if (!n)
				return curl_refuse(
					c, "the data has bytes that are no text (UTF-8): put it "
					   "into a file, --data-binary @FILE");
			i += n;
		}
	}
	return 0;
}

static int write_call(struct curl_state *c, unsigned number)
{
	struct convert_script *s = c->script;
	struct error why = ERROR_INIT;

	strbuf_addf(&s->body, "%s  const res%s", number > 1 ? "\n" : "", number > 1 ? "" : " = ");
	if (number > 1)
		strbuf_addf(&s->body, "%u = ", number);
	if (convert_script_call(s, &c->request, 2, &why) < 0)
		return curl_refuse(c, "%s", why.msg);
	strbuf_addstr(&s->body, ";\n  check(res");
	if (number > 1)
		strbuf_addf(&s->body, "%u", number);
	strbuf_addstr(&s->body,
		      ", {\n    'status is below 400': (r) => r.status > 0 && r.status < 400,\n"
		      "  });\n");
	return 0;
}

/* All the URLs of one transfer. */
static int finish(struct curl_state *c, unsigned *number)
{
	struct convert_request *r = &c->request;
	int err;

	if (!c->urls.len)
		return curl_refuse(c, "this curl has no URL");
	if (c->form && (c->request.pieces.len || c->get))
		return curl_refuse(c, "-F and -d or -G exclude each other");
	if (!r->method.len)
		strbuf_addstr(&r->method, method_of(c));
	set_body_headers(c);
	if (c->compressed)
		add_default(c, STR("Accept-Encoding"), STR("deflate, gzip, br, zstd"));
	r->redirects = c->follow ? c->max_redirects : 0;
	err = set_credentials(c);
	if (err == 0)
		err = check_text(c);
	vec_for_each (&c->urls, url) {
		if (err == 0)
			err = set_url(c, url);
		if (c->get) {
			vec_for_each (&r->pieces, p)
				strbuf_release(&p->text);
			vec_clear(&r->pieces);
		}
		if (err == 0)
			err = write_call(c, ++*number);
	}
	return err;
}

static void release_state(struct curl_state *c)
{
	convert_request_release(&c->request);
	strbuf_release(&c->user);
	vec_for_each (&c->urls, u)
		strbuf_release(u);
	vec_release(&c->urls);
	vec_release(&c->removed);
}

/* From the word after "curl" or "--next" to the next of these; *w is where it ended. */
static int read_transfer(struct curl_state *c, const struct convert_word **w,
			 const struct convert_word *end, unsigned *number)
{
	int r = 0;

	for (; *w < end && r == 0; ++*w) {
		struct str s = strbuf_str(&(*w)->text);

		if (str_eq_c(s, "--next") || str_eq_c(s, "-:"))
			break;
		r = read_word(c, w, end);
	}
	return r < 0 ? r : finish(c, number);
}

static int read_command(const char *name, struct convert_script *s, const struct convert_word *w,
			const struct convert_word *end, unsigned *number, struct error *reterr)
{
	int r = 0;

	while (r == 0 && w < end) {
		struct curl_state c = { .name = name,
					.script = s,
					.request = CONVERT_REQUEST_INIT,
					.word = w,
					.max_redirects = -1,
					.reterr = reterr };

		w++;
		r = read_transfer(&c, &w, end, number);
		release_state(&c);
	}
	return r;
}

/* "curl", "/usr/bin/curl", "curl.exe"; a prompt in front of it, "$", is let pass. */
static bool is_curl(const struct convert_word *w)
{
	struct str s = strbuf_str(&w->text);

	return str_eq_c(s, "curl") || str_ends_with(s, STR("/curl")) || str_eq_c(s, "curl.exe");
}

static const struct convert_word *end_of_command(const struct convert_word *w,
						 const struct convert_word *end)
{
	while (w < end && w->kind == CONVERT_WORD)
		w++;
	return w;
}

int convert_curl(struct str text, const char *name, struct convert_script *s, struct error *reterr)
{
	CLEANUP(convert_words_release) struct convert_words words = { 0 };
	unsigned number = 0;
	bool piped = false;
	int r;

	if (text.len > CONVERT_CURL_MAX_BYTES)
		return error_set(reterr, -E2BIG, "%s: %zu bytes, at most %u are read", name,
				 text.len, CONVERT_CURL_MAX_BYTES);
	r = convert_words_split(text, name, &words, reterr);
	for (const struct convert_word *w = words.ptr, *end = w + words.len; r == 0 && w < end;) {
		const struct convert_word *stop = end_of_command(w, end);

		if (w < stop && str_eq_c(strbuf_str(&w->text), "$"))
			w++;
		if (w < stop && is_curl(w))
			r = read_command(name, s, w, stop, &number, reterr);
		else if (w < stop && !piped)
			r = error_set(reterr, -EINVAL, "%s:%u:%u: expected curl, not \"%s\"", name,
				      w->line, w->column, strbuf_cstr(&w->text));
		piped = stop < end && stop->kind == CONVERT_PIPE;
		w = stop < end ? stop + 1 : end;
	}
	if (r == 0 && !number)
		r = error_set(reterr, -EINVAL, "%s: there is no curl command in it", name);
	s->from = number > 1 ? "curl commands" : "a curl command";
	return r;
}
