/* Finding runtimes, and the sockets that are not theirs. */
#include "dotnet/find.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"
#include "os/process.h"
#include "rig.h"

#define INFO "0408 info 3 10.0.12 Shop /srv/Shop --port 80"

static const struct dotnet_patience patience = { .connect_ns = 2 * NS_PER_S,
						 .reply_ns = 2 * NS_PER_S };

/* The process is found and its runtime answers. */
static void assert_found(const struct fake *f)
{
	CLEANUP(dotnet_process_info_release) struct dotnet_process_info info = { 0 };
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_find_pid(f->pid, &patience, &peer, &err), err);
	ASSERT_OK_ERR(dotnet_process_info(peer, &info, &err), err);
	ASSERT_INT(info.pid, f->pid);
}

static void assert_not_found(pid_t pid, int code, const char *says)
{
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;

	ASSERT_INT(dotnet_find_pid(pid, &patience, &peer, &err), code);
	ASSERT_HAS(err.msg, says);
	ASSERT_TRUE(peer == NULL);
}

/* A socket of that name in the fake's folder on which this process listens. */
static int listen_as(const struct fake *f, const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", f->temporary, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ASSERT_TRUE(strlen(path) < sizeof(a.sun_path));
	memcpy(a.sun_path, path, strlen(path) + 1);
	ASSERT_OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	ASSERT_OK(listen(fd, 8));
	return fd;
}

static void remove_from(const struct fake *f, const char *name)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", f->temporary, name);

	ASSERT_OK(unlink(path));
}

TEST(find_names_of_sockets)
{
	pid_t pid = 0;

	ASSERT_TRUE(dotnet_socket_name(STR("dotnet-diagnostic-4711-123-socket"), &pid));
	ASSERT_INT(pid, 4711);
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-dsrouter-47-12-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-47-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-47-12-3-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-47-12-socket.old"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("dotnet-diagnostic-99999999999-1-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR("xdotnet-diagnostic-1-1-socket"), &pid));
	ASSERT_TRUE(!dotnet_socket_name(STR(""), &pid));
}

TEST(find_by_pid_in_its_own_temporary_folder)
{
	struct fake f;

	fake_start(&f, INFO, NULL);
	assert_found(&f);
	fake_stop(&f);
}

TEST(find_ignores_what_an_earlier_process_of_the_pid_left)
{
	struct fake f;
	char stale[64];
	int fd;

	fake_start(&f, INFO, NULL);
	snprintf(stale, sizeof(stale), "dotnet-diagnostic-%d-1-socket", (int)f.pid);
	fd = listen_as(&f, stale);
	close(fd); /* the file stays */
	assert_found(&f);
	unlink(f.socket);
	assert_not_found(f.pid, -EOPNOTSUPP, "the file of its socket was removed");
	remove_from(&f, stale);
	fake_stop(&f);
}

TEST(find_takes_its_name_and_key_whoever_listens)
{
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;
	struct fake f;

	fake_start(&f, INFO, NULL);
	unlink(f.socket);
	listen_as(&f, strrchr(f.socket, '/') + 1);
	ASSERT_OK_ERR(dotnet_find_pid(f.pid, &patience, &peer, &err), err);
	dotnet_peer_free(peer);
	fake_stop(&f);
}

TEST(find_takes_another_key_only_when_the_process_itself_listens)
{
	struct fake f;
	char other[64], *moved;
	int fd;

	fake_start(&f, INFO, NULL);
	snprintf(other, sizeof(other), "dotnet-diagnostic-%d-1-socket", (int)f.pid);
	moved = xasprintf("%s/dotnet-diagnostic-%d-2-socket", f.temporary, (int)f.pid);
	fd = listen_as(&f, other); /* we listen, but under its pid */
	ASSERT_OK(rename(f.socket, moved));
	assert_found(&f);
	unlink(moved);
	assert_not_found(f.pid, -EOPNOTSUPP, "the file of its socket was removed");
	close(fd);
	remove_from(&f, other);
	free(moved);
	fake_stop(&f);
}

TEST(find_where_the_path_was_cut)
{
	char folder[75];
	struct fake f;

	memset(folder, 'x', sizeof(folder) - 1);
	folder[sizeof(folder) - 1] = '\0';
	fake_start_below(&f, INFO, NULL, folder);
	ASSERT_TRUE(strlen(f.socket) > 107);
	assert_found(&f);
	f.socket[107] = '\0';
	unlink(f.socket);
	close(listen_as(&f, strrchr(f.socket, '/') + 1)); /* another's, that came first */
	assert_not_found(f.pid, -EOPNOTSUPP, "so long that no socket's address holds it");
	unlink(f.socket);
	listen_as(&f, strrchr(f.socket, '/') + 1);
	assert_not_found(f.pid, -EOPNOTSUPP, "so long that no socket's address holds it");
	fake_stop(&f);
}

