/* starter.h - a commented script to begin with, when there is nothing to make one of. */
#ifndef ASSAY_CONVERT_STARTER_H
#define ASSAY_CONVERT_STARTER_H

const char *convert_starter(void);

#endif
