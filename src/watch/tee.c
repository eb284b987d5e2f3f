#include "watch/tee.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct tee {
	struct watch_out out;
	struct watch_out *to[WATCH_TEE_MAX];
	bool failed[WATCH_TEE_MAX];
	size_t n;
	int failure; /* of all: the last one's */
};

static struct tee *tee_of(struct watch_out *o)
{
	return container_of(o, struct tee, out);
}

static void note_result(struct tee *t, size_t i, int r)
{
	bool left = false;

	if (r >= 0)
		return;
	t->failed[i] = true;
	for (size_t k = 0; k < t->n; k++)
		left = left || !t->failed[k];
	if (!left)
		t->failure = r;
}

static int tee_value(struct watch_out *o, const struct watch_value *v)
{
	struct tee *t = tee_of(o);

	for (size_t i = 0; i < t->n; i++)
		if (!t->failed[i])
			note_result(t, i, t->to[i]->ops->value(t->to[i], v));
	return t->failure;
}

static int tee_tick(struct watch_out *o, uint64_t t_ns)
{
	struct tee *t = tee_of(o);

	for (size_t i = 0; i < t->n; i++)
		if (!t->failed[i])
			note_result(t, i, t->to[i]->ops->tick(t->to[i], t_ns));
	return t->failure;
}

static int tee_note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	struct tee *t = tee_of(o);

	for (size_t i = 0; i < t->n; i++)
		if (!t->failed[i])
			note_result(t, i, t->to[i]->ops->note(t->to[i], t_ns, text));
	return t->failure;
}

static int tee_close(struct watch_out *o, struct error *reterr)
{
	struct tee *t = tee_of(o);
	int first = 0;

	for (size_t i = 0; i < t->n; i++) {
		int r = t->to[i]->ops->close(t->to[i], first < 0 ? NULL : reterr);

		if (!first)
			first = r;
	}
	free(t);
	return first;
}

static const struct watch_out_ops ops = { tee_value, tee_tick, tee_note, tee_close };

struct watch_out *watch_tee_new(struct watch_out *const *outs, size_t n)
{
	struct tee *t = xcalloc(1, sizeof(*t));

	BUG_ON(n > WATCH_TEE_MAX);
	t->out.ops = &ops;
	t->n = n;
	for (size_t i = 0; i < n; i++)
		t->to[i] = outs[i];
	return &t->out;
}
