#include "load/k6/modules.h"

#include <pthread.h>

#include "load/k6/response.h"

/* in the order of their names */
/* clang-format off */
const struct js_native_module *const load_modules[] = {
	&load_k6_core,
	&load_k6_crypto,
	&load_k6_data,
	&load_k6_encoding,
	&load_k6_execution,
	&load_k6_csv,
	&load_k6_fs,
	&load_k6_streams,
	&load_k6_experimental_timers,
	&load_k6_webcrypto,
	&load_k6_experimental_websockets,
	&load_k6_timers,
	&load_k6_html,
	&load_k6_http,
	&load_k6_metrics,
	&load_k6_websockets,
	&load_k6_ws,
	NULL,
};
/* clang-format on */

struct js_class load_classes[LOAD_CLASS_COUNT];

static void fill_classes(void)
{
	const struct js_class *const all[] = {
		&load_crypto_key_class,	  &load_csv_parser_class,   &load_fs_file_class,
		&load_exec_class,	  &load_metadata_class,	    &load_file_class,
		&load_hasher_class,	  &load_html_element_class, &load_html_selection_class,
		&load_html_tags_class,	  &load_jar_class,	    &load_metric_class,
		&load_response_class,	  &load_shared_array_class, &load_statuses_class,
		&load_text_decoder_class, &load_url_class,	    &load_socket_class,
	};

	_Static_assert(ARRAY_SIZE(all) == LOAD_CLASS_COUNT, "a class is missing");
	for (size_t i = 0; i < LOAD_CLASS_COUNT; i++)
		load_classes[i] = *all[i];
}

void load_modules_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_classes);
}

int load_modules_setup(JSContext *ctx)
{
	return load_response_setup(ctx);
}
