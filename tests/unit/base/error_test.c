#include "base/error.h"

#include <errno.h>

#include "test.h"

TEST(error_wrap_tells_the_outer_step_first)
{
	struct error e = ERROR_INIT;

	ASSERT_INT(error_errno(&e, -ENOENT, "opening %s", "a.js"), -ENOENT);
	ASSERT_STREQ(e.msg, "opening a.js: No such file or directory");
	ASSERT_INT(error_wrap(&e, "loading the script"), -ENOENT);
	ASSERT_STREQ(e.msg, "loading the script: opening a.js: No such file or directory");
}

TEST(error_without_a_place_still_gives_the_code)
{
	ASSERT_INT(error_set(NULL, -EINVAL, "x"), -EINVAL);
}

TEST(error_message_is_cut_not_overrun)
{
	struct error e = ERROR_INIT;
	char big[3000];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	error_set(&e, -EIO, "%s", big);
	error_wrap(&e, "%s", big);
	ASSERT_INT(strlen(e.msg), sizeof(e.msg) - 1);
}
