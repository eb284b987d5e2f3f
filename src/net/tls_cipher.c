#include "net/tls_cipher.h"

#include <errno.h>
#include <openssl/ssl.h>

#include "base/mem.h"

void net_tls_ciphers_release(struct net_tls_ciphers *c)
{
	strbuf_release(&c->tls12);
	strbuf_release(&c->tls13);
}

static void add_to_list(struct strbuf *list, const char *name)
{
	strbuf_addf(list, "%s%s", list->len ? ":" : "", name);
}

/* Suites of old that a build of today lacks. */
static bool is_retired(struct str name)
{
	return str_ends_with(name, STR("_WITH_RC4_128_SHA")) ||
	       str_ends_with(name, STR("_WITH_3DES_EDE_CBC_SHA"));
}

int net_tls_ciphers_add(struct net_tls_ciphers *c, struct str name, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf iana = STRBUF_INIT;
	const char *openssl;

	strbuf_add(&iana, name.ptr, name.len);
	if (str_ends_with(name, STR("_CHACHA20_POLY1305")))
		strbuf_addstr(&iana, "_SHA256");
	openssl = OPENSSL_cipher_name(strbuf_cstr(&iana));
	if (strcmp(openssl, "(NONE)") != 0)
		add_to_list(strchr(openssl, '_') ? &c->tls13 : &c->tls12, openssl);
	else if (!is_retired(name))
		return error_set(reterr, -EINVAL, "there is no cipher suite '%.*s'", STR_FMT(name));
	return 0;
}
