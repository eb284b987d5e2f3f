/*
 * fake_runtime - plays the diagnostics port of a .NET runtime by a script, well and badly, for what
 * a real one will not do on demand.
 *
 *	fake_runtime DIR SCRIPT [LOG [SECONDS]]
 *
 * Listens on DIR/dotnet-diagnostic-PID-KEY-socket as the runtime does (KEY is the start time of
 * its /proc/PID/stat), or does as DOTNET_DiagnosticPorts of its environment says: dials
 * PATH[,suspend|nosuspend][,connect] and advertises itself, anew after each command, or listens
 * there with PATH,...,listen. Prints "PID SOCKET\n" when it is ready; ends when its standard input
 * closes or after SECONDS (60), and leaves its socket then, as a runtime that is killed does. Its
 * thread is called as the runtime's is.
 *
 * SCRIPT is a file of lines "COMMAND ACTION...": COMMAND is four hexadecimal digits (set and id) or
 * "*"; the first line that matches is played, its actions in order, parted by ";". A line that
 * begins with "once" is played once. Without a line the answer is "unknown command".
 *
 *	ok [HEX]         an answer with that payload
 *	error HEX        a refusal with that HRESULT
 *	info N TEXT...   an answer to ProcessInfo N: version, entry assembly, command line
 *	bytes HEX        those bytes
 *	text WORD        those characters
 *	file PATH [N]    a file's bytes, or only its first N
 *	repeat N HEX     those bytes N times
 *	sleep MS
 *	silence          nothing until the other side closes
 *	stopped          nothing until a StopTracing has come on some connection
 *	gone             waits until the other side has closed, and writes "gone" to LOG
 *	exit             the process ends, at once
 *
 * FAKE_RUNTIME_ONLY=PID in its environment: others are hung up on and leave no trace, so that who
 * lists all runtimes of the machine does not disturb a test.
 *
 * LOG gets a line "SSII PAYLOAD" a command, in hexadecimal. Nothing but libc, so that it shares no
 * code with what it tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LINES_MAX 64

struct line {
	char text[4096];
	bool once, used;
};

static struct line lines[LINES_MAX];
static size_t n_lines;
static const char *log_path;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned stops;
static uint8_t cookie[16];

static void die(const char *what)
{
	perror(what);
	_exit(2);
}

static void load_script(const char *path)
{
	FILE *f = fopen(path, "r");
	char text[4096];

	if (!f)
		die(path);
	while (fgets(text, sizeof(text), f) && n_lines < LINES_MAX) {
		struct line *l = &lines[n_lines];
		bool once = !strncmp(text, "once ", 5);

		text[strcspn(text, "\n")] = '\0';
		if (!*text || *text == '#')
			continue;
		l->once = once;
		snprintf(l->text, sizeof(l->text), "%s", text + (once ? 5 : 0));
		n_lines++;
	}
	fclose(f);
}

static void note(const char *text)
{
	FILE *f = log_path ? fopen(log_path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* ---- bytes ---- */

static bool send_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static size_t from_hex(const char *hex, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned byte;

	while (n < max && sscanf(hex + 2 * n, "%2x", &byte) == 1)
		out[n++] = (uint8_t)byte;
	return n;
}

static void send_message(int fd, unsigned id, const uint8_t *payload, size_t len)
{
	uint8_t m[65536] = "DOTNET_IPC_V1";
	size_t all = 20 + len;

	m[14] = (uint8_t)all;
	m[15] = (uint8_t)(all >> 8);
	m[16] = (uint8_t)(id >> 8);
	m[17] = (uint8_t)id;
	memcpy(m + 20, payload, len);
	send_all(fd, m, all);
}

static void send_error(int fd, uint32_t hresult)
{
	uint8_t p[4];

	memcpy(p, &hresult, 4);
	send_message(fd, 0xffff, p, 4);
}

static size_t put_text(uint8_t *out, const char *text)
{
	uint32_t units = (uint32_t)strlen(text) + 1;

	memcpy(out, &units, 4);
	for (uint32_t i = 0; i < units; i++) {
		out[4 + 2 * i] = (uint8_t)text[i];
		out[5 + 2 * i] = 0;
	}
	return 4 + 2 * (size_t)units;
}

