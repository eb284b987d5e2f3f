/*
 * clr_fields.h - names and fields for the kinds of events that the runtime does not describe, so
 * that payload.h reads them as it reads any other.
 */
#ifndef ASSAY_DOTNET_CLR_FIELDS_H
#define ASSAY_DOTNET_CLR_FIELDS_H

#include "base/arena.h"
#include "dotnet/nettrace.h"

/*
 * Fills in the name and the fields of a kind of the runtime's own providers that has none; fields
 * are those of the kind's version. They live in the arena, and must live as long as the reader.
 * Of what repeats (types of the bulk events) only the head is described.
 */
void clr_describe(struct nettrace_meta *m, unsigned pointer_bytes, struct arena *a);

#endif
