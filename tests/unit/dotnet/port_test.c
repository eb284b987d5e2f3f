/* Runtimes that dial us. */
#include "dotnet/port.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/session.h"
#include "os/clock.h"
#include "os/file.h"
#include "rig.h"

#define INFO "0408 info 3 10.0.12 Shop /srv/Shop\n0401 ok"

static const struct dotnet_patience patience = { .connect_ns = 2 * NS_PER_S,
						 .reply_ns = 2 * NS_PER_S };

/* A folder of the test's own with a port in it. */
struct place {
	char dir[32], path[64];
	struct dotnet_port *port;
};

static void open_place(struct place *at)
{
	struct error err = ERROR_INIT;

	*at = (struct place){ .dir = "/tmp/assay-port-XXXXXX" };
	ASSERT_TRUE(mkdtemp(at->dir) != NULL);
	snprintf(at->path, sizeof(at->path), "%s/port", at->dir);
	ASSERT_OK_ERR(dotnet_port_listen(at->path, &at->port, &err), err);
}

static void close_place(struct place *at)
{
	dotnet_port_free(at->port);
	ASSERT_TRUE(access(at->path, F_OK) < 0);
	ASSERT_OK(rmdir(at->dir));
}

static struct dotnet_peer *accept_one(struct place *at, pid_t *ret_pid)
{
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_port_accept(at->port, &patience, 5 * NS_PER_S, &peer, ret_pid, &err),
		      err);
	return peer;
}

static uint64_t pid_by(struct dotnet_peer *peer)
{
	CLEANUP(dotnet_process_info_release) struct dotnet_process_info info = { 0 };
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_process_info(peer, &info, &err), err);
	return info.pid;
}

static int dial(const struct place *at)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(a.sun_path, at->path, sizeof(at->path));
	ASSERT_OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	return fd;
}

TEST(port_takes_one_command_a_connection)
{
	static const struct dotnet_provider provider = { .name = "System.Runtime" };
	static const struct dotnet_session_wish wish = { .providers = &provider, .n_providers = 1 };
	struct dotnet_session *s = NULL;
	struct error err = ERROR_INIT;
	struct dotnet_peer *peer;
	struct place at;
	struct fake f;
	pid_t pid = 0;
	char buf[16];

	open_place(&at);
	fake_start(&f,
		   INFO
		   "\n0203 ok 0100000000000000;text Nettrace;stopped\n0201 ok 0100000000000000",
		   at.path);
	peer = accept_one(&at, &pid);
	ASSERT_INT(pid, f.pid);
	ASSERT_INT(pid_by(peer), f.pid);
	ASSERT_INT(pid_by(peer), f.pid);
	ASSERT_OK_ERR(dotnet_session_open(peer, &wish, &s, &err), err);
	ASSERT_OK_ERR(dotnet_resume(peer, &err), err);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 8);
	ASSERT_OK_ERR(dotnet_session_stop(s, &err), err);
	ASSERT_INT(dotnet_session_read(s, buf, sizeof(buf), NS_PER_S, &err), 0);
	dotnet_session_free(s);
	dotnet_peer_free(peer);
	ASSERT_HAS(fake_log(&f), "0408 \n0408 \n0203 ");
	ASSERT_HAS(fake_log(&f), "\n0401 \n0201 0100000000000000\n");
	fake_stop(&f);
	dotnet_port_free(at.port);
	ASSERT_OK(rmdir(at.dir));
}

TEST(port_keeps_runtimes_apart)
{
	struct dotnet_peer *first, *second;
	struct fake one, two;
	struct place at;
	pid_t a = 0, b = 0;

	open_place(&at);
	fake_start(&one, INFO, at.path);
	first = accept_one(&at, &a);
	fake_start(&two, INFO, at.path);
	second = accept_one(&at, &b);
	ASSERT_INT(a, one.pid);
	ASSERT_INT(b, two.pid);
	for (int i = 0; i < 3; i++) {
		ASSERT_INT(pid_by(second), two.pid);
		ASSERT_INT(pid_by(first), one.pid);
	}
	dotnet_peer_free(first);
	dotnet_peer_free(second);
	fake_stop(&one);
	fake_stop(&two);
	dotnet_port_free(at.port);
	rmdir(at.dir);
}

