#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>

void bug_at(const char *file, int line, const char *msg)
{
	fprintf(stderr, "assay: internal error at %s:%d: %s\n", file, line, msg);
	abort();
}
