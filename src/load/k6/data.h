/* data.h - what other modules need of "k6/data". */
#ifndef ASSAY_LOAD_K6_DATA_H
#define ASSAY_LOAD_K6_DATA_H

#include "js/engine.h"
#include "load/script.h"

/* A SharedArray of items, which the script keeps (load_script_share()). */
JSValue load_shared_array(JSContext *ctx, const struct load_shared *items);

#endif
