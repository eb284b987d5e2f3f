/*
 * The table of k6's options (its documentation, "Options reference") and a tier as a JSON object. A
 * tier keeps JSON, not a struct, because tiers replace each other key by key and wholesale for the
 * keys that shape the load, and objects do that:
 *
 *  - a key of a higher tier replaces the lower one's, whole (`--tag` replaces options.tags);
 *  - a tier with any of duration, iterations, stages, scenarios removes all four below it, and
 *    one with vus alone removes scenarios.
 */
#include "load/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/options_field.h"

#define OFFSET(member) offsetof(struct load_plan, member)

/* clang-format off */
const struct option_field option_fields[] = {
	/* what shapes the load: plan.c makes scenarios of them */
	{ "vus", OPTION_CUSTOM },
	{ "duration", OPTION_CUSTOM },
	{ "iterations", OPTION_CUSTOM },
	{ "stages", OPTION_CUSTOM },
	{ "scenarios", OPTION_CUSTOM },

	{ "thresholds", OPTION_CUSTOM },
	{ "tags", OPTION_PAIRS, OFFSET(tags) },
	{ "systemTags", OPTION_CUSTOM },
	{ "summaryTrendStats", OPTION_TEXTS, OFFSET(summary_trend_stats) },
	{ "summaryTimeUnit", OPTION_CUSTOM },

	{ "userAgent", OPTION_TEXT, OFFSET(user_agent) },
	{ "maxRedirects", OPTION_U32, OFFSET(max_redirects) },
	{ "batch", OPTION_U32, OFFSET(batch), 1 },
	{ "batchPerHost", OPTION_U32, OFFSET(batch_per_host) },
	{ "throw", OPTION_BOOL, OFFSET(throw_errors) },
	{ "insecureSkipTLSVerify", OPTION_BOOL, OFFSET(insecure_skip_tls_verify) },
	{ "discardResponseBodies", OPTION_BOOL, OFFSET(discard_response_bodies) },
	{ "noConnectionReuse", OPTION_BOOL, OFFSET(no_connection_reuse) },
	{ "noVUConnectionReuse", OPTION_BOOL, OFFSET(no_vu_connection_reuse) },
	{ "noCookiesReset", OPTION_BOOL, OFFSET(no_cookies_reset) },
	{ "rps", OPTION_U32, OFFSET(rps) },
	{ "httpDebug", OPTION_CUSTOM },
	{ "executionSegment", OPTION_TEXT, OFFSET(execution_segment) },
	{ "executionSegmentSequence", OPTION_TEXT, OFFSET(execution_segment_sequence) },
	{ "minIterationDuration", OPTION_DURATION, OFFSET(min_iteration_duration_ns) },

	/* network.c */
	{ "hosts", OPTION_CUSTOM },
	{ "blacklistIPs", OPTION_CUSTOM },
	{ "blockHostnames", OPTION_CUSTOM },
	{ "dns", OPTION_CUSTOM },
	{ "localIPs", OPTION_CUSTOM, .flag_only = true },
	{ "unixSocket", OPTION_CUSTOM, .flag_only = true },
	{ "tlsVersion", OPTION_CUSTOM },
	{ "tlsCipherSuites", OPTION_CUSTOM },
	{ "tlsAuth", OPTION_CUSTOM },

	{ "noSetup", OPTION_BOOL, OFFSET(no_setup) },
	{ "noTeardown", OPTION_BOOL, OFFSET(no_teardown) },
	{ "setupTimeout", OPTION_DURATION, OFFSET(setup_timeout_ns) },
	{ "teardownTimeout", OPTION_DURATION, OFFSET(teardown_timeout_ns) },
	{ "handleSummaryTimeout", OPTION_DURATION, OFFSET(handle_summary_timeout_ns) },

	/* assay's own and those k6 has as flags only */
	{ "noThresholds", OPTION_BOOL, OFFSET(no_thresholds), .flag_only = true },
	{ "noSummary", OPTION_BOOL, OFFSET(no_summary), .flag_only = true },
	{ "summaryMode", OPTION_CUSTOM, .flag_only = true },
	{ "warmup", OPTION_DURATION, OFFSET(warmup_ns), .flag_only = true },
	{ "queueArrivals", OPTION_BOOL, OFFSET(queue_arrivals), .flag_only = true },
	{ "precise", OPTION_BOOL, OFFSET(precise), .flag_only = true },
	{ "h2", OPTION_BOOL, OFFSET(h2_only), .flag_only = true },
	{ "http1", OPTION_BOOL, OFFSET(http1_only), .flag_only = true },
	{ "tlsResumption", OPTION_BOOL, OFFSET(tls_resumption), .flag_only = true },
	{ "autoVUs", OPTION_BOOL, OFFSET(auto_vus), .flag_only = true },

	{ "cloud", OPTION_SILENT },
	{ "ext", OPTION_SILENT },
	{ "metricSamplesBufferSize", OPTION_IGNORED, .why = "assay sizes its own buffers" },
	{ "features", OPTION_IGNORED, .why = "assay has no features to switch on" },
	{ "linger", OPTION_IGNORED, .why = "assay ends when the run is over" },
	{ "noUsageReport", OPTION_IGNORED, .why = "assay reports to nobody" },
	{ "consoleOutput", OPTION_SILENT }, /* a flag's; see cli/load_log.h */

	{ "paused", OPTION_REFUSED, .why = "assay starts at once" },
};
/* clang-format on */
const size_t option_field_count = ARRAY_SIZE(option_fields);

