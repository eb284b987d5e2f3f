/* json_internal.h - the parts of case.json (docs/formats/case-json.md) and of comparisons. */
#ifndef ASSAY_REPORT_JSON_INTERNAL_H
#define ASSAY_REPORT_JSON_INTERNAL_H

#include "analyze/fair.h"

struct json_writer; /* base/json.h, which cannot be included beside jansson.h */

#define REPORT_JSON_FORMAT  "assay-case"
#define REPORT_JSON_VERSION 1

/* Writes the member "case" into the object that is open. */
void report_write_desc(struct json_writer *w, const struct case_desc *d);

/* Writes one run: an element of "runs". */
void report_write_figures(struct json_writer *w, const char *key, const struct figures *r);

/* Writes the member "checks". */
void report_write_checks(struct json_writer *w, const struct fair_checks *checks);

#endif