TEST(find_says_that_the_port_is_switched_off)
{
	static const struct {
		const char *name, *value;
		bool off;
	} cases[] = {
		{ "DOTNET_EnableDiagnostics", "0", true },
		{ "COMPlus_EnableDiagnostics", "0x0", true },
		{ "DOTNET_EnableDiagnostics_IPC", "00", true },
		{ "DOTNET_EnableDiagnostics_IPC", "1", false },
		{ "DOTNET_EnableDiagnostics_Debugger", "0", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(mem_cleanup) char *says = xasprintf("switched off by %s=0", cases[i].name);
		struct fake f;

		setenv(cases[i].name, cases[i].value, 1);
		fake_start(&f, INFO, NULL);
		unsetenv(cases[i].name);
		unlink(f.socket);
		assert_not_found(f.pid, -EOPNOTSUPP, cases[i].off ? says : "was removed");
		fake_stop(&f);
	}
}

TEST(find_says_what_is_wrong_with_the_folder)
{
	struct fake f;

	fake_start_below(&f, INFO, NULL, "gone");
	unlink(f.socket);
	ASSERT_OK(rmdir(f.temporary));
	assert_not_found(f.pid, -EOPNOTSUPP, "/gone, does not exist");
	fake_stop(&f);
}

TEST(find_says_what_runs_no_dotnet_or_not_any_more)
{
	siginfo_t info;
	pid_t pid;

	assert_not_found(getpid(), -ENOENT, "runs no .NET");
	pid = fork();
	if (pid == 0)
		_exit(0);
	ASSERT_OK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	assert_not_found(pid, -ESRCH, "has ended");
	waitpid(pid, NULL, 0);
	assert_not_found(pid, -ESRCH, "there is no process");
}

/* ---- all of them ---- */

static const struct dotnet_process *in_list(const struct dotnet_processes *all, pid_t pid)
{
	vec_for_each (&all->list, p)
		if (p->pid == pid)
			return p;
	return NULL;
}

TEST(find_all_lists_those_that_answer_and_those_that_do_not)
{
	CLEANUP(dotnet_processes_release) struct dotnet_processes all = { 0 };
	const struct dotnet_process *p;
	struct error err = ERROR_INIT;
	struct fake good, hung, gone;
	siginfo_t info;

	fake_start(&good, INFO, NULL);
	fake_start(&hung, "0408 silence", NULL);
	fake_start(&gone, INFO, NULL);
	kill(gone.pid, SIGKILL);
	ASSERT_OK(waitid(P_PID, (id_t)gone.pid, &info, WEXITED | WNOWAIT)); /* its socket stays */
	ASSERT_OK_ERR(dotnet_find_all(false, &all, &err), err);
	p = in_list(&all, good.pid);
	ASSERT_TRUE(p != NULL);
	ASSERT_STREQ(p->name, "Shop");
	ASSERT_STREQ(p->version, "10.0.12");
	ASSERT_STREQ(p->arch, "x64");
	ASSERT_INT(p->inner_pid, good.pid);
	ASSERT_HAS(p->command_line, "fake_runtime ");
	ASSERT_HAS(good.socket, p->socket);
	ASSERT_TRUE(!p->problem);
	p = in_list(&all, hung.pid);
	ASSERT_TRUE(p != NULL);
	ASSERT_HAS(p->problem, "no answer in time");
	ASSERT_STREQ(p->name, "fake_runtime");
	ASSERT_TRUE(!in_list(&all, gone.pid));
	ASSERT_TRUE(!in_list(&all, getpid()));
	vec_for_each (&all.list, one)
		ASSERT_TRUE(one == all.list.ptr || one[-1].pid <= one->pid);
	fake_stop(&good);
	fake_stop(&hung);
	fake_stop(&gone);
	dotnet_processes_release(&all);
	ASSERT_OK_ERR(dotnet_find_all(true, &all, &err), err);
	p = in_list(&all, getpid());
	ASSERT_TRUE(p && p->kind == DOTNET_KIND_NATIVE && !p->problem && !p->socket);
	ASSERT_STREQ(p->name, "test_dotnet");
}

TEST(find_by_name)
{
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	CLEANUP(mem_cleanup) char *name = xasprintf("Rig.%d", (int)getpid());
	CLEANUP(mem_cleanup) char *script = xasprintf("0408 info 3 10.0.12 %s /srv/x", name);
	CLEANUP(mem_cleanup) char *other_case = xasprintf("riG.%d", (int)getpid());
	struct error err = ERROR_INIT;
	struct fake one, two;
	pid_t pid = 0;
	char shown[32];

	ASSERT_INT(dotnet_find_name(name, &patience, &peer, &pid, &err), -ENOENT);
	ASSERT_HAS(err.msg, "assay ps");
	fake_start(&one, script, NULL);
	ASSERT_OK_ERR(dotnet_find(other_case, &patience, &peer, &pid, &err), err);
	ASSERT_INT(pid, one.pid);
	ASSERT_OK_ERR(dotnet_resume(peer, &err) == -ENOSYS ? 0 : -1, err); /* it was asked */
	fake_start(&two, script, NULL);
	peer = dotnet_peer_free(peer);
	ASSERT_INT(dotnet_find(name, &patience, &peer, NULL, &err), -ENOTUNIQ);
	snprintf(shown, sizeof(shown), "\n  %d  ", (int)one.pid);
	ASSERT_HAS(err.msg, shown);
	snprintf(shown, sizeof(shown), "\n  %d  ", (int)two.pid);
	ASSERT_HAS(err.msg, shown);
	fake_stop(&one);
	fake_stop(&two);
}

TEST(find_by_a_word)
{
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;
	char word[32];
	struct fake f;
	pid_t pid = 99;

	fake_start(&f, INFO, NULL);
	snprintf(word, sizeof(word), "%d", (int)f.pid);
	ASSERT_OK_ERR(dotnet_find(word, &patience, &peer, &pid, &err), err);
	ASSERT_INT(pid, f.pid);
	ASSERT_STREQ(dotnet_peer_name(peer) + strlen("process "), word);
	peer = dotnet_peer_free(peer);
	ASSERT_OK_ERR(dotnet_find(f.socket, &patience, &peer, &pid, &err), err);
	ASSERT_INT(pid, 0);
	ASSERT_STREQ(dotnet_peer_name(peer), f.socket);
	peer = dotnet_peer_free(peer);
	ASSERT_INT(dotnet_find("0", &patience, &peer, &pid, &err), -ESRCH);
	ASSERT_INT(dotnet_find("4294967297", &patience, &peer, &pid, &err), -ESRCH);
	fake_stop(&f);
}
