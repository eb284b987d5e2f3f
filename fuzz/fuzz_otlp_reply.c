/* Any bytes as a collector's answer. */
#include "export/otlp_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;

	export_otlp_rejected((struct str){ (const char *)data, size }, &message);
	return 0;
}
