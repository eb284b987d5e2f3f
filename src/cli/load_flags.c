#include "cli/load_flags.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/file.h"

/* Of a config file. */
#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)

#define AT(field) offsetof(struct load_flags, field)

/* Flags that are k6's options under another spelling. */
static const struct {
	size_t offset;
	enum opt_kind kind;
	const char *key;
} option_flags[] = {
	{ AT(vus), OPT_STRING, "vus" },
	{ AT(duration), OPT_STRING, "duration" },
	{ AT(iterations), OPT_STRING, "iterations" },
	{ AT(stages), OPT_LIST, "stages" },
	{ AT(tags), OPT_LIST, "tags" },
	{ AT(warmup), OPT_STRING, "warmup" },
	{ AT(user_agent), OPT_STRING, "userAgent" },
	{ AT(max_redirects), OPT_STRING, "maxRedirects" },
	{ AT(summary_trend_stats), OPT_STRING, "summaryTrendStats" },
	{ AT(summary_time_unit), OPT_STRING, "summaryTimeUnit" },
	{ AT(system_tags), OPT_STRING, "systemTags" },
	{ AT(min_iteration_duration), OPT_STRING, "minIterationDuration" },
	{ AT(rps), OPT_STRING, "rps" },
	{ AT(segment), OPT_STRING, "executionSegment" },
	{ AT(segments), OPT_STRING, "executionSegmentSequence" },
	{ AT(batch), OPT_STRING, "batch" },
	{ AT(batch_per_host), OPT_STRING, "batchPerHost" },
	{ AT(dns), OPT_STRING, "dns" },
	{ AT(unix_socket), OPT_STRING, "unixSocket" },
	{ AT(local_ips), OPT_STRING, "localIPs" },
	{ AT(blacklist_ips), OPT_LIST, "blacklistIPs" },
	{ AT(block_hostnames), OPT_LIST, "blockHostnames" },
	{ AT(queue), OPT_FLAG, "queueArrivals" },
	{ AT(auto_vus), OPT_FLAG, "autoVUs" },
	{ AT(h2), OPT_FLAG, "h2" },
	{ AT(http1), OPT_FLAG, "http1" },
	{ AT(tls_resumption), OPT_FLAG, "tlsResumption" },
	{ AT(precise), OPT_FLAG, "precise" },
	{ AT(no_setup), OPT_FLAG, "noSetup" },
	{ AT(no_teardown), OPT_FLAG, "noTeardown" },
	{ AT(no_thresholds), OPT_FLAG, "noThresholds" },
	{ AT(no_summary), OPT_FLAG, "noSummary" },
	{ AT(no_connection_reuse), OPT_FLAG, "noConnectionReuse" },
	{ AT(no_vu_connection_reuse), OPT_FLAG, "noVUConnectionReuse" },
	{ AT(insecure), OPT_FLAG, "insecureSkipTLSVerify" },
	{ AT(discard_bodies), OPT_FLAG, "discardResponseBodies" },
	{ AT(throw_errors), OPT_FLAG, "throw" },
};

