#include "load/options_field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/num.h"

#define KEYS_MAX 64

const struct option_field *option_find(const struct option_field *fields, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(fields[i].key, key))
			return &fields[i];
	return NULL;
}

const char *option_nearest(const struct option_field *fields, size_t n, const char *key)
{
	const char *keys[KEYS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < n && count < KEYS_MAX; i++)
		if (fields[i].kind != OPTION_REFUSED && fields[i].kind != OPTION_IGNORED)
			keys[count++] = fields[i].key;
	return str_nearest(key, keys, count);
}

void option_texts_release(struct load_texts *t)
{
	vec_for_each (t, p)
		free(*p);
	vec_release(t);
}

void option_pairs_release(struct load_pairs *p)
{
	vec_for_each (p, pair) {
		free(pair->key);
		free(pair->value);
	}
	vec_release(p);
}

/* --- messages --------------------------------------------------------------------------------- */

/* "path.key: expected WHAT, got VALUE" */
static int unexpected(struct error *reterr, const char *place, const char *what,
		      const json_t *value)
{
	char *got = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	error_set(reterr, -EINVAL, "%s: expected %s, got %.80s", place, what, got ? got : "?");
	free(got);
	return -EINVAL;
}

/* --- from JSON -------------------------------------------------------------------------------- */

static int read_number(const char *place, const struct option_field *f, const json_t *value,
		       uint64_t *ret, struct error *reterr)
{
	uint64_t max = f->max ? f->max : f->kind == OPTION_U32 ? UINT32_MAX : INT64_MAX;
	json_int_t n = json_integer_value(value);
	char what[80];

	if (json_is_integer(value) && n >= 0 && (uint64_t)n >= f->min && (uint64_t)n <= max) {
		*ret = (uint64_t)n;
		return 0;
	}
	if (f->max)
		snprintf(what, sizeof(what), "a whole number from %llu to %llu",
			 (unsigned long long)f->min, (unsigned long long)f->max);
	else
		snprintf(what, sizeof(what), "a whole number, at least %llu",
			 (unsigned long long)f->min);
	return unexpected(reterr, place, what, value);
}

static int duration_of(const json_t *value, uint64_t *ret_ns)
{
	double ms;

	if (json_is_string(value))
		return duration_parse(
			(struct str){ json_string_value(value), json_string_length(value) },
			ret_ns);
	ms = json_number_value(value);
	if (!json_is_number(value) || !(ms >= 0 && ms * 1e6 <= (double)LOAD_DURATION_MAX_NS))
		return -EINVAL;
	*ret_ns = (uint64_t)(ms * 1e6 + 0.5);
	return 0;
}

static int read_duration(const char *place, const struct option_field *f, const json_t *value,
			 uint64_t *ret_ns, struct error *reterr)
{
	char what[96] = "a duration such as \"30s\", \"1m30s\" or a number of milliseconds";
	uint64_t ns;

	if (duration_of(value, &ns) < 0)
		return unexpected(reterr, place, what, value);
	if (ns > LOAD_DURATION_MAX_NS)
		return unexpected(reterr, place, "a duration of ten years at most", value);
	if (ns < f->min && f->min < NS_PER_MS)
		return unexpected(reterr, place, "a duration that is not nothing", value);
	if (ns < f->min) {
		snprintf(what, sizeof(what), "a duration of at least %llu ms",
			 (unsigned long long)(f->min / NS_PER_MS));
		return unexpected(reterr, place, what, value);
	}
	*ret_ns = ns;
	return 0;
}

static int read_texts(const char *place, const json_t *value, struct load_texts *ret,
		      struct error *reterr)
{
	struct load_texts list = VEC_INIT;
	size_t i;
	json_t *item;

	if (!json_is_array(value))
		return unexpected(reterr, place, "a list of texts", value);
	json_array_foreach((json_t *)(uintptr_t)value, i, item)
	{
		if (!json_is_string(item)) {
			option_texts_release(&list);
			return unexpected(reterr, place, "a list of texts", value);
		}
		vec_push(&list, xstrdup(json_string_value(item)));
	}
	option_texts_release(ret);
	*ret = list;
	return 0;
}

