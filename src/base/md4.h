/*
 * md4.h - the hash of RFC 1320. Broken for every purpose but those that still ask for it: NTLM, and
 * scripts that hash by that name. The crypto library keeps it in a part that a static program has
 * not.
 */
#ifndef ASSAY_BASE_MD4_H
#define ASSAY_BASE_MD4_H

#include "base/str.h"

#define MD4_BYTES	16
#define MD4_BLOCK_BYTES 64

struct md4 {
	uint32_t state[4];
	uint64_t bytes; /* so far */
	unsigned char block[MD4_BLOCK_BYTES];
};

void md4_init(struct md4 *m);
void md4_add(struct md4 *m, const void *data, size_t len);
void md4_end(struct md4 *m, unsigned char ret[MD4_BYTES]);

#endif
