/*
 * Cookies: the first line is a URL, each further one a Set-Cookie field of its answer. What is kept
 * is sent to that URL only with bytes that a header can hold, and a jar never grows past its limit.
 */
#include "base/strbuf.h"
#include "load/k6/cookies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(void *arg, const char *name, const char *value)
{
	size_t *n = arg;

	BUG_ON(!*name && !*value);
	BUG_ON(strpbrk(name, "\r\n;=") || strpbrk(value, "\r\n;"));
	(*n)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size }, line;
	struct net_url url = { 0 };
	struct error err = ERROR_INIT;
	struct load_jar *jar;
	size_t sent = 0, set = 0;
	int64_t s;

	if (!str_split(&rest, '\n', &line) || net_url_parse(&url, line, &err) < 0)
		return 0;
	jar = load_jar_new();
	while (str_split(&rest, '\n', &line)) {
		struct load_cookie c = { 0 };

		load_http_date_parse(line, &s);
		if (load_cookie_parse(line, &c)) {
			set += load_jar_set(jar, &url, &c);
			load_cookie_release(&c);
		}
	}
	load_jar_match(jar, &url, look, &sent);
	BUG_ON(sent > set || sent > LOAD_COOKIES_MAX);
	load_jar_remove(jar, &url, NULL);
	load_jar_free(jar);
	return 0;
}
