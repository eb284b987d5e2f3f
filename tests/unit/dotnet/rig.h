/* rig.h - a fake runtime beside the test, playing the script it is given (helper/fake_runtime.c).
 */
#ifndef ASSAY_TESTS_DOTNET_RIG_H
#define ASSAY_TESTS_DOTNET_RIG_H

#include "dotnet/ipc.h"
#include "test.h"

struct fake {
	pid_t pid;
	int hold;	     /* it ends when this closes */
	char dir[64];	     /* a folder of its own */
	char temporary[192]; /* its TMPDIR: that folder, or one in it */
	char socket[256];    /* what it said it listens on, or dials */
	struct strbuf log;
};

/* The path of the fake runtime; the caller frees it. */
char *fake_program(void);

/* port is for DOTNET_DiagnosticPorts; NULL = it listens as by default. */
void fake_start(struct fake *f, const char *script, const char *port);
void fake_start_below(struct fake *f, const char *script, const char *port, const char *folder);
void fake_stop(struct fake *f); /* and its folder is removed */

/* The commands it got, a line each; borrowed until the next call. */
const char *fake_log(struct fake *f);

/* As fake_log(), waiting for the line up to 5 s. */
const char *fake_log_with(struct fake *f, const char *part);

/* Deadlines of 2 s unless others are given. */
struct dotnet_peer *fake_peer(const struct fake *f, const struct dotnet_patience *p);

#endif