TEST(port_resumes_those_that_nobody_asked_for)
{
	struct dotnet_peer *peer;
	struct fake wanted, early, late;
	struct place at;

	open_place(&at);
	fake_start(&wanted, INFO, at.path);
	peer = accept_one(&at, NULL);
	fake_start(&early, INFO, at.path);
	usleep(100000); /* it has dialled, and is left waiting */
	ASSERT_STREQ(fake_log(&early), "");
	dotnet_port_resume_others(at.port);
	ASSERT_HAS(fake_log_with(&early, "0401"), "0401 \n");
	fake_start(&late, INFO, at.path);
	ASSERT_HAS(fake_log_with(&late, "0401"), "0401 \n");
	ASSERT_INT(pid_by(peer), wanted.pid);
	ASSERT_STREQ(fake_log(&wanted), "0408 \n"); /* that one's resume is for the caller */
	dotnet_peer_free(peer);
	fake_stop(&wanted);
	fake_stop(&early);
	fake_stop(&late);
	dotnet_port_free(at.port);
	rmdir(at.dir);
}

TEST(port_waits_so_long_and_no_longer)
{
	struct dotnet_patience p = patience;
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;
	uint64_t one = 1, begin = clock_now_ns();
	struct place at;

	open_place(&at);
	ASSERT_INT(dotnet_port_accept(at.port, &p, 100 * NS_PER_MS, &peer, NULL, &err), -ETIMEDOUT);
	ASSERT_HAS(err.msg, at.path);
	p.cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ASSERT_INT(write(p.cancel_fd, &one, sizeof(one)), 8);
	ASSERT_INT(dotnet_port_accept(at.port, &p, UINT64_MAX, &peer, NULL, &err), -ECANCELED);
	ASSERT_TRUE(clock_now_ns() - begin < NS_PER_S);
	close(p.cancel_fd);
	close_place(&at);
}

TEST(port_is_not_held_up_by_who_says_nothing_or_nonsense)
{
	struct dotnet_peer *peer;
	struct place at;
	struct fake f;
	int fds[4];
	char c;

	open_place(&at);
	fds[0] = dial(&at);
	fds[1] = dial(&at);
	ASSERT_INT(write(fds[1], "GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n", 41), 41);
	ASSERT_TRUE(read(fds[1], &c, 1) <= 0); /* hung up on */
	fds[2] = dial(&at);
	ASSERT_INT(write(fds[2], "ADVR_V1", 7), 7);
	fds[3] = dial(&at);
	close(fds[3]);
	fake_start(&f, INFO, at.path);
	peer = accept_one(&at, NULL);
	ASSERT_INT(pid_by(peer), f.pid);
	dotnet_peer_free(peer);
	fake_stop(&f);
	dotnet_port_free(at.port);
	rmdir(at.dir);
}

TEST(port_tells_when_the_process_has_ended)
{
	struct error err = ERROR_INIT;
	struct dotnet_peer *peer;
	struct place at;
	struct fake f;
	uint64_t begin;
	siginfo_t info;

	open_place(&at);
	fake_start(&f, INFO, at.path);
	peer = accept_one(&at, NULL);
	kill(f.pid, SIGKILL);
	ASSERT_OK(waitid(P_PID, (id_t)f.pid, &info, WEXITED | WNOWAIT));
	begin = clock_now_ns();
	ASSERT_INT(dotnet_resume(peer, &err), -ESRCH);
	ASSERT_HAS(err.msg, "has ended");
	ASSERT_TRUE(clock_now_ns() - begin < NS_PER_S);
	dotnet_peer_free(peer);
	fake_stop(&f);
	dotnet_port_free(at.port);
	rmdir(at.dir);
}

/* ---- the file ---- */

