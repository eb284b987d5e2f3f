/* assay load new: writes a k6 script from something that is there already, or a first one. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "conf/conf.h"
#include "convert/curl.h"
#include "convert/har.h"
#include "convert/openapi.h"
#include "convert/starter.h"
#include "os/file.h"

struct flags {
	const char *curl, *har, *openapi, *output;
	struct opt_list only, skip;
	bool no_static, think, force;
};

/* `-` is standard input. */
static int read_input(const char *path, size_t max, struct strbuf *ret, struct error *reterr)
{
	return file_read(!strcmp(path, "-") ? "/dev/stdin" : path, max, ret, reterr);
}

static int from_curl(const struct flags *f, struct convert_script *s, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (strcmp(f->curl, "-") != 0)
		return convert_curl(str_from(f->curl), "--curl", s, reterr);
	if (read_input("-", CONVERT_CURL_MAX_BYTES, &text, reterr) < 0)
		return -EINVAL;
	return convert_curl(strbuf_str(&text), "standard input", s, reterr);
}

static int from_har(const struct flags *f, struct convert_script *s, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct convert_har_opts o = {
		.only = f->only.ptr,
		.n_only = f->only.len,
		.skip = f->skip.ptr,
		.n_skip = f->skip.len,
		.no_static = f->no_static,
		.think = f->think,
	};

	if (read_input(f->har, CONF_DOCUMENT_MAX, &text, reterr) < 0)
		return -EINVAL;
	return convert_har(strbuf_str(&text), !strcmp(f->har, "-") ? "standard input" : f->har, &o,
			   s, reterr);
}

static int from_openapi(const struct flags *f, struct convert_script *s, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct convert_openapi_opts o = {
		.only = f->only.ptr,
		.n_only = f->only.len,
		.skip = f->skip.ptr,
		.n_skip = f->skip.len,
	};

	if (read_input(f->openapi, CONF_DOCUMENT_MAX, &text, reterr) < 0)
		return -EINVAL;
	return convert_openapi(strbuf_str(&text),
			       !strcmp(f->openapi, "-") ? "standard input" : f->openapi, &o, s,
			       reterr);
}

/* The flag that has no sense with the source given; NULL when there is none. */
static const char *stray_flag(const struct flags *f)
{
	if (f->curl && (f->har || f->openapi))
		return "--curl";
	if (f->openapi && f->har)
		return "--openapi";
	if (!f->har && (f->no_static || f->think))
		return f->no_static ? "--no-static" : "--think";
	if (!f->har && !f->openapi && (f->only.len || f->skip.len))
		return f->only.len ? "--only" : "--skip";
	return NULL;
}

/* Files are named from where we are, and a script opens them from where it lies. */
static char *file_prefix(const char *output)
{
	CLEANUP(mem_cleanup) char *here = NULL;

	if (!output || !strchr(output, '/'))
		return NULL;
	here = getcwd(NULL, 0);
	return here ? xasprintf("%s/", here) : NULL;
}

static int make_script(const struct flags *f, struct strbuf *ret, struct error *reterr)
{
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	CLEANUP(mem_cleanup) char *prefix = file_prefix(f->output);
	struct str rest, line;
	int r;

	if (stray_flag(f))
		return error_set(reterr, -EINVAL, "%s does not go with %s", stray_flag(f),
				 f->har	      ? "--har"
				 : f->openapi ? "--openapi"
				 : f->curl    ? "--curl"
					      : "a script made of nothing");
	if (!f->curl && !f->har && !f->openapi) {
		strbuf_addstr(ret, convert_starter());
		return 0;
	}
	s.file_prefix = prefix;
	r = f->har	 ? from_har(f, &s, reterr)
	    : f->openapi ? from_openapi(f, &s, reterr)
			 : from_curl(f, &s, reterr);
	if (r < 0)
		return r;
	rest = strbuf_str(&s.notes);
	while (str_split(&rest, '\n', &line))
		if (line.len)
			fprintf(stderr, "assay load new: not carried over: %.*s\n", STR_FMT(line));
	convert_script_fmt(&s, ret);
	return 0;
}

static int write_script(const struct flags *f, const struct strbuf *script, struct error *reterr)
{
	if (!f->output || !strcmp(f->output, "-")) {
		fwrite(strbuf_cstr(script), 1, script->len, stdout);
		return 0;
	}
	if (!f->force && file_exists(f->output))
		return error_set(reterr, -EEXIST, "%s is there already; --force writes over it",
				 f->output);
	return file_write_atomic(f->output, strbuf_str(script), reterr);
}

static int run_load_new(const struct verb_args *a)
{
	CLEANUP(strbuf_release) struct strbuf script = STRBUF_INIT;
	const struct flags *f = a->opts;
	struct error err = ERROR_INIT;

	if (make_script(f, &script, &err) < 0 || write_script(f, &script, &err) < 0) {
		term_error("load new", &err);
		return err.code == -EEXIST ? EXIT_NEGATIVE : EXIT_USAGE;
	}
	return EXIT_OK;
}

#define AT(field) offsetof(struct flags, field)

static const struct opt opts[] = {
	{ "curl", 0, OPT_STRING, AT(curl), "COMMAND",
	  "From a curl command, or several; - reads standard input" },
	{ "har", 0, OPT_STRING, AT(har), "FILE",
	  "From an HTTP archive, as browsers save it; - reads standard input", "file" },
	{ "openapi", 0, OPT_STRING, AT(openapi), "FILE",
	  "From an OpenAPI or Swagger document, JSON or YAML; - reads standard input", "file" },
	{ "only", 0, OPT_LIST, AT(only), "WHICH",
	  "With --har: requests to this host, *.example.com and the like; with --openapi: the "
	  "operations of this tag, operationId or path; may be repeated" },
	{ "skip", 0, OPT_LIST, AT(skip), "WHICH", "Likewise, what is left out; may be repeated" },
	{ "no-static", 0, OPT_FLAG, AT(no_static), NULL,
	  "With --har: no pictures, styles, scripts, fonts and media" },
	{ "think", 0, OPT_FLAG, AT(think), NULL,
	  "With --har: pause as long as between the recorded requests" },
	{ "output", 'o', OPT_STRING, AT(output), "FILE", "Where to write it (standard output)",
	  "file" },
	{ "force", 'f', OPT_FLAG, AT(force), NULL, "Write over a file that is there" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay load new -o script.js", "a commented script to begin with" },
	{ "assay load new --curl \"curl -u me:pw -d @order.json https://shop.example/orders\"",
	  "the request of a curl command" },
	{ "xclip -o | assay load new --curl - -o login.js", "what a browser copied as cURL" },
	{ "assay load new --har shop.har --only '*.shop.example' --no-static --think -o shop.js",
	  "a recorded session, with its pauses" },
	{ "assay load new --openapi petstore.yaml --only pets -o pets.js",
	  "a function for each operation with the tag" },
	{ 0 },
};

const struct verb verb_load_new = {
	.name = "load new",
	.summary = "Write a k6 script",
	.usage = "[options]",
	.about = "Writes a k6 script that assay load and k6 run: from a curl command, an HTTP "
		 "archive,\nan OpenAPI document, or,"
		 "when there is nothing to make it of, a commented one to begin with.\n"
		 "What could not be carried over is said on stderr and in the script.\n"
		 "\n"
		 "Exit codes: 0; 1 the file is there already; 2 the input cannot be read.",
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct flags),
	.run = run_load_new,
};
