/* percent.h - text as it stands in a URL or a form: bytes that may not become %XX. */
#ifndef ASSAY_CONVERT_PERCENT_H
#define ASSAY_CONVERT_PERCENT_H

#include "base/strbuf.h"

/* Of a URL's part, RFC 3986 2.3; of a form's, where a blank is then '+'. */
#define CONVERT_UNRESERVED "-._~"
#define CONVERT_FORM_PLAIN "-._*"

/* Letters, digits and what is in plain stay, as do marks of variables (js.h). */
void convert_percent(struct strbuf *out, struct str s, const char *plain, bool blank_is_plus);

#endif
