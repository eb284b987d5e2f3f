/*
 * proto.h - writes protocol buffers' wire format (its documentation, "Encoding"): fields in the
 * order of the calls. Values that are the default are written all the same.
 *
 *	size_t m = export_proto_begin(out, 1);
 *	export_proto_str(out, 1, STR("name"));
 *	export_proto_end(out, m);
 */
#ifndef ASSAY_EXPORT_PROTO_H
#define ASSAY_EXPORT_PROTO_H

#include "base/strbuf.h"

void export_proto_varint(struct strbuf *out, uint64_t v);		/* without a field */
void export_proto_uint(struct strbuf *out, unsigned field, uint64_t v); /* int64, bool, enum too */
void export_proto_sint(struct strbuf *out, unsigned field, int64_t v);	/* zigzag */
void export_proto_fixed64(struct strbuf *out, unsigned field, uint64_t v);
void export_proto_double(struct strbuf *out, unsigned field, double v);
void export_proto_str(struct strbuf *out, unsigned field, struct str s); /* string, bytes */

/* A message, or a packed list whose elements are written without fields. */
size_t export_proto_begin(struct strbuf *out, unsigned field);
void export_proto_end(struct strbuf *out, size_t begun);

/* Elements of packed lists. */
void export_proto_raw64(struct strbuf *out, uint64_t v);
void export_proto_raw_double(struct strbuf *out, double v);
void export_proto_raw_sint(struct strbuf *out, int64_t v);

#endif
