#include "dotnet/trace_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "base/strbuf.h"

#define RUNTIME	  "Microsoft-Windows-DotNETRuntime"
#define SAMPLER	  "Microsoft-DotNETCore-SampleProfiler"
#define HOSTING	  "Microsoft.AspNetCore.Hosting"
#define LEVEL_MAX 5

/* Of SqlClient's and Entity Framework's commands: each an activity with its text. */
#define DATABASE_SPECS                                                                             \
	"FilterAndPayloadSpecs=SqlClientDiagnosticListener/System.Data.SqlClient."                 \
	"WriteCommandBefore@Activity1Start:-Command;Command.CommandText\r\n"                       \
	"SqlClientDiagnosticListener/System.Data.SqlClient.WriteCommandAfter@Activity1Stop:\r\n"   \
	"Microsoft.EntityFrameworkCore/Microsoft.EntityFrameworkCore.Database.Command."            \
	"CommandExecuting@Activity2Start:-Command;Command.CommandText\r\n"                         \
	"Microsoft.EntityFrameworkCore/Microsoft.EntityFrameworkCore.Database.Command."            \
	"CommandExecuted@Activity2Stop:"

/* clang-format off */
const struct trace_profile trace_profiles[] = {
	{ "cpu", "where threads are, by the runtime's sampler alone; the small rundown",
	  SAMPLER "::4", TRACE_RUNDOWN_LEAN },
	{ "alloc", "what is allocated and where: sampled by bytes (.NET 10), or a tick each 100 KB",
	  RUNTIME ":80000000001:4," HOSTING "::4", TRACE_RUNDOWN_LEAN },
	{ "gc", "collections and their pauses, nothing else", RUNTIME ":1:4", 0 },
	{ "exceptions", "thrown exceptions with their stacks", RUNTIME ":8000:2", TRACE_RUNDOWN_LEAN },
	{ "contention", "waiting for locks, and what the thread pool does about it",
	  RUNTIME ":14000:4", TRACE_RUNDOWN_LEAN },
	{ "database", "commands of SqlClient and Entity Framework",
	  "System.Threading.Tasks.TplEventSource:80:4,"
	  "Microsoft-Diagnostics-DiagnosticSource:3:5", DOTNET_RUNDOWN_DEFAULT },
	{ "dotnet-common", "dotnet-trace's: collections, loading, compiling, exceptions, threads",
	  RUNTIME ":100003801D:4", DOTNET_RUNDOWN_DEFAULT },
	{ "dotnet-sampled-thread-time", "dotnet-trace's name of the runtime's sampler",
	  SAMPLER "::4", DOTNET_RUNDOWN_DEFAULT },
	{ "gc-verbose", "dotnet-trace's: collections, and a tick each 100 KB allocated",
	  RUNTIME ":8003:5", DOTNET_RUNDOWN_DEFAULT },
	{ "gc-collect", "dotnet-trace's: collections alone, at the least cost",
	  RUNTIME ":1:4,Microsoft-Windows-DotNETRuntimePrivate:1:4", UINT64_C(1) },
	{ "cpu-sampling", "dotnet-trace 9's: the sampler and common events",
	  SAMPLER "::4," RUNTIME ":14C14FCCBD:4", DOTNET_RUNDOWN_DEFAULT },
	{ 0 },
};

static const struct {
	const char *name;
	uint64_t keyword;
} clr_events[] = {
	{ "gc", 0x1 }, { "gchandle", 0x2 }, { "assemblyloader", 0x4 }, { "loader", 0x8 },
	{ "jit", 0x10 }, { "ngen", 0x20 }, { "startenumeration", 0x40 },
	{ "endenumeration", 0x80 }, { "security", 0x400 },
	{ "appdomainresourcemanagement", 0x800 }, { "jittracing", 0x1000 }, { "interop", 0x2000 },
	{ "contention", 0x4000 }, { "exception", 0x8000 }, { "threading", 0x10000 },
	{ "jittedmethodiltonativemap", 0x20000 }, { "overrideandsuppressngenevents", 0x40000 },
	{ "type", 0x80000 }, { "gcheapdump", 0x100000 },
	{ "gcsampledobjectallocationhigh", 0x200000 }, { "gcheapsurvivalandmovement", 0x400000 },
	{ "gcheapcollect", 0x800000 }, { "managedheapcollect", 0x800000 },
	{ "gcheapandtypenames", 0x1000000 }, { "gcsampledobjectallocationlow", 0x2000000 },
	{ "perftrack", 0x20000000 }, { "stack", 0x40000000 }, { "threadtransfer", 0x80000000 },
	{ "debugger", 0x100000000 }, { "monitoring", 0x200000000 },
	{ "codesymbols", 0x400000000 }, { "eventsource", 0x800000000 },
	{ "compilation", 0x1000000000 }, { "compilationdiagnostic", 0x2000000000 },
	{ "methoddiagnostic", 0x4000000000 }, { "typediagnostic", 0x8000000000 },
	{ "jitinstrumentationdata", 0x10000000000 }, { "profiler", 0x20000000000 },
	{ "waithandle", 0x40000000000 }, { "allocationsampling", 0x80000000000 },
};
/* clang-format on */

void trace_plan_release(struct trace_plan *p)
{
	vec_for_each (&p->providers, v) {
		free((void *)(uintptr_t)v->name);
		free((void *)(uintptr_t)v->args);
	}
	vec_release(&p->providers);
}

/* ---- providers ---- */

static void add(struct trace_plan *p, struct str name, uint64_t keywords, uint32_t level,
		struct str args)
{
	struct dotnet_provider new;

