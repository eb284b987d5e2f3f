/* base64.h - RFC 4648 section 4, with padding. */
#ifndef ASSAY_BASE_BASE64_H
#define ASSAY_BASE_BASE64_H

#include "base/strbuf.h"

/* Appends data encoded. */
void base64_encode(struct strbuf *sb, struct str data);

#endif
