/*
 * methods.h - which method an address of managed code belongs to, from the events of methods and
 * modules: those of the running program (valid from their time on) and those of the rundown at a
 * session's end (what was there all the time).
 *
 * Layouts: dotnet/runtime, src/coreclr/vm/ClrEtwAll.man, MethodLoadUnloadVerbose, ModuleLoadUnload.
 */
#ifndef ASSAY_DOTNET_METHODS_H
#define ASSAY_DOTNET_METHODS_H

#include "base/strbuf.h"
#include "dotnet/nettrace.h"

struct methods;

struct methods *methods_new(void);
struct methods *methods_free(struct methods *m); /* NULL in, NULL out */

/* Takes an event of the runtime or its rundown; others, and what is cut off, are passed over. */
void methods_take(struct methods *m, const struct nettrace_event *e, bool rundown);

size_t methods_count(const struct methods *m);

/*
 * "Module!Namespace.Type.Method(args)" of the code at an address, appended; "?!?" and false when no
 * method is known there at that time. An address in a stack is a return address in all frames but
 * the innermost: look up the one before it. The first call ends taking.
 */
bool methods_find(struct methods *m, uint64_t address, int64_t t_ns, struct strbuf *out);

#endif
