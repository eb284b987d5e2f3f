/* body.h - the body of a request as a JavaScript expression. Used by script.c only. */
#ifndef ASSAY_CONVERT_BODY_H
#define ASSAY_CONVERT_BODY_H

#include "convert/script.h"

/* Appends it to out, nothing when there is no body; files are opened in the script's init code. */
int convert_body(struct convert_script *s, const struct convert_request *r, unsigned indent,
		 struct strbuf *out, struct error *reterr);

/* The boundary of parts that are written out as text; the reader puts it into Content-Type. */
#define CONVERT_BOUNDARY "----assay-form-boundary"

/* Are the parts written out as text? Else the script's http.file() makes k6 do it. */
bool convert_parts_are_text(const struct convert_request *r);

#endif
