#include "base/base64.h"

#include "test.h"

static void encodes(const char *in, const char *out)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	base64_encode(&sb, str_from(in));
	ASSERT_STREQ(strbuf_cstr(&sb), out);
}

TEST(base64_encodes_the_vectors_of_rfc_4648)
{
	encodes("", "");
	encodes("f", "Zg==");
	encodes("fo", "Zm8=");
	encodes("foo", "Zm9v");
	encodes("foob", "Zm9vYg==");
	encodes("fooba", "Zm9vYmE=");
	encodes("foobar", "Zm9vYmFy");
}
