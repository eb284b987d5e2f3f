/* What comes out was written down by hand; sucrase only takes off and leaves the lines alone. */
#include "js/typescript.h"

#include <errno.h>

#include "test.h"

TEST(typescript_is_told_by_the_name)
{
	ASSERT_TRUE(js_typescript_is("/a/b.ts"));
	ASSERT_TRUE(js_typescript_is("x.mts"));
	ASSERT_TRUE(!js_typescript_is("x.js"));
	ASSERT_TRUE(!js_typescript_is("ts"));
}

TEST(typescript_types_are_taken_off_and_lines_stay)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addstr(&sb, "import type { A } from './a';\n"
			   "interface B { x: number }\n"
			   "export const y: number = 1 as any;\n"
			   "const f = <T>(v: T): T => v!;\n"
			   "export default f(y);\n");
	ASSERT_OK_ERR(js_typescript_strip("t.ts", &sb, &err), err);
	ASSERT_LACKS(strbuf_cstr(&sb), "interface");
	ASSERT_LACKS(strbuf_cstr(&sb), "number");
	ASSERT_LACKS(strbuf_cstr(&sb), "./a");
	ASSERT_HAS(strbuf_cstr(&sb),
		   "\n\nexport const y = 1 ;\nconst f = (v) => v;\nexport default f(y);\n");
}

TEST(typescript_errors_name_the_place_and_leave_the_source)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addstr(&sb, "let a = 1;\nlet b: = 2;\n");
	ASSERT_INT(js_typescript_strip("dir/t.ts", &sb, &err), -EINVAL);
	ASSERT_STREQ(err.msg, "dir/t.ts:2:8: SyntaxError: Unexpected token");
	ASSERT_STREQ(strbuf_cstr(&sb), "let a = 1;\nlet b: = 2;\n");
}

/* Nesting without end must end in an error, not in the end of the process. */
TEST(typescript_that_nests_too_deep_is_an_error)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	for (int i = 0; i < 200000; i++)
		strbuf_addch(&sb, '(');
	ASSERT_TRUE(js_typescript_strip("deep.ts", &sb, &err) < 0);
	ASSERT_HAS(err.msg, "deep.ts");
}
