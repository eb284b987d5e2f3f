/*
 * reader.h - reads a run file back whole. The file may come from anywhere: its schema must be ours
 * to the letter, sizes are capped, and damage is reported in words, never trusted.
 */
#ifndef ASSAY_STORE_READER_H
#define ASSAY_STORE_READER_H

#include "model/run.h"

/*
 * 0, or: -ENOENT, -EMEDIUMTYPE (not a run file), -EPROTONOSUPPORT (written by a newer assay),
 * -EBADMSG (damaged), -E2BIG (beyond a cap). A file whose writer was killed is rolled back to its
 * last commit. The caller frees *ret.
 */
int store_read(const char *path, struct run **ret, struct error *reterr);

/* As store_read(), from the bytes of a run file; name is for messages. */
int store_read_image(struct str image, const char *name, struct run **ret, struct error *reterr);

#endif
