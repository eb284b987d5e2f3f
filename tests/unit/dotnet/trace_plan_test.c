#include "dotnet/trace_plan.h"

#include <errno.h>

#include "base/strbuf.h"
#include "test.h"

/* "Name:keywords:level:args" of all, a line each. */
static const char *shown(const struct trace_plan *p, struct strbuf *out)
{
	strbuf_clear(out);
	vec_for_each (&p->providers, v)
		strbuf_addf(out, "%s:%llx:%u:%s\n", v->name, (unsigned long long)v->keywords,
			    v->level, v->args ? v->args : "");
	return strbuf_cstr(out);
}

/* The table of dotnet-trace's documentation. */
TEST(trace_plan_has_the_official_profiles)
{
	static const struct {
		const char *profile, *providers;
		uint64_t rundown;
	} cases[] = {
		{ "dotnet-common", "Microsoft-Windows-DotNETRuntime:100003801d:4:\n", 0x80020139 },
		{ "dotnet-sampled-thread-time", "Microsoft-DotNETCore-SampleProfiler:0:4:\n",
		  0x80020139 },
		{ "gc-verbose", "Microsoft-Windows-DotNETRuntime:8003:5:\n", 0x80020139 },
		{ "gc-collect",
		  "Microsoft-Windows-DotNETRuntime:1:4:\n"
		  "Microsoft-Windows-DotNETRuntimePrivate:1:4:\n",
		  1 },
		{ "cpu-sampling",
		  "Microsoft-DotNETCore-SampleProfiler:0:4:\n"
		  "Microsoft-Windows-DotNETRuntime:14c14fccbd:4:\n",
		  0x80020139 },
		{ "cpu", "Microsoft-DotNETCore-SampleProfiler:0:4:\n", 0x138 },
		{ "gc", "Microsoft-Windows-DotNETRuntime:1:4:\n", 0 },
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_plan p = { 0 };
		struct error err = ERROR_INIT;

		ASSERT_OK_ERR(trace_plan_add_profiles(&p, cases[i].profile, 10, &err), err);
		ASSERT_STREQ(shown(&p, &out), cases[i].providers);
		ASSERT_INT(p.rundown, cases[i].rundown);
		trace_plan_release(&p);
	}
	strbuf_release(&out);
}

TEST(trace_plan_adds_up_what_is_asked_for)
{
	struct strbuf out = STRBUF_INIT;
	struct trace_plan p = { 0 };
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(trace_plan_add_profiles(&p, "gc,exceptions", 10, &err), err);
	ASSERT_OK_ERR(trace_plan_add_providers(&p, "My-Source, Other:0xF0:warning:k=v;l=w:x", &err),
		      err);
	ASSERT_OK_ERR(trace_plan_add_clr_events(&p, "gc+JIT", "verbose", &err), err);
	ASSERT_STREQ(shown(&p, &out), "Microsoft-Windows-DotNETRuntime:8011:5:\n"
				      "My-Source:ffffffffffffffff:5:\n"
				      "Other:f0:3:k=v;l=w:x\n");
	trace_plan_release(&p);
	strbuf_release(&out);
}

/* Event 303 is of .NET 10; before it a tick each 100 KB, which is verbose. */
TEST(trace_plan_takes_what_a_runtime_has)
{
	struct trace_plan old = { 0 }, new = { 0 };

	ASSERT_OK(trace_plan_add_profiles(&old, "alloc", 9, NULL));
	ASSERT_INT(old.providers.ptr[0].level, 5);
	ASSERT_OK(trace_plan_add_profiles(&new, "alloc", 10, NULL));
	ASSERT_INT(new.providers.ptr[0].level, 4);
	trace_plan_release(&old);
	trace_plan_release(&new);
}

static void refused(int code, int r, struct error *err, const char *says)
{
	ASSERT_INT(r, code);
	ASSERT_HAS(err->msg, says);
	*err = (struct error)ERROR_INIT;
}

TEST(trace_plan_says_what_is_wrong)
{
	struct trace_plan p = { 0 };
	struct error err = ERROR_INIT;

	refused(-ENOENT, trace_plan_add_profiles(&p, "gc,aloc", 10, &err), &err,
		"no profile aloc; did you mean alloc?");
	refused(-EINVAL, trace_plan_add_providers(&p, "A:xyz", &err), &err,
		"provider A: keywords xyz: expected up to 16 hexadecimal digits");
	refused(-EINVAL, trace_plan_add_providers(&p, "A:1:loud", &err), &err,
		"provider A: level loud");
	refused(-EINVAL, trace_plan_add_providers(&p, ":1", &err), &err, "the name is missing");
	refused(-EINVAL, trace_plan_add_clr_events(&p, "gc+nope", NULL, &err), &err,
		"there is no keyword nope");
	trace_plan_release(&p);
}
