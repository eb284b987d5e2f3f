#include "cli/load_url.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "net/url.h"
#include "os/file.h"

#define BODY_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define RATE_MAX       1e6
#define VUS_FIRST_MAX  1000.0

bool load_url_is(const char *arg)
{
	struct str s = str_from(arg);

	return str_starts_with(s, STR("http://")) || str_starts_with(s, STR("https://"));
}

void load_url_release(struct load_url *u)
{
	vec_for_each (&u->headers, h) {
		free(h->key);
		free(h->value);
	}
	vec_release(&u->headers);
	strbuf_release(&u->body);
	strbuf_release(&u->options);
}

/* ---- the request ---- */

static int read_headers(const struct opt_list *list, struct load_url *ret, struct error *reterr)
{
	for (size_t i = 0; i < list->len; i++) {
		struct str text = str_from(list->ptr[i]);
		size_t colon = str_find(text, ':');
		struct str name = str_trim((struct str){ text.ptr, colon });
		struct load_pair h;

		if (colon == text.len || !name.len)
			return error_set(reterr, -EINVAL, "--header %s: expected \"Name: value\"",
					 list->ptr[i]);
		h.key = str_dup(name);
		h.value = str_dup(
			str_trim((struct str){ text.ptr + colon + 1, text.len - colon - 1 }));
		vec_push(&ret->headers, h);
	}
	return 0;
}

static int read_body(const struct load_url_flags *f, struct load_url *ret, struct error *reterr)
{
	if (f->body && f->body_file)
		return error_set(reterr, -EINVAL, "--body and --body-file exclude each other");
	if (f->body)
		strbuf_addstr(&ret->body, f->body);
	if (!f->body_file)
		return 0;
	if (file_read(f->body_file, BODY_BYTES_MAX, &ret->body, reterr) < 0)
		return error_wrap(reterr, "--body-file");
	return 0;
}

/* ---- the options ---- */

/* "10s:100,30s:500" into {"duration", "target"} pairs. */
static int put_stages(struct json_writer *w, const char *text, double scale, struct error *reterr)
{
	struct str rest = str_from(text), part;
	uint64_t target;

	json_array_begin(w, "stages");
	while (str_split(&rest, ',', &part)) {
		size_t colon = str_find(part, ':');

		if (colon == part.len ||
		    num_parse_u64(
			    str_trim((struct str){ part.ptr + colon + 1, part.len - colon - 1 }),
			    &target) < 0)
			return error_set(
				reterr, -EINVAL,
				"--stages %s: expected TIME:TARGET, as 10s:100, at \"%.*s\"", text,
				STR_FMT(part));
		json_object_begin(w, NULL);
		json_str(w, "duration", str_trim((struct str){ part.ptr, colon }));
		json_double(w, "target", (double)target * scale);
		json_object_end(w);
	}
	json_array_end(w);
	return 0;
}

static int check_rate(const struct load_url_flags *f, struct error *reterr)
{
	if (f->rate > RATE_MAX || f->rate * 1000 != floor(f->rate * 1000))
		return error_set(reterr, -EINVAL, "--rate %g: at most %g, in thousandths", f->rate,
				 RATE_MAX);
	if (f->iterations)
		return error_set(
			reterr, -EINVAL,
			"--iterations and --rate exclude each other; --duration ends the load");
	if (f->stages && f->duration)
		return error_set(reterr, -EINVAL, "--duration and --stages exclude each other");
	return 0;
}

/* As many as --vus says; else some to begin with, and more as they are needed. */
static int put_rate_users(struct json_writer *w, const struct load_url_flags *f,
			  struct error *reterr)
{
	uint64_t first = (uint64_t)fmin(ceil(f->rate / 10) + 10, VUS_FIRST_MAX);
	uint64_t most = LOAD_AUTO_VUS_MAX;

	if (f->vus) {
		if (num_parse_u64(str_from(f->vus), &first) < 0)
			return error_set(reterr, -EINVAL, "--vus takes a whole number, not \"%s\"",
					 f->vus);
		most = first;
	}
	json_uint(w, "preAllocatedVUs", first);
	json_uint(w, "maxVUs", most);
	return 0;
}

