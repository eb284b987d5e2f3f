#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/file.h"

/* Beside the folder of the test program: build/tests/fake_runtime. */
char *fake_program(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		test_fail(__FILE__, __LINE__, "/proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	for (int up = 0; up < 2 && (slash = strrchr(self, '/')); up++)
		*slash = '\0';
	return xasprintf("%s/fake_runtime", self);
}

static void play(const char *dir, const char *script, const char *log, const char *port, int in,
		 int out)
{
	CLEANUP(mem_cleanup) char *path = fake_program();
	CLEANUP(mem_cleanup) char *only = xasprintf("%d", (int)getppid());

	dup2(in, 0);
	dup2(out, 1);
	setenv("TMPDIR", dir, 1);
	setenv("FAKE_RUNTIME_ONLY", only, 1);
	if (port)
		setenv("DOTNET_DiagnosticPorts", port, 1);
	execl(path, path, dir, script, log, "30", NULL);
	perror(path);
	_exit(127);
}

void fake_start(struct fake *f, const char *script, const char *port)
{
	fake_start_below(f, script, port, NULL);
}

void fake_start_below(struct fake *f, const char *script, const char *port, const char *folder)
{
	char script_path[96], log_path[96], line[320];
	int in[2], out[2];
	FILE *ready;

	*f = (struct fake){ .dir = "/tmp/assay-fake-XXXXXX" };
	ASSERT_TRUE(mkdtemp(f->dir) != NULL);
	snprintf(f->temporary, sizeof(f->temporary), "%s%s%s", f->dir, folder ? "/" : "",
		 folder ? folder : "");
	ASSERT_TRUE(!folder || mkdir(f->temporary, 0700) == 0);
	snprintf(script_path, sizeof(script_path), "%s/script", f->dir);
	snprintf(log_path, sizeof(log_path), "%s/log", f->dir);
	ASSERT_OK(file_write_atomic(script_path, str_from(script), NULL));
	ASSERT_OK(pipe2(in, O_CLOEXEC));
	ASSERT_OK(pipe2(out, O_CLOEXEC));
	f->pid = fork();
	if (f->pid == 0)
		play(f->temporary, script_path, log_path, port, in[0], out[1]);
	f->hold = in[1];
	close(in[0]);
	close(out[1]);
	ready = fdopen(out[0], "r");
	if (!fgets(line, sizeof(line), ready))
		test_fail(__FILE__, __LINE__, "the fake runtime did not start");
	snprintf(f->socket, sizeof(f->socket), "%.*s", (int)strcspn(strchr(line, ' ') + 1, "\n"),
		 strchr(line, ' ') + 1);
	fclose(ready);
}

void fake_stop(struct fake *f)
{
	char path[96];

	close(f->hold);
	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	unlink(f->socket);
	snprintf(path, sizeof(path), "%s/script", f->dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/log", f->dir);
	unlink(path);
	rmdir(f->temporary);
	rmdir(f->dir);
	strbuf_release(&f->log);
}

const char *fake_log(struct fake *f)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/log", f->dir);
	strbuf_clear(&f->log);
	file_read(path, 1 << 20, &f->log, NULL);
	return strbuf_cstr(&f->log);
}

const char *fake_log_with(struct fake *f, const char *part)
{
	for (int i = 0; i < 500; i++) {
		if (strstr(fake_log(f), part))
			break;
		usleep(10000);
	}
	return fake_log(f);
}

struct dotnet_peer *fake_peer(const struct fake *f, const struct dotnet_patience *p)
{
	static const struct dotnet_patience short_ones = { .connect_ns = 2 * NS_PER_S,
							   .reply_ns = 2 * NS_PER_S };
	struct dotnet_peer *peer = NULL;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_peer_of_socket(f->socket, p ? p : &short_ones, &peer, &err), err);
	return peer;
}
