/*
 * reach.h - the .NET process that --diagnostic-port or a command behind the options names, for
 *every verb that has them; -p and -n are dotnet/find.h's.
 *
 *	{ "diagnostic-port", 0, OPT_STRING, AT(reach.port), "PATH[,listen|connect]", REACH_PORT_HELP
 *}, { "show-child-io", 0, OPT_FLAG, AT(reach.show_child_io), NULL, REACH_IO_HELP },
 *
 * A verb with a command sets rest_is_command and max_args = SIZE_MAX.
 */
#ifndef ASSAY_CLI_REACH_H
#define ASSAY_CLI_REACH_H

#include <sys/types.h>

#include "base/error.h"

#define REACH_PORT_HELP "The runtime that dials this socket, or listens on it"
#define REACH_IO_HELP	"Let the command have our input and output"

struct reach_flags {
	const char *port; /* NULL = none */
	bool show_child_io;
};

/* Zeroed at first; released after what uses the peer. */
struct reach {
	struct dotnet_peer *peer; /* borrowed; it waits at its start: resume it */
	pid_t pid;		  /* as we see it; 0 = out of our sight */
	struct dotnet_peer *own;
	struct dotnet_port *port;
	struct dotnet_child *child;
};

/*
 * Waits for the runtime, saying so on standard error when that may take long; with argv (ends with
 * NULL, may be empty) starts the command. Both given: -EINVAL. Neither: 0, and no peer. cancel_fd
 * is an eventfd that ends the wait with -ECANCELED; it is not the peer's afterwards.
 */
int reach_open(struct reach *r, const struct reach_flags *f, const char *const *argv, int cancel_fd,
	       const char *verb, struct error *reterr);

/*
 * Ends the command if it still runs, and says how it ended; one whose runtime has ended already
 * (gone) is given the time to end by itself.
 */
void reach_end(struct reach *r, bool gone, const char *verb);

void reach_release(struct reach *r);

#endif
