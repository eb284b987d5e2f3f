/* describe.h - a case file as the description that is stored with the runs and judged. */
#ifndef ASSAY_EXPERIMENT_DESCRIBE_H
#define ASSAY_EXPERIMENT_DESCRIBE_H

#include "experiment/case_file.h"
#include "model/case.h"

/* The caller frees it with case_desc_free(). */
struct case_desc *describe_case(const struct case_file *c, const char *command_line);

#endif
