#include "experiment/vars.h"

#include <stdlib.h>

#include "test.h"

TEST(vars_fill_placeholders_once)
{
	CLEANUP(vars_release) struct vars v = VARS_INIT;
	CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	vars_setf(&v, "PORT", "%d", 8080);
	vars_set(&v, "URL", "http://127.0.0.1:${PORT}");
	ASSERT_OK_ERR(vars_expand(&v, "a ${PORT}/$${PORT} $x ${URL}", &out, &err), err);
	ASSERT_STREQ(strbuf_cstr(&out), "a 8080/${PORT} $x http://127.0.0.1:${PORT}");
}

TEST(vars_name_what_is_unknown_and_what_there_is)
{
	CLEANUP(vars_release) struct vars v = VARS_INIT;
	struct error err = ERROR_INIT;
	char *out = NULL;

	vars_set(&v, "RATE", "7");
	vars_set(&v, "VUS", "9");
	ASSERT_TRUE(vars_expand_dup(&v, "${RTAE}", &out, &err) < 0);
	ASSERT_STREQ(err.msg, "${RTAE} is not defined here; there is RATE, VUS");
	ASSERT_TRUE(vars_expand_dup(&v, "${RATE", &out, &err) < 0);
	ASSERT_HAS(err.msg, "no closing }");
}
