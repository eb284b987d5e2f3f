/*
 * ipc.h - talking to a runtime: one command a connection, the answer awaited so long and no longer.
 *
 * A peer is a runtime that can be reached: by the socket it listens on (find.h finds it for a
 * process), or by a port of ours that it dials (port.h). Sessions are in session.h. One thread at a
 * time uses a peer; different peers are independent. Nothing here writes to a closed connection
 * with a signal, and nothing waits without an end.
 */
#ifndef ASSAY_DOTNET_IPC_H
#define ASSAY_DOTNET_IPC_H

#include <sys/types.h>

#include "dotnet/command.h"

/* How long to wait; zeroed = the defaults. */
struct dotnet_patience {
	uint64_t connect_ns; /* 3 s: for the connection, or for the runtime to dial in */
	uint64_t reply_ns;   /* 10 s: for an answer to come whole */
	/*
	 * A pipe's or eventfd's end whose being readable ends every wait with -ECANCELED, but not
	 * those of ending a session; 8 bytes are taken from it then. 0 = none.
	 */
	int cancel_fd;
};

struct dotnet_peer;

/* The runtime behind a socket, of a process or of a port that the runtime itself listens on. */
int dotnet_peer_of_socket(const char *path, const struct dotnet_patience *p,
			  struct dotnet_peer **ret, struct error *reterr);

/* NULL in, NULL out. Sessions and ports outlive no peer, resp. are outlived by none. */
struct dotnet_peer *dotnet_peer_free(struct dotnet_peer *peer);
DEFINE_CLEANUP(dotnet_peer, struct dotnet_peer *, dotnet_peer_free)

/* For what follows; NULL = the defaults, nothing to cancel by. */
void dotnet_peer_set_patience(struct dotnet_peer *peer, const struct dotnet_patience *p);

/* What messages call it: "process 4711", or the socket. */
const char *dotnet_peer_name(const struct dotnet_peer *peer);

/*
 * The commands. Beside what connecting may say: -ENOSYS the runtime is too old for it, -EOPNOTSUPP
 * it lacks the feature or has it switched off, -EAGAIN it is still starting, -EREMOTEIO it refused
 * for another reason, -EBADMSG the answer is not one, -ECONNRESET it hung up, -ETIMEDOUT no answer,
 * -ECANCELED.
 */

/* By ProcessInfo3, 2 or 1, whichever is the first known. */
int dotnet_process_info(struct dotnet_peer *peer, struct dotnet_process_info *ret,
			struct error *reterr);

/* Lets a runtime go on that waits at its start. Harmless to others. */
int dotnet_resume(struct dotnet_peer *peer, struct error *reterr);

/* For what reads the variable later; most settings of the runtime are read at its start only. */
int dotnet_set_environment(struct dotnet_peer *peer, const char *name, const char *value,
			   struct error *reterr);

/* The names of compiled methods in the file perf-PID.map of the target's temporary folder. */
int dotnet_perf_map_enable(struct dotnet_peer *peer, struct error *reterr);
int dotnet_perf_map_disable(struct dotnet_peer *peer, struct error *reterr);

#endif