static int read_pairs(const char *place, const json_t *value, struct load_pairs *ret,
		      struct error *reterr)
{
	struct load_pairs list = VEC_INIT;
	const char *key;
	json_t *item;

	if (!json_is_object(value))
		return unexpected(reterr, place, "an object of texts", value);
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		if (!json_is_string(item)) {
			option_pairs_release(&list);
			return error_set(reterr, -EINVAL,
					 "%s.%s: expected a text; put the value into quotes", place,
					 key);
		}
		vec_push(&list,
			 ((struct load_pair){ xstrdup(key), xstrdup(json_string_value(item)) }));
	}
	option_pairs_release(ret);
	*ret = list;
	return 0;
}

static int read_stage(const char *place, const json_t *value, struct load_stage *ret,
		      struct error *reterr)
{
	static const struct option_field fields[] = {
		{ .key = "duration", .kind = OPTION_DURATION },
		{ .key = "target", .kind = OPTION_U32 },
	};
	const json_t *duration = json_object_get(value, "duration");
	const json_t *target = json_object_get(value, "target");
	uint64_t number = 0;
	int err;

	if (!duration || !target || json_object_size(value) != 2)
		return unexpected(reterr, place, "{duration, target}", value);
	err = read_duration(place, &fields[0], duration, &ret->duration_ns, reterr);
	if (err == 0)
		err = read_number(place, &fields[1], target, &number, reterr);
	ret->target = (uint32_t)number;
	return err;
}

static int read_stages(const char *place, const json_t *value, struct load_stages *ret,
		       struct error *reterr)
{
	struct load_stages list = VEC_INIT;
	size_t i;
	json_t *item;

	if (!json_is_array(value))
		return unexpected(reterr, place, "a list of {duration, target}", value);
	if (json_array_size(value) > LOAD_STAGES_MAX)
		return error_set(reterr, -E2BIG, "%s: %zu stages are more than the %d assay takes",
				 place, json_array_size(value), LOAD_STAGES_MAX);
	json_array_foreach((json_t *)(uintptr_t)value, i, item)
	{
		struct load_stage stage = { 0 };
		char where[256];
		int err;

		snprintf(where, sizeof(where), "%.200s[%zu]", place, i);
		err = read_stage(where, item, &stage, reterr);
		if (err < 0) {
			vec_release(&list);
			return err;
		}
		vec_push(&list, stage);
	}
	vec_release(ret);
	*ret = list;
	return 0;
}

static int read_scalar(const struct option_field *f, const char *place, const json_t *value,
		       void *to, struct error *reterr)
{
	uint64_t number = 0;
	int err;

	switch (f->kind) {
	case OPTION_BOOL:
		if (!json_is_boolean(value))
			return unexpected(reterr, place, "true or false", value);
		*(bool *)to = json_is_true(value);
		return 0;
	case OPTION_TEXT:
		if (!json_is_string(value))
			return unexpected(reterr, place, "a text", value);
		free(*(char **)to);
		*(char **)to = xstrdup(json_string_value(value));
		return 0;
	case OPTION_DURATION:
		return read_duration(place, f, value, to, reterr);
	default:
		err = read_number(place, f, value, &number, reterr);
		if (err < 0)
			return err;
		if (f->kind == OPTION_U32)
			*(uint32_t *)to = (uint32_t)number;
		else
			*(uint64_t *)to = number;
		return 0;
	}
}

int option_read(const struct option_field *f, const char *path, const json_t *value, void *base,
		struct error *reterr)
{
	void *to = (char *)base + f->offset;
	char place[256];

	snprintf(place, sizeof(place), "%s.%s", path, f->key);
	switch (f->kind) {
	case OPTION_TEXTS:
		return read_texts(place, value, to, reterr);
	case OPTION_PAIRS:
		return read_pairs(place, value, to, reterr);
	case OPTION_STAGES:
		return read_stages(place, value, to, reterr);
	case OPTION_CUSTOM:
	case OPTION_IGNORED:
	case OPTION_SILENT:
	case OPTION_REFUSED:
		BUG("not a field to be read by table");
	default:
		return read_scalar(f, place, value, to, reterr);
	}
}

