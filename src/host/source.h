/*
 * source.h - the host's signals (sampler.h) as a source of a live watch. It also tells at once when
 * the process ends, by its pidfd, so that a later process of the same number is never mistaken for
 * it.
 */
#ifndef ASSAY_HOST_SOURCE_H
#define ASSAY_HOST_SOURCE_H

#include <sys/types.h>

#include "watch/source.h"

/*
 * -ESRCH: there is no such process. The caller hands *ret to watch_loop_run(), which closes it.
 */
int host_source_new(pid_t pid, struct watch_source **ret, struct error *reterr);

#endif
