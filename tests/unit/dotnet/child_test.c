/* Programs that are started suspended. */
#include "dotnet/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"
#include "os/file.h"
#include "rig.h"

TEST(child_runtimes_of_the_sdk)
{
	static const char *const sdk[] = {
		"dotnet run -c Release -- 1000",
		"/usr/bin/dotnet watch",
		"dotnet",
		"dotnet test Shop.Tests",
		"dotnet /usr/share/dotnet/sdk/10.0.401/MSBuild.dll /nodemode:1",
		"/usr/share/dotnet/dotnet exec /usr/share/dotnet/sdk/9.0.1/Roslyn/VBCSCompiler.dll",
		"dotnet exec --depsfile /x/y.json /opt/dotnet/sdk/8.0.100/dotnet.dll",
		"/usr/share/dotnet/sdk/10.0.401/MSBuild /nologo",
		"dotnet --info",
	};
	static const char *const programs[] = {
		"dotnet Shop.dll --port 80",
		"dotnet exec Shop.dll",
		"dotnet --roll-forward Major Shop.dll",
		"/srv/Shop run",
		"/opt/sdk/Shop",
		"/home/x/sdk/tools/Shop --x",
		"dotnet exec --runtimeconfig a.json Shop.dll run",
		"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sdk); i++)
		if (!dotnet_is_sdk(sdk[i]))
			test_fail(__FILE__, __LINE__, "no program: %s", sdk[i]);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (dotnet_is_sdk(programs[i]))
			test_fail(__FILE__, __LINE__, "a program: %s", programs[i]);
}

/* A fake runtime as the command; it ends when the other end of its input closes. */
struct command {
	char dir[32], script[64], log[64];
	char *program;
	const char *argv[8];
	int hold;
	struct strbuf text;
};

static void prepare(struct command *c, const char *script)
{
	int in[2];

	*c = (struct command){ .dir = "/tmp/assay-cmd-XXXXXX", .program = fake_program() };
	ASSERT_TRUE(mkdtemp(c->dir) != NULL);
	snprintf(c->script, sizeof(c->script), "%s/script", c->dir);
	snprintf(c->log, sizeof(c->log), "%s/log", c->dir);
	ASSERT_OK(file_write_atomic(c->script, str_from(script), NULL));
	memcpy(c->argv,
	       (const char *[]){ "sh", "-c", "exec \"$0\" \"$@\" >/dev/null", c->program, c->dir,
				 c->script, c->log, NULL },
	       sizeof(c->argv));
	ASSERT_OK(pipe2(in, O_CLOEXEC));
	dup2(in[0], 0);
	close(in[0]);
	c->hold = in[1];
}

/* Only the port's folder may be left, and that not. */
static void finish(struct command *c)
{
	DIR *dir = opendir(c->dir);
	struct dirent *entry;

	unlink(c->script);
	unlink(c->log);
	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, "assay-port"))
			test_fail(__FILE__, __LINE__, "left: %s", entry->d_name);
	closedir(dir);
	ASSERT_OK(rmdir(c->dir));
	close(c->hold);
	free(c->program);
	strbuf_release(&c->text);
}

#define INFO "0408 info 3 10.0.12 Shop /srv/Shop\n0401 ok"

TEST(child_is_suspended_until_it_is_resumed)
{
	CLEANUP(dotnet_process_info_release) struct dotnet_process_info info = { 0 };
	struct dotnet_child *child = NULL;
	struct error err = ERROR_INIT;
	struct command c;

	prepare(&c, INFO);
	ASSERT_OK_ERR(dotnet_child_start(
			      &(struct dotnet_child_opts){ .argv = c.argv, .temporary = c.dir },
			      &child, &err),
		      err);
	ASSERT_OK_ERR(dotnet_process_info(dotnet_child_peer(child), &info, &err), err);
	ASSERT_INT(info.pid, dotnet_child_pid(child));
	ASSERT_OK_ERR(dotnet_resume(dotnet_child_peer(child), &err), err);
	ASSERT_OK(file_read(c.log, 4096, &c.text, NULL));
	ASSERT_STREQ(strbuf_cstr(&c.text), "0408 \n0401 \n"); /* ours, in our order */
	ASSERT_TRUE(!dotnet_child_wait(child, 0));
	dotnet_child_stop(child, NS_PER_S);
	ASSERT_INT(dotnet_child_exit_code(child), 128 + 15);
	ASSERT_STREQ(dotnet_child_outcome(child), "signal 15");
	dotnet_child_free(child);
	finish(&c);
}

TEST(child_below_a_shell_is_the_one_that_dials)
{
	struct dotnet_child *child = NULL;
	struct error err = ERROR_INIT;
	struct command c;
	char line[512];
	const char *argv[] = { "sh", "-c", line, NULL };
	pid_t pid;

	prepare(&c, INFO);
	snprintf(line, sizeof(line), "%s %s %s >/dev/null; exit 9", c.program, c.dir, c.script);
	ASSERT_OK_ERR(
		dotnet_child_start(&(struct dotnet_child_opts){ .argv = argv, .temporary = c.dir },
				   &child, &err),
		err);
	pid = dotnet_child_pid(child);
	ASSERT_OK_ERR(dotnet_resume(dotnet_child_peer(child), &err), err);
	dotnet_child_free(child);
	for (int i = 0; i < 200 && kill(pid, 0) == 0; i++) {
		usleep(10000);
		ASSERT_TRUE(i < 199); /* it was ended too, not only the shell */
	}
	finish(&c);
}

static void assert_refused(const char *const *argv, int code, const char *says)
{
	struct dotnet_child *child = NULL;
	struct error err = ERROR_INIT;
	struct dotnet_child_opts o = { .argv = argv, .silent = true, .wait_ns = 200 * NS_PER_MS };

	ASSERT_INT(dotnet_child_start(&o, &child, &err), code);
	ASSERT_HAS(err.msg, says);
	ASSERT_TRUE(child == NULL);
}

TEST(child_that_is_no_dotnet_program)
{
	const char *sleeps[] = { "sleep", "60", NULL }, *ends[] = { "sh", "-c", "exit 4", NULL };
	const char *none[] = { "./no-such-command", NULL };
	uint64_t begin = clock_now_ns();

	assert_refused(sleeps, -ETIMEDOUT, "no .NET runtime came up in sleep within 0.2 s");
	assert_refused(ends, -ECHILD, "sh ended (exit code 4, its output hidden) before a .NET");
	assert_refused(none, -ENOENT, "no command ./no-such-command");
	ASSERT_TRUE(clock_now_ns() - begin < 5 * NS_PER_S); /* and nobody waits for the sleep */
}

TEST(child_whose_start_is_given_up)
{
	const char *sleeps[] = { "sleep", "60", NULL };
	struct dotnet_child *child = NULL;
	struct error err = ERROR_INIT;
	uint64_t one = 1;
	struct dotnet_child_opts o = { .argv = sleeps,
				       .cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };

	ASSERT_INT(write(o.cancel_fd, &one, sizeof(one)), 8);
	ASSERT_INT(dotnet_child_start(&o, &child, &err), -ECANCELED);
	close(o.cancel_fd);
}
