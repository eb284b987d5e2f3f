/*
 * The stop goes over a connection of its own. Its answer comes only after all data has been read,
 * and is "done" for any number of a session, so that nobody waits for it: the end of the stream is
 * what tells.
 */
#include "dotnet/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"

#define DRAIN_NS (2 * NS_PER_S)

struct dotnet_session {
	struct dotnet_peer *peer; /* borrowed */
	int fd, stop_fd;	  /* -1 = none */
	uint64_t id;
	unsigned sent, lost;
	bool stopped, ended;
};

static int try_open(struct dotnet_peer *peer, const struct dotnet_session_wish *w, unsigned id,
		    struct dotnet_session *s, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT, payload = STRBUF_INIT;
	int r = dotnet_command_collect(&command, id, w, reterr);

	if (r == 0)
		r = dotnet_call(peer, strbuf_str(&command), &payload, &s->fd, reterr);
	if (r == 0)
		r = dotnet_reply_u64(strbuf_str(&payload), &s->id, reterr);
	return r;
}

int dotnet_session_open(struct dotnet_peer *peer, const struct dotnet_session_wish *w,
			struct dotnet_session **ret, struct error *reterr)
{
	struct dotnet_session s = { .peer = peer, .fd = -1, .stop_fd = -1 };
	unsigned id = dotnet_session_command(w);
	struct error e = ERROR_INIT;
	int r = try_open(peer, w, id, &s, &e);

	while (r == -ENOSYS && id > DOTNET_COLLECT_TRACING)
		r = try_open(peer, w, --id, &s, &e);
	if (r < 0) {
		dotnet_close(&s.fd);
		return error_set(reterr, r, "opening an event session: %s", e.msg);
	}
	s.sent = id;
	s.lost = dotnet_session_lost(w, id);
	*ret = xmalloc(sizeof(s));
	**ret = s;
	return 0;
}

uint64_t dotnet_session_id(const struct dotnet_session *s)
{
	return s->id;
}

unsigned dotnet_session_sent(const struct dotnet_session *s)
{
	return s->sent;
}

unsigned dotnet_session_missing(const struct dotnet_session *s)
{
	return s->lost;
}

int dotnet_session_fd(const struct dotnet_session *s)
{
	return s->fd;
}

ssize_t dotnet_session_read(struct dotnet_session *s, void *buf, size_t size, uint64_t timeout_ns,
			    struct error *reterr)
{
	struct dotnet_until u = dotnet_until(s->peer, timeout_ns);

	while (!s->ended) {
		ssize_t n = read(s->fd, buf, size);
		int r;

		if (n > 0)
			return n;
		/* a process that is killed resets connections that hold unread bytes of ours */
		s->ended = n == 0 || errno == ECONNRESET;
		if (s->ended)
			break;
		if (errno != EAGAIN && errno != EINTR)
			return error_errno(reterr, -errno, "%s: reading events", s->peer->name);
		r = dotnet_wait_fd(s->fd, POLLIN, &u);
		if (r == -ETIMEDOUT || r == -ECANCELED)
			return error_set(reterr, r, "%s: %s", s->peer->name,
					 r == -ETIMEDOUT ? "no events in time"
							 : "given up on request");
		if (r < 0)
			return error_errno(reterr, r, "%s: waiting for events", s->peer->name);
	}
	return 0;
}

int dotnet_session_stop(struct dotnet_session *s, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;
	struct dotnet_until u = dotnet_until(s->peer, s->peer->patience.connect_ns);
	struct error e = ERROR_INIT;
	int r;

	if (s->stopped || s->ended)
		return 0;
	s->stopped = true;
	u.cancel_fd = 0;
	dotnet_command_stop(&command, s->id);
	r = s->peer->dial(s->peer, &u, &s->stop_fd, &e);
	if (r < 0)
		return error_set(reterr, r, "ending the event session: %s", e.msg);
	r = dotnet_send(s->stop_fd, strbuf_str(&command), &u);
	return r < 0 ? error_errno(reterr, r, "%s: ending the event session", s->peer->name) : 0;
}

/* Throws away what still comes, so that the runtime can end the session. */
static void drain(struct dotnet_session *s)
{
	struct dotnet_until u = { clock_now_ns() + DRAIN_NS, 0 };
	char buf[65536];

	while (clock_now_ns() < u.deadline_ns) {
		ssize_t n = read(s->fd, buf, sizeof(buf));

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (n < 0 && dotnet_wait_fd(s->fd, POLLIN, &u) < 0)
			return;
	}
}

struct dotnet_session *dotnet_session_free(struct dotnet_session *s)
{
	if (!s)
		return NULL;
	if (!s->ended && (s->stopped || dotnet_session_stop(s, NULL) == 0))
		drain(s);
	dotnet_close(&s->stop_fd);
	dotnet_close(&s->fd);
	free(s);
	return NULL;
}
