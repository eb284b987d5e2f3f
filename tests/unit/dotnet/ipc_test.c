/* The client against a runtime that answers, refuses, lies, hangs and dies. */
#include "dotnet/ipc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/clock.h"
#include "rig.h"

static int ask(struct fake *f, const struct dotnet_patience *p, struct dotnet_process_info *info,
	       struct error *err)
{
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = fake_peer(f, p);

	return dotnet_process_info(peer, info, err);
}

/* The reply to ProcessInfo under this script has this code and message. */
static void assert_fails(const char *script, int code, const char *says)
{
	static const struct dotnet_patience p = { .reply_ns = 200 * NS_PER_MS };
	struct dotnet_process_info info;
	struct error err = ERROR_INIT;
	uint64_t begin = clock_now_ns();
	struct fake f;

	fake_start(&f, script, NULL);
	ASSERT_INT(ask(&f, &p, &info, &err), code);
	ASSERT_HAS(err.msg, says);
	ASSERT_HAS(err.msg, f.socket);
	ASSERT_TRUE(clock_now_ns() - begin < 3 * NS_PER_S);
	fake_stop(&f);
}

TEST(info_falls_back_to_what_the_runtime_knows)
{
	static const struct {
		const char *script, *version, *log;
	} runtimes[] = {
		{ "0408 info 3 10.0.12 Shop /srv/Shop --port 80", "10.0.12", "0408 \n" },
		{ "0404 info 2 6.0.36 Shop /srv/Shop --port 80", "6.0.36", "0408 \n0404 \n" },
		{ "0400 info 1 5.0.17 Shop /srv/Shop --port 80", NULL, "0408 \n0404 \n0400 \n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		CLEANUP(dotnet_process_info_release) struct dotnet_process_info info = { 0 };
		struct error err = ERROR_INIT;
		struct fake f;

		fake_start(&f, runtimes[i].script, NULL);
		ASSERT_OK_ERR(ask(&f, NULL, &info, &err), err);
		ASSERT_STREQ(err.msg, "");
		ASSERT_INT(info.pid, f.pid);
		ASSERT_STREQ(info.command_line, "/srv/Shop --port 80");
		ASSERT_STREQ(info.arch, "x64");
		if (runtimes[i].version)
			ASSERT_STREQ(info.version, runtimes[i].version);
		ASSERT_TRUE(!runtimes[i].version == !info.version);
		ASSERT_STREQ(fake_log(&f), runtimes[i].log);
		fake_stop(&f);
	}
}

TEST(info_of_a_runtime_before_5_is_unknown)
{
	assert_fails("# knows nothing", -ENOSYS, "too old (0x80131385)");
}

TEST(refusals_are_in_words)
{
	assert_fails("* error 80131515", -EOPNOTSUPP, "DOTNET_EnableDiagnostics");
	assert_fails("* error 8013135B", -EAGAIN, "still starting (0x8013135B)");
	assert_fails("* error 80131371", -EAGAIN, "not initialised");
	assert_fails("* error 80004005", -EREMOTEIO, "at most 64 sessions");
	assert_fails("* error DEADBEEF", -EREMOTEIO, "do not know (0xDEADBEEF)");
}

TEST(answers_that_are_none)
{
	/* what .NET 10.0.12 says to a ProcessInfo3 with a payload */
	assert_fails("* bytes 01000000dc7f0000000000000000000000000000ffffffff", -EBADMSG,
		     "not of .NET's diagnostics protocol");
	assert_fails("* text HTTP/1.1_400_Bad_Request____", -EBADMSG, "not of .NET's");
	assert_fails("* ok 0011", -EBADMSG, "2 bytes that describe the process");
	assert_fails("* bytes 444f544e45545f4950435f5631001800ffff00008413", -ECONNRESET,
		     "after 22 of 24 bytes");
	assert_fails("* bytes 444f544e45545f4950435f5631001400040800", -ECONNRESET,
		     "after 19 of 20 bytes");
	assert_fails("* bytes 444f544e45545f4950435f5631001400040800000", -EBADMSG,
		     "0x0408 where an answer was due");
}

TEST(silence_has_an_end)
{
	assert_fails("* silence", -ETIMEDOUT, "may be stopped");
	assert_fails("* bytes 444f544e45545f; silence", -ETIMEDOUT, "no answer in time");
	/* drops keep no wait alive */
	assert_fails("* bytes 44; sleep 150; bytes 4f; sleep 150; bytes 54; silence", -ETIMEDOUT,
		     "no answer in time");
}

TEST(a_runtime_that_dies_or_hangs_up)
{
	assert_fails("* exit", -ECONNRESET, "hung up without an answer");
	assert_fails("* sleep 10", -ECONNRESET, "hung up without an answer");
}

TEST(a_wait_can_be_cancelled)
{
	struct dotnet_patience p = { .reply_ns = 20 * NS_PER_S };
	struct dotnet_process_info info;
	struct error err = ERROR_INIT;
	uint64_t begin = clock_now_ns();
	struct fake f;
	int ends[2];

	ASSERT_OK(pipe(ends));
	ASSERT_INT(write(ends[1], "c", 1), 1);
	p.cancel_fd = ends[0];
	fake_start(&f, "* silence", NULL);
	ASSERT_INT(ask(&f, &p, &info, &err), -ECANCELED);
	ASSERT_HAS(err.msg, "given up on request");
	ASSERT_TRUE(clock_now_ns() - begin < 5 * NS_PER_S);
	fake_stop(&f);
}

TEST(a_stale_socket_is_recognised)
{
	struct dotnet_process_info info;
	struct error err = ERROR_INIT;
	struct fake f;

	fake_start(&f, "* silence", NULL);
	kill(f.pid, SIGKILL);
	usleep(50000);
	ASSERT_INT(ask(&f, NULL, &info, &err), -ECONNREFUSED);
	ASSERT_HAS(err.msg, "the process has ended and left it");
	unlink(f.socket);
	ASSERT_INT(ask(&f, NULL, &info, &err), -ENOENT);
	ASSERT_HAS(err.msg, "there is no socket");
	fake_stop(&f);
}

/* Nobody accepts, and the queue is full: connect() says EAGAIN then. */
TEST(a_full_queue_has_an_end)
{
	static const struct dotnet_patience p = { .connect_ns = 200 * NS_PER_MS,
						  .reply_ns = 200 * NS_PER_MS };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), fill = socket(AF_UNIX, SOCK_STREAM, 0);
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	struct dotnet_process_info info;
	struct error err = ERROR_INIT;

	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/assay-full-%d", (int)getpid());
	ASSERT_OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	ASSERT_OK(listen(fd, 0));
	ASSERT_OK(connect(fill, (struct sockaddr *)&a, sizeof(a)));
	ASSERT_OK(dotnet_peer_of_socket(a.sun_path, &p, &peer, &err));
	ASSERT_INT(dotnet_process_info(peer, &info, &err), -ETIMEDOUT);
	ASSERT_HAS(err.msg, "takes no connection");
	unlink(a.sun_path);
}

