#include "watch/wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define EVENT_COUNTERS "EventCounters\\"

void watch_wishes_release(struct watch_wishes *w)
{
	vec_for_each (&w->list, wish) {
		free(wish->provider);
		vec_for_each (&wish->counters, c)
			free(*c);
		vec_release(&wish->counters);
	}
	vec_release(&w->list);
}

static int bad(const char *text, size_t at, const char *wanted, struct error *reterr)
{
	return error_set(reterr, -EINVAL,
			 "\"%s\", place %zu: %s; the form is Provider[counter,counter],Provider",
			 text, at + 1, wanted);
}

/* "a,b]" from *at on; leaves *at behind the bracket. */
static int parse_counters(const char *text, size_t *at, struct watch_wish *wish,
			  struct error *reterr)
{
	for (;;) {
		size_t n = strcspn(text + *at, ",[]");
		struct str name = str_trim((struct str){ text + *at, n });

		if (!name.len)
			return bad(text, *at, "a counter's name is expected", reterr);
		vec_push(&wish->counters, str_dup(name));
		*at += n;
		if (text[*at] == ']') {
			++*at;
			return 0;
		}
		if (text[*at] != ',')
			return bad(text, *at, "a \"]\" is expected", reterr);
		++*at;
	}
}

static int parse_wish(const char *text, size_t *at, struct watch_wish *wish, struct error *reterr)
{
	size_t n = strcspn(text + *at, ",[]");
	struct str name = str_trim((struct str){ text + *at, n });

	if (str_starts_with(name, STR(EVENT_COUNTERS))) {
		wish->event_counters = true;
		name.ptr += strlen(EVENT_COUNTERS);
		name.len -= strlen(EVENT_COUNTERS);
	}
	if (!name.len)
		return bad(text, *at, "a provider's name is expected", reterr);
	wish->provider = str_dup(name);
	*at += n;
	if (text[*at] != '[')
		return 0;
	++*at;
	return parse_counters(text, at, wish, reterr);
}

int watch_wishes_parse(const char *text, struct watch_wishes *ret, struct error *reterr)
{
	size_t at = 0;

	for (;;) {
		int r;

		vec_push(&ret->list, ((struct watch_wish){ 0 }));
		r = parse_wish(text, &at, &vec_last(&ret->list), reterr);
		if (r < 0)
			return r;
		at += strspn(text + at, " ");
		if (!text[at])
			return 0;
		if (text[at] != ',')
			return bad(text, at, "a \",\" is expected", reterr);
		at++;
	}
}

bool watch_wish_is(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return strncasecmp(pattern, name, n - 1) == 0;
	return strcasecmp(pattern, name) == 0;
}

bool watch_wishes_provider(const struct watch_wishes *w, const char *provider)
{
	vec_for_each (&w->list, wish)
		if (watch_wish_is(wish->provider, provider))
			return true;
	return !w->list.len;
}

static bool lists(const struct watch_wish *wish, const char *name)
{
	vec_for_each (&wish->counters, c)
		if (watch_wish_is(*c, name))
			return true;
	return !wish->counters.len;
}

bool watch_wishes_counter(const struct watch_wishes *w, const char *provider, const char *name)
{
	vec_for_each (&w->list, wish)
		if (watch_wish_is(wish->provider, provider) && lists(wish, name))
			return true;
	return !w->list.len;
}

/* --- the filter --- */

struct filter {
	struct watch_out out, *to;
	const struct watch_wishes *wishes;
	bool of_host, of_scrape; /* some wish is about them */
};

static struct filter *filter_of(struct watch_out *o)
{
	return container_of(o, struct filter, out);
}

static bool is_wanted(const struct filter *f, const struct watch_value *v)
{
	if ((v->source == WATCH_HOST && f->of_host) || (v->source == WATCH_SCRAPE && f->of_scrape))
		return watch_wishes_counter(f->wishes, v->provider, v->name);
	return true;
}

static int filter_value(struct watch_out *o, const struct watch_value *v)
{
	struct filter *f = filter_of(o);

	return is_wanted(f, v) ? f->to->ops->value(f->to, v) : 0;
}

static int filter_tick(struct watch_out *o, uint64_t t_ns)
{
	struct filter *f = filter_of(o);

	return f->to->ops->tick(f->to, t_ns);
}

static int filter_note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	struct filter *f = filter_of(o);

	return f->to->ops->note(f->to, t_ns, text);
}

static int filter_close(struct watch_out *o, struct error *reterr)
{
	struct filter *f = filter_of(o);
	int r = f->to->ops->close(f->to, reterr);

	free(f);
	return r;
}

struct watch_out *watch_filter_new(const struct watch_wishes *w, struct watch_out *to)
{
	static const struct watch_out_ops ops = { filter_value, filter_tick, filter_note,
						  filter_close };
	static const char *const host[] = { "process", "cgroup", "net", "system" };
	struct filter *f = xcalloc(1, sizeof(*f));

	f->out.ops = &ops;
	f->to = to;
	f->wishes = w;
	for (size_t i = 0; i < ARRAY_SIZE(host); i++)
		f->of_host = f->of_host || (w->list.len && watch_wishes_provider(w, host[i]));
	f->of_scrape = w->list.len && watch_wishes_provider(w, "prometheus");
	return &f->out;
}
