/* base64.h - RFC 4648 sections 4 (the common alphabet) and 5 (that for URLs), with or without '='.
 */
#ifndef ASSAY_BASE_BASE64_H
#define ASSAY_BASE_BASE64_H

#include "base/error.h"
#include "base/strbuf.h"

enum base64_form {
	BASE64_STD,
	BASE64_RAW_STD, /* no padding */
	BASE64_URL,	/* '-' and '_' in place of '+' and '/' */
	BASE64_RAW_URL,
};

/* Appends data encoded, as BASE64_STD or in another form. -E2BIG when sb may not grow so far. */
int base64_encode(struct strbuf *sb, struct str data);
int base64_encode_as(struct strbuf *sb, struct str data, enum base64_form form);

/*
 * Appends what text stands for; line ends within it are passed over. -EINVAL names the place of the
 * first character that cannot be; sb then holds what came before.
 */
int base64_decode(struct strbuf *sb, struct str text, enum base64_form form, struct error *reterr);

#endif
