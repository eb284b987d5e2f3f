/* conf_internal.h - what the readers of the two languages share; conf.c and json.c only. */
#ifndef ASSAY_CONF_CONF_INTERNAL_H
#define ASSAY_CONF_CONF_INTERNAL_H

#include "conf/conf.h"

/* An empty child at the end; pointers to its siblings move. */
struct conf_node *conf_add_child(struct conf_node *parent);

/* Fills c->root. */
int conf_parse_json(struct str text, struct conf *c, struct error *reterr);

#endif
