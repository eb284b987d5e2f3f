#include "js/vm.h"

#include <errno.h>

#include "js/value.h"
#include "rig.h"
#include "test.h"

TEST(vm_runs_a_script_that_blocks)
{
	struct rig rig;
	struct rig_vm v;

	rig_open(&rig, 0);
	rig_source(&rig, "/main.js",
		   "import { wait, note } from 'rig';\n"
		   "export default function () { note('a'); wait(); note('b'); return 6 * 7; }\n");
	rig_vm_open(&v, &rig);

	ASSERT_INT(rig_run(&v, "/main.js"), 1);
	ASSERT_TRUE(js_vm_blocked(v.vm));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "a");
	ASSERT_INT(js_vm_resume(v.vm), 0);
	ASSERT_TRUE(js_vm_idle(v.vm));
	ASSERT_STREQ(strbuf_cstr(&rig.log), "ab");
	ASSERT_INT(v.code, 0);
	ASSERT_STREQ(strbuf_cstr(&v.result), "42");

	rig_vm_close(&v);
	rig_close(&rig);
}
