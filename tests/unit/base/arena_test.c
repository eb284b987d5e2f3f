#include "base/arena.h"

#include "test.h"

TEST(objects_are_zeroed_apart_and_aligned)
{
	CLEANUP(arena_release) struct arena a = { 0 };
	char *last = NULL;

	for (size_t i = 1; i < 3000; i++) {
		char *p = arena_zalloc(&a, i);

		ASSERT_TRUE(p && p != last && (uintptr_t)p % 16 == 0);
		ASSERT_TRUE(p[0] == 0 && p[i - 1] == 0);
		memset(p, 0xff, i);
		last = p;
	}
	ASSERT_TRUE(a.bytes >= 3000 * 2999 / 2);
}

TEST(texts_are_copied)
{
	CLEANUP(arena_release) struct arena a = { 0 };
	struct str s = arena_str(&a, (struct str){ "plums", 4 });

	ASSERT_STREQ(s.ptr, "plum");
	ASSERT_INT((int)arena_str(&a, (struct str){ NULL, 0 }).len, 0);
}

TEST(the_limit_holds)
{
	CLEANUP(arena_release) struct arena a = { .limit_bytes = 10000 };
	size_t got = 0;

	while (arena_alloc(&a, 100))
		got += 100;
	ASSERT_TRUE(got > 4000 && got <= 10000);
	ASSERT_TRUE(!arena_alloc(&a, SIZE_MAX - 3));
	ASSERT_TRUE(a.bytes <= 10000);
}

TEST(what_is_kept_is_used_again)
{
	CLEANUP(arena_release) struct arena a = { 0 };

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 10000; i++)
			memset(arena_alloc(&a, 100), round, 100);
		ASSERT_TRUE(a.bytes >= 1000000);
		arena_reset(&a, 200000);
		ASSERT_INT((int)a.bytes, 0);
	}
	ASSERT_TRUE(a.spare != NULL);
	arena_reset(&a, 0);
}
