/*
 * trace_plan.h - what a trace is to hold: profiles, providers and CLR events as dotnet-trace names
 * them, and our own leaner ones, made into the wish for a session.
 *
 * Profiles and keywords: dotnet/diagnostics, documentation/dotnet-trace-instructions.md, and the
 * runtime's src/coreclr/vm/ClrEtwAll.man.
 */
#ifndef ASSAY_DOTNET_TRACE_PLAN_H
#define ASSAY_DOTNET_TRACE_PLAN_H

#include "base/vec.h"
#include "dotnet/command.h"

/* The rundown that names frames and no more: Loader | Jit | NGen | EndRundown. */
#define TRACE_RUNDOWN_LEAN UINT64_C(0x138)

struct trace_profile {
	const char *name;
	const char *about;
	const char *providers; /* as trace_plan_add_providers() takes them */
	uint64_t rundown;      /* keywords; 0 = none */
};

/* Ends with a NULL name. */
extern const struct trace_profile trace_profiles[];

struct trace_plan {
	VEC(struct dotnet_provider) providers; /* names and arguments are owned */
	uint64_t rundown;		       /* the widest of what was added */
	bool samples;			       /* the runtime's sampler is among them */
};

void trace_plan_release(struct trace_plan *p);

/* "cpu,gc": -ENOENT with the nearest name. major is the runtime's version, 0 = unknown. */
int trace_plan_add_profiles(struct trace_plan *p, const char *names, unsigned major,
			    struct error *reterr);

/* "Name[:keywords[:level[:k=v;k=v]]],...": keywords in hex, level a number or a word. The same
 * name again adds keywords and takes the higher level. */
int trace_plan_add_providers(struct trace_plan *p, const char *text, struct error *reterr);

/* "gc+jit" of the runtime's own provider, at a level (0 = 5). */
int trace_plan_add_clr_events(struct trace_plan *p, const char *names, const char *level,
			      struct error *reterr);

#endif
