/*
 * rig.h - a shard, VMs and modules in memory for the tests of js/. Scripts import the native module
 * "rig":
 *
 *	wait()        blocks until the test resumes the VM
 *	note(text)    appends text to the log all VMs of the rig share
 *	later(value)  a promise that the test fulfils with rig_fire()
 *	collect()     runs the garbage collector
 *
 * A VM runs the default export of a module; what it returned is then in `result`, or what it threw
 * in `err`.
 */
#ifndef ASSAY_TESTS_JS_RIG_H
#define ASSAY_TESTS_JS_RIG_H

#include "base/map.h"
#include "js/module.h"
#include "js/shard.h"
#include "js/vm.h"

struct rig {
	struct map sources; /* name -> C string, borrowed */
	struct js_modules *mods;
	struct js_shard *shard;
	struct strbuf log;
	unsigned loads; /* how often a source was asked for */
};

struct rig_vm {
	struct rig *rig;
	struct js_vm *vm;
	const char *module;
	bool imported;
	JSValue exports;
	int code; /* what the last run gave */
	struct strbuf result;
	struct js_error err;
	struct rig_later *later; /* outstanding promises, newest first */
	unsigned cancels;
};

void rig_open(struct rig *rig, size_t memory_limit_bytes);
void rig_open_sharing(struct rig *rig, size_t memory_limit_bytes, struct js_memory_budget *budget);
void rig_close(struct rig *rig);
void rig_source(struct rig *rig, const char *name, const char *text);

void rig_vm_open(struct rig_vm *v, struct rig *rig);
void rig_vm_close(struct rig_vm *v);

/* Imports the module if it was not yet and calls its default export, until that blocks (1) or ends
 * (0). The rest of it comes with js_vm_resume(v->vm). */
int rig_run(struct rig_vm *v, const char *module);

/* The same in one go for a source text; every wait() is answered at once. */
int rig_eval(struct rig_vm *v, const char *source);

/* Fulfils the newest outstanding later() from the loop's side; false when there is none. */
bool rig_fire(struct rig_vm *v);

#endif
