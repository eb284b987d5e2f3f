/*
 * file.h - whole files. Reading is capped (files of /proc and of control groups have no size that
 * could be asked for); writing is atomic: the new content is there whole, or the old one still is.
 */
#ifndef ASSAY_OS_FILE_H
#define ASSAY_OS_FILE_H

#include "base/error.h"
#include "base/strbuf.h"

/* A pipe that brings nothing for so long is given up. */
#define FILE_READ_WAIT_MS 10000

/*
 * Appends the file's content to out; -E2BIG when it has more than max bytes or out cannot take
 * them; -ETIMEDOUT when it is a named pipe or the like and nothing comes.
 */
int file_read(const char *path, size_t max, struct strbuf *out, struct error *reterr);

/*
 * Writes through a temporary file beside it, fsync and rename; on failure nothing is left behind. A
 * symbolic link stays and its target is written; devices and pipes (/dev/stdout) are written to as
 * they are, and so is a file in a folder that takes no new ones.
 */
int file_write_atomic(const char *path, struct str content, struct error *reterr);

/* Writes into an existing file in one write(2), as the kernel's control files want it. */
int file_write_control(const char *path, const char *value, struct error *reterr);

/* mkdir -p. */
int file_make_dirs(const char *path, struct error *reterr);

bool file_exists(const char *path);

#endif
