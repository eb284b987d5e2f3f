/*
 * reach - a runtime by one of the ways to it, from its first instruction on: opens a session for
 * the events of Assay-First, lets the runtime go on, and prints what came.
 *
 *	reach pid PID SECONDS
 *	reach port PATH[,listen|connect] SECONDS
 *	reach child SECONDS COMMAND...
 *
 * Lines: "listening PATH", "pid PID", "version VERSION" (of another runtime while it is suspended),
 * "event NAME NUMBER", "ended" when the stream was whole, "exit CODE" of a child.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dotnet/child.h"
#include "dotnet/find.h"
#include "dotnet/nettrace.h"
#include "dotnet/port.h"
#include "dotnet/session.h"
#include "os/clock.h"

static const struct dotnet_patience patience = { .connect_ns = 5 * NS_PER_S };

NORETURN static void die(const struct error *e)
{
	fprintf(stderr, "reach: %s\n", e->msg);
	exit(3);
}

static int on_event(void *user UNUSED, const struct nettrace_event *e)
{
	int number = 0;

	if (e->payload.len >= sizeof(number))
		memcpy(&number, e->payload.ptr, sizeof(number));
	printf("event %s %d\n", e->meta->name, number);
	return 0;
}

static void watch(struct dotnet_peer *peer, uint64_t ns)
{
	static const struct dotnet_provider provider = { .name = "Assay-First",
							 .keywords = UINT64_MAX,
							 .level = 5 };
	static const struct dotnet_session_wish wish = { .providers = &provider, .n_providers = 1 };
	struct nettrace_handler handler = { .event = on_event };
	struct nettrace *r = nettrace_new(&handler);
	struct dotnet_session *s = NULL;
	struct error e = ERROR_INIT;
	uint64_t end_ns = clock_now_ns() + ns;
	bool stopped = false;
	char buf[65536];
	ssize_t n;

	if (dotnet_session_open(peer, &wish, &s, &e) < 0 || dotnet_resume(peer, &e) < 0)
		die(&e);
	while ((n = dotnet_session_read(s, buf, sizeof(buf), 100 * NS_PER_MS, &e)) != 0) {
		if (n > 0 && nettrace_feed(r, (struct str){ buf, (size_t)n }, &e) < 0)
			die(&e);
		if (n < 0 && n != -ETIMEDOUT)
			die(&e);
		if (clock_now_ns() > end_ns && !stopped && dotnet_session_stop(s, &e) < 0)
			die(&e);
		stopped |= clock_now_ns() > end_ns;
	}
	if (nettrace_end(r, &e) == 0)
		puts("ended");
	nettrace_free(r);
	dotnet_session_free(s);
}

static void tell(struct dotnet_peer *peer, pid_t pid)
{
	struct dotnet_process_info info = { 0 };
	struct error e = ERROR_INIT;

	if (dotnet_process_info(peer, &info, &e) < 0)
		die(&e);
	printf("pid %d\nversion %s\n", (int)pid, info.version ? info.version : "?");
	dotnet_process_info_release(&info);
}

static void reach_port(const char *text, uint64_t ns)
{
	struct dotnet_port_spec spec = { 0 };
	struct dotnet_port *port = NULL;
	struct dotnet_peer *peer = NULL;
	struct error e = ERROR_INIT;
	pid_t pid;
	int r = dotnet_port_spec_parse(text, &spec, &e);

	if (r == 0 && spec.connect) {
		r = dotnet_port_connect(spec.path, &patience, &peer, &pid, &e);
	} else if (r == 0) {
		r = dotnet_port_listen(spec.path, &port, &e);
		if (r == 0) {
			printf("listening %s\n", dotnet_port_path(port));
			r = dotnet_port_accept(port, &patience, 20 * NS_PER_S, &peer, &pid, &e);
		}
		if (r == 0)
			dotnet_port_resume_others(port);
	}
	if (r < 0)
		die(&e);
	tell(peer, pid);
	watch(peer, ns);
	dotnet_peer_free(peer);
	dotnet_port_free(port);
	dotnet_port_spec_release(&spec);
}

static void reach_child(const char *const *argv, uint64_t ns)
{
	struct dotnet_child_opts o = { .argv = argv,
				       .temporary = getenv("TMPDIR"),
				       .wait_ns = 3 * NS_PER_S };
	struct dotnet_child *c = NULL;
	struct error e = ERROR_INIT;

	if (dotnet_child_start(&o, &c, &e) < 0)
		die(&e);
	tell(dotnet_child_peer(c), dotnet_child_pid(c));
	watch(dotnet_child_peer(c), ns);
	if (!dotnet_child_wait(c, NS_PER_S))
		dotnet_child_stop(c, 5 * NS_PER_S);
	printf("exit %d\n", dotnet_child_exit_code(c));
	dotnet_child_free(c);
}

static void reach_pid(const char *text, uint64_t ns)
{
	struct dotnet_peer *peer = NULL;
	struct error e = ERROR_INIT;
	pid_t pid;

	if (dotnet_find(text, &patience, &peer, &pid, &e) < 0)
		die(&e);
	tell(peer, pid);
	watch(peer, ns);
	dotnet_peer_free(peer);
}

int main(int argc, char **argv)
{
	const char *way = argc > 3 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(way, "port"))
		reach_port(argv[2], strtoull(argv[3], NULL, 10) * NS_PER_S);
	else if (!strcmp(way, "pid"))
		reach_pid(argv[2], strtoull(argv[3], NULL, 10) * NS_PER_S);
	else if (!strcmp(way, "child"))
		reach_child((const char *const *)argv + 3, strtoull(argv[2], NULL, 10) * NS_PER_S);
	else
		fputs("usage: reach pid|port|child ...\n", stderr);
	return *way ? 0 : 2;
}
