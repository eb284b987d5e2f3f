/* facts.h - the facts of every run: when it began, by which clock, on what machine. */
#ifndef ASSAY_HOST_FACTS_H
#define ASSAY_HOST_FACTS_H

#include "model/sink.h"

/* META_WALL_* and META_HOST_*. */
void host_put_facts(struct sink *s);

#endif