/* k6's rates are whole numbers a time unit: thousandths of one a second are a number per 1,000 s.
 */
static int put_rate(struct json_writer *w, const struct load_url_flags *f, struct error *reterr)
{
	bool whole = f->rate == floor(f->rate);
	double scale = whole ? 1 : 1000;

	if (check_rate(f, reterr) < 0)
		return -EINVAL;
	json_object_begin(w, "scenarios");
	json_object_begin(w, "default");
	json_cstr(w, "executor", f->stages ? "ramping-arrival-rate" : "constant-arrival-rate");
	json_cstr(w, "timeUnit", whole ? "1s" : "1000s");
	json_double(w, f->stages ? "startRate" : "rate", f->rate * scale);
	if (put_rate_users(w, f, reterr) < 0 ||
	    (f->stages && put_stages(w, f->stages, scale, reterr) < 0))
		return -EINVAL;
	if (!f->stages)
		json_cstr(w, "duration", f->duration ? f->duration : "10s");
	json_object_end(w);
	json_object_end(w);
	return 0;
}

static int put_users(struct json_writer *w, const struct load_url_flags *f, struct error *reterr)
{
	if (f->stages && (f->duration || f->iterations))
		return error_set(reterr, -EINVAL, "--stages excludes --duration and --iterations");
	if (f->stages)
		return put_stages(w, f->stages, 1, reterr);
	/* flags lie over what is said here */
	if (!f->vus && !f->iterations)
		json_double(w, "vus", 10);
	if (!f->duration && !f->iterations)
		json_cstr(w, "duration", "10s");
	return 0;
}

/* "http_req_duration: p(99)<100", several for a metric allowed. */
static int put_thresholds(struct json_writer *w, const struct opt_list *list, struct error *reterr)
{
	json_object_begin(w, "thresholds");
	for (size_t i = 0; i < list->len; i++) {
		const char *text = list->ptr[i];
		size_t colon = strcspn(text, ":");
		struct str name = str_trim((struct str){ text, colon });
		CLEANUP(mem_cleanup) char *key = str_dup(name);

		/* a tag in braces has a colon of its own */
		if (strchr(text, '{') && strchr(text, '{') < text + colon) {
			const char *brace = strchr(text, '}');

			colon = brace ? (size_t)(brace - text) + strcspn(brace, ":") : strlen(text);
			free(key);
			key = str_dup(str_trim((struct str){ text, colon }));
		}
		if (!text[colon] || !*key)
			return error_set(reterr, -EINVAL,
					 "--threshold %s: expected METRIC: EXPRESSION, as "
					 "\"http_req_duration: p(99)<100\"",
					 text);
		json_array_begin(w, key);
		json_str(w, NULL, str_trim(str_from(text + colon + 1)));
		json_array_end(w);
	}
	json_object_end(w);
	return 0;
}

static int make_options(const struct load_url_flags *f, struct load_url *ret, struct error *reterr)
{
	struct json_writer w;
	int r;

	json_init(&w, &ret->options, JSON_COMPACT);
	json_object_begin(&w, NULL);
	r = f->rate > 0 ? put_rate(&w, f, reterr) : put_users(&w, f, reterr);
	if (r == 0)
		r = put_thresholds(&w, &f->thresholds, reterr);
	if (r == 0)
		json_object_end(&w);
	return r;
}

int load_url_read(const char *url, const struct load_url_flags *f, struct load_url *ret,
		  struct error *reterr)
{
	struct net_url parsed;

	if (net_url_parse(&parsed, str_from(url), reterr) < 0)
		return error_wrap(reterr, "%s", url);
	if (read_headers(&f->headers, ret, reterr) < 0 || read_body(f, ret, reterr) < 0 ||
	    make_options(f, ret, reterr) < 0)
		return -EINVAL;
	ret->target = (struct load_target){
		.method = f->method	  ? f->method
			  : ret->body.len ? "POST"
					  : "GET",
		.url = url,
		.headers = ret->headers.ptr,
		.n_headers = ret->headers.len,
		.body = strbuf_str(&ret->body),
		.timeout_ns = f->timeout_ns,
		.options_json = strbuf_str(&ret->options),
	};
	return 0;
}