struct load_options *load_options_new(void)
{
	struct load_options *o = xcalloc(1, sizeof(*o));

	o->root = json_object();
	return o;
}

struct load_options *load_options_copy(const struct load_options *o)
{
	struct load_options *copy = xcalloc(1, sizeof(*copy));

	copy->root = json_deep_copy(o->root);
	return copy;
}

void load_options_free(struct load_options *o)
{
	if (!o)
		return;
	json_decref(o->root);
	free(o);
}

static int parse_root(struct str json, json_t **ret, struct error *reterr)
{
	json_error_t at;
	json_t *root;

	if (!json.len || str_eq(json, STR("undefined")) || str_eq(json, STR("null"))) {
		*ret = json_object();
		return 0;
	}
	root = json_loadb(json.ptr, json.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &at);
	if (!root)
		return error_set(reterr, -EINVAL, "line %d, column %d: %s", at.line, at.column,
				 at.text);
	if (!json_is_object(root)) {
		json_decref(root);
		return error_set(reterr, -EINVAL, "the options are not an object");
	}
	*ret = root;
	return 0;
}

int load_options_parse(struct str json, struct load_options **ret, struct error *reterr)
{
	struct load_options *o;
	json_t *root = NULL;
	int err;

	if (json.len > LOAD_OPTIONS_MAX_BYTES)
		return error_set(reterr, -E2BIG, "%zu bytes of JSON, more than the %u assay takes",
				 json.len, LOAD_OPTIONS_MAX_BYTES);
	err = parse_root(json, &root, reterr);
	if (err < 0)
		return err;
	o = xcalloc(1, sizeof(*o));
	o->root = root;
	*ret = o;
	return 0;
}

/* How the flags are read whose option is not read by table. */
static const struct option_field flag_fields[] = {
	{ "vus", OPTION_U32 },
	{ "duration", OPTION_DURATION },
	{ "iterations", OPTION_U64 },
	{ "stages", OPTION_STAGES },
	{ "systemTags", OPTION_TEXTS },
	{ "summaryTimeUnit", OPTION_TEXT },
	{ "summaryMode", OPTION_TEXT },
	{ "blacklistIPs", OPTION_TEXTS },
	{ "blockHostnames", OPTION_TEXTS },
	{ "dns", OPTION_TEXT },
	{ "httpDebug", OPTION_TEXT },
	{ "localIPs", OPTION_TEXT },
	{ "unixSocket", OPTION_TEXT },
};

static const struct option_field *find_flag(const char *key)
{
	const struct option_field *f = option_find(flag_fields, ARRAY_SIZE(flag_fields), key);

	return f ? f : option_find(option_fields, option_field_count, key);
}

int load_options_set(struct load_options *o, const char *key, const char *value,
		     struct error *reterr)
{
	const struct option_field *f = find_flag(key);
	json_t *json = NULL;
	int err;

	if (!f || f->kind == OPTION_CUSTOM)
		return error_set(reterr, -EINVAL, "there is no flag for an option '%s'", key);
	if (f->kind == OPTION_REFUSED)
		return error_set(reterr, -EINVAL, "%s is not supported: %s", key, f->why);
	err = option_from_text(f, value, json_object_get(o->root, key), &json, reterr);
	if (err < 0)
		return err;
	json_object_set_new(o->root, key, json);
	return 0;
}

/* "NO_VU_CONNECTION_REUSE" and "noVUConnectionReuse" */
static bool is_variable_of(struct str variable, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < variable.len; i++) {
		char c = variable.ptr[i], k = key[n];

		if (c == '_')
			continue;
		if (k >= 'a' && k <= 'z')
			k = (char)(k - 'a' + 'A');
		if (!k || c != k)
			return false;
		n++;
	}
	return !key[n];
}

/* The option of a variable. k6 has none for those that need more than a line: they have no form as
 * a flag either, but for tags. */
static const struct option_field *find_variable(struct str variable)
{
	for (size_t i = 0; i < option_field_count; i++) {
		const char *key = option_fields[i].key;

		if (is_variable_of(variable, key))
			return option_fields[i].kind == OPTION_PAIRS ? NULL : find_flag(key);
	}
	return NULL;
}

int load_options_set_env(struct load_options *o, const char *name, const char *value,
			 struct error *reterr)
{
	const struct str prefix = STR("K6_");
	const struct option_field *f;
	int err;

	if (!str_starts_with(str_from(name), prefix) || !*value)
		return 0;
	f = find_variable(str_from(name + prefix.len));
	if (!f || f->kind == OPTION_CUSTOM || f->kind == OPTION_SILENT)
		return 0;
	err = load_options_set(o, f->key, value, reterr);
	return err < 0 ? error_wrap(reterr, "the environment's %s", name) : 1;
}

static bool is_set(const json_t *root, const char *key)
{
	const json_t *v = json_object_get(root, key);

	return v && !json_is_null(v);
}

/* Has the tier any of what shapes the load? */
static bool has_load(const struct load_options *o)
{
	return is_set(o->root, "duration") || is_set(o->root, "iterations") ||
	       is_set(o->root, "stages") || is_set(o->root, "scenarios");
}

static void drop_load(json_t *root)
{
	json_object_del(root, "duration");
	json_object_del(root, "iterations");
	json_object_del(root, "stages");
	json_object_del(root, "scenarios");
}

void load_options_overlay(struct load_options *lower, const struct load_options *higher)
{
	if (has_load(higher))
		drop_load(lower->root);
	else if (is_set(higher->root, "vus"))
		json_object_del(lower->root, "scenarios");
	json_object_update(lower->root, higher->root);
}
