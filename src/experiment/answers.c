#include "experiment/answers.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_TIMEOUT_NS (30 * NS_PER_S)

void answers_release(struct answers *a)
{
	vec_for_each (&a->canonical, text)
		free(*text);
	vec_release(&a->canonical);
	free(a->first);
}

char *answers_canonical(struct str text)
{
	json_t *tree = json_loadb(text.ptr, text.len, JSON_DECODE_ANY, NULL);
	char *out = tree ? json_dumps(tree, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	json_decref(tree);
	return out ? out : str_dup(text);
}

/* "200 {...}" */
static int ask(const struct case_request *q, const struct vars *vars, struct net_fetch *fetch,
	       char **ret, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT, body = STRBUF_INIT;
	CLEANUP(strbuf_release) struct strbuf answer = STRBUF_INIT;
	CLEANUP(mem_cleanup) char *canonical = NULL;
	int r;

	strbuf_addstr(&url, vars_get(vars, "URL"));
	r = vars_expand(vars, q->path, &url, reterr);
	if (r == 0 && q->body)
		strbuf_addstr(&body, q->body);
	if (r < 0)
		return r;
	r = net_fetch_send(fetch, q->method, strbuf_cstr(&url), strbuf_str(&body),
			   ANSWER_TIMEOUT_NS, &answer, reterr);
	if (r < 0)
		return r;
	canonical = answers_canonical(strbuf_str(&answer));
	*ret = xasprintf("%d %s", r, canonical);
	return 0;
}

static void note_difference(struct case_desc_answers *ret, const struct answers *a, size_t i,
			    const char *variant, const char *answer)
{
	if (ret->result == CASE_ANSWERS_DIFFER)
		return; /* the first difference is the one to show */
	ret->result = CASE_ANSWERS_DIFFER;
	free(ret->detail);
	ret->detail = xasprintf("request %zu: %s says %.200s, %s says %.200s", i + 1, a->first,
				a->canonical.ptr[i], variant, answer);
}

int answers_check(struct answers *a, const struct case_file *c, const char *variant,
		  const struct vars *vars, struct net_fetch *fetch, struct case_desc_answers *ret,
		  struct error *reterr)
{
	bool first = !a->first;

	if (!c->same_answers.len)
		return 0;
	if (first)
		a->first = xstrdup(variant);
	if (ret->result == CASE_ANSWERS_UNCHECKED)
		ret->result = CASE_ANSWERS_EQUAL;
	ret->requests = (unsigned)c->same_answers.len;
	for (size_t i = 0; i < c->same_answers.len; i++) {
		CLEANUP(mem_cleanup) char *answer = NULL;
		int r = ask(&c->same_answers.ptr[i], vars, fetch, &answer, reterr);

		if (r < 0)
			return error_wrap(reterr, "checking the answers of variant %s", variant);
		if (first)
			vec_push(&a->canonical, TAKE(answer));
		else if (strcmp(answer, a->canonical.ptr[i]) != 0)
			note_difference(ret, a, i, variant, answer);
	}
	return 0;
}
