/* NTLM: MS-NLMP 2.2.1 for the messages, 3.3.2 for the response; numbers are little endian. */
#include <errno.h>
#include <openssl/hmac.h>

#include "base/base64.h"
#include "base/md4.h"
#include "net/auth.h"

/* NEGOTIATE_UNICODE, REQUEST_TARGET, NTLM, ALWAYS_SIGN, EXTENDED_SESSIONSECURITY, 128, 56 */
#define FLAGS 0xa0088205u

enum {
	TYPE2_FLAGS = 20,
	TYPE2_CHALLENGE = 24,
	TYPE2_INFO = 40,
	TYPE2_BYTES = 48,
	TYPE3_BYTES = 64,
	HASH_BYTES = 16,
	LM_BYTES = 24,
};

static void add_le(struct strbuf *sb, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(sb, (char)(unsigned char)(v >> (8 * i)));
}

static uint32_t get_le(const struct strbuf *sb, size_t at, unsigned bytes)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint32_t)(unsigned char)sb->ptr[at + i] << (8 * i);
	return v;
}

static void add_message(struct strbuf *out, const struct strbuf *message)
{
	strbuf_addstr(out, "NTLM ");
	base64_encode(out, strbuf_str(message));
}

void net_auth_ntlm_open(struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf m = STRBUF_INIT;

	strbuf_add(&m, "NTLMSSP", 8);
	add_le(&m, 1, 4);
	add_le(&m, FLAGS, 4);
	add_le(&m, 0, 8); /* no domain */
	add_le(&m, 0, 8); /* no workstation */
	add_message(out, &m);
}

/* ---- text ---- */

/* The next character of UTF-8 text, U+FFFD for what is none. */
static uint32_t next_char(struct str *s)
{
	const unsigned char *p = (const unsigned char *)s->ptr;
	unsigned more = p[0] < 0x80    ? 0
			: p[0] >= 0xf0 ? 3
			: p[0] >= 0xe0 ? 2
			: p[0] >= 0xc2 ? 1
				       : 9;
	uint32_t c = p[0];
	unsigned n = 1;

	if (more && more < 9 && more < s->len) {
		c = p[0] & (0x3fu >> more);
		while (n <= more && (p[n] & 0xc0) == 0x80)
			c = c << 6 | (p[n++] & 0x3f);
	}
	if (n != more + 1)
		c = 0xfffd;
	s->ptr += n;
	s->len -= n;
	return c;
}

