#include "convert/words.h"

#include <errno.h>

#include "base/vec.h"
#include "convert/js.h"

struct splitter {
	struct str text;
	size_t at;
	size_t line_start;
	unsigned line;
	const char *name;
	struct convert_words *out;
	struct strbuf *word;
	unsigned word_line, word_column;
	bool redirected; /* the next word is the file of a redirection */
	struct error *reterr;
};

static char peek(const struct splitter *s, size_t ahead)
{
	return s->at + ahead < s->text.len ? s->text.ptr[s->at + ahead] : '\0';
}

static bool at_end(const struct splitter *s)
{
	return s->at >= s->text.len;
}

static char next(struct splitter *s)
{
	char c = s->text.ptr[s->at++];

	if (c == '\n') {
		s->line++;
		s->line_start = s->at;
	}
	return c;
}

static unsigned column(const struct splitter *s)
{
	return (unsigned)(s->at - s->line_start) + 1;
}

static int refuse(const struct splitter *s, unsigned line, unsigned col, const char *what)
{
	return error_set(s->reterr, -EINVAL, "%s:%u:%u: %s", s->name, line, col, what);
}

static int refuse_here(const struct splitter *s, const char *what)
{
	return refuse(s, s->line, column(s), what);
}

static bool is_name(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

/* After "$": NAME or {NAME}. Another thing is refused, a lone dollar is one. */
static int take_variable(struct splitter *s)
{
	bool braces = peek(s, 0) == '{';
	size_t start = s->at + braces, end = start;

	if (peek(s, 0) == '(')
		return refuse_here(s, "$(...) is the shell's to compute: put in what it gives");
	while (end < s->text.len && is_name(s->text.ptr[end], end == start))
		end++;
	if (braces && (end == start || end >= s->text.len || s->text.ptr[end] != '}'))
		return refuse_here(s, "of ${...} only ${NAME} is understood");
	if (end == start) {
		strbuf_addch(s->word, '$');
		return 0;
	}
	strbuf_addch(s->word, CONVERT_VAR_BEGIN);
	strbuf_add(s->word, s->text.ptr + start, end - start);
	strbuf_addch(s->word, CONVERT_VAR_END);
	s->at = end + braces;
	return 0;
}

static int take_single(struct splitter *s)
{
	unsigned line = s->line, col = column(s);

	next(s);
	while (!at_end(s)) {
		char c = next(s);

		if (c == '\'')
			return 0;
		strbuf_addch(s->word, c);
	}
	return refuse(s, line, col, "this quote (') has no end");
}

/* What a backslash does between double quotes, and a few words that are not one's to take. */
static int take_in_double(struct splitter *s, char c)
{
	if (c == '$')
		return take_variable(s);
	if (c == '`')
		return refuse_here(s, "`...` is the shell's to compute: put in what it gives");
	if (c != '\\' || at_end(s)) {
		strbuf_addch(s->word, c);
		return 0;
	}
	c = peek(s, 0);
	if (!strchr("$`\"\\\n", c) || !c)
		strbuf_addch(s->word, '\\');
	c = next(s);
	if (c != '\n')
		strbuf_addch(s->word, c);
	return 0;
}

static int take_double(struct splitter *s)
{
	unsigned line = s->line, col = column(s);

	next(s);
	while (!at_end(s)) {
		char c = next(s);
		int r;

		if (c == '"')
			return 0;
		r = take_in_double(s, c);
		if (r < 0)
			return r;
	}
	return refuse(s, line, col, "this quote (\") has no end");
}

/* Up to max digits of a base into *ret; false when there is none. */
static bool take_digits(struct splitter *s, unsigned base, unsigned max, uint32_t *ret)
{
	uint32_t v = 0;
	unsigned n = 0;

	for (; n < max && !at_end(s); n++) {
		int digit = str_hex_digit(peek(s, 0));

		if (digit < 0 || (unsigned)digit >= base)
			break;
		v = v * base + (uint32_t)digit;
		next(s);
	}
	*ret = v;
	return n > 0;
}

/* \xHH, \NNN, \uHHHH, \UHHHHHHHH in $'...'; c is what followed the backslash. */
static int take_numbered(struct splitter *s, char c)
{
	bool code_point = c == 'u' || c == 'U';
	uint32_t v;

	if (c >= '0' && c <= '7') {
		s->at--;
		take_digits(s, 8, 3, &v);
	} else if (!take_digits(s, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8, &v)) {
		strbuf_addf(s->word, "\\%c", c);
		return 0;
	}
	if (code_point && v > 0x10ffff)
		return refuse_here(s, "there is no such character");
	if (code_point)
		strbuf_add_utf8(s->word, v);
	else
		strbuf_addch(s->word, (char)v);
	return 0;
}

static int take_escape(struct splitter *s)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	const char *known;
	char c;

	if (at_end(s))
		return 0;
	c = next(s);
	known = c ? strchr(from, c) : NULL;
	if (known)
		strbuf_addch(s->word, to[known - from]);
	else if (c == 'x' || c == 'u' || c == 'U' || (c >= '0' && c <= '7'))
		return take_numbered(s, c);
	else if (c == 'c' && !at_end(s))
		strbuf_addch(s->word, (char)(next(s) & 0x1f));
	else
		strbuf_addf(s->word, "\\%c", c);
	return 0;
}

