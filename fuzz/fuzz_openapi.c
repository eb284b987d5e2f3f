/* OpenAPI documents: what is taken gives a script that parses, what is refused a message. */
#include "convert/openapi.h"
#include "script_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct convert_openapi_opts o = { 0 };
	int r = convert_openapi((struct str){ (const char *)data, size }, "openapi", &o, &s, &err);

	BUG_ON(r < 0 && (!err.msg[0] || err.code != r));
	if (r < 0)
		return 0;
	convert_script_fmt(&s, &out);
	BUG_ON(!script_check_parses(&out));
	return 0;
}
