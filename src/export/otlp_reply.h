/*
 * otlp_reply.h - what a collector answers: ExportMetricsServiceResponse{partial_success 1:
 * {rejected_data_points 1, error_message 2}}. A collector that takes a part only says so with a
 * status of success.
 */
#ifndef ASSAY_EXPORT_OTLP_REPLY_H
#define ASSAY_EXPORT_OTLP_REPLY_H

#include "base/strbuf.h"

/*
 * Data points that were rejected; 0 = none, or nothing readable. Appends the collector's message.
 * The form is told by the first byte: JSON begins with '{', which no message of this kind does.
 */
uint64_t export_otlp_rejected(struct str body, struct strbuf *message);

#endif
