/*
 * modules.h - k6's modules and the classes of the objects they make, all in one list each. To add a
 * module: write NAME.c here, declare it here, list it in modules.c.
 */
#ifndef ASSAY_LOAD_MODULES_H
#define ASSAY_LOAD_MODULES_H

#include "js/module.h"
#include "js/shard.h"
#include "load/vu.h"

extern const struct js_native_module load_k6_core;	/* k6 */
extern const struct js_native_module load_k6_http;	/* k6/http */
extern const struct js_native_module load_k6_metrics;	/* k6/metrics */
extern const struct js_native_module load_k6_data;	/* k6/data */
extern const struct js_native_module load_k6_execution; /* k6/execution */
extern const struct js_native_module load_k6_encoding;	/* k6/encoding */
extern const struct js_native_module load_k6_crypto;	/* k6/crypto */
extern const struct js_native_module load_k6_fs;	/* k6/experimental/fs */
extern const struct js_native_module load_k6_streams;	/* k6/experimental/streams */
extern const struct js_native_module load_k6_timers;	/* k6/timers */
extern const struct js_native_module load_k6_experimental_timers;
extern const struct js_native_module load_k6_csv;	 /* k6/experimental/csv */
extern const struct js_native_module load_k6_html;	 /* k6/html */
extern const struct js_native_module load_k6_webcrypto;	 /* k6/experimental/webcrypto */
extern const struct js_native_module load_k6_ws;	 /* k6/ws */
extern const struct js_native_module load_k6_websockets; /* k6/websockets */
extern const struct js_native_module load_k6_experimental_websockets;

extern const struct js_class load_statuses_class, load_url_class, load_jar_class, load_metric_class,
	load_shared_array_class, load_exec_class, load_metadata_class, load_html_selection_class,
	load_html_element_class, load_html_tags_class, load_hasher_class, load_file_class,
	load_fs_file_class, load_csv_parser_class, load_text_decoder_class, load_crypto_key_class,
	load_socket_class;

/* All of the above and load_response_class, for js_shard_opts. */
#define LOAD_CLASS_COUNT (LOAD_CLASS_END - JS_CLASS_USER)
extern struct js_class load_classes[LOAD_CLASS_COUNT];

/* Ends with NULL. */
extern const struct js_native_module *const load_modules[];

/* Defines the classes that every context needs, whatever it imports. 0, or -1 with an exception. */
int load_modules_setup(JSContext *ctx);

/* Fills load_classes; once, before the first shard. Any thread. */
void load_modules_init(void);

#endif
