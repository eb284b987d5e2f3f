#include "base/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct pairs *pairs_hold(struct pairs *p)
{
	if (p)
		atomic_fetch_add_explicit(&p->users, 1, memory_order_relaxed);
	return p;
}

void pairs_release(struct pairs *p)
{
	if (p && atomic_fetch_sub_explicit(&p->users, 1, memory_order_acq_rel) == 1)
		free(p);
}

/* From first on, the first of them that is not less than key. */
static uint32_t place_of(const struct pairs *p, struct str key)
{
	uint32_t i = 0;

	while (p && i < p->len && str_cmp(p->list[i].key, key) < 0)
		i++;
	return i;
}

static bool is_at(const struct pairs *p, uint32_t i, struct str key)
{
	return p && i < p->len && str_eq(p->list[i].key, key);
}

static struct str copy(char **to, struct str s)
{
	struct str r = { *to, s.len };

	if (s.len)
		memcpy(*to, s.ptr, s.len);
	(*to)[s.len] = 0;
	*to += s.len + 1;
	return r;
}

/* Room for len pairs whose texts and terminators take so many bytes; *text is where they go. */
static struct pairs *make(uint32_t len, size_t bytes, char **text)
{
	struct pairs *p = xmalloc(sizeof(*p) + len * sizeof(p->list[0]) + bytes);

	atomic_init(&p->users, 1);
	p->len = 0;
	*text = (char *)&p->list[len];
	return p;
}

static void append(struct pairs *p, char **text, const struct pairs_item *from)
{
	struct pairs_item *to = &p->list[p->len++];

	to->key = copy(text, from->key);
	to->value = copy(text, from->value);
}

static size_t bytes_of(const struct pairs *p)
{
	size_t n = 0;

	for (uint32_t i = 0; p && i < p->len; i++)
		n += p->list[i].key.len + p->list[i].value.len + 2;
	return n;
}

struct pairs *pairs_with(const struct pairs *p, struct str key, struct str value)
{
	uint32_t at = place_of(p, key), len = p ? p->len : 0;
	struct pairs_item added = { key, value };
	struct pairs *new;
	char *text;

	new = make(len + 1, bytes_of(p) + key.len + value.len + 2, &text);
	for (uint32_t i = 0; i < at; i++)
		append(new, &text, &p->list[i]);
	append(new, &text, &added);
	for (uint32_t i = at + is_at(p, at, key); i < len; i++)
		append(new, &text, &p->list[i]);
	return new;
}

struct pairs *pairs_without(struct pairs *p, struct str key)
{
	uint32_t at = place_of(p, key);
	struct pairs *new;
	char *text;

	if (!is_at(p, at, key))
		return pairs_hold(p);
	if (p->len == 1)
		return NULL;
	new = make(p->len - 1, bytes_of(p), &text);
	for (uint32_t i = 0; i < p->len; i++)
		if (i != at)
			append(new, &text, &p->list[i]);
	return new;
}

struct str pairs_get(const struct pairs *p, struct str key)
{
	uint32_t at = place_of(p, key);

	return is_at(p, at, key) ? p->list[at].value : (struct str){ NULL, 0 };
}
