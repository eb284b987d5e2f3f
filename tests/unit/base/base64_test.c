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

static void decodes(const char *in, enum base64_form form, const char *out)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(base64_decode(&sb, str_from(in), form, &err), err);
	ASSERT_STREQ(strbuf_cstr(&sb), out);
}

static void refuses(const char *in, enum base64_form form, const char *why)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_TRUE(base64_decode(&sb, str_from(in), form, &err) < 0);
	ASSERT_HAS(err.msg, why);
}

TEST(base64_decodes_the_vectors_of_rfc_4648)
{
	decodes("", BASE64_STD, "");
	decodes("Zg==", BASE64_STD, "f");
	decodes("Zm8=", BASE64_STD, "fo");
	decodes("Zm9v\nYmFy\r\n", BASE64_STD, "foobar");
	decodes("Zm9vYg", BASE64_RAW_STD, "foob");
	decodes("-_-_", BASE64_RAW_URL, "\xfb\xff\xbf");
	decodes("+/+/", BASE64_STD, "\xfb\xff\xbf");
}

TEST(base64_names_the_place_of_what_cannot_be)
{
	refuses("Zg=", BASE64_STD, "byte 3");
	refuses("Zg", BASE64_STD, "byte 2");
	refuses("Zg===", BASE64_STD, "byte 4");
	refuses("Z===", BASE64_STD, "byte 1");
	refuses("Zg==", BASE64_RAW_STD, "byte 2");
	refuses("Zm9v-", BASE64_STD, "byte 4");
	refuses("Zm9v+", BASE64_URL, "byte 4");
	refuses("Zm9vY", BASE64_RAW_STD, "byte 5");
}
