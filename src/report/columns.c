#include "report/columns.h"

#include "analyze/fmt.h"

/* Bytes of UTF-8 without the continuation bytes. */
static size_t cells(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

size_t columns_width(const char *text)
{
	return cells(text, strlen(text));
}

void columns_add(struct strbuf *sb, const char *text, size_t width, bool right)
{
	size_t used = columns_width(text), blanks = width > used ? width - used : 0;

	if (!right)
		strbuf_addstr(sb, text);
	strbuf_addf(sb, "%*s", (int)blanks, "");
	if (right)
		strbuf_addstr(sb, text);
}

/* Length of the first piece of text that must stay on one line. */
static size_t piece(const char *text)
{
	size_t len = strcspn(text, " ");

	while (text[len] == ' ' && fmt_is_glue(text, text + len))
		len += 1 + strcspn(text + len + 1, " ");
	return len;
}

void columns_end(struct strbuf *sb)
{
	while (sb->len && sb->ptr[sb->len - 1] == ' ')
		sb->ptr[--sb->len] = '\0';
	strbuf_addch(sb, '\n');
}

void columns_wrap(struct strbuf *sb, const char *text, size_t indent, size_t width)
{
	size_t used = indent;

	while (*text) {
		size_t len = piece(text), n = cells(text, len);

		if (used > indent && used + 1 + n > width) {
			strbuf_addf(sb, "\n%*s", (int)indent, "");
			used = indent;
		} else if (used > indent) {
			strbuf_addch(sb, ' ');
			used++;
		}
		strbuf_add(sb, text, len);
		used += n;
		text += len + strspn(text + len, " ");
	}
	strbuf_addch(sb, '\n');
}