static int set_options(const struct load_flags *f, struct load_options *o, struct error *reterr)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_flags); i++) {
		const char *field = (const char *)f + option_flags[i].offset;
		const struct opt_list *list = (const void *)field;
		const char *key = option_flags[i].key;
		int r = 0;

		switch (option_flags[i].kind) {
		case OPT_LIST:
			for (size_t k = 0; k < list->len && !r; k++)
				r = load_options_set(o, key, list->ptr[k], reterr);
			break;
		case OPT_FLAG:
			if (*(const bool *)field)
				r = load_options_set(o, key, "true", reterr);
			break;
		default:
			if (*(const char *const *)(const void *)field)
				r = load_options_set(
					o, key, *(const char *const *)(const void *)field, reterr);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* Options from our own environment: K6_VUS and its like. */
static int set_variables(struct load_options *o, struct error *reterr)
{
	for (char **v = environ; *v; v++) {
		struct str text = str_from(*v);
		size_t eq = str_find(text, '=');
		char *name;
		int r;

		if (eq == text.len || !str_starts_with(text, STR("K6_")))
			continue;
		name = str_dup((struct str){ text.ptr, eq });
		r = load_options_set_env(o, name, text.ptr + eq + 1, reterr);
		free(name);
		if (r < 0)
			return r;
	}
	return 0;
}

const char *load_flags_or_variable(const char *flag, const char *variable)
{
	const char *value = getenv(variable);

	if (flag)
		return flag;
	return value && *value ? value : NULL;
}

/* "disabled" is --no-summary. */
static int set_summary_mode(const struct load_flags *f, struct load_options *o,
			    struct error *reterr)
{
	const char *mode = load_flags_or_variable(f->summary_mode, "K6_SUMMARY_MODE");

	if (!mode)
		return 0;
	if (!strcmp(mode, "disabled"))
		return load_options_set(o, "noSummary", "true", reterr);
	if (!strcmp(mode, "compact") || !strcmp(mode, "full") || !strcmp(mode, "legacy"))
		return load_options_set(o, "summaryMode", mode, reterr);
	return error_set(reterr, -EINVAL,
			 "--summary-mode %s: expected compact, full, legacy or disabled", mode);
}

/* The environment with the flags over it. */
static int read_options(const struct load_flags *f, struct load_options *o, struct error *reterr)
{
	CLEANUP(cleanup_load_options) struct load_options *flags = load_options_new();
	struct load_flags rest = *f;
	int r = set_variables(o, reterr);

	/* with a rate these are part of the scenario, which they would replace */
	if (f->url.rate > 0)
		rest.vus = rest.duration = rest.iterations = NULL;
	if (r == 0)
		r = set_options(&rest, flags, reterr);
	if (r == 0)
		r = set_summary_mode(f, flags, reterr);
	if (r == 0 && f->http_debug)
		r = load_options_set(flags, "httpDebug", *f->http_debug ? f->http_debug : "headers",
				     reterr);
	if (r == 0)
		load_options_overlay(o, flags);
	return r;
}

/* k6's config file: options below those of the script. NULL in *ret when there is none. */
static int read_config(const struct load_flags *f, struct load_options **ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *path = load_flags_or_variable(f->config, "K6_CONFIG");

	if (!path)
		return 0;
	if (file_read(path, CONFIG_BYTES_MAX, &text, reterr) < 0 ||
	    load_options_parse(strbuf_str(&text), ret, reterr) < 0)
		return error_wrap(reterr, "--config %s", path);
	return 0;
}

int load_flags_read(const struct load_flags *f, struct load_tiers *ret, struct error *reterr)
{
	ret->flags = load_options_new();
	if (f->h2 && f->http1)
		return error_set(reterr, -EINVAL, "--h2 and --http1 exclude each other");
	if (read_config(f, &ret->config, reterr) < 0)
		return -EINVAL;
	return read_options(f, ret->flags, reterr);
}

void load_tiers_release(struct load_tiers *t)
{
	load_options_free(t->config);
	load_options_free(t->flags);
}

/* ---- -e NAME=VALUE; -e NAME takes it from our own environment ---- */

void load_env_release(struct load_env *e)
{
	vec_for_each (&e->list, p) {
		free(p->key);
		free(p->value);
	}
	vec_release(&e->list);
	vec_for_each (&e->system, p) {
		free(p->key);
		free(p->value);
	}
	vec_release(&e->system);
}

/* k6 run shows its scripts all the variables it was started with. */
static void read_system_env(struct load_env *ret)
{
	for (char **v = environ; *v; v++) {
		struct str text = str_from(*v);
		size_t eq = str_find(text, '=');

		if (eq && eq < text.len)
			vec_push(&ret->system,
				 ((struct load_pair){ str_dup((struct str){ text.ptr, eq }),
						      xstrdup(text.ptr + eq + 1) }));
	}
}

static int read_env_flags(const struct opt_list *list, struct load_env *ret, struct error *reterr)
{
	for (size_t i = 0; i < list->len; i++) {
		struct str text = str_from(list->ptr[i]);
		size_t eq = str_find(text, '=');
		struct load_pair p = { str_dup((struct str){ text.ptr, eq }), NULL };
		const char *own = eq == text.len ? getenv(p.key) : NULL;

		p.value = eq < text.len ? xstrdup(text.ptr + eq + 1) : xstrdup(own ? own : "");
		vec_push(&ret->list, p);
		if (!eq)
			return error_set(reterr, -EINVAL, "-e %s: expected NAME=VALUE",
					 list->ptr[i]);
	}
	return 0;
}

int load_env_read(const struct load_flags *f, struct load_env *ret, struct error *reterr)
{
	if (f->system_env)
		read_system_env(ret);
	return read_env_flags(&f->env, ret, reterr);
}
