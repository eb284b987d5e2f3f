#include "load/k6/cookies.h"

#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "base/strbuf.h"
#include "net/http1_head.h"

struct kept {
	char *name, *value, *domain, *path;
	bool host_only, secure;
	int64_t expires_s; /* CLOCK_REALTIME; 0 = with the jar */
};

struct load_jar {
	VEC(struct kept) list;
};

struct load_jar *load_jar_new(void)
{
	return xcalloc(1, sizeof(struct load_jar));
}

static void kept_release(struct kept *k)
{
	free(k->name);
	free(k->value);
	free(k->domain);
	free(k->path);
}

void load_jar_clear(struct load_jar *jar)
{
	vec_for_each (&jar->list, k)
		kept_release(k);
	vec_clear(&jar->list);
}

void load_jar_free(struct load_jar *jar)
{
	if (!jar)
		return;
	load_jar_clear(jar);
	vec_release(&jar->list);
	free(jar);
}

/* ---- reading Set-Cookie (RFC 6265 5.2) ---- */

static unsigned month_of(struct str word)
{
	static const char *const names[] = { "jan", "feb", "mar", "apr", "may", "jun",
					     "jul", "aug", "sep", "oct", "nov", "dec" };

	if (word.len < 3)
		return 0;
	word.len = 3;
	for (unsigned i = 0; i < 12; i++)
		if (str_ieq(word, str_from(names[i])))
			return i + 1;
	return 0;
}

static int64_t days_since_1970(int64_t y, unsigned m, unsigned d)
{
	/* Hinnant, "chrono-compatible low-level date algorithms" */
	int64_t era;
	unsigned yoe, doy;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = (unsigned)(y - era * 400);
	doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
	return era * 146097 + (int64_t)(yoe * 365 + yoe / 4 - yoe / 100 + doy) - 719468;
}

static bool parse_clock(struct str word, int64_t *ret_s)
{
	uint64_t part, sum = 0;
	struct str piece;
	int n = 0;

	while (str_split(&word, ':', &piece)) {
		if (num_parse_u64(piece, &part) < 0 || part > 60)
			return false;
		sum = sum * 60 + part;
		n++;
	}
	if (n != 3)
		return false;
	*ret_s = (int64_t)sum;
	return true;
}

struct http_date {
	int64_t clock_s; /* -1 = not met yet, 0 of the others */
	uint64_t day, year;
	unsigned month;
};

static void take_word(struct http_date *d, struct str word)
{
	uint64_t n;

	if (d->clock_s < 0 && parse_clock(word, &d->clock_s))
		return;
	if (num_parse_u64(word, &n) < 0) {
		if (!d->month)
			d->month = month_of(word);
	} else if (!d->day && word.len <= 2) {
		d->day = n;
	} else if (!d->year) {
		d->year = n;
	}
}

/* Words in any order, as RFC 6265 5.1.1 has it: a time, a day, a month, a year. */
bool load_http_date_parse(struct str text, int64_t *ret_s)
{
	struct http_date d = { .clock_s = -1 };
	size_t at = 0;

	while (at < text.len) {
		struct str word = { text.ptr + at, 0 };

		while (at + word.len < text.len && !strchr(" ,-\t", word.ptr[word.len]))
			word.len++;
		at += word.len + 1;
		if (word.len)
			take_word(&d, word);
	}
	if (d.year < 100)
		d.year += d.year < 70 ? 2000 : 1900;
	if (d.clock_s < 0 || !d.day || d.day > 31 || !d.month || d.year < 1601 || d.year > 9999)
		return false;
	*ret_s = days_since_1970((int64_t)d.year, d.month, (unsigned)d.day) * 86400 + d.clock_s;
	return true;
}

static void replace(char **slot, struct str value)
{
	free(*slot);
	*slot = str_dup(value);
}

static void parse_attribute(struct load_cookie *c, struct str name, struct str value)
{
	int64_t s;

	if (str_ieq(name, STR("domain"))) {
		if (value.len && value.ptr[0] == '.') {
			value.ptr++;
			value.len--;
		}
		replace(&c->domain, value);
	} else if (str_ieq(name, STR("path"))) {
		replace(&c->path, value);
	} else if (str_ieq(name, STR("max-age"))) {
		if (num_parse_i64(value, &s) == 0)
			c->max_age_s = s > 0 ? s : -1;
	} else if (str_ieq(name, STR("expires"))) {
		if (load_http_date_parse(value, &s))
			c->expires_ms = s * 1000;
	} else if (str_ieq(name, STR("httponly"))) {
		c->http_only = true;
	} else if (str_ieq(name, STR("secure"))) {
		c->secure = true;
	}
}

static void split_pair(struct str part, struct str *ret_name, struct str *ret_value)
{
	size_t eq = str_find(part, '=');

	*ret_name = str_trim((struct str){ part.ptr, eq });
	*ret_value = (struct str){ "", 0 };
	if (eq < part.len)
		*ret_value = str_trim((struct str){ part.ptr + eq + 1, part.len - eq - 1 });
	if (ret_value->len >= 2 && ret_value->ptr[0] == '"' &&
	    ret_value->ptr[ret_value->len - 1] == '"') {
		ret_value->ptr++;
		ret_value->len -= 2;
	}
}

/* RFC 6265's cookie-octet, and blank and comma, which Go takes as well. */
static bool is_value(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < 0x20 || s.ptr[i] > 0x7e || strchr("\";\\", s.ptr[i]))
			return false;
	return true;
}

