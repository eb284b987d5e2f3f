/* collect.h - what the verbs share that collect from a live process until they are told to stop. */
#ifndef ASSAY_CLI_COLLECT_H
#define ASSAY_CLI_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* From now on SIGINT, SIGTERM and SIGHUP make this eventfd readable instead of ending us. */
int collect_signals(void);

/* Has one come since the last time this was asked? */
bool collect_is_told_to_stop(void);

/* "30s", "5m", or dotnet-trace's "00:00:05:00" (days, hours, minutes, seconds); not a bare number,
 * which means another unit to everybody. */
int collect_duration(const char *text, uint64_t *ret_ns, struct error *reterr);

#endif
