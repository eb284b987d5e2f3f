#include "export/outputs.h"

#include <errno.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/mem.h"

const struct export_kind export_kinds[] = {
	{ "json", "json[=FILE]", "every sample as a line of JSON; .gz compresses, - is stdout",
	  export_json_create },
	{ "csv", "csv[=FILE]", "every sample as a line of CSV; likewise", export_csv_create },
	{ "experimental-prometheus-rw", "experimental-prometheus-rw[=URL]",
	  "sums and percentiles to Prometheus, by remote write", export_promrw_create },
	{ "opentelemetry", "opentelemetry", "sums and histograms to a collector, by OTLP over HTTP",
	  export_otel_create },
	{ "experimental-opentelemetry", "experimental-opentelemetry", "the same by its older name",
	  export_otel_create },
	{ "influxdb", "influxdb[=URL/DB]", "every sample to InfluxDB 1, in its line protocol",
	  export_influx_create },
};
const size_t export_kind_count = ARRAY_SIZE(export_kinds);

/* What k6 2 has, or had: refused by name rather than as unknown. */
static const struct {
	const char *name, *why;
} absent[] = {
	{ "cloud", "it sends to Grafana Cloud, which assay does not" },
	{ "web-dashboard", "assay serves no page while it runs" },
	{ "statsd", "k6 2 has left it to an extension, and assay takes no extensions" },
	{ "datadog", "k6 2 has left it to an extension, and assay takes no extensions" },
	{ "kafka", "k6 2 has left it to an extension, and assay takes no extensions" },
};

/* --- the environment -------------------------------------------------------------------------- */

const char *export_variable(const struct export_spec *spec, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *v = spec->env; v && *v; v++)
		if (!strncmp(*v, name, len) && (*v)[len] == '=')
			return (*v)[len + 1] ? *v + len + 1 : NULL;
	return NULL;
}

int export_variable_ns(const struct export_spec *spec, const char *name, uint64_t *ret,
		       struct error *reterr)
{
	const char *value = export_variable(spec, name);
	uint64_t ns;

	if (!value)
		return 0;
	if (duration_parse(str_from(value), &ns) < 0 || !ns)
		return error_set(reterr, -EINVAL, "%s=%s: expected a time like 5s or 500ms", name,
				 value);
	*ret = ns;
	return 0;
}

int export_variable_bool(const struct export_spec *spec, const char *name, bool *ret,
			 struct error *reterr)
{
	const char *value = export_variable(spec, name);

	if (!value)
		return 0;
	if (!strcmp(value, "true") || !strcmp(value, "1"))
		*ret = true;
	else if (!strcmp(value, "false") || !strcmp(value, "0"))
		*ret = false;
	else
		return error_set(reterr, -EINVAL, "%s=%s: expected true or false", name, value);
	return 0;
}

/* --- by name ---------------------------------------------------------------------------------- */

static int refuse(const char *name, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;
	const char *names[ARRAY_SIZE(export_kinds)];
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		if (!strcmp(name, absent[i].name))
			return error_set(reterr, -ENOTSUP,
					 "the output %s is not available in assay " ASSAY_VERSION
					 ": %s",
					 name, absent[i].why);
	for (size_t i = 0; i < ARRAY_SIZE(export_kinds); i++) {
		names[i] = export_kinds[i].name;
		strbuf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	near = str_nearest(name, names, ARRAY_SIZE(names));
	return error_set(reterr, -EINVAL, "there is no output '%s'%s%s%s; there are %s", name,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
			 strbuf_cstr(&list));
}

/* Without the user and the password of an address: the label is printed and kept. */
static char *make_label(const char *text)
{
	const char *scheme = strstr(text, "://"), *host = scheme ? scheme + 3 : NULL;
	const char *at = host ? strchr(host, '@') : NULL;

	if (!at || at > host + strcspn(host, "/?"))
		return xstrdup(text);
	return xasprintf("%.*s%s", (int)(host - text), text, at + 1);
}

int export_output_new(struct export_output **ret, const char *text, const char *const *env,
		      int stdout_fd, struct error *reterr)
{
	size_t eq = str_find(str_from(text), '=');
	CLEANUP(mem_cleanup) char *name = str_dup((struct str){ text, eq });
	CLEANUP(mem_cleanup) char *label = make_label(text);
	struct export_spec spec = { name, text[eq] ? text + eq + 1 : "", env, stdout_fd };
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(export_kinds); i++) {
		if (strcmp(name, export_kinds[i].name) != 0)
			continue;
		r = export_kinds[i].create(&spec, ret, reterr);
		if (r < 0)
			return error_wrap(reterr, "output %s", label);
		(*ret)->label = TAKE(label);
		return 0;
	}
	return refuse(name, reterr);
}
