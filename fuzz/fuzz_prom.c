#include <stddef.h>
#include <stdint.h>

#include "scrape/prom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(prom_histogram_release) struct prom_histogram h = PROM_HISTOGRAM_INIT;
	CLEANUP(prom_histogram_release) struct prom_histogram none = PROM_HISTOGRAM_INIT;

	if (prom_histogram_read((struct str){ (const char *)data, size }, "h", NULL, &h, NULL) == 0)
		prom_quantile(&none, &h, 0.99);
	return 0;
}
