#include <stddef.h>
#include <stdint.h>

#include "store/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_run) struct run *r = NULL;
	struct error err = ERROR_INIT;

	store_read_image((struct str){ (const char *)data, size }, "fuzz.assay", &r, &err);
	return 0;
}
