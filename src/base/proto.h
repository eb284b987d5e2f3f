/*
 * proto.h - writes protocol buffers' wire format (its documentation, "Encoding"): fields in the
 * order of the calls. Values that are the default are written all the same.
 *
 *	size_t m = proto_begin(out, 1);
 *	proto_str(out, 1, STR("name"));
 *	proto_end(out, m);
 */
#ifndef ASSAY_BASE_PROTO_H
#define ASSAY_BASE_PROTO_H

#include "base/strbuf.h"

void proto_varint(struct strbuf *out, uint64_t v);		 /* without a field */
void proto_uint(struct strbuf *out, unsigned field, uint64_t v); /* int64, bool, enum too */
void proto_sint(struct strbuf *out, unsigned field, int64_t v);	 /* zigzag */
void proto_fixed64(struct strbuf *out, unsigned field, uint64_t v);
void proto_double(struct strbuf *out, unsigned field, double v);
void proto_str(struct strbuf *out, unsigned field, struct str s); /* string, bytes */

/* A message, or a packed list whose elements are written without fields. */
size_t proto_begin(struct strbuf *out, unsigned field);
void proto_end(struct strbuf *out, size_t begun);

/* Elements of packed lists. */
void proto_raw64(struct strbuf *out, uint64_t v);
void proto_raw_double(struct strbuf *out, double v);
void proto_raw_sint(struct strbuf *out, int64_t v);

#endif
