/* fs.h - what other modules need of "k6/experimental/fs". */
#ifndef ASSAY_LOAD_K6_FS_H
#define ASSAY_LOAD_K6_FS_H

#include "base/str.h"
#include "js/engine.h"

/* Is v a File? Then its path and its content, which live as long as the script. */
bool load_fs_file(JSValueConst v, const char **ret_path, struct str *ret_content);

#endif
