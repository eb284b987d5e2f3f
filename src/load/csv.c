#include "load/csv.h"

#include <errno.h>

void load_csv_init(struct load_csv *csv, struct str text, char delimiter)
{
	*csv = (struct load_csv){ .rest = text, .delimiter = delimiter, .line = 1 };
}

void load_csv_release(struct load_csv *csv)
{
	strbuf_release(&csv->text);
	vec_release(&csv->fields);
}

static void skip(struct load_csv *csv, size_t n)
{
	csv->rest.ptr += n;
	csv->rest.len -= n;
}

/* The length of the line break that s begins with, or 0. A lone "\r" at the very end is one too. */
static size_t line_break(struct str s)
{
	if (s.len && s.ptr[0] == '\n')
		return 1;
	if (s.len > 1 && s.ptr[0] == '\r' && s.ptr[1] == '\n')
		return 2;
	return s.len == 1 && s.ptr[0] == '\r';
}

static void skip_empty_lines(struct load_csv *csv)
{
	size_t n;

	while ((n = line_break(csv->rest))) {
		skip(csv, n);
		csv->line++;
	}
}

static int wrong(const struct load_csv *csv, struct error *reterr, const char *why)
{
	return error_set(reterr, -EINVAL, "line %llu: %s", (unsigned long long)csv->line, why);
}

/* Up to the delimiter or the line break. */
static int read_plain(struct load_csv *csv, struct error *reterr)
{
	size_t n = 0;

	while (n < csv->rest.len && csv->rest.ptr[n] != csv->delimiter &&
	       !line_break((struct str){ csv->rest.ptr + n, csv->rest.len - n })) {
		if (csv->rest.ptr[n] == '"')
			return wrong(csv, reterr,
				     "a quote in a field that does not begin with one");
		n++;
	}
	strbuf_add(&csv->text, csv->rest.ptr, n);
	skip(csv, n);
	return 0;
}

/* One character, or one line break. */
static void take_quoted(struct load_csv *csv)
{
	size_t n = line_break(csv->rest);

	strbuf_addch(&csv->text, n ? '\n' : csv->rest.ptr[0]);
	csv->line += n > 0;
	skip(csv, n ? n : 1);
}

static bool at_field_end(const struct load_csv *csv)
{
	return !csv->rest.len || csv->rest.ptr[0] == csv->delimiter || line_break(csv->rest);
}

/* Behind the opening quote, past the closing one. */
static int read_quoted(struct load_csv *csv, struct error *reterr)
{
	for (;;) {
		if (!csv->rest.len)
			return wrong(csv, reterr, "a quote is not closed");
		if (csv->rest.ptr[0] != '"') {
			take_quoted(csv);
			continue;
		}
		skip(csv, 1);
		if (!csv->rest.len || csv->rest.ptr[0] != '"')
			break;
		take_quoted(csv);
	}
	return at_field_end(csv) ? 0 : wrong(csv, reterr, "text after a closing quote");
}

/* Fields are kept as offsets while text may move. */
static int read_field(struct load_csv *csv, struct error *reterr)
{
	size_t start = csv->text.len;
	bool quoted = csv->rest.len && csv->rest.ptr[0] == '"';
	int r;

	if (csv->fields.len == LOAD_CSV_FIELDS_MAX)
		return wrong(csv, reterr, "too many fields");
	if (quoted)
		skip(csv, 1);
	r = quoted ? read_quoted(csv, reterr) : read_plain(csv, reterr);
	vec_push(&csv->fields, ((struct str){ NULL, csv->text.len - start }));
	strbuf_addch(&csv->text, '\0');
	return r;
}

static void place_fields(struct load_csv *csv)
{
	const char *p = strbuf_cstr(&csv->text);

	vec_for_each (&csv->fields, f) {
		f->ptr = p;
		p += f->len + 1;
	}
}

int load_csv_next(struct load_csv *csv, struct error *reterr)
{
	int r;

	vec_clear(&csv->fields);
	strbuf_clear(&csv->text);
	skip_empty_lines(csv);
	if (!csv->rest.len)
		return 0;
	r = read_field(csv, reterr);
	while (r == 0 && csv->rest.len && csv->rest.ptr[0] == csv->delimiter) {
		skip(csv, 1);
		r = read_field(csv, reterr);
	}
	if (r < 0)
		return r;
	if (!csv->width)
		csv->width = csv->fields.len;
	if (csv->fields.len != csv->width)
		return error_set(reterr, -EINVAL, "line %llu: %zu fields, but the first has %zu",
				 (unsigned long long)csv->line, csv->fields.len, csv->width);
	skip(csv, line_break(csv->rest));
	csv->line++;
	place_fields(csv);
	return 1;
}