/* "3 10.0.12 Shop /srv/Shop --port 80" */
static void send_info(int fd, const char *args)
{
	uint8_t p[8192];
	char version[64], entry[64];
	uint64_t pid = (uint64_t)getpid();
	uint32_t one = 1;
	size_t n = 0;
	int kind, at = 0;

	if (sscanf(args, "%d %63s %63s %n", &kind, version, entry, &at) < 3)
		die(args);
	if (kind == 3)
		memcpy(p, &one, n = 4);
	memcpy(p + n, &pid, 8);
	memcpy(p + n + 8, cookie, 16);
	n += 24;
	n += put_text(p + n, args + at);
	n += put_text(p + n, "Linux");
	n += put_text(p + n, "x64");
	if (kind >= 2) {
		n += put_text(p + n, entry);
		n += put_text(p + n, version);
	}
	if (kind == 3)
		n += put_text(p + n, "linux-x64");
	send_message(fd, 0xff00, p, n);
}

static void send_file(int fd, const char *args)
{
	char path[1024], buf[65536];
	long left = -1;
	ssize_t n;
	int in;

	sscanf(args, "%1023s %ld", path, &left);
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		die(path);
	while (left && (n = read(in, buf, sizeof(buf))) > 0) {
		size_t part = left > 0 && left < n ? (size_t)left : (size_t)n;

		if (!send_all(fd, buf, part))
			break;
		left -= left > 0 ? (long)part : 0;
	}
	close(in);
}

static void wait_closed(int fd)
{
	char c;

	while (recv(fd, &c, 1, 0) > 0)
		;
}

static void wait_stopped(void)
{
	pthread_mutex_lock(&lock);
	while (!stops)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void send_repeated(int fd, const char *args)
{
	uint8_t bytes[2048];
	long times = 0;
	int at = 0;
	size_t n;

	sscanf(args, "%ld %n", &times, &at);
	n = from_hex(args + at, bytes, sizeof(bytes));
	while (times-- > 0 && send_all(fd, bytes, n))
		;
}

/* ---- playing ---- */

static void play_action(int fd, const char *verb, const char *args)
{
	uint8_t bytes[4096];

	if (!strcmp(verb, "ok"))
		send_message(fd, 0xff00, bytes, from_hex(args, bytes, sizeof(bytes)));
	else if (!strcmp(verb, "error"))
		send_error(fd, (uint32_t)strtoul(args, NULL, 16));
	else if (!strcmp(verb, "info"))
		send_info(fd, args);
	else if (!strcmp(verb, "bytes"))
		send_all(fd, bytes, from_hex(args, bytes, sizeof(bytes)));
	else if (!strcmp(verb, "text"))
		send_all(fd, args, strcspn(args, " "));
	else if (!strcmp(verb, "file"))
		send_file(fd, args);
	else if (!strcmp(verb, "repeat"))
		send_repeated(fd, args);
	else if (!strcmp(verb, "sleep"))
		usleep((useconds_t)strtoul(args, NULL, 10) * 1000);
	else if (!strcmp(verb, "silence") || !strcmp(verb, "gone"))
		wait_closed(fd);
	else if (!strcmp(verb, "stopped"))
		wait_stopped();
	else if (!strcmp(verb, "exit"))
		kill(getpid(), SIGKILL);
	else
		die(verb);
	if (!strcmp(verb, "gone"))
		note("gone");
}

static void play(int fd, const char *actions)
{
	char copy[4096], *rest = copy, *action;

	snprintf(copy, sizeof(copy), "%s", actions);
	while ((action = strsep(&rest, ";"))) {
		char verb[32] = "";
		int at = 0;

		if (sscanf(action, "%31s %n", verb, &at) == 1)
			play_action(fd, verb, action + at);
	}
}

static const char *find_actions(unsigned id)
{
	const char *found = NULL;
	char key[5];

	snprintf(key, sizeof(key), "%04x", id);
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_lines && !found; i++) {
		struct line *l = &lines[i];

		if ((l->once && l->used) || (strncmp(l->text, key, 4) && l->text[0] != '*'))
			continue;
		l->used = true;
		found = strchr(l->text, ' ');
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void log_command(unsigned id, const uint8_t *payload, size_t len)
{
	static char text[2 * 65536 + 16];
	int n;

	pthread_mutex_lock(&lock);
	n = sprintf(text, "%04x ", id);
	for (size_t i = 0; i < len; i++)
		n += sprintf(text + n, "%02x", payload[i]);
	note(text);
	if (id == 0x0201)
		stops++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static bool is_stranger(int fd)
{
	const char *only = getenv("FAKE_RUNTIME_ONLY");
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	return only && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.pid != (pid_t)strtol(only, NULL, 10);
}

/* One command and what the script has for it; false when none came. */
static bool serve(int fd)
{
	uint8_t m[65536];
	const char *actions;
	unsigned id;
	size_t all;

	if (is_stranger(fd) || recv(fd, m, 20, MSG_WAITALL) != 20 ||
	    memcmp(m, "DOTNET_IPC_V1", 14)) {
		close(fd);
		return false;
	}
	all = (size_t)m[14] | (size_t)m[15] << 8;
	id = (unsigned)m[16] << 8 | m[17];
	if (all > 20 && recv(fd, m + 20, all - 20, MSG_WAITALL) != (ssize_t)(all - 20))
		die("payload");
	log_command(id, m + 20, all - 20);
	actions = find_actions(id);
	if (actions)
		play(fd, actions);
	else
		send_error(fd, 0x80131385);
	close(fd);
	return true;
}

static void *serve_thread(void *arg)
{
	serve((int)(intptr_t)arg);
	return NULL;
}

static void start_serving(int fd)
{
	pthread_t t;

	if (pthread_create(&t, NULL, serve_thread, (void *)(intptr_t)fd))
		die("pthread_create");
	pthread_detach(t);
}

static void *accept_loop(void *arg)
{
	int listener = (int)(intptr_t)arg, fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		start_serving(fd);
	return NULL;
}

/* ---- where it is reached ---- */

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	/* a longer one is cut, as the runtime does */
	memcpy(a.sun_path, path, strnlen(path, sizeof(a.sun_path) - 1));
	return a;
}

static int listen_on(const char *path)
{
	struct sockaddr_un a = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	umask(0177);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 32) < 0)
		die(path);
	return fd;
}