static int take_ansi(struct splitter *s)
{
	unsigned line = s->line, col = column(s);

	s->at += 2;
	while (!at_end(s)) {
		char c = next(s);
		int r = 0;

		if (c == '\'')
			return 0;
		if (c == '\\')
			r = take_escape(s);
		else
			strbuf_addch(s->word, c);
		if (r < 0)
			return r;
	}
	return refuse(s, line, col, "this quote ($') has no end");
}

/* A character outside of quotes, or a whole quoted part. */
static int take_part(struct splitter *s)
{
	char c = peek(s, 0);

	if (c == '\'')
		return take_single(s);
	if (c == '"')
		return take_double(s);
	if (c == '$' && peek(s, 1) == '\'')
		return take_ansi(s);
	if (c == '^' && peek(s, 1) == '"')
		return refuse_here(s, "this is quoted for Windows' cmd: copy it for bash");
	next(s);
	if (c == '$')
		return take_variable(s);
	if (c == '`')
		return refuse_here(s, "`...` is the shell's to compute: put in what it gives");
	if (c != '\\') {
		strbuf_addch(s->word, c);
		return 0;
	}
	if (peek(s, 0) == '\r' && peek(s, 1) == '\n')
		next(s);
	if (!at_end(s)) {
		c = next(s);
		if (c != '\n')
			strbuf_addch(s->word, c);
	}
	return 0;
}

static bool ends_word(const struct splitter *s)
{
	char c = peek(s, 0);

	return at_end(s) || (c && strchr(" \t\r\n;|&<>", c));
}

static void push(struct splitter *s, enum convert_word_kind kind, struct strbuf *text)
{
	struct convert_word w = { .kind = kind, .line = s->word_line, .column = s->word_column };

	if (text) {
		w.text = *text;
		*text = (struct strbuf)STRBUF_INIT;
	}
	vec_push(s->out, w);
}

static int take_word(struct splitter *s)
{
	CLEANUP(strbuf_release) struct strbuf word = STRBUF_INIT;
	int r = 0;

	s->word = &word;
	while (r == 0 && !ends_word(s))
		r = take_part(s);
	/* a number right before > is the descriptor's */
	if (r < 0 || s->redirected || (peek(s, 0) == '>' && word.len == 1 && word.ptr[0] < '3')) {
		s->redirected = false;
		return r;
	}
	push(s, CONVERT_WORD, &word);
	return 0;
}

static int take_operator(struct splitter *s)
{
	char c = next(s);

	if (c == '<' || c == '>') {
		if (c == '<' && peek(s, 0) == '<')
			return refuse_here(s, "<<: put what follows into a file, -d @FILE");
		if (c == '>' && (peek(s, 0) == '>' || peek(s, 0) == '&'))
			next(s);
		s->redirected = true;
		return 0;
	}
	if (c == '|' && peek(s, 0) != '|') {
		push(s, CONVERT_PIPE, NULL);
		return 0;
	}
	if ((c == '|' || c == '&') && peek(s, 0) == c)
		next(s);
	push(s, CONVERT_END, NULL);
	return 0;
}

static void skip_comment(struct splitter *s)
{
	while (!at_end(s) && peek(s, 0) != '\n')
		next(s);
}

static int take_next(struct splitter *s)
{
	char c = peek(s, 0);

	s->word_line = s->line;
	s->word_column = column(s);
	if (c == '\\' && s->at + 1 == s->text.len) {
		next(s);
	} else if (c == '\\' &&
		   (peek(s, 1) == '\n' || (peek(s, 1) == '\r' && peek(s, 2) == '\n'))) {
		next(s);
		while (next(s) != '\n')
			;
	} else if (c == ' ' || c == '\t' || c == '\r') {
		next(s);
	} else if (c == '#') {
		skip_comment(s);
	} else if (ends_word(s)) {
		return take_operator(s);
	} else {
		return take_word(s);
	}
	return 0;
}

int convert_words_split(struct str text, const char *name, struct convert_words *ret,
			struct error *reterr)
{
	struct splitter s = { .text = text, .line = 1, .name = name, .out = ret, .reterr = reterr };
	int r = 0;

	while (r == 0 && !at_end(&s))
		r = take_next(&s);
	return r;
}

void convert_words_release(struct convert_words *w)
{
	vec_for_each (w, word)
		strbuf_release(&word->text);
	vec_release(w);
}
