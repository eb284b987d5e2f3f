/*
 * Digest by the examples of RFC 7616 3.9.1 and RFC 2617 3.5; NTLM by that of MS-NLMP 4.2.4 (user
 * "User", password "Password", domain "Domain", client nonce aa.., server challenge
 * 0123456789abcdef, time 0).
 */
#include "net/auth.h"

#include <errno.h>

#include "base/base64.h"
#include "test.h"

static const struct net_auth_digest mufasa = {
	.user = STR("Mufasa"),
	.password = STR("Circle of Life"),
	.method = STR("GET"),
	.target = STR("/dir/index.html"),
	.cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
};

static void answers(const char *challenge, const struct net_auth_digest *with, const char *part)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(net_auth_digest(str_from(challenge), with, &out, &err), err);
	ASSERT_HAS(strbuf_cstr(&out), part);
}

TEST(auth_digest_gives_the_answers_of_rfc_7616)
{
	answers("Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=MD5, "
		"nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
		"opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"",
		&mufasa, "response=\"8ca523f5e9506fed4657c9700eebdbec\"");
	answers("Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", "
		"algorithm=SHA-256, "
		"nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
		"opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"",
		&mufasa,
		"response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\"");
}

TEST(auth_digest_gives_the_answer_of_rfc_2617)
{
	struct net_auth_digest with = mufasa;

	with.password = STR("Circle Of Life");
	with.cnonce = "0a4f113b";
	answers("digest realm=\"testrealm@host.com\",qop=\"auth,auth-int\",nonce="
		"\"dcd98b7102dd2f0e8b11d0f600bfb0c093\",opaque="
		"\"5ccc069c403ebaf9f0171e9517f40e41\"",
		&with,
		"response=\"6629fae49393a05397450978507c4ef1\", "
		"opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"");
}

TEST(auth_digest_refuses_what_is_none)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;

	ASSERT_INT(net_auth_digest(STR("Basic realm=\"x\""), &mufasa, &out, NULL), -EINVAL);
	ASSERT_INT(net_auth_digest(STR("Digest"), &mufasa, &out, NULL), -EINVAL);
	ASSERT_INT(net_auth_digest(STR("Digest realm=\"x"), &mufasa, &out, NULL), -EINVAL);
	ASSERT_INT(net_auth_digest(STR("Digest nonce=\"1\", algorithm=CRC"), &mufasa, &out, NULL),
		   -ENOTSUP);
	ASSERT_INT(out.len, 0);
}

/* AV_PAIRs of MS-NLMP 4.2.4.1.3: NetBIOS domain "Domain", server "Server", end. */
static const char type2[] =
	"NTLMSSP\0\2\0\0\0\0\0\0\0\0\0\0\0\x33\x82\x8a\xe2\x01\x23\x45\x67\x89\xab\xcd\xef"
	"\0\0\0\0\0\0\0\0\x24\0\x24\0\x30\0\0\0"
	"\2\0\x0c\0D\0o\0m\0a\0i\0n\0\1\0\x0c\0S\0e\0r\0v\0e\0r\0\0\0\0\0";

TEST(auth_ntlm_gives_the_answer_of_ms_nlmp)
{
	CLEANUP(strbuf_release)
	struct strbuf field = STRBUF_INIT, out = STRBUF_INIT, message = STRBUF_INIT,
		      hex = STRBUF_INIT;
	struct net_auth_ntlm with = { .user = STR("Domain\\User"), .password = STR("Password") };
	struct error err = ERROR_INIT;

	memset(with.nonce, 0xaa, sizeof(with.nonce));
	strbuf_addstr(&field, "NTLM ");
	base64_encode(&field, (struct str){ type2, sizeof(type2) - 1 });
	ASSERT_OK_ERR(net_auth_ntlm(strbuf_str(&field), &with, &out, &err), err);
	ASSERT_OK_ERR(
		base64_decode(&message, (struct str){ out.ptr + 5, out.len - 5 }, BASE64_STD, &err),
		err);
	for (size_t i = 0; i < message.len; i++)
		strbuf_addf(&hex, "%02x", (unsigned char)message.ptr[i]);
	/* the LMv2 response, then NTProofStr and the head of what it proves */
	ASSERT_HAS(hex.ptr, "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa"
			    "68cd0ab851e51c96aabc927bebef6a1c0101000000000000");
	/* user and domain, as they are in UTF-16 */
	ASSERT_HAS(hex.ptr, "44006f006d00610069006e00");
	ASSERT_HAS(hex.ptr, "5500730065007200");
}

TEST(auth_ntlm_refuses_what_is_none)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT, field = STRBUF_INIT;
	struct net_auth_ntlm with = { .user = STR("u"), .password = STR("p") };
	char cut[sizeof(type2)];

	ASSERT_INT(net_auth_ntlm(STR("NTLM"), &with, &out, NULL), -EINVAL);
	ASSERT_INT(net_auth_ntlm(STR("NTLM !!!!"), &with, &out, NULL), -EINVAL);
	memcpy(cut, type2, sizeof(cut));
	cut[44] = 0x7f; /* the info is said to lie behind the end */
	strbuf_addstr(&field, "NTLM ");
	base64_encode(&field, (struct str){ cut, sizeof(cut) - 1 });
	ASSERT_INT(net_auth_ntlm(strbuf_str(&field), &with, &out, NULL), -EINVAL);
	ASSERT_INT(out.len, 0);
}

TEST(auth_ntlm_opens_with_a_message_of_type_1)
{
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT, message = STRBUF_INIT;

	net_auth_ntlm_open(&out);
	ASSERT_INT(
		base64_decode(&message, (struct str){ out.ptr + 5, out.len - 5 }, BASE64_STD, NULL),
		0);
	ASSERT_INT(message.len, 32);
	ASSERT_INT(memcmp(message.ptr, "NTLMSSP\0\1\0\0\0", 12), 0);
}
