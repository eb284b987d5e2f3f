#include "load/jslib/jslib.h"

#include "load/jslib/chai.js.h"
#include "load/jslib/expect.js.h"
#include "load/jslib/form-urlencoded.js.h"
#include "load/jslib/formdata.js.h"
#include "load/jslib/http-instrumentation-pyroscope.js.h"
#include "load/jslib/http-instrumentation-tempo.js.h"
#include "load/jslib/http-instrumentation.js.h"
#include "load/jslib/httpx.js.h"
#include "load/jslib/jsonpath.js.h"
#include "load/jslib/k6-reporter.js.h"
#include "load/jslib/k6-summary.js.h"
#include "load/jslib/k6-testing.js.h"
#include "load/jslib/k6-utils.js.h"
#include "load/jslib/k6chaijs.js.h"
#include "load/jslib/papaparse.js.h"
#include "load/jslib/totp.js.h"
#include "load/jslib/url.js.h"

#define HOST "https://jslib.k6.io/"
#define SOURCE(array)                                                                              \
	{                                                                                          \
		array, sizeof(array) - 1                                                           \
	}

static const struct {
	const char *name; /* behind the host, before the version */
	struct str source;
} modules[] = {
	{ "assay-chai", SOURCE(jslib_chai) }, /* what k6chaijs imports */
	{ "assay-http-instrumentation", SOURCE(jslib_http_instrumentation) }, /* the next ones */
	{ "http-instrumentation-pyroscope", SOURCE(jslib_http_instrumentation_pyroscope) },
	{ "http-instrumentation-tempo", SOURCE(jslib_http_instrumentation_tempo) },
	{ "expect", SOURCE(jslib_expect) },
	{ "form-urlencoded", SOURCE(jslib_form_urlencoded) },
	{ "formdata", SOURCE(jslib_formdata) },
	{ "httpx", SOURCE(jslib_httpx) },
	{ "jsonpath", SOURCE(jslib_jsonpath) },
	{ "k6-summary", SOURCE(jslib_k6_summary) },
	{ "k6-testing", SOURCE(jslib_k6_testing) },
	{ "k6-utils", SOURCE(jslib_k6_utils) },
	{ "k6chaijs", SOURCE(jslib_k6chaijs) },
	{ "papaparse", SOURCE(jslib_papaparse) },
	{ "totp", SOURCE(jslib_totp) },
	{ "url", SOURCE(jslib_url) },
};

static bool is_reporter(struct str url)
{
	return strstr(url.ptr, "/k6-reporter/") && str_ends_with(url, STR("bundle.js"));
}

struct str load_jslib_find(const char *text)
{
	struct str url = str_from(text), rest;
	size_t slash;

	if (is_reporter(url))
		return (struct str)SOURCE(jslib_k6_reporter);
	if (!str_starts_with(url, STR(HOST)))
		return (struct str){ NULL, 0 };
	rest = (struct str){ url.ptr + strlen(HOST), url.len - strlen(HOST) };
	slash = str_find(rest, '/');
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (str_eq_c((struct str){ rest.ptr, slash }, modules[i].name))
			return modules[i].source;
	return (struct str){ NULL, 0 };
}

const char *load_jslib_names(void)
{
	return "expect, form-urlencoded, formdata, "
	       "http-instrumentation-pyroscope, http-instrumentation-tempo, httpx, jsonpath, "
	       "k6-reporter, k6-summary, k6-testing, k6-utils, k6chaijs, papaparse, totp, url";
}
