#include "base/md4.h"

#include <string.h>

void md4_init(struct md4 *m)
{
	*m = (struct md4){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

static uint32_t rotate(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

/* The three auxiliary functions of section 3.4, by round. */
static uint32_t mix(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
	if (round == 0)
		return (x & y) | (~x & z);
	if (round == 1)
		return (x & y) | (x & z) | (y & z);
	return x ^ y ^ z;
}

static void add_block(struct md4 *m, const unsigned char *p)
{
	static const unsigned char order[3][16] = {
		{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
		{ 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15 },
		{ 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15 },
	};
	static const unsigned char shifts[3][4] = { { 3, 7, 11, 19 },
						    { 3, 5, 9, 13 },
						    { 3, 9, 11, 15 } };
	static const uint32_t constants[3] = { 0, 0x5a827999, 0x6ed9eba1 };
	uint32_t x[16], s[4];

	memcpy(s, m->state, sizeof(s));
	for (unsigned i = 0; i < 16; i++)
		x[i] = (uint32_t)p[i * 4] | (uint32_t)p[i * 4 + 1] << 8 |
		       (uint32_t)p[i * 4 + 2] << 16 | (uint32_t)p[i * 4 + 3] << 24;
	for (unsigned i = 0; i < 48; i++) {
		unsigned round = i / 16, a = (48 - i) % 4;
		uint32_t v = s[a] + mix(round, s[(a + 1) % 4], s[(a + 2) % 4], s[(a + 3) % 4]) +
			     x[order[round][i % 16]] + constants[round];

		s[a] = rotate(v, shifts[round][i % 4]);
	}
	for (unsigned i = 0; i < 4; i++)
		m->state[i] += s[i];
}

void md4_add(struct md4 *m, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len) {
		size_t at = m->bytes % MD4_BLOCK_BYTES, n = MIN(len, MD4_BLOCK_BYTES - at);

		memcpy(m->block + at, p, n);
		m->bytes += n;
		p += n;
		len -= n;
		if (m->bytes % MD4_BLOCK_BYTES == 0)
			add_block(m, m->block);
	}
}

void md4_end(struct md4 *m, unsigned char ret[MD4_BYTES])
{
	static const unsigned char padding[MD4_BLOCK_BYTES] = { 0x80 };
	uint64_t bits = m->bytes * 8;
	size_t at = m->bytes % MD4_BLOCK_BYTES;
	unsigned char length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (8 * i));
	md4_add(m, padding, (at < 56 ? 56 : 120) - at);
	md4_add(m, length, sizeof(length));
	for (unsigned i = 0; i < MD4_BYTES; i++)
		ret[i] = (unsigned char)(m->state[i / 4] >> (8 * (i % 4)));
}
