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

/* Does any property of obj hold what http.file() made? 1, 0, or -1 with an exception pending. */
int load_form_has_file(JSContext *ctx, JSValueConst obj);

/*
 * Appends obj as multipart/form-data (RFC 7578): files with their name and type, all else as text.
 * The boundary (random, at least LOAD_BOUNDARY_BYTES) is what the Content-Type must name.
 */
#define LOAD_BOUNDARY_BYTES 61
int load_form_multipart(JSContext *ctx, JSValueConst obj, char ret_boundary[LOAD_BOUNDARY_BYTES],
			struct strbuf *out);

/* Appends text with everything but letters, digits and -._~ as %XX, and blanks as '+'. */
void load_form_escape(struct strbuf *out, struct str text);

#endif