/* --- from the text of a flag ------------------------------------------------------------------ */

static json_t *text_of(struct str s)
{
	return json_stringn(s.ptr, s.len);
}

/* "a,b" added to the list before. */
static int add_texts(struct str text, json_t *list)
{
	struct str part;

	while (str_split(&text, ',', &part))
		if (str_trim(part).len && json_array_append_new(list, text_of(str_trim(part))) < 0)
			return -EINVAL;
	return 0;
}

/* "10s:5,1m:20" */
static int add_stages(struct str text, json_t *list)
{
	struct str part;

	while (str_split(&text, ',', &part)) {
		size_t colon = str_find(part, ':');
		struct str target = { part.ptr + colon + 1, 0 };
		json_t *duration = text_of((struct str){ part.ptr, colon });
		uint64_t n;

		if (colon < part.len)
			target.len = part.len - colon - 1;
		if (!duration || colon == part.len || num_parse_u64(target, &n) < 0 ||
		    n > UINT32_MAX) {
			json_decref(duration);
			return -EINVAL;
		}
		json_array_append_new(list, json_pack("{s:o, s:I}", "duration", duration, "target",
						      (json_int_t)n));
	}
	return 0;
}

/* "key=value" */
static int add_pair(struct str text, json_t *object)
{
	size_t eq = str_find(text, '=');
	json_t *value;
	int err;

	if (!eq || eq == text.len)
		return -EINVAL;
	value = text_of((struct str){ text.ptr + eq + 1, text.len - eq - 1 });
	if (!value)
		return -EINVAL;
	err = json_object_setn_new(object, text.ptr, eq, value);
	return err ? -EINVAL : 0;
}

/* A text value as JSON; NULL when it is not one of that kind. */
static json_t *scalar_from_text(enum option_kind kind, struct str text)
{
	uint64_t n;

	switch (kind) {
	case OPTION_DURATION:
		return duration_parse(text, &n) < 0 ? NULL : text_of(text);
	case OPTION_U32:
	case OPTION_U64:
		return num_parse_u64(text, &n) < 0 || n > INT64_MAX ? NULL
								    : json_integer((json_int_t)n);
	case OPTION_BOOL:
		if (!text.len || str_eq(text, STR("true")))
			return json_true();
		return str_eq(text, STR("false")) ? json_false() : NULL;
	default:
		return text_of(text);
	}
}

static json_t *list_from_text(const struct option_field *f, struct str text, const json_t *before)
{
	json_t *value = before			  ? json_copy((json_t *)(uintptr_t)before)
			: f->kind == OPTION_PAIRS ? json_object()
						  : json_array();
	int err;

	if (f->kind == OPTION_PAIRS)
		err = add_pair(text, value);
	else if (f->kind == OPTION_STAGES)
		err = add_stages(text, value);
	else
		err = add_texts(text, value);
	if (err < 0) {
		json_decref(value);
		return NULL;
	}
	return value;
}

static const char *form_of(enum option_kind kind)
{
	switch (kind) {
	case OPTION_U32:
	case OPTION_U64:
		return "a whole number";
	case OPTION_DURATION:
		return "a duration, as 30s or 1m30s";
	case OPTION_BOOL:
		return "true or false";
	case OPTION_PAIRS:
		return "name=value";
	case OPTION_STAGES:
		return "duration:target, as in 30s:10";
	default:
		return "text in UTF-8";
	}
}

int option_from_text(const struct option_field *f, const char *text, const json_t *before,
		     json_t **ret, struct error *reterr)
{
	struct str s = str_from(text);
	bool list = f->kind == OPTION_TEXTS || f->kind == OPTION_PAIRS || f->kind == OPTION_STAGES;
	json_t *value = list ? list_from_text(f, s, before) : scalar_from_text(f->kind, s);

	if (!value)
		return error_set(reterr, -EINVAL, "%s: expected %s, got '%.80s'", f->key,
				 form_of(f->kind), text);
	*ret = value;
	return 0;
}
