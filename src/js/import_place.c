/*
 * The engine's errors of imports name the module that could not be had, or has no such export, but
 * not who asked for it. Here the asking line is looked up in the source, which is read again for
 * that: such an error ends the run.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "js/js_internal.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool at_word(struct str text, size_t i, struct str word)
{
	return i + word.len <= text.len && !memcmp(text.ptr + i, word.ptr, word.len) &&
	       (!i || !is_word(text.ptr[i - 1])) &&
	       (i + word.len == text.len || !is_word(text.ptr[i + word.len]));
}

/* Does what ends at i ask for a module: from, import, import( or require( ? */
static bool asks_before(struct str text, size_t i)
{
	static const char *const words[] = { "from", "import", "require" };

	while (i && strchr(" \t\r\n(", text.ptr[i - 1]))
		i--;
	for (size_t w = 0; w < ARRAY_SIZE(words); w++) {
		struct str word = str_from(words[w]);

		if (i >= word.len && at_word(text, i - word.len, word))
			return true;
	}
	return false;
}

/* Offset of the quote before what a module wrote to ask for another; SIZE_MAX when it is not
 * there as it stands. */
static size_t find_written(struct str text, struct str written)
{
	for (size_t i = 1; i + written.len < text.len; i++) {
		char quote = text.ptr[i - 1];

		if ((quote == '"' || quote == '\'') && text.ptr[i + written.len] == quote &&
		    !memcmp(text.ptr + i, written.ptr, written.len) && asks_before(text, i - 1))
			return i - 1;
	}
	return SIZE_MAX;
}

/* Offset of a name in the import or export declaration that ends at `end`, or else of its end. */
static size_t find_name(struct str text, size_t end, struct str name)
{
	struct str declaration = { text.ptr, end };
	size_t begin = end;

	while (begin && !at_word(declaration, begin, STR("import")) &&
	       !at_word(declaration, begin, STR("export")))
		begin--;
	for (size_t i = begin; i < end; i++)
		if (at_word(declaration, i, name))
			return i;
	return end;
}

static void set_place(struct js_error *err, const char *file, struct str text, size_t offset)
{
	unsigned line = 1, column = 1;

	for (size_t i = 0; i < offset; i++) {
		column = text.ptr[i] == '\n' ? 1 : column + 1;
		line += text.ptr[i] == '\n';
	}
	err->file = xstrdup(file);
	err->line = line;
	err->column = column;
	free(err->stack);
	err->stack = xasprintf("    at %s:%u:%u\n", file, line, column);
}

/* name = the export that is missing, empty when the whole module is. */
static bool look(struct js_vm *vm, struct js_error *err, const struct js_import *import,
		 struct str name)
{
	CLEANUP(strbuf_release) struct strbuf text = { .max = JS_SOURCE_BYTES_MAX };
	size_t offset;

	if (!import->importer[0] ||
	    js_modules_read(vm->shard->modules, import->importer, &text) < 0)
		return false;
	offset = find_written(strbuf_str(&text), str_from(import->written));
	if (offset == SIZE_MAX)
		return false;
	if (name.len)
		offset = find_name(strbuf_str(&text), offset, name);
	set_place(err, import->importer, strbuf_str(&text), offset);
	return true;
}

/* "...Could not find export 'NAME' in module 'MODULE'": the engine's own words. */
static void look_for_export(struct js_vm *vm, struct js_error *err)
{
	static const char begin[] = "Could not find export '", middle[] = "' in module '";
	const char *name = strstr(err->message, begin), *module;
	struct str wanted, from;

	if (!name)
		return;
	name += sizeof(begin) - 1;
	module = strstr(name, middle);
	if (!module)
		return;
	wanted = (struct str){ name, (size_t)(module - name) };
	from = str_from(module + sizeof(middle) - 1);
	if (from.len)
		from.len--;
	vec_for_each (&vm->imports, i)
		if (str_eq_c(from, i->name) && look(vm, err, i, wanted))
			return;
}

void js_imports_end(struct js_vm *vm, struct js_error *err)
{
	const struct js_import *last =
		vm->imports.len ? &vm->imports.ptr[vm->imports.len - 1] : NULL;

	if (err && err->message && !err->file) {
		if (vm->import_refused && last)
			look(vm, err, last, STR(""));
		else
			look_for_export(vm, err);
	}
	vec_for_each (&vm->imports, i) {
		free(i->importer);
		free(i->written);
		free(i->name);
	}
	vec_release(&vm->imports);
	vm->importing = vm->import_refused = false;
}