	p->samples |= str_eq(name, STR(SAMPLER));
	vec_for_each (&p->providers, v)
		if (str_ieq(str_from(v->name), name)) {
			v->keywords |= keywords;
			v->level = MAX(v->level, level);
			if (args.len && !v->args)
				v->args = str_dup(args);
			return;
		}
	new = (struct dotnet_provider){ .name = str_dup(name),
					.args = args.len ? str_dup(args) : NULL,
					.keywords = keywords,
					.level = level };
	vec_push(&p->providers, new);
}

static int read_level(struct str text, uint32_t *ret, struct error *reterr)
{
	static const char *const words[] = { "logalways", "critical",	   "error",
					     "warning",	  "informational", "verbose" };

	if (!text.len)
		return 0;
	if (text.len == 1 && *text.ptr >= '0' && *text.ptr <= '9') {
		*ret = MIN((uint32_t)(*text.ptr - '0'), (uint32_t)LEVEL_MAX);
		return 0;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_ieq(text, str_from(words[i]))) {
			*ret = i;
			return 0;
		}
	return error_set(reterr, -EINVAL,
			 "level %.*s: expected 0 to 5, or critical, error, warning, informational, "
			 "verbose",
			 STR_FMT(text));
}

static int read_keywords(struct str text, uint64_t *ret, struct error *reterr)
{
	if (str_starts_with(text, STR("0x")) || str_starts_with(text, STR("0X")))
		text = (struct str){ text.ptr + 2, text.len - 2 };
	*ret = text.len ? 0 : UINT64_MAX;
	for (size_t i = 0; i < text.len; i++) {
		int digit = str_hex_digit(text.ptr[i]);

		if (digit < 0 || text.len > 16)
			return error_set(reterr, -EINVAL,
					 "keywords %.*s: expected up to 16 hexadecimal digits",
					 STR_FMT(text));
		*ret = *ret << 4 | (uint64_t)digit;
	}
	return 0;
}

/* Name[:keywords[:level[:args]]] */
static int add_provider(struct trace_plan *p, struct str text, struct error *reterr)
{
	struct str rest = text, name, keywords = STR(""), level = STR("");
	uint64_t mask = UINT64_MAX;
	uint32_t n = LEVEL_MAX;

	str_split(&rest, ':', &name);
	if (rest.ptr)
		str_split(&rest, ':', &keywords);
	if (rest.ptr)
		str_split(&rest, ':', &level);
	if (!name.len)
		return error_set(reterr, -EINVAL, "provider '%.*s': the name is missing",
				 STR_FMT(text));
	if (read_keywords(str_trim(keywords), &mask, reterr) < 0 ||
	    read_level(str_trim(level), &n, reterr) < 0)
		return error_wrap(reterr, "provider %.*s", STR_FMT(name));
	add(p, name, str_eq(name, STR(SAMPLER)) && !keywords.len ? 0 : mask, n,
	    rest.ptr ? rest : (struct str){ "", 0 });
	return 0;
}

int trace_plan_add_providers(struct trace_plan *p, const char *text, struct error *reterr)
{
	struct str rest = str_from(text), one;

	while (str_split(&rest, ',', &one)) {
		one = str_trim(one);
		if (one.len && add_provider(p, one, reterr) < 0)
			return -EINVAL;
	}
	return 0;
}

/* ---- profiles ---- */

static int add_profile(struct trace_plan *p, struct str name, unsigned major, struct error *reterr)
{
	const char *names[16];
	const struct trace_profile *found = NULL;
	const char *nearest;
	size_t n = 0;

	for (const struct trace_profile *t = trace_profiles; t->name; t++) {
		names[n++] = t->name;
		if (str_ieq(name, str_from(t->name)))
			found = t;
	}
	if (!found) {
		CLEANUP(mem_cleanup) char *text = str_dup(name);

		nearest = str_nearest(text, names, n);
		return error_set(reterr, -ENOENT, "there is no profile %s%s%s%s", text,
				 nearest ? "; did you mean " : "", nearest ? nearest : "",
				 nearest ? "?" : "");
	}
	if (!strcmp(found->name, "database"))
		add(p, STR("Microsoft-Diagnostics-DiagnosticSource"), 3, 5, STR(DATABASE_SPECS));
	/* before .NET 10 allocations are only told by a tick each 100 KB */
	if (!strcmp(found->name, "alloc") && major && major < 10)
		add(p, STR(RUNTIME), 1, 5, STR(""));
	p->rundown |= found->rundown;
	return trace_plan_add_providers(p, found->providers, reterr);
}

int trace_plan_add_profiles(struct trace_plan *p, const char *names, unsigned major,
			    struct error *reterr)
{
	struct str rest = str_from(names), one;

	while (str_split(&rest, ',', &one)) {
		one = str_trim(one);
		if (one.len && add_profile(p, one, major, reterr) < 0)
			return -ENOENT;
	}
	return 0;
}

int trace_plan_add_clr_events(struct trace_plan *p, const char *names, const char *level,
			      struct error *reterr)
{
	struct str rest = str_from(names), one;
	uint64_t keywords = 0;
	uint32_t n = LEVEL_MAX;

	if (level && read_level(str_from(level), &n, reterr) < 0)
		return error_wrap(reterr, "--clreventlevel");
	while (str_split(&rest, '+', &one)) {
		uint64_t before = keywords;

		for (size_t i = 0; i < ARRAY_SIZE(clr_events); i++)
			if (str_ieq(one, str_from(clr_events[i].name)))
				keywords |= clr_events[i].keyword;
		if (keywords == before)
			return error_set(reterr, -EINVAL, "--clrevents: there is no keyword %.*s",
					 STR_FMT(one));
	}
	add(p, STR(RUNTIME), keywords, n, STR(""));
	p->rundown |= DOTNET_RUNDOWN_DEFAULT;
	return 0;
}
