/*
 * The first byte chooses the form, the second where the rest is cut in two. What comes out is valid
 * UTF-8 (a fatal decoder takes it and gives the same), whether it came in one piece or in two, and
 * where a fatal decoder ends there is U+FFFD in it.
 */
#include "base/utf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(struct str a, struct str b)
{
	return a.len == b.len && !memcmp(a.ptr, b.ptr, a.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(strbuf_release)
	struct strbuf whole = STRBUF_INIT, pieces = STRBUF_INIT, again = STRBUF_INIT;
	struct utf_decoder d = { .form = UTF_8 }, strict = { .fatal = true, .keep_bom = true };
	struct str in;
	size_t cut;

	if (size < 2)
		return 0;
	d.form = (enum utf_form)(data[0] % 3);
	d.keep_bom = data[0] & 0x80;
	in = (struct str){ (const char *)data + 2, size - 2 };
	cut = in.len ? data[1] % in.len : 0;
	BUG_ON(utf_decode(&d, in, true, &whole) < 0);
	utf_decode(&d, (struct str){ in.ptr, cut }, false, &pieces);
	utf_decode(&d, (struct str){ in.ptr + cut, in.len - cut }, true, &pieces);
	BUG_ON(!same(strbuf_str(&whole), strbuf_str(&pieces)));
	BUG_ON(utf_decode(&strict, strbuf_str(&whole), true, &again) < 0);
	BUG_ON(!same(strbuf_str(&whole), strbuf_str(&again)));
	strbuf_clear(&again);
	strict.form = d.form;
	if (utf_decode(&strict, in, true, &again) < 0)
		BUG_ON(!memmem(strbuf_cstr(&whole), whole.len, "\xef\xbf\xbd", 3));
	return 0;
}
