#include "convert/body.h"

#include <errno.h>

#include "convert/js.h"

/* `const fileN = open('path', 'b');`, and N. */
static unsigned open_file(struct convert_script *s, const struct strbuf *path, bool binary)
{
	CLEANUP(strbuf_release) struct strbuf whole = STRBUF_INIT;

	if (s->file_prefix && path->len && path->ptr[0] != '/')
		strbuf_addstr(&whole, s->file_prefix);
	strbuf_add(&whole, path->ptr, path->len);
	strbuf_addf(&s->init, "const file%u = open(", ++s->files);
	convert_js_string(&s->init, strbuf_str(&whole));
	strbuf_addstr(&s->init, binary ? ", 'b');\n" : ");\n");
	return s->files;
}

static void add_piece(struct convert_script *s, const struct convert_piece *p, bool alone,
		      struct strbuf *out)
{
	switch (p->kind) {
	case CONVERT_TEXT:
		convert_js_string(out, strbuf_str(&p->text));
		break;
	case CONVERT_FILE:
		strbuf_addf(out, "file%u", open_file(s, &p->text, alone));
		break;
	case CONVERT_FILE_STRIPPED:
		strbuf_addf(out, "file%u.replace(/[\\r\\n\\0]/g, '')",
			    open_file(s, &p->text, false));
		break;
	case CONVERT_FILE_ENCODED:
		strbuf_addf(out, "encodeURIComponent(file%u).replace(/%%20/g, '+')",
			    open_file(s, &p->text, false));
		break;
	case CONVERT_BASE64:
		s->uses_encoding = true;
		strbuf_addstr(out, "encoding.b64decode(");
		convert_js_string(out, strbuf_str(&p->text));
		strbuf_addch(out, ')');
		break;
	}
}

bool convert_parts_are_text(const struct convert_request *r)
{
	vec_for_each (&r->parts, p)
		if (p->upload)
			return false;
	return true;
}

/* A name or a file's name in Content-Disposition, as browsers write it. */
static void add_disposition_value(struct strbuf *out, const struct strbuf *s)
{
	for (size_t i = 0; i < s->len; i++) {
		char c = s->ptr[i];

		if (c == '"' || c == '\r' || c == '\n')
			strbuf_addf(out, "%%%02X", c);
		else
			strbuf_addch(out, c);
	}
}

/* The parts as the text that is sent, a line of it an element. */
static void add_text_parts(struct convert_script *s, const struct convert_request *r,
			   unsigned indent, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;

	strbuf_addstr(out, "[\n");
	vec_for_each (&r->parts, p) {
		convert_js_indent(out, indent + 2);
		strbuf_addstr(out, "'--" CONVERT_BOUNDARY "',\n");
		convert_js_indent(out, indent + 2);
		strbuf_clear(&line);
		strbuf_addstr(&line, "Content-Disposition: form-data; name=\"");
		add_disposition_value(&line, &p->name);
		strbuf_addch(&line, '"');
		if (p->file_name.len) {
			strbuf_addstr(&line, "; filename=\"");
			add_disposition_value(&line, &p->file_name);
			strbuf_addch(&line, '"');
		}
		convert_js_string(out, strbuf_str(&line));
		strbuf_addstr(out, ",\n");
		if (p->type.len) {
			convert_js_indent(out, indent + 2);
			strbuf_clear(&line);
			strbuf_addf(&line, "Content-Type: %s", strbuf_cstr(&p->type));
			convert_js_string(out, strbuf_str(&line));
			strbuf_addstr(out, ",\n");
		}
		convert_js_indent(out, indent + 2);
		strbuf_addstr(out, "'',\n");
		convert_js_indent(out, indent + 2);
		if (p->from_file)
			strbuf_addf(out, "file%u", open_file(s, &p->value, false));
		else
			convert_js_string(out, strbuf_str(&p->value));
		strbuf_addstr(out, ",\n");
	}
	convert_js_indent(out, indent + 2);
	strbuf_addstr(out, "'--" CONVERT_BOUNDARY "--',\n");
	convert_js_indent(out, indent + 2);
	strbuf_addstr(out, "'',\n");
	convert_js_indent(out, indent);
	strbuf_addstr(out, "].join('\\r\\n')");
}

static void add_upload(struct convert_script *s, const struct convert_part *p, struct strbuf *out)
{
	strbuf_addstr(out, "http.file(");
	if (p->base64) {
		s->uses_encoding = true;
		strbuf_addstr(out, "encoding.b64decode(");
		convert_js_string(out, strbuf_str(&p->value));
		strbuf_addch(out, ')');
	} else {
		strbuf_addf(out, "file%u", open_file(s, &p->value, true));
	}
	strbuf_addstr(out, ", ");
	convert_js_string(out, strbuf_str(&p->file_name));
	if (p->type.len) {
		strbuf_addstr(out, ", ");
		convert_js_string(out, strbuf_str(&p->type));
	}
	strbuf_addch(out, ')');
}

/* Parts with files among them: an object, of which k6 makes the form. */
static int add_object_parts(struct convert_script *s, const struct convert_request *r,
			    unsigned indent, struct strbuf *out, struct error *reterr)
{
	strbuf_addstr(out, "{\n");
	vec_for_each (&r->parts, p) {
		for (const struct convert_part *q = r->parts.ptr; q < p; q++)
			if (str_eq(strbuf_str(&p->name), strbuf_str(&q->name)))
				return error_set(reterr, -EINVAL,
						 "the form has \"%s\" twice and files beside: k6 "
						 "has no such form",
						 strbuf_cstr(&p->name));
		convert_js_indent(out, indent + 2);
		convert_js_key(out, strbuf_str(&p->name));
		strbuf_addstr(out, ": ");
		if (p->upload)
			add_upload(s, p, out);
		else if (p->from_file)
			strbuf_addf(out, "file%u", open_file(s, &p->value, false));
		else
			convert_js_string(out, strbuf_str(&p->value));
		strbuf_addstr(out, ",\n");
	}
	convert_js_indent(out, indent);
	strbuf_addch(out, '}');
	return 0;
}

int convert_body(struct convert_script *s, const struct convert_request *r, unsigned indent,
		 struct strbuf *out, struct error *reterr)
{
	bool alone = r->pieces.len == 1;

	if (r->parts.len && !convert_parts_are_text(r))
		return add_object_parts(s, r, indent, out, reterr);
	if (r->parts.len)
		add_text_parts(s, r, indent, out);
	vec_for_each (&r->pieces, p) {
		if (p != r->pieces.ptr)
			strbuf_addstr(out, " + ");
		add_piece(s, p, alone, out);
	}
	return 0;
}
