#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "experiment/case_internal.h"
#include "os/clock.h"

#define READY_PAUSE_NS	 (50 * NS_PER_MS)
#define READY_REQUEST_NS (5 * NS_PER_S)
#define STOP_GRACE_NS	 (5 * NS_PER_S)

const char *live_url(const struct live *l)
{
	return vars_get(&l->vars, "URL");
}

/* A port that was free a moment ago: the kernel does not give it out again at once. */
static int free_port(struct error *reterr)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r = 0;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		r = error_errno(reterr, -errno, "looking for a free port");
	if (fd >= 0)
		close(fd);
	return r < 0 ? r : ntohs(address.sin_port);
}

static int set_vars(struct case_state *s, const struct case_variant *v, struct vars *vars,
		    struct error *reterr)
{
	CLEANUP(mem_cleanup) char *url = NULL;
	CLEANUP(mem_cleanup) char *dir = realpath(s->file->dir, NULL);
	int port = free_port(reterr), r;

	if (port < 0)
		return port;
	vars_set(vars, "CASE_DIR", dir ? dir : s->file->dir);
	vars_setf(vars, "PORT", "%d", port);
	vec_for_each (&v->vars, pair)
		vars_set(vars, pair->name, pair->value);
	for (size_t i = 0; i < s->opts->n_set; i++)
		vars_set(vars, s->opts->set[i].name, s->opts->set[i].value);
	r = vars_expand_dup(vars, s->file->target.url, &url, reterr);
	if (r < 0)
		return error_wrap(reterr, "target.url");
	vars_set(vars, "URL", url);
	return 0;
}

/* NULL-ended list of expanded texts; each and the list are the caller's to free. */
struct words {
	char **ptr;
	size_t len, cap;
};

static void words_release(struct words *w)
{
	vec_for_each (w, text)
		free(*text);
	vec_release(w);
}

static int expand_command(const struct case_target *t, const struct vars *vars, struct words *argv,
			  struct words *env, struct error *reterr)
{
	vec_for_each (&t->command, word) {
		char *text = NULL;
		int r = vars_expand_dup(vars, *word, &text, reterr);

		if (r < 0)
			return error_wrap(reterr, "target.command");
		vec_push(argv, text);
	}
	vec_push(argv, NULL);
	vec_for_each (&t->env, pair) {
		CLEANUP(mem_cleanup) char *value = NULL;
		int r = vars_expand_dup(vars, pair->value, &value, reterr);

		if (r < 0)
			return error_wrap(reterr, "target.env.%s", pair->name);
		vec_push(env, xasprintf("%s=%s", pair->name, value));
	}
	vec_push(env, NULL);
	return 0;
}

static int launch(struct case_state *s, struct live *l, struct error *reterr)
{
	const struct case_target *t = &s->file->target;
	CLEANUP(words_release) struct words argv = { 0 }, env = { 0 };
	int r = expand_command(t, &l->vars, &argv, &env, reterr);

	if (r < 0)
		return r;
	r = target_launch(
		&(struct target_opts){ .argv = (const char *const *)argv.ptr,
				       .env = (const char *const *)env.ptr,
				       .output = l->log,
				       .limits = { t->cpus, t->period_ns, t->memory_bytes } },
		&l->target, reterr);
	return r < 0 ? error_wrap(reterr, "starting the target") : 0;
}

static int obtain_target(struct case_state *s, struct live *l, struct error *reterr)
{
	const struct case_target *t = &s->file->target;

	if (t->command.len)
		return launch(s, l, reterr);
	if (t->cgroup)
		return target_attach_cgroup(t->cgroup, &l->target, reterr);
	return target_attach_pid(t->pid ? (pid_t)t->pid : getpid(), &l->target, reterr);
}

static int wait_ready(struct case_state *s, struct live *l, struct error *reterr)
{
	const struct case_target *t = &s->file->target;
	CLEANUP(mem_cleanup) char *url = xasprintf("%s%s", live_url(l), t->ready_path);
	uint64_t until_ns = clock_now_ns() + t->ready_timeout_ns;
	struct error last = ERROR_INIT;
	int r = 0;

	while (clock_now_ns() < until_ns && !case_stopped(s)) {
		CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT;
		struct timespec pause = clock_timespec(READY_PAUSE_NS);

		if (t->command.len && !target_alive(l->target))
			return error_set(
				reterr, -ECHILD,
				"the target ended before it was ready; its output is in %s",
				l->log ? l->log : "the terminal");
		r = net_fetch_send(l->fetch, "GET", url, (struct str){ 0 }, READY_REQUEST_NS, &body,
				   &last);
		if (r >= 200 && r < 300)
			return 0;
		nanosleep(&pause, NULL);
	}
	if (case_stopped(s))
		return error_set(reterr, -EINTR, "interrupted");
	if (r > 0)
		return error_set(reterr, -ETIMEDOUT, "%s answered %d, not 2xx, for %.0f s", url, r,
				 (double)t->ready_timeout_ns / 1e9);
	return error_set(reterr, -ETIMEDOUT, "the target was not ready within %.0f s: %.600s",
			 (double)t->ready_timeout_ns / 1e9, last.msg);
}

int live_start(struct case_state *s, const struct case_variant *v, const char *log_path,
	       struct live *ret, struct error *reterr)
{
	struct live l = { .vars = VARS_INIT };
	int r = set_vars(s, v, &l.vars, reterr);

	l.log = log_path ? xstrdup(log_path) : NULL;
	if (r == 0)
		r = net_fetch_open(&l.fetch, reterr);
	if (r == 0)
		r = obtain_target(s, &l, reterr);
	if (r == 0)
		r = wait_ready(s, &l, reterr);
	if (r < 0) {
		live_stop(&l, NULL);
		return error_wrap(reterr, "variant %s", v->name);
	}
	*ret = l;
	return 0;
}

void live_stop(struct live *l, struct target_usage *ret)
{
	if (l->target)
		target_stop(l->target, STOP_GRACE_NS, ret, NULL);
	l->target = target_free(l->target);
	net_fetch_close(l->fetch);
	l->fetch = NULL;
	vars_release(&l->vars);
	free(l->log);
	l->log = NULL;
}
