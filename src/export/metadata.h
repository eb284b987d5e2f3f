/*
 * metadata.h - what a point carries beside its tags: vu and iter where those system tags are on,
 * and what the script has set (exec.vu.metrics.metadata), whose word counts for a key of both.
 */
#ifndef ASSAY_EXPORT_METADATA_H
#define ASSAY_EXPORT_METADATA_H

#include "base/vec.h"
#include "export/output.h"

struct export_metadata {
	VEC(struct export_tag) list; /* in the order of keys; valid until the next read */
	char iter[24], vu[16];
};

void export_metadata_read(struct export_metadata *m, const struct export_run *run,
			  const struct export_point *p);
void export_metadata_release(struct export_metadata *m);

#endif
