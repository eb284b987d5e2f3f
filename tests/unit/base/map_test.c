#include "base/map.h"

#include <stdio.h>

#include "test.h"

TEST(map_finds_what_was_put_in_insertion_order)
{
	CLEANUP(map_release) struct map m = MAP_INIT;
	static int values[1000];
	char key[16];
	int i = 0;

	ASSERT_TRUE(map_get_c(&m, "absent") == NULL);
	for (i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		ASSERT_TRUE(map_put(&m, str_from(key), &values[i]) == NULL);
	}
	ASSERT_TRUE(map_get_c(&m, "k999") == &values[999]);
	ASSERT_TRUE(map_put(&m, STR("k7"), &values[0]) == &values[7]);
	ASSERT_TRUE(map_get_c(&m, "k7") == &values[0]);
	ASSERT_INT(m.len, 1000);
	i = 0;
	map_for_each (&m, e) {
		snprintf(key, sizeof(key), "k%d", i++);
		ASSERT_STREQ(e->key, key);
	}
}
