#include "load/script.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "js/typescript.h"
#include "load/jslib/jslib.h"
#include "load/k6/globals.h"
#include "os/file.h"

enum shared_state { SHARED_FILLING, SHARED_READY, SHARED_FAILED };

struct shared_entry {
	enum shared_state state;
	struct load_shared items;
};

struct load_script {
	struct js_modules *modules;
	char *name;
	char *module_dir; /* NULL = none */
	struct strbuf text;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t filled;
	struct map opened; /* path -> struct strbuf * */
	struct map shared; /* name -> struct shared_entry * */
};

/* Nothing is fetched while a test starts: what is not carried along comes from a folder, or not at
 * all. */
static int load_remote(const struct load_script *s, const char *url, struct strbuf *ret,
		       struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = NULL;
	struct str source = load_jslib_find(url);

	if (source.ptr) {
		strbuf_add(ret, source.ptr, source.len);
		return 0;
	}
	if (s->module_dir && !strstr(url, ".."))
		path = xasprintf("%s/%s", s->module_dir, strstr(url, "://") + 3);
	if (path && file_read(path, JS_SOURCE_BYTES_MAX, ret, NULL) == 0)
		return js_typescript_is(url) ? js_typescript_strip(url, ret, reterr) : 0;
	return error_set(
		reterr, -EOPNOTSUPP,
		"\"%s\" is not among the modules that assay carries (%s); it would be taken "
		"from %s",
		url, load_jslib_names(), path ? path : "a folder of modules, if there were one");
}

static int load_source(void *user, const char *name, struct strbuf *ret, struct error *reterr)
{
	struct load_script *s = user;
	int r;

	if (!strcmp(name, s->name)) {
		strbuf_add(ret, s->text.ptr, s->text.len);
		return js_typescript_is(name) ? js_typescript_strip(name, ret, reterr) : 0;
	}
	if (strstr(name, "://"))
		return load_remote(s, name, ret, reterr);
	r = file_read(name, JS_SOURCE_BYTES_MAX, ret, reterr);
	if (r == 0 && js_typescript_is(name))
		r = js_typescript_strip(name, ret, reterr);
	return r;
}

