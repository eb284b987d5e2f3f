/*
 * tee.h - values to several outs. One that fails is left out from then on and its failure kept for
 * close(); the tee itself fails when none is left. close() closes them all.
 */
#ifndef ASSAY_WATCH_TEE_H
#define ASSAY_WATCH_TEE_H

#include "watch/value.h"

#define WATCH_TEE_MAX 4

/* Takes over the n outs. */
struct watch_out *watch_tee_new(struct watch_out *const *outs, size_t n);

#endif