/* A connection to the tool's port, once more as long as it is there. */
static void *advertise_loop(void *arg)
{
	struct sockaddr_un a = address(arg);
	uint8_t hello[34] = "ADVR_V1";
	uint64_t pid = (uint64_t)getpid();

	memcpy(hello + 8, cookie, 16);
	memcpy(hello + 24, &pid, 8);
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
			close(fd);
			usleep(10000);
			continue;
		}
		send_all(fd, hello, sizeof(hello));
		poll(&p, 1, -1);
		start_serving(fd);
	}
	return NULL;
}

static unsigned long long start_time(void)
{
	char text[1024];
	FILE *f = fopen("/proc/self/stat", "r");
	const char *at = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	unsigned long long key = 0;

	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu", &key) != 1)
		die("/proc/self/stat");
	fclose(f);
	return key;
}

static void start(const char *dir, char *path, size_t size)
{
	const char *port = getenv("DOTNET_DiagnosticPorts");
	void *(*loop)(void *) = accept_loop;
	static char dialled[512];
	pthread_t t;
	void *arg;

	snprintf(path, size, "%s/dotnet-diagnostic-%d-%llu-socket", dir, (int)getpid(),
		 start_time());
	if (port)
		snprintf(path, size, "%.*s", (int)strcspn(port, ","), port);
	if (port && !strstr(port, ",listen")) {
		snprintf(dialled, sizeof(dialled), "%s", path);
		loop = advertise_loop;
		arg = dialled;
	} else {
		arg = (void *)(intptr_t)listen_on(path);
	}
	if (pthread_create(&t, NULL, loop, arg))
		die("pthread_create");
	pthread_setname_np(t, ".NET EventPipe");
	pthread_detach(t);
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	uint64_t pid = (uint64_t)getpid();
	char path[512], c;
	time_t end = time(NULL) + (argc > 4 ? (time_t)strtol(argv[4], NULL, 10) : 60);

	if (argc < 3) {
		fputs("usage: fake_runtime DIR SCRIPT [LOG [SECONDS]]\n", stderr);
		return 2;
	}
	log_path = argc > 3 ? argv[3] : NULL;
	memcpy(cookie, "fake runtime ", 13);
	memcpy(cookie + 12, &pid, 4);
	load_script(argv[2]);
	start(argv[1], path, sizeof(path));
	printf("%d %s\n", (int)getpid(), path);
	fflush(stdout);
	while (time(NULL) < end) {
		if (poll(&in, 1, 1000) > 0 && read(0, &c, 1) <= 0)
			break;
	}
	return 0;
}
