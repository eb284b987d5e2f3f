/*
 * form.h - an object as the body of a request: application/x-www-form-urlencoded, as k6 makes it.
 */
#ifndef ASSAY_LOAD_FORM_H
#define ASSAY_LOAD_FORM_H

#include "base/strbuf.h"
#include "js/engine.h"

/*
 * Appends the own properties of obj as name=value pairs, names in the order of their bytes. The
 * elements of an array repeat the name; null and undefined give an empty value. 0, or -1 with an
 * exception pending.
 */
int load_form_encode(JSContext *ctx, JSValueConst obj, struct strbuf *out);

/* Appends text with everything but letters, digits and -._~ as %XX, and blanks as '+'. */
void load_form_escape(struct strbuf *out, struct str text);

#endif
