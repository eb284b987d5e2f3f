/*
 * session.h - a stream of events from a runtime: opened, read, and always ended, so that the target
 * is not left paying for it. The bytes are nettrace (nettrace.h reads them).
 *
 *	r = dotnet_session_open(peer, &wish, &s, &err);
 *	while ((n = dotnet_session_read(s, buf, sizeof(buf), 5 * NS_PER_S, &err)) != 0) {
 *		if (n == -ECANCELED && !stopping) {
 *			stopping = true;
 *			dotnet_session_stop(s, &err);
 *		} else if (n < 0 && n != -ETIMEDOUT) {
 *			break;
 *		} else if (n > 0) {
 *			... n bytes
 *		}
 *	}
 *	dotnet_session_free(s);
 *
 * After the stop the rest still comes, with the names of all methods if a rundown was wished: only
 * a stream read to its end is whole, and a runtime that nobody reads from hangs in its stop.
 */
#ifndef ASSAY_DOTNET_SESSION_H
#define ASSAY_DOTNET_SESSION_H

#include "dotnet/ipc.h"

struct dotnet_session;

/*
 * Sends the lowest command that expresses the wish, and a lower one where the runtime does not know
 * it (dotnet_session_missing() says what that lost). The peer is borrowed until the end. The
 * answer may take long: providers run what they do at a start before it comes, a heap walk too.
 */
int dotnet_session_open(struct dotnet_peer *peer, const struct dotnet_session_wish *w,
			struct dotnet_session **ret, struct error *reterr);

uint64_t dotnet_session_id(const struct dotnet_session *s);
unsigned dotnet_session_sent(const struct dotnet_session *s);	 /* enum dotnet_command_id */
unsigned dotnet_session_missing(const struct dotnet_session *s); /* bits of enum dotnet_lost */

/*
 * Up to `size` bytes; 0 at the end of the stream (also when the process died: the reader of
 * nettrace sees whether it was whole); -ETIMEDOUT when nothing came for timeout_ns, -ECANCELED when
 * the peer's cancel_fd was readable, both of which leave all as it is; other codes end it.
 */
ssize_t dotnet_session_read(struct dotnet_session *s, void *buf, size_t size, uint64_t timeout_ns,
			    struct error *reterr);

/* Asks the runtime to end the session, and returns; what is left is still to be read. */
int dotnet_session_stop(struct dotnet_session *s, struct error *reterr);

/* To poll for data beside other things. */
int dotnet_session_fd(const struct dotnet_session *s);

/*
 * Ends it if it is not at its end: stop, what comes within two seconds thrown away, connection
 * closed, which the runtime takes as an end too. NULL in, NULL out.
 */
struct dotnet_session *dotnet_session_free(struct dotnet_session *s);
DEFINE_CLEANUP(dotnet_session, struct dotnet_session *, dotnet_session_free)

#endif
