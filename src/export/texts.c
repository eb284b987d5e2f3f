#include "export/texts.h"

#include <stdlib.h>

#include "base/mem.h"

/* Sets whose text is kept; there are twice as many slots. */
#define TEXTS_MAX 32768
#define SLOTS	  ((size_t)TEXTS_MAX * 2)

struct export_text {
	const void *tags; /* NULL = free */
	char *text;
	size_t len;
};

void export_texts_init(struct export_texts *t, export_text_fn *fmt, void *arg)
{
	*t = (struct export_texts){ .fmt = fmt, .arg = arg };
	t->slots = xcalloc(SLOTS, sizeof(*t->slots));
}

void export_texts_release(struct export_texts *t)
{
	for (size_t i = 0; t->slots && i < SLOTS; i++)
		free(t->slots[i].text);
	free(t->slots);
	strbuf_release(&t->scratch);
	*t = (struct export_texts){ 0 };
}

struct str export_texts_get(struct export_texts *t, const void *tags)
{
	size_t i = ((uintptr_t)tags * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (SLOTS - 1);
	struct export_text *slot;

	while (t->slots[i].tags && t->slots[i].tags != tags)
		i = (i + 1) & (SLOTS - 1);
	slot = &t->slots[i];
	if (!slot->tags) {
		strbuf_clear(&t->scratch);
		t->fmt(t->arg, tags, &t->scratch);
		if (t->count == TEXTS_MAX)
			return strbuf_str(&t->scratch);
		t->count++;
		slot->tags = tags;
		slot->len = t->scratch.len;
		slot->text = strbuf_detach(&t->scratch);
	}
	return (struct str){ slot->text, slot->len };
}
