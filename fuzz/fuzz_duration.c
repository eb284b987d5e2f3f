#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read and printed reads back as the same, to the decimals that are printed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	uint64_t ns, again;

	if (duration_parse((struct str){ (const char *)data, size }, &ns) < 0)
		return 0;
	BUG_ON(ns > DURATION_MAX_NS);
	duration_fmt(&text, ns);
	BUG_ON(duration_parse(strbuf_str(&text), &again) < 0);
	/* the parser adds up doubles: 53 bits of the largest */
	BUG_ON((ns > again ? ns - again : again - ns) > 1 + ns / (UINT64_C(1) << 50));
	return 0;
}
