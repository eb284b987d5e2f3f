/*
 * native.h - load without a script: every iteration is one request, the same each time. A VU then
 * has no script VM; the request it sends is made once and used again and again.
 */
#ifndef ASSAY_LOAD_NATIVE_H
#define ASSAY_LOAD_NATIVE_H

#include "load/vu.h"

struct load_request;

/* The VU's request, by load_opts.target. */
struct load_request *load_native_new(struct load_vu *vu);

/* Sends it; the VU's iteration ends when the answer is there. */
void load_native_send(struct load_vu *vu);

/* Takes it back, without samples; the iteration does not end by this. */
void load_native_cancel(struct load_vu *vu);

#endif
