/*
 * script.h - the script of a run and what it imports: sources read once, compiled once, shared by
 * all virtual users; k6's modules; what open() has read. Any thread.
 */
#ifndef ASSAY_LOAD_SCRIPT_H
#define ASSAY_LOAD_SCRIPT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "js/module.h"

/* Files that open() takes and that a script imports: more is refused. */
#define LOAD_FILE_BYTES_MAX ((size_t)256 * 1024 * 1024)

struct load_script;

/*
 * path is the file to run. With text given the script is that text and path only names it; relative
 * imports are then resolved against it. natives is borrowed and ends with NULL.
 */
int load_script_new(struct load_script **ret, const char *path, struct str text,
		    const struct js_native_module *const *natives, struct error *reterr);

/* A folder with copies of modules from the network, HOST/PATH below it; before the first import.
 * NULL = none. */
void load_script_set_module_dir(struct load_script *s, const char *dir);

/* Every shard that uses its modules must have been freed. NULL in, nothing done. */
void load_script_free(struct load_script *s);

struct js_modules *load_script_modules(struct load_script *s);

/* The name to give to js_vm_import(). */
const char *load_script_name(const struct load_script *s);

/* The text of the main script, for its hash. */
struct str load_script_text(const struct load_script *s);

/*
 * The content of a file as open() gives it, read once and kept until the script is freed. importer
 * is the module that asks, "" for the main script; relative paths start there.
 */
int load_script_open(struct load_script *s, const char *importer, const char *path, struct str *ret,
		     struct error *reterr);

/* The absolute path that load_script_open() would read; replaces *ret. 0 or -EOPNOTSUPP. */
int load_script_resolve(struct load_script *s, const char *importer, const char *path,
			struct strbuf *ret, struct error *reterr);

/*
 * Arrays of k6/data by name, as the JSON text of every element. The first who asks for a name is
 * told to fill it (1) and must call load_script_share_fill() or _fail(); others wait for that (0).
 * -ECANCELED: filling it failed before.
 */
struct load_shared {
	char **items;
	size_t *lens;
	size_t len;
};

void load_shared_release(struct load_shared *items);

int load_script_share(struct load_script *s, const char *name, const struct load_shared **ret);
void load_script_share_fill(struct load_script *s, const char *name, struct load_shared items,
			    const struct load_shared **ret);
void load_script_share_fail(struct load_script *s, const char *name);

#endif
