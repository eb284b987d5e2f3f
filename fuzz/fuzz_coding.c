#include <stddef.h>
#include <stdint.h>

#include "net/coding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses the coding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "gzip", "deflate", "br", "zstd", "gzip, br" };
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;

	if (!size)
		return 0;
	strbuf_add(&body, data + 1, size - 1);
	net_coding_remove(str_from(names[data[0] % 5]), 1 << 20, &body, NULL);
	return 0;
}
