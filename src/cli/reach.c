#include "cli/reach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/term.h"
#include "dotnet/child.h"
#include "dotnet/port.h"
#include "os/clock.h"

#define SAY_AFTER_NS NS_PER_S /* a runtime that is there dials within half of it */
#define GRACE_NS     (5 * NS_PER_S)

static int wait_for_dial(struct reach *r, int cancel_fd, const char *verb, struct error *reterr)
{
	struct dotnet_patience p = { .cancel_fd = cancel_fd };
	struct error e = ERROR_INIT;
	int code = dotnet_port_accept(r->port, &p, SAY_AFTER_NS, &r->own, &r->pid, &e);

	if (code == -ETIMEDOUT) {
		fprintf(stderr,
			"assay %s: waiting for a runtime to dial %s: start it with\n"
			"  DOTNET_DiagnosticPorts=%s\n",
			verb, dotnet_port_path(r->port), dotnet_port_path(r->port));
		code = dotnet_port_accept(r->port, &p, UINT64_MAX, &r->own, &r->pid, &e);
	}
	return code < 0 ? error_set(reterr, code, "%s", e.msg) : 0;
}

static int open_port(struct reach *r, const char *text, int cancel_fd, const char *verb,
		     struct error *reterr)
{
	CLEANUP(dotnet_port_spec_release) struct dotnet_port_spec spec = { 0 };
	struct dotnet_patience p = { .cancel_fd = cancel_fd };
	int code = dotnet_port_spec_parse(text, &spec, reterr);

	if (code < 0)
		return code;
	if (spec.connect) {
		code = dotnet_port_connect(spec.path, &p, &r->own, &r->pid, reterr);
	} else {
		code = dotnet_port_listen(spec.path, &r->port, reterr);
		if (code == 0)
			code = wait_for_dial(r, cancel_fd, verb, reterr);
		if (code == 0)
			dotnet_port_resume_others(r->port);
	}
	if (code < 0)
		return error_wrap(reterr, "--diagnostic-port");
	r->peer = r->own;
	return 0;
}

static int start_command(struct reach *r, const struct reach_flags *f, const char *const *argv,
			 int cancel_fd, struct error *reterr)
{
	struct dotnet_child_opts o = { .argv = argv,
				       .silent = !f->show_child_io,
				       .temporary = getenv("TMPDIR"),
				       .cancel_fd = cancel_fd };
	int code = dotnet_child_start(&o, &r->child, reterr);

	if (code < 0)
		return code;
	r->peer = dotnet_child_peer(r->child);
	r->pid = dotnet_child_pid(r->child);
	return 0;
}

int reach_open(struct reach *r, const struct reach_flags *f, const char *const *argv, int cancel_fd,
	       const char *verb, struct error *reterr)
{
	int code = 0;

	if (f->port && *argv)
		return error_set(reterr, -EINVAL,
				 "--diagnostic-port and a command name one process each: give one");
	if (f->port)
		code = open_port(r, f->port, cancel_fd, verb, reterr);
	else if (*argv)
		code = start_command(r, f, argv, cancel_fd, reterr);
	if (code == 0 && r->peer)
		dotnet_peer_set_patience(r->peer, NULL);
	return code;
}

void reach_end(struct reach *r, bool gone, const char *verb)
{
	bool ended;

	if (!r->child)
		return;
	ended = dotnet_child_wait(r->child, gone ? GRACE_NS : 0);
	if (!ended)
		dotnet_child_stop(r->child, GRACE_NS);
	fprintf(stderr, "assay %s: the command %s (%s)\n", verb, ended ? "has ended" : "was ended",
		dotnet_child_outcome(r->child));
}

void reach_release(struct reach *r)
{
	dotnet_peer_free(r->own);
	dotnet_child_free(r->child);
	dotnet_port_free(r->port);
	*r = (struct reach){ 0 };
}