bool load_cookie_parse(struct str field, struct load_cookie *ret)
{
	struct str part, name, value;

	if (!str_split(&field, ';', &part))
		return false;
	split_pair(part, &name, &value);
	if (!net_is_token(name) || str_find(part, '=') == part.len || !is_value(value))
		return false;
	*ret = (struct load_cookie){
		.name = str_dup(name),
		.value = str_dup(value),
		.domain = xstrdup(""),
		.path = xstrdup(""),
	};
	while (str_split(&field, ';', &part)) {
		split_pair(part, &name, &value);
		if (is_value(value))
			parse_attribute(ret, name, value);
	}
	return true;
}

void load_cookie_release(struct load_cookie *c)
{
	free(c->name);
	free(c->value);
	free(c->domain);
	free(c->path);
}

/* ---- where a cookie belongs (RFC 6265 5.1.3, 5.1.4) ---- */

static bool domain_matches(struct str host, struct str domain)
{
	struct str tail;

	if (str_ieq(host, domain))
		return true;
	if (host.len <= domain.len)
		return false;
	tail = (struct str){ host.ptr + host.len - domain.len, domain.len };
	return tail.ptr[-1] == '.' && str_ieq(tail, domain);
}

static bool path_matches(struct str path, struct str prefix)
{
	if (!path.len)
		path = STR("/");
	if (!str_starts_with(path, prefix))
		return false;
	return path.len == prefix.len || prefix.ptr[prefix.len - 1] == '/' ||
	       path.ptr[prefix.len] == '/';
}

static struct str default_path(const struct net_url *url)
{
	struct str p = url->path;

	while (p.len && p.ptr[p.len - 1] != '/')
		p.len--;
	if (p.len > 1)
		return (struct str){ p.ptr, p.len - 1 };
	return STR("/");
}

static int64_t now_s(void)
{
	return (int64_t)time(NULL);
}

static bool expired(const struct kept *k)
{
	return k->expires_s && k->expires_s <= now_s();
}

static void remove_at(struct load_jar *jar, size_t i)
{
	kept_release(&jar->list.ptr[i]);
	jar->list.len--;
	memmove(&jar->list.ptr[i], &jar->list.ptr[i + 1],
		(jar->list.len - i) * sizeof(jar->list.ptr[0]));
}

static void insert(struct load_jar *jar, const struct kept *k)
{
	for (size_t i = 0; i < jar->list.len; i++) {
		const struct kept *have = &jar->list.ptr[i];

		if (strcmp(have->name, k->name) || strcasecmp(have->domain, k->domain) ||
		    strcmp(have->path, k->path))
			continue;
		remove_at(jar, i);
		break;
	}
	vec_push(&jar->list, *k);
	if (expired(k) || jar->list.len > LOAD_COOKIES_MAX)
		remove_at(jar, jar->list.len - 1);
}

bool load_jar_set(struct load_jar *jar, const struct net_url *url, const struct load_cookie *c)
{
	struct str domain = str_from(c->domain);
	struct kept k = { .secure = c->secure };

	if (domain.len && !domain_matches(url->host, domain))
		return false;
	k.host_only = !domain.len;
	k.name = xstrdup(c->name);
	k.value = xstrdup(c->value);
	k.domain = str_dup(domain.len ? domain : url->host);
	k.path = c->path[0] == '/' ? xstrdup(c->path) : str_dup(default_path(url));
	if (c->max_age_s)
		k.expires_s = c->max_age_s < 0 ? 1 : now_s() + MIN(c->max_age_s, INT32_MAX);
	else if (c->expires_ms)
		k.expires_s = MAX(c->expires_ms / 1000, 1);
	insert(jar, &k);
	return true;
}

void load_jar_remove(struct load_jar *jar, const struct net_url *url, const char *name)
{
	struct str path = url->path.len ? url->path : STR("/");

	for (size_t i = jar->list.len; i-- > 0;) {
		const struct kept *k = &jar->list.ptr[i];

		if (domain_matches(url->host, str_from(k->domain)) &&
		    path_matches(path, str_from(k->path)) && (!name || !strcmp(k->name, name)))
			remove_at(jar, i);
	}
}

static bool goes_to(const struct kept *k, const struct net_url *url)
{
	struct str domain = str_from(k->domain);

	if (k->secure && !url->tls)
		return false;
	if (k->host_only ? !str_ieq(url->host, domain) : !domain_matches(url->host, domain))
		return false;
	return path_matches(url->path, str_from(k->path)) && !expired(k);
}

void load_jar_match(struct load_jar *jar, const struct net_url *url, load_jar_fn *fn, void *arg)
{
	size_t shorter_than = SIZE_MAX;

	/* one pass for each length of path there is: there is rarely more than one */
	for (;;) {
		size_t longest = 0;

		vec_for_each (&jar->list, k)
			if (strlen(k->path) < shorter_than && goes_to(k, url))
				longest = MAX(longest, strlen(k->path));
		if (!longest)
			return;
		vec_for_each (&jar->list, k)
			if (strlen(k->path) == longest && goes_to(k, url))
				fn(arg, k->name, k->value);
		shorter_than = longest;
	}
}

void load_jar_take(struct load_jar *jar, const struct net_url *url, const struct net_head *head)
{
	const struct net_field *f;
	struct load_cookie c;
	size_t pos = 0;

	while ((f = net_head_find(head, STR("Set-Cookie"), &pos))) {
		if (!load_cookie_parse(net_field_value(head, f), &c))
			continue;
		load_jar_set(jar, url, &c);
		load_cookie_release(&c);
	}
}
