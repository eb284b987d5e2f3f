#include "convert/js.h"

#include <stdlib.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* U+2028 and U+2029 end a line for JavaScript, as no other character beyond ASCII does. */
static bool is_separator(struct str s, size_t i)
{
	return s.len - i >= 3 &&
	       (!memcmp(s.ptr + i, "\xe2\x80\xa8", 3) || !memcmp(s.ptr + i, "\xe2\x80\xa9", 3));
}

static bool is_identifier(struct str s)
{
	if (!s.len || !is_letter(s.ptr[0]))
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!is_letter(s.ptr[i]) && !is_digit(s.ptr[i]))
			return false;
	return true;
}

void convert_js_indent(struct strbuf *sb, unsigned blanks)
{
	while (blanks--)
		strbuf_addch(sb, ' ');
}

/* Several lines read better as such; a carriage return in a template would be lost. */
static bool wants_template(struct str s)
{
	bool lines = false;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == CONVERT_VAR_BEGIN)
			return true;
		lines |= s.ptr[i] == '\n' && i + 1 < s.len;
	}
	return lines;
}

static void add_ascii(struct strbuf *sb, char c, char quote)
{
	static const char from[] = "\r\t\b\f\v", to[] = "rtbfv";
	const char *known = c ? strchr(from, c) : NULL;

	if (c == quote || c == '\\')
		strbuf_addf(sb, "\\%c", c);
	else if (c == '\n')
		strbuf_addstr(sb, quote == '`' ? "\n" : "\\n");
	else if (known)
		strbuf_addf(sb, "\\%c", to[known - from]);
	else if ((unsigned char)c < 0x20 || c == 0x7f)
		strbuf_addf(sb, "\\x%02x", (unsigned char)c);
	else
		strbuf_addch(sb, c);
}

/* The length of a variable's mark at s.ptr[i], or 0. */
static size_t add_variable(struct strbuf *sb, struct str s, size_t i)
{
	struct str rest = { s.ptr + i + 1, s.len - i - 1 };
	size_t end = str_find(rest, CONVERT_VAR_END);

	if (s.ptr[i] != CONVERT_VAR_BEGIN || end == rest.len)
		return 0;
	if (*rest.ptr == CONVERT_VAR_CONSTANT)
		strbuf_addf(sb, "${%.*s}", (int)end - 1, rest.ptr + 1);
	else
		strbuf_addf(sb, "${__ENV.%.*s}", (int)end, rest.ptr);
	return end + 2;
}

/* One character or mark; returns its length in s. */
static size_t add_next(struct strbuf *sb, struct str s, size_t i, char quote)
{
	size_t n = str_utf8_length(s, i);

	if (!n) {
		n = quote == '`' ? add_variable(sb, s, i) : 0;
		if (!n)
			strbuf_addstr(sb, "\\ufffd");
		return n ? n : 1;
	}
	if (is_separator(s, i))
		strbuf_addf(sb, "\\u20%02x", (s.ptr[i + 2] & 0x7f));
	else if (n > 1)
		strbuf_add(sb, s.ptr + i, n);
	else if (quote == '`' && s.ptr[i] == '$')
		strbuf_addstr(sb, "\\$");
	else
		add_ascii(sb, s.ptr[i], quote);
	return n;
}

void convert_js_string(struct strbuf *sb, struct str s)
{
	char quote = wants_template(s) ? '`' : '\'';

	strbuf_addch(sb, quote);
	for (size_t i = 0; i < s.len;)
		i += add_next(sb, s, i, quote);
	strbuf_addch(sb, quote);
}

void convert_js_key(struct strbuf *sb, struct str name)
{
	/* in brackets __proto__ is a property as any other */
	if (is_identifier(name) && !str_eq_c(name, "__proto__")) {
		strbuf_add(sb, name.ptr, name.len);
	} else if (wants_template(name) || str_eq_c(name, "__proto__")) {
		strbuf_addch(sb, '[');
		convert_js_string(sb, name);
		strbuf_addch(sb, ']');
	} else {
		convert_js_string(sb, name);
	}
}

/* What ends a line for JavaScript must not end the comment. */
static void add_comment_line(struct strbuf *sb, struct str line)
{
	for (size_t i = 0; i < line.len;) {
		size_t n = str_utf8_length(line, i);

		if (n == 1 && (unsigned char)line.ptr[i] < 0x20)
			strbuf_addch(sb, ' ');
		else if (n && !is_separator(line, i))
			strbuf_add(sb, line.ptr + i, n);
		else
			strbuf_addch(sb, '?');
		i += n ? n : 1;
	}
}

void convert_js_comment(struct strbuf *sb, unsigned indent, struct str text)
{
	struct str rest = str_trim(text), line;

	while (str_split(&rest, '\n', &line)) {
		convert_js_indent(sb, indent);
		strbuf_addstr(sb, "// ");
		add_comment_line(sb, line);
		while (sb->len && sb->ptr[sb->len - 1] == ' ')
			strbuf_truncate(sb, sb->len - 1);
		strbuf_addch(sb, '\n');
	}
}

static bool is_reserved(const char *name)
{
	static const char *const words[] = {
		"arguments",  "await",	       "break",	    "case",
		"catch",      "check",	       "class",	    "const",
		"continue",   "debugger",      "default",   "delete",
		"do",	      "else",	       "enum",	    "eval",
		"export",     "extends",       "false",	    "finally",
		"for",	      "function",      "group",	    "http",
		"if",	      "implements",    "import",    "in",
		"instanceof", "interface",     "let",	    "new",
		"null",	      "options",       "package",   "private",
		"protected",  "public",	       "return",    "setup",
		"sleep",      "static",	       "super",	    "switch",
		"teardown",   "this",	       "throw",	    "true",
		"try",	      "typeof",	       "undefined", "var",
		"void",	      "while",	       "with",	    "yield",
		"encoding",   "handleSummary", "open",	    "require",
		"console",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

void convert_js_name(struct strbuf *sb, struct str text)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	bool upper = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = is_letter(c) && c != '$' && c != '_';

		if (!letter && (!is_digit(c) || !name.len)) {
			upper = name.len > 0;
			continue;
		}
		if (letter && upper)
			c = (char)(c & 0x5f);
		else if (letter && !name.len)
			c = (char)(c | 0x20);
		strbuf_addch(&name, c);
		upper = false;
	}
	if (!name.len)
		strbuf_addstr(&name, "request");
	if (is_reserved(strbuf_cstr(&name)))
		strbuf_addch(&name, '_');
	strbuf_add(sb, name.ptr, name.len);
}
