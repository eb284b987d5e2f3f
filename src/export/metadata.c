#include "export/metadata.h"

#include <stdio.h>

/* What the script set below key, then key unless the script set that too. */
static uint32_t add_up_to(struct export_metadata *m, struct pairs *own, uint32_t i, struct str key,
			  const char *value)
{
	int order = 1;

	while (own && i < own->len && (order = str_cmp(own->list[i].key, key)) < 0) {
		vec_push(&m->list, ((struct export_tag){ own->list[i].key, own->list[i].value }));
		i++;
	}
	if (order)
		vec_push(&m->list, ((struct export_tag){ key, str_from(value) }));
	return i;
}

void export_metadata_read(struct export_metadata *m, const struct export_run *run,
			  const struct export_point *p)
{
	struct pairs *own = p->metadata;
	uint32_t i = 0;

	vec_clear(&m->list);
	if (run->iter && p->vu) {
		snprintf(m->iter, sizeof(m->iter), "%llu", (unsigned long long)p->iter);
		i = add_up_to(m, own, i, STR("iter"), m->iter);
	}
	if (run->vu && p->vu) {
		snprintf(m->vu, sizeof(m->vu), "%u", p->vu);
		i = add_up_to(m, own, i, STR("vu"), m->vu);
	}
	for (; own && i < own->len; i++)
		vec_push(&m->list, ((struct export_tag){ own->list[i].key, own->list[i].value }));
}

void export_metadata_release(struct export_metadata *m)
{
	vec_release(&m->list);
}
