/*
 * globals.h - what scripts have without importing it: console, __ENV, __VU, __ITER, open(), timers,
 * Math.random() that can be seeded, TextEncoder, TextDecoder and crypto. k6 has no more than that
 * of what browsers have. What few scripts use is made when a script first looks.
 */
#ifndef ASSAY_LOAD_GLOBALS_H
#define ASSAY_LOAD_GLOBALS_H

#include "load/vu.h"

/* In a new context, before the script runs. 0, or -1 with an exception. */
int load_globals_setup(struct load_vu *vu);

/* setTimeout() and its kin, timers.c. */
int load_timers_setup(JSContext *ctx, JSValueConst global);
void load_timers_cancel(struct load_vu *vu);

/* Constructors, text.c. */
JSValue load_text_encoder_new(JSContext *ctx);
JSValue load_text_decoder_new(JSContext *ctx);

/* require(), commonjs.c. */
JSValue load_require(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv);

/* Runs a CommonJS source, once per VU, and gives its exports; see js_module_ops. */
JSValue load_commonjs(JSContext *ctx, const char *name, JSValueConst function);

/* Seeds what Math.random() of this VU gives. */
void load_vu_seed(struct load_vu *vu, uint64_t seed);

/* Puts the scenario's variables over the run's. */
void load_vu_set_env(struct load_vu *vu, const struct load_scenario *s);

#endif