TEST(port_replaces_only_a_socket_that_nobody_listens_on)
{
	struct dotnet_port *port = NULL;
	struct error err = ERROR_INIT;
	struct place at;
	struct stat st;
	char path[64];

	open_place(&at);
	ASSERT_OK(stat(at.path, &st));
	ASSERT_INT(st.st_mode & 0777, 0600);
	ASSERT_INT(dotnet_port_listen(at.path, &port, &err), -EADDRINUSE);
	ASSERT_HAS(err.msg, "another process listens on");
	snprintf(path, sizeof(path), "%s/file", at.dir);
	ASSERT_OK(file_write_atomic(path, STR("kept"), NULL));
	ASSERT_INT(dotnet_port_listen(path, &port, &err), -EADDRINUSE);
	ASSERT_HAS(err.msg, "which is no socket");
	ASSERT_OK(unlink(path));

	/* what a killed process leaves: bound once, listened on by nobody */
	snprintf(path, sizeof(path), "%s/left", at.dir);
	ASSERT_OK(rename(at.path, path));
	at.port = dotnet_port_free(at.port);
	ASSERT_OK(access(path, F_OK));
	ASSERT_OK_ERR(dotnet_port_listen(path, &port, &err), err);
	dotnet_port_free(port);
	ASSERT_TRUE(access(path, F_OK) < 0);

	/* and what another has put there meanwhile is not ours to remove */
	ASSERT_OK_ERR(dotnet_port_listen(path, &port, &err), err);
	ASSERT_OK(rename(path, at.path));
	ASSERT_OK(file_write_atomic(path, STR("theirs"), NULL));
	dotnet_port_free(port);
	ASSERT_OK(unlink(path));
	ASSERT_OK(unlink(at.path));
	close_place(&at);
}

TEST(port_paths_that_a_runtime_could_not_use)
{
	CLEANUP(mem_cleanup) char *full = NULL;
	struct dotnet_port *port = NULL;
	struct error err = ERROR_INIT;
	char before[4096], path[160];
	struct place at;

	open_place(&at);
	snprintf(path, sizeof(path), "%s/%0100d", at.dir, 1);
	ASSERT_INT(dotnet_port_listen(path, &port, &err), -ENAMETOOLONG);
	snprintf(path, sizeof(path), "%s/a,b", at.dir);
	ASSERT_INT(dotnet_port_listen(path, &port, &err), -EINVAL);
	snprintf(path, sizeof(path), "%s/nowhere/port", at.dir);
	ASSERT_INT(dotnet_port_listen(path, &port, &err), -ENOENT);
	ASSERT_INT(dotnet_port_listen("/tmp/", &port, &err), -EINVAL);

	ASSERT_TRUE(getcwd(before, sizeof(before)) != NULL);
	ASSERT_OK(chdir(at.dir));
	ASSERT_OK_ERR(dotnet_port_listen("relative", &port, &err), err);
	full = xasprintf("%s/relative", at.dir);
	ASSERT_STREQ(dotnet_port_path(port), full);
	ASSERT_OK(chdir(before));
	dotnet_port_free(port);
	close_place(&at);
}

TEST(port_specs)
{
	static const struct {
		const char *text, *path;
		bool connect;
	} good[] = {
		{ "/tmp/a", "/tmp/a", false },
		{ "a,listen", "a", false },
		{ "/tmp/a,connect", "/tmp/a", true },
		{ "/tmp/a,Connect", "/tmp/a", true },
	};
	static const char *const bad[] = { "", ",connect", "a,", "a,suspend", "a,connect,listen" };
	struct dotnet_port_spec spec;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_OK_ERR(dotnet_port_spec_parse(good[i].text, &spec, &err), err);
		ASSERT_STREQ(spec.path, good[i].path);
		ASSERT_INT(spec.connect, good[i].connect);
		dotnet_port_spec_release(&spec);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ASSERT_INT(dotnet_port_spec_parse(bad[i], &spec, &err), -EINVAL);
		ASSERT_HAS(err.msg, "PATH,connect");
	}
}

TEST(port_that_the_runtime_listens_on)
{
	struct error err = ERROR_INIT;
	struct dotnet_peer *peer = NULL;
	struct place at;
	struct fake f;
	char path[64], port[96];
	pid_t pid = 0;

	open_place(&at);
	snprintf(path, sizeof(path), "%s/theirs", at.dir);
	snprintf(port, sizeof(port), "%s,nosuspend,listen", path);
	ASSERT_INT(dotnet_port_connect(path, &patience, &peer, &pid, &err), -ENOENT);
	fake_start(&f, INFO, port);
	ASSERT_OK_ERR(dotnet_port_connect(path, &patience, &peer, &pid, &err), err);
	ASSERT_INT(pid, f.pid);
	ASSERT_INT(pid_by(peer), f.pid);
	dotnet_peer_free(peer);
	fake_stop(&f);
	close_place(&at);
}
