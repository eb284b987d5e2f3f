/* Bytes put together by hand from prometheus.Histogram in prompb's types.proto. */
#include "export/native.h"

#include <errno.h>
#include <math.h>

#include "test.h"

/* Indices of schema 3: bucket i is (2^((i-1)/8), 2^(i/8)]. 1.52: 8 log2 = 4.83; 3.14: 13.2. */
TEST(two_values_to_the_byte)
{
	static const char want[] = "\x08\x02"				  /* count 2 */
				   "\x19\xa4\x70\x3d\x0a\xd7\xa3\x12\x40" /* sum 4.66 */
				   "\x20\x06"				  /* schema 3, zigzag */
				   "\x29\x00\x00\x00\x00\x00\x00\xf0\x37" /* 2^-128 */
				   "\x30\x00"				  /* no zeros */
				   "\x5a\x04\x08\x0a\x10\x01"		  /* offset 5, length 1 */
				   "\x5a\x04\x08\x10\x10\x01"		  /* 8 further, 1 */
				   "\x62\x02\x02\x00"			  /* 1, and as many */
				   "\x78\xb8\x17";			  /* 3000 ms */
	struct export_native h = { 0 };
	struct strbuf out = STRBUF_INIT;

	ASSERT_OK(export_native_add(&h, 3.14));
	ASSERT_OK(export_native_add(&h, 1.52));
	export_native_proto(&h, 3000, &out);
	ASSERT_INT(out.len, sizeof(want) - 1);
	ASSERT_TRUE(!memcmp(out.ptr, want, sizeof(want) - 1));
	strbuf_release(&out);
	export_native_release(&h);
}

static void expect_index(double v, int index)
{
	struct export_native h = { 0 };

	ASSERT_OK(export_native_add(&h, v));
	ASSERT_INT(h.first, index);
	ASSERT_INT(h.counts.len, 1);
	export_native_release(&h);
}

TEST(bounds_belong_to_the_bucket_below)
{
	expect_index(1, 0);
	expect_index(nextafter(1, 2), 1);
	expect_index(2, 8);
	expect_index(nextafter(2, 3), 9);
	expect_index(0.5, -8);
	expect_index(nextafter(0.5, 1), -7);
	expect_index(exp2(0.125), 1);
	expect_index(1000, 80); /* 8 log2(1000) = 79.7 */
}

TEST(runs_of_buckets_make_spans)
{
	/* indices 0 0 1 8: a run of two, a gap of 6, one; counts 2 1 1 are deltas 2 -1 0 */
	static const double values[] = { 2, 1, 1.05, 1, 0 };
	static const char want[] = "\x30\x01\x5a\x04\x08\x00\x10\x02\x5a\x04\x08\x0c\x10\x01"
				   "\x62\x03\x04\x01\x00\x78\x01";
	struct export_native h = { 0 };
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		ASSERT_OK(export_native_add(&h, values[i]));
	ASSERT_INT(export_native_add(&h, -1), -EDOM);
	ASSERT_INT(export_native_add(&h, NAN), -EDOM);
	ASSERT_INT(h.count, 5);
	export_native_proto(&h, 1, &out);
	ASSERT_TRUE(memmem(out.ptr, out.len, want, sizeof(want) - 1));
	strbuf_release(&out);
	export_native_release(&h);
}