/* UTF-16LE; upper folds the letters of ASCII, which is what names of users are made of. */
static void add_utf16(struct strbuf *sb, struct str s, bool upper)
{
	while (s.len) {
		uint32_t c = next_char(&s);

		if (upper && c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		if (c >= 0x10000) {
			add_le(sb, 0xd800 + ((c - 0x10000) >> 10), 2);
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		add_le(sb, c, 2);
	}
}

/* ---- the response ---- */

static void hmac(const unsigned char key[HASH_BYTES], const struct strbuf *data,
		 unsigned char ret[HASH_BYTES])
{
	unsigned len = HASH_BYTES;

	HMAC(EVP_md5(), key, HASH_BYTES, (const unsigned char *)strbuf_cstr(data), data->len, ret,
	     &len);
}

/* NTOWFv2 */
static void make_key(const struct net_auth_ntlm *with, struct str user, struct str domain,
		     unsigned char ret[HASH_BYTES])
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct md4 m;

	add_utf16(&text, with->password, false);
	md4_init(&m);
	md4_add(&m, strbuf_cstr(&text), text.len);
	md4_end(&m, ret);
	strbuf_clear(&text);
	add_utf16(&text, user, true);
	add_utf16(&text, domain, false);
	hmac(ret, &text, ret);
}

struct type2 {
	struct strbuf text;
	struct str challenge, info; /* within text */
};

static int read_type2(struct str field, struct type2 *ret, struct error *reterr)
{
	size_t len, at;

	if (field.len < 5 || !str_ieq((struct str){ field.ptr, 5 }, STR("NTLM ")))
		return error_set(reterr, -EINVAL, "no NTLM challenge");
	field = str_trim((struct str){ field.ptr + 5, field.len - 5 });
	if (base64_decode(&ret->text, field, BASE64_STD, reterr) < 0)
		return -EINVAL;
	if (ret->text.len < TYPE2_BYTES || memcmp(ret->text.ptr, "NTLMSSP", 8) != 0 ||
	    get_le(&ret->text, 8, 4) != 2)
		return error_set(reterr, -EINVAL, "no NTLM message of type 2");
	len = get_le(&ret->text, TYPE2_INFO, 2);
	at = get_le(&ret->text, TYPE2_INFO + 4, 4);
	if (at > ret->text.len || len > ret->text.len - at)
		return error_set(reterr, -EINVAL, "the NTLM target info ends behind the message");
	ret->challenge = (struct str){ ret->text.ptr + TYPE2_CHALLENGE, 8 };
	ret->info = (struct str){ ret->text.ptr + at, len };
	return 0;
}

/* NTProofStr and what it proves. */
static void add_nt_response(struct strbuf *out, const unsigned char key[HASH_BYTES],
			    const struct type2 *t, const struct net_auth_ntlm *with)
{
	CLEANUP(strbuf_release) struct strbuf proven = STRBUF_INIT;
	unsigned char proof[HASH_BYTES];

	strbuf_add(&proven, t->challenge.ptr, t->challenge.len);
	add_le(&proven, 0x0101, 8);
	add_le(&proven, with->filetime, 8);
	strbuf_add(&proven, with->nonce, sizeof(with->nonce));
	add_le(&proven, 0, 4);
	strbuf_add(&proven, t->info.ptr, t->info.len);
	add_le(&proven, 0, 4);
	hmac(key, &proven, proof);
	strbuf_add(out, proof, sizeof(proof));
	strbuf_add(out, proven.ptr + 8, proven.len - 8);
}

static void add_lm_response(struct strbuf *out, const unsigned char key[HASH_BYTES],
			    const struct type2 *t, const struct net_auth_ntlm *with)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	unsigned char proof[HASH_BYTES];

	strbuf_add(&text, t->challenge.ptr, t->challenge.len);
	strbuf_add(&text, with->nonce, sizeof(with->nonce));
	hmac(key, &text, proof);
	strbuf_add(out, proof, sizeof(proof));
	strbuf_add(out, with->nonce, sizeof(with->nonce));
}

/* A part of the payload: its length twice and where it begins. */
static void add_part(struct strbuf *head, struct strbuf *payload, const struct strbuf *part)
{
	add_le(head, part->len, 2);
	add_le(head, part->len, 2);
	add_le(head, TYPE3_BYTES + payload->len, 4);
	strbuf_add(payload, strbuf_cstr(part), part->len);
}

int net_auth_ntlm(struct str field, const struct net_auth_ntlm *with, struct strbuf *out,
		  struct error *reterr)
{
	struct strbuf parts[6] = { 0 }, head = STRBUF_INIT, payload = STRBUF_INIT;
	struct str user = with->user, domain = { "", 0 };
	size_t slash = str_find(user, '\\');
	struct type2 t = { .text = STRBUF_INIT };
	unsigned char key[HASH_BYTES];
	int r = read_type2(field, &t, reterr);

	if (slash < user.len) {
		domain = (struct str){ user.ptr, slash };
		user = (struct str){ user.ptr + slash + 1, user.len - slash - 1 };
	}
	if (r == 0) {
		make_key(with, user, domain, key);
		add_lm_response(&parts[0], key, &t, with);
		add_nt_response(&parts[1], key, &t, with);
		add_utf16(&parts[2], domain, false);
		add_utf16(&parts[3], user, false);
		/* 4: the workstation, 5: the session key: none */
		strbuf_add(&head, "NTLMSSP", 8);
		add_le(&head, 3, 4);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			add_part(&head, &payload, &parts[i]);
		add_le(&head, get_le(&t.text, TYPE2_FLAGS, 4) & FLAGS, 4);
		strbuf_add(&head, strbuf_cstr(&payload), payload.len);
		add_message(out, &head);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		strbuf_release(&parts[i]);
	strbuf_release(&head);
	strbuf_release(&payload);
	strbuf_release(&t.text);
	return r;
}