TEST(a_path_may_be_longer_than_an_address)
{
	CLEANUP(dotnet_process_info_release) struct dotnet_process_info info = { 0 };
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	char dir[300], path[600];
	struct error err = ERROR_INIT;
	struct fake f;

	fake_start(&f, "0408 info 3 10.0.12 Shop x", NULL);
	snprintf(dir, sizeof(dir), "%s/%0200d", f.dir, 0);
	snprintf(path, sizeof(path), "%s/socket", dir);
	ASSERT_OK(mkdir(dir, 0700));
	ASSERT_OK(rename(f.socket, path));
	ASSERT_OK(dotnet_peer_of_socket(path, NULL, &peer, &err));
	ASSERT_OK_ERR(dotnet_process_info(peer, &info, &err), err);
	ASSERT_STREQ(info.entry_assembly, "Shop");
	unlink(path);
	rmdir(dir);
	fake_stop(&f);
}

TEST(small_commands)
{
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;
	struct fake f;

	fake_start(&f,
		   "0401 ok\n0405 ok 00000000\n0406 ok 00000000\n"
		   "once 0403 ok 00000000\n0403 ok 05400080",
		   NULL);
	peer = fake_peer(&f, NULL);
	ASSERT_OK_ERR(dotnet_resume(peer, &err), err);
	ASSERT_OK_ERR(dotnet_perf_map_enable(peer, &err), err);
	ASSERT_OK_ERR(dotnet_perf_map_disable(peer, &err), err);
	ASSERT_OK_ERR(dotnet_set_environment(peer, "A", "b", &err), err);
	/* done, says the header, and failed, says the result within */
	ASSERT_INT(dotnet_set_environment(peer, "A", "b", &err), -EREMOTEIO);
	ASSERT_HAS(err.msg, "0x80004005");
	ASSERT_STREQ(fake_log(&f), "0401 \n0405 03000000\n0406 \n"
				   "0403 02000000410000000200000062000000\n"
				   "0403 02000000410000000200000062000000\n");
	fake_stop(&f);
}

TEST(a_path_that_is_none)
{
	struct dotnet_peer *peer;
	struct error err = ERROR_INIT;

	ASSERT_INT(dotnet_peer_of_socket("", NULL, &peer, &err), -EINVAL);
	ASSERT_INT(dotnet_peer_of_socket("/tmp/", NULL, &peer, &err), -EINVAL);
}
