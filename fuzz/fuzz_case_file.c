#include <stddef.h>
#include <stdint.h>

#include "experiment/case_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_case_file) struct case_file *c = NULL;
	struct error err = ERROR_INIT;

	case_file_parse((struct str){ (const char *)data, size }, "case.yaml", &c, &err);
	return 0;
}
