#include "base/md4.h"

#include "base/strbuf.h"
#include "test.h"

/* Fed in two parts, so that the buffer between them is tried too. */
static void hashes(const char *in, const char *hex)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t len = strlen(in), half = len / 2;
	unsigned char sum[MD4_BYTES];
	struct md4 m;

	md4_init(&m);
	md4_add(&m, in, half);
	md4_add(&m, in + half, len - half);
	md4_end(&m, sum);
	for (unsigned i = 0; i < MD4_BYTES; i++)
		strbuf_addf(&sb, "%02x", sum[i]);
	ASSERT_STREQ(strbuf_cstr(&sb), hex);
}

TEST(md4_gives_the_test_suite_of_rfc_1320)
{
	hashes("", "31d6cfe0d16ae931b73c59d7e0c089c0");
	hashes("a", "bde52cb31de33e46245e05fbdbd6fb24");
	hashes("abc", "a448017aaf21d8525fc10ae87aa6729d");
	hashes("message digest", "d9130a8164549fe818874806e1c7014b");
	hashes("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9");
	hashes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	       "043f8582f241db351ce627e153e7f0e4");
	hashes("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
	       "0",
	       "e33b4ddc9c38f2199c3e7b164fcc0536");
}
