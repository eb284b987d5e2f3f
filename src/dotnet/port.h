/*
 * port.h - runtimes that dial us: a socket of ours that DOTNET_DiagnosticPorts in their environment
 * names. A runtime connects, says who it is, takes one command on that connection and dials again
 * for the next; suspended ones wait with their first managed instruction until they are resumed.
 *
 *	r = dotnet_port_listen(path, &port, &err);
 *	... say: start it with DOTNET_DiagnosticPorts=dotnet_port_path(port)
 *	r = dotnet_port_accept(port, &patience, UINT64_MAX, &peer, &pid, &err);
 *	dotnet_port_resume_others(port);
 *	r = dotnet_session_open(peer, &wish, &s, &err);
 *	r = dotnet_resume(peer, &err);	      only now does its Main begin
 *	...
 *	dotnet_session_free(s); dotnet_peer_free(peer); dotnet_port_free(port);
 *
 * A peer of a port is used like any other. Source: dotnet/diagnostics,
 * documentation/design-docs/ipc-protocol.md, "Diagnostic Ports".
 */
#ifndef ASSAY_DOTNET_PORT_H
#define ASSAY_DOTNET_PORT_H

#include "dotnet/ipc.h"

struct dotnet_port;

/*
 * Makes the socket, for this user only, and a thread that answers who dials. What a process that
 * was killed left under that name is replaced; -EADDRINUSE when somebody listens there or it is no
 * socket, -ENAMETOOLONG above 107 bytes, -EINVAL with a ',' or ';', which end a name in
 * DOTNET_DiagnosticPorts.
 */
int dotnet_port_listen(const char *path, struct dotnet_port **ret, struct error *reterr);

/* Absolute, as a target's environment needs it. */
const char *dotnet_port_path(const struct dotnet_port *port);

/*
 * The next runtime that has not been accepted before. *ret_pid is as we see it, 0 out of our sight;
 * may be NULL. -ETIMEDOUT, -ECANCELED.
 */
int dotnet_port_accept(struct dotnet_port *port, const struct dotnet_patience *p,
		       uint64_t timeout_ns, struct dotnet_peer **ret, pid_t *ret_pid,
		       struct error *reterr);

/* From now on who dials without having been accepted is resumed at once: children of a target have
 * its environment, and would wait for ever. */
void dotnet_port_resume_others(struct dotnet_port *port);

/* Removes the socket. Its peers are freed before. NULL in, NULL out. */
struct dotnet_port *dotnet_port_free(struct dotnet_port *port);
DEFINE_CLEANUP(dotnet_port, struct dotnet_port *, dotnet_port_free)

/* ---- PATH[,listen|connect], as the official tools take it ---- */

struct dotnet_port_spec {
	char *path;
	bool connect; /* the runtime listens there; else we do */
};

int dotnet_port_spec_parse(const char *text, struct dotnet_port_spec *ret, struct error *reterr);
void dotnet_port_spec_release(struct dotnet_port_spec *spec);

/* The runtime that listens on a port of its own, and its pid as we see it (0 = out of our sight).
 */
int dotnet_port_connect(const char *path, const struct dotnet_patience *p, struct dotnet_peer **ret,
			pid_t *ret_pid, struct error *reterr);

#endif
