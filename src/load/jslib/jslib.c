#include "load/jslib/jslib.h"

#include "load/jslib/chai.js.h"
#include "load/jslib/httpx.js.h"
#include "load/jslib/k6-reporter.js.h"
#include "load/jslib/k6-summary.js.h"
#include "load/jslib/k6-utils.js.h"
#include "load/jslib/k6chaijs.js.h"
#include "load/jslib/papaparse.js.h"
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
	{ "httpx", SOURCE(jslib_httpx) },	  { "k6-summary", SOURCE(jslib_k6_summary) },
	{ "k6-utils", SOURCE(jslib_k6_utils) },	  { "k6chaijs", SOURCE(jslib_k6chaijs) },
	{ "papaparse", SOURCE(jslib_papaparse) }, { "url", SOURCE(jslib_url) },
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
	return "httpx, k6-reporter, k6-summary, k6-utils, k6chaijs, papaparse, url";
}
