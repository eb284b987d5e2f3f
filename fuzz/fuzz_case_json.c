#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_case_desc) struct case_desc *d = NULL;
	struct error err = ERROR_INIT;

	report_read_desc((struct str){ (const char *)data, size }, "case.json", &d, &err);
	return 0;
}
