/* help.h - texts made from the verbs' descriptors. All write to the given stream. */
#ifndef ASSAY_CLI_HELP_H
#define ASSAY_CLI_HELP_H

#include <stdio.h>

#include "cli/verb.h"

void help_overview(FILE *out);
void help_verb(FILE *out, const struct verb *v);

/* shell is "bash", "zsh" or "fish"; 0, or -EINVAL for another. */
int help_completion(FILE *out, const char *shell);

#endif