static void refuse_module(void *user UNUSED, const char *name, struct strbuf *ret)
{
	if (!strncmp(name, "k6", 2) && (name[2] == '/' || !name[2]))
		strbuf_addf(ret, "%s is not available in assay " ASSAY_VERSION, name);
	else
		strbuf_addf(ret,
			    "no module \"%s\": k6's modules begin with \"k6\", files with \"./\", "
			    "\"../\" or \"/\"; packages from npm have to be bundled first",
			    name);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Scripts written for a bundler leave out what it adds. */
static void locate(void *user UNUSED, struct strbuf *name)
{
	static const char *const endings[] = { ".ts", ".js", "/index.ts", "/index.js" };
	size_t len = name->len;

	if (is_file(strbuf_cstr(name)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		strbuf_addstr(name, endings[i]);
		if (is_file(strbuf_cstr(name)))
			return;
		strbuf_truncate(name, len);
	}
}

static const struct js_module_ops module_ops = {
	.load = load_source,
	.locate = locate,
	.refuse = refuse_module,
	.commonjs = load_commonjs,
};

/* Links are not followed: what stands beside a link is beside the script. */
static char *absolute(const char *path)
{
	CLEANUP(strbuf_release) struct strbuf importer = STRBUF_INIT, name = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *dir = getcwd(NULL, 0), *written = NULL;

	if (!dir)
		return xstrdup(path);
	strbuf_addf(&importer, "%s/", dir);
	written = xasprintf(path[0] == '/' ? "%s" : "./%s", path);
	js_module_resolve(strbuf_cstr(&importer), written, &name);
	return strbuf_detach(&name);
}

int load_script_new(struct load_script **ret, const char *path, struct str text,
		    const struct js_native_module *const *natives, struct error *reterr)
{
	struct load_script *s = xcalloc(1, sizeof(*s));
	int r = 0;

	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->filled, NULL);
	s->name = text.ptr ? xstrdup(path) : absolute(path);
	s->modules = js_modules_new(&module_ops, s);
	for (; *natives; natives++)
		js_modules_add(s->modules, *natives);
	if (text.ptr)
		strbuf_add(&s->text, text.ptr, text.len);
	else
		r = file_read(path, JS_SOURCE_BYTES_MAX, &s->text, reterr);
	if (r < 0) {
		load_script_free(s);
		return error_wrap(reterr, "reading the script");
	}
	*ret = s;
	return 0;
}

void load_script_set_module_dir(struct load_script *s, const char *dir)
{
	free(s->module_dir);
	s->module_dir = dir ? xstrdup(dir) : NULL;
}

void load_shared_release(struct load_shared *items)
{
	for (size_t i = 0; i < items->len; i++)
		free(items->items[i]);
	free(items->items);
	free(items->lens);
}

void load_script_free(struct load_script *s)
{
	if (!s)
		return;
	js_modules_free(s->modules);
	map_for_each (&s->opened, e) {
		strbuf_release(e->value);
		free(e->value);
	}
	map_release(&s->opened);
	map_for_each (&s->shared, e) {
		struct shared_entry *shared = e->value;

		load_shared_release(&shared->items);
		free(shared);
	}
	map_release(&s->shared);
	pthread_cond_destroy(&s->filled);
	pthread_mutex_destroy(&s->lock);
	strbuf_release(&s->text);
	free(s->name);
	free(s->module_dir);
	free(s);
}

struct js_modules *load_script_modules(struct load_script *s)
{
	return s->modules;
}

const char *load_script_name(const struct load_script *s)
{
	return s->name;
}

struct str load_script_text(const struct load_script *s)
{
	return strbuf_str(&s->text);
}

static int open_locked(struct load_script *s, struct str path, struct str *ret,
		       struct error *reterr)
{
	struct strbuf *content = map_get(&s->opened, path);
	int r;

	if (!content) {
		content = xcalloc(1, sizeof(*content));
		r = file_read(path.ptr, LOAD_FILE_BYTES_MAX, content, reterr);
		if (r < 0) {
			strbuf_release(content);
			free(content);
			return r;
		}
		map_put(&s->opened, path, content);
	}
	*ret = strbuf_str(content);
	return 0;
}

int load_script_resolve(struct load_script *s, const char *importer, const char *path,
			struct strbuf *ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf written = STRBUF_INIT;

	/* what has no "./" is a module's name in an import, but a path here */
	if (path[0] != '/' && path[0] != '.' && !strstr(path, "://"))
		strbuf_addstr(&written, "./");
	strbuf_addstr(&written, path);
	js_module_resolve(*importer ? importer : s->name, strbuf_cstr(&written), ret);
	if (strstr(strbuf_cstr(ret), "://"))
		return error_set(reterr, -EOPNOTSUPP, "open(\"%s\"): only files can be opened",
				 path);
	return 0;
}

int load_script_open(struct load_script *s, const char *importer, const char *path, struct str *ret,
		     struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	int r = load_script_resolve(s, importer, path, &name, reterr);

	if (r < 0)
		return r;
	pthread_mutex_lock(&s->lock);
	r = open_locked(s, strbuf_str(&name), ret, reterr);
	pthread_mutex_unlock(&s->lock);
	return r < 0 ? error_wrap(reterr, "open(\"%s\")", path) : 0;
}

int load_script_share(struct load_script *s, const char *name, const struct load_shared **ret)
{
	struct shared_entry *e;
	int r = 0;

	pthread_mutex_lock(&s->lock);
	e = map_get_c(&s->shared, name);
	if (!e) {
		map_put(&s->shared, str_from(name), xcalloc(1, sizeof(*e)));
		r = 1;
	}
	while (e && e->state == SHARED_FILLING)
		pthread_cond_wait(&s->filled, &s->lock);
	if (e && e->state == SHARED_FAILED)
		r = -ECANCELED;
	else if (e)
		*ret = &e->items;
	pthread_mutex_unlock(&s->lock);
	return r;
}

void load_script_share_fill(struct load_script *s, const char *name, struct load_shared items,
			    const struct load_shared **ret)
{
	struct shared_entry *e;

	pthread_mutex_lock(&s->lock);
	e = map_get_c(&s->shared, name);
	e->items = items;
	e->state = SHARED_READY;
	*ret = &e->items;
	pthread_cond_broadcast(&s->filled);
	pthread_mutex_unlock(&s->lock);
}

void load_script_share_fail(struct load_script *s, const char *name)
{
	struct shared_entry *e;

	pthread_mutex_lock(&s->lock);
	e = map_get_c(&s->shared, name);
	e->state = SHARED_FAILED;
	pthread_cond_broadcast(&s->filled);
	pthread_mutex_unlock(&s->lock);
}
