#include "dotnet/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "os/clock.h"
#include "rig.h"

static const struct dotnet_provider provider = { .name = "System.Runtime", .level = 4 };
static const struct dotnet_session_wish plain = { .providers = &provider, .n_providers = 1 };

#define SESSION	    "ok a0b1c2d3e4f50600" /* the session's number in its reply */
#define SESSION_ID  UINT64_C(0x0006f5e4d3c2b1a0)
#define STOP_LOGGED "0201 a0b1c2d3e4f50600\n"

static void open_session(struct fake *f, const char *script, const struct dotnet_session_wish *w,
			 struct dotnet_peer **peer, struct dotnet_session **s)
{
	struct error err = ERROR_INIT;

	fake_start(f, script, NULL);
	*peer = fake_peer(f, NULL);
	ASSERT_OK_ERR(dotnet_session_open(*peer, w, s, &err), err);
	ASSERT_STREQ(err.msg, "");
}

static void close_all(struct fake *f, struct dotnet_peer *peer, struct dotnet_session *s)
{
	dotnet_session_free(s);
	dotnet_peer_free(peer);
	fake_stop(f);
}

TEST(session_stream_begins_right_after_the_reply)
{
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct error err = ERROR_INIT;
	struct fake f;
	char buf[64];

	open_session(&f, "0203 " SESSION "; text Nettrace; stopped; text rest\n0201 " SESSION,
		     &plain, &peer, &s);
	ASSERT_INT(dotnet_session_id(s), SESSION_ID);
	ASSERT_INT(dotnet_session_sent(s), 0x0203);
	ASSERT_INT(dotnet_session_missing(s), 0);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 8);
	ASSERT_INT(memcmp(buf, "Nettrace", 8), 0);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), 50 * NS_PER_MS, &err), -ETIMEDOUT);
	ASSERT_OK_ERR(dotnet_session_stop(s, &err), err);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 4);
	ASSERT_INT(memcmp(buf, "rest", 4), 0);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 0);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 0);
	ASSERT_HAS(fake_log(&f), STOP_LOGGED);
	close_all(&f, peer, s);
}

/* .NET 10 that is asked for what 11 has; .NET 3.1 that is asked for anything. */
TEST(session_falls_back_and_says_what_is_lost)
{
	struct dotnet_session_wish w = plain;
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct fake f;

	w.block = true;
	w.rundown_keyword = 0x38;
	open_session(&f, "0206 " SESSION "; silence\n0201 " SESSION, &w, &peer, &s);
	ASSERT_INT(dotnet_session_sent(s), 0x0206);
	ASSERT_INT(dotnet_session_missing(s), DOTNET_LOST_BLOCK);
	ASSERT_HAS(fake_log(&f), "0207 ");
	close_all(&f, peer, s);
	open_session(&f, "0202 " SESSION "; silence\n0201 " SESSION, &plain, &peer, &s);
	ASSERT_INT(dotnet_session_sent(s), 0x0202);
	ASSERT_INT(dotnet_session_missing(s), DOTNET_LOST_RUNDOWN);
	close_all(&f, peer, s);
}

TEST(session_that_is_refused)
{
	struct dotnet_session *s = NULL;
	struct error err = ERROR_INIT;
	struct dotnet_peer *peer;
	struct fake f;

	fake_start(&f, "* error 80004005", NULL);
	peer = fake_peer(&f, NULL);
	ASSERT_INT(dotnet_session_open(peer, &plain, &s, &err), -EREMOTEIO);
	ASSERT_HAS(err.msg, "opening an event session: ");
	ASSERT_HAS(err.msg, "at most 64 sessions");
	close_all(&f, peer, s);
	fake_start(&f, "* ok 01", NULL);
	peer = fake_peer(&f, NULL);
	ASSERT_INT(dotnet_session_open(peer, &plain, &s, &err), -EBADMSG);
	close_all(&f, peer, s);
}

/* Whoever lets go of an open session has it stopped, and what was on its way read. */
TEST(session_is_stopped_when_it_is_let_go)
{
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct fake f;

	open_session(&f,
		     "0203 " SESSION "; stopped; repeat 100000 000102030405060708090a0b0c0d0e0f; "
		     "gone\n0201 " SESSION,
		     &plain, &peer, &s);
	dotnet_session_free(s);
	ASSERT_HAS(fake_log_with(&f, "gone\n"), STOP_LOGGED "gone\n");
	close_all(&f, peer, NULL);
}

TEST(session_that_never_ends_is_closed)
{
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct fake f;
	uint64_t begin;

	open_session(&f, "0203 " SESSION "; gone\n0201 silence", &plain, &peer, &s);
	begin = clock_now_ns();
	dotnet_session_free(s);
	ASSERT_TRUE(clock_now_ns() - begin < 4 * NS_PER_S);
	ASSERT_HAS(fake_log_with(&f, "gone\n"), STOP_LOGGED "gone\n");
	close_all(&f, peer, NULL);
}

TEST(session_ends_with_the_target)
{
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct error err = ERROR_INIT;
	struct fake f;
	char buf[64];

	open_session(&f, "0203 " SESSION "; text half_a_bl; sleep 100; exit", &plain, &peer, &s);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 9);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 0);
	ASSERT_OK_ERR(dotnet_session_stop(s, &err), err); /* nothing to stop */
	close_all(&f, peer, s);
}

/* Each byte in the pipe is one wish: the first stops, and the rest can still be read. */
TEST(session_can_be_cancelled_and_stops_all_the_same)
{
	struct dotnet_patience p = { .reply_ns = 2 * NS_PER_S };
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct error err = ERROR_INIT;
	struct fake f;
	char buf[64];
	int ends[2];

	ASSERT_OK(pipe(ends));
	p.cancel_fd = ends[0];
	fake_start(&f, "0203 " SESSION "; stopped; text rest\n0201 " SESSION, NULL);
	peer = fake_peer(&f, &p);
	ASSERT_OK_ERR(dotnet_session_open(peer, &plain, &s, &err), err);
	ASSERT_INT(write(ends[1], "c", 1), 1);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), 5 * NS_PER_S, &err), -ECANCELED);
	ASSERT_OK_ERR(dotnet_session_stop(s, &err), err);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 4);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 0);
	close_all(&f, peer, s);
}

/* A real trace comes through as it is. */
TEST(session_of_a_file)
{
	CLEANUP(strbuf_release) struct strbuf script = STRBUF_INIT;
	const char *file = test_fixture("dotnet/ipc/trace_database.00.0203.bin");
	struct dotnet_session *s;
	struct dotnet_peer *peer;
	struct error err = ERROR_INIT;
	struct fake f;
	char buf[300];
	size_t sum = 0;
	ssize_t n;

	strbuf_addf(&script, "0203 " SESSION "; file %s; file %s 100", file, file);
	open_session(&f, strbuf_cstr(&script), &plain, &peer, &s);
	while ((n = dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err)) > 0)
		sum += (size_t)n;
	ASSERT_INT(n, 0);
	ASSERT_INT(sum, 2131 + 100);
	close_all(&f, peer, s);
}
