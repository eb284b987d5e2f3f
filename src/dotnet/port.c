/*
 * A thread of the port's takes connections and reads who they are; those that are waiting for a
 * command lie in a list until a peer takes one. So nobody who dials is kept waiting by a caller
 * that is busy reading events, and a process that connects and says nothing is in nobody's way.
 */
#include "dotnet/port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/mem.h"
#include "base/vec.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"
#include "os/process.h"

#define LINES_MAX   256		     /* connections at a time */
#define HELLO_NS    (5 * NS_PER_S)   /* until one has said who it is */
#define RESUME_NS   (2 * NS_PER_S)   /* for the answer of one that nobody wants */
#define LOOK_NS	    (50 * NS_PER_MS) /* at most until a waiting peer looks again */
#define ADDRESS_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

/* A connection from a runtime. */
struct line {
	int fd;
	char hello[DOTNET_ADVERTISE_BYTES];
	size_t got;
	uint64_t since_ns;
	bool ready; /* it has said who it is, and waits for a command */
	struct dotnet_advertise who;
	pid_t pid; /* as we see it; 0 = out of our sight */
};

struct cookie {
	uint8_t bytes[16];
};

struct dotnet_port {
	char *path;
	int listener, wake_fd, news_fd;
	dev_t device; /* of the socket's file, which is removed only if it is still ours */
	ino_t inode;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock; /* for all below */
	VEC(struct line) lines;
	VEC(struct cookie) accepted;
	bool resume_others, quit;
};

/* ---- who dials ---- */

static void ring(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* it has rung so often that it is full */
}

static bool is_accepted(const struct dotnet_port *port, const uint8_t cookie[16])
{
	vec_for_each (&port->accepted, c)
		if (!memcmp(c->bytes, cookie, sizeof(c->bytes)))
			return true;
	return false;
}

static void drop(struct dotnet_port *port, size_t i)
{
	close(port->lines.ptr[i].fd);
	port->lines.ptr[i] = vec_last(&port->lines);
	port->lines.len--;
}

static void take_connection(struct dotnet_port *port)
{
	struct line l = { .since_ns = clock_now_ns() };
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	l.fd = accept4(port->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (l.fd < 0)
		return;
	if (port->lines.len == LINES_MAX) {
		close(l.fd); /* it dials again */
		return;
	}
	if (getsockopt(l.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		l.pid = peer.pid;
	vec_push(&port->lines, l);
}

/* Nothing more is due from one that waits: else it has hung up, or talks out of turn. */
static bool is_quiet(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

/* False when the connection is of no use (any more). */
static bool hear(struct dotnet_port *port, struct line *l)
{
	struct str text = { l->hello, sizeof(l->hello) };
	ssize_t n;

	if (l->ready)
		return is_quiet(l->fd);
	n = read(l->fd, l->hello + l->got, sizeof(l->hello) - l->got);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	l->got += (size_t)n;
	if (l->got < sizeof(l->hello))
		return true;
	l->ready = dotnet_advertise_parse(text, &l->who, NULL) == 0;
	if (l->ready)
		ring(port->news_fd);
	return l->ready;
}

static void hear_all(struct dotnet_port *port)
{
	uint64_t now_ns = clock_now_ns();

	for (size_t i = port->lines.len; i > 0; i--) {
		struct line *l = &port->lines.ptr[i - 1];

		if (!hear(port, l) || (!l->ready && now_ns - l->since_ns > HELLO_NS))
			drop(port, i - 1);
	}
}

/* The connection of one that nobody accepted; -1 = there is none, or it may wait. */
static int take_other(struct dotnet_port *port)
{
	for (size_t i = 0; port->resume_others && i < port->lines.len; i++) {
		struct line *l = &port->lines.ptr[i];

		if (l->ready && !is_accepted(port, l->who.cookie)) {
			int fd = dup(l->fd);

			drop(port, i);
			return fd;
		}
	}
	return -1;
}

static void resume(int fd)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT, payload = STRBUF_INIT;
	struct dotnet_until u = { clock_now_ns() + RESUME_NS, 0 };

	dotnet_command_bare(&command, DOTNET_RESUME);
	if (dotnet_send(fd, strbuf_str(&command), &u) == 0)
		dotnet_receive(fd, &payload, &u, NULL);
	close(fd);
}

/* The descriptors to wait for: a change, new connections, and those there are. */
static size_t list_descriptors(struct dotnet_port *port, struct pollfd *ret)
{
	size_t n = 0;

	ret[n++] = (struct pollfd){ .fd = port->wake_fd, .events = POLLIN };
	ret[n++] = (struct pollfd){ .fd = port->listener, .events = POLLIN };
	vec_for_each (&port->lines, l)
		ret[n++] = (struct pollfd){ .fd = l->fd, .events = POLLIN | POLLRDHUP };
	return n;
}

static void *tend(void *arg)
{
	struct dotnet_port *port = arg;
	struct pollfd p[2 + LINES_MAX];
	uint64_t changes;
	bool quit = false;

	while (!quit) {
		size_t n;
		int other;

		pthread_mutex_lock(&port->lock);
		n = list_descriptors(port, p);
		pthread_mutex_unlock(&port->lock);
		poll(p, n, 1000); /* also, now and then, for those that say nothing */
		pthread_mutex_lock(&port->lock);
		quit = read(port->wake_fd, &changes, sizeof(changes)) > 0 && port->quit;
		if (p[1].revents & POLLIN)
			take_connection(port);
		hear_all(port);
		other = take_other(port);
		pthread_mutex_unlock(&port->lock);
		if (other >= 0)
			resume(other);
	}
	return NULL;
}

/* ---- listening ---- */

/* A folder's own path and the name in it; -ENAMETOOLONG when the runtime would cut it. */
static int whole_path(const char *path, char **ret, struct error *reterr)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	CLEANUP(mem_cleanup)
	char *folder = !slash ? xstrdup(".") : xstrndup(path, MAX((size_t)(slash - path), 1u));
	CLEANUP(mem_cleanup) char *whole = NULL;
	char real[PATH_MAX];

	if (!*name)
		return error_set(reterr, -EINVAL, "\"%s\" is no path for a socket", path);
	if (!realpath(folder, real))
		return error_errno(reterr, -errno, "making the port %s: its folder", path);
	whole = xasprintf("%s/%s", strcmp(real, "/") != 0 ? real : "", name);
	if (strpbrk(whole, ",;"))
		return error_set(reterr, -EINVAL,
				 "the port %s has a ',' or ';' in its path, which a runtime would "
				 "take for the end of it",
				 whole);
	if (strlen(whole) > ADDRESS_MAX)
		return error_set(reterr, -ENAMETOOLONG,
				 "the port %s is a path of %zu bytes; the address of a socket "
				 "holds %zu: choose a shorter one",
				 whole, strlen(whole), ADDRESS_MAX);
	*ret = TAKE(whole);
	return 0;
}

/* Removes a socket on which nobody listens. */
static int clear_way(const char *path, struct error *reterr)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	CLEANUP(dotnet_close) int fd = -1;
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return error_set(reterr, -EADDRINUSE, "there is a file %s, which is no socket",
				 path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == ECONNREFUSED) {
		unlink(path);
		return 0;
	}
	return error_set(reterr, -EADDRINUSE,
			 "another process listens on %s: choose another path, or, if it is the "
			 "runtime, add ,connect",
			 path);
}

static int open_listener(struct dotnet_port *port, struct error *reterr)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;

	memcpy(a.sun_path, port->path, strlen(port->path) + 1);
	port->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* the file gets the mode of the socket */
	if (port->listener < 0 || fchmod(port->listener, 0600) < 0 ||
	    bind(port->listener, (struct sockaddr *)&a, sizeof(a)) < 0)
		return error_errno(reterr, -errno, "making the port %s", port->path);
	if (stat(port->path, &st) == 0) {
		port->device = st.st_dev;
		port->inode = st.st_ino;
	}
	if (listen(port->listener, SOMAXCONN) < 0)
		return error_errno(reterr, -errno, "listening on %s", port->path);
	return 0;
}

static int start_thread(struct dotnet_port *port, struct error *reterr)
{
	sigset_t all, before;
	int r;

	port->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	port->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (port->wake_fd < 0 || port->news_fd < 0)
		return error_errno(reterr, -errno, "making an eventfd");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&port->thread, NULL, tend, port);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	port->has_thread = r == 0;
	return r ? error_errno(reterr, -r, "starting a thread") : 0;
}

int dotnet_port_listen(const char *path, struct dotnet_port **ret, struct error *reterr)
{
	CLEANUP(cleanup_dotnet_port) struct dotnet_port *port = xcalloc(1, sizeof(*port));
	int r;

	port->listener = port->wake_fd = port->news_fd = -1;
	pthread_mutex_init(&port->lock, NULL);
	r = whole_path(path, &port->path, reterr);
	if (r == 0)
		r = clear_way(port->path, reterr);
	if (r == 0)
		r = open_listener(port, reterr);
	if (r == 0)
		r = start_thread(port, reterr);
	if (r == 0)
		*ret = TAKE(port);
	return r;
}

/* Sets one of the port's flags and has its thread look at it. */
static void set(struct dotnet_port *port, bool *flag)
{
	pthread_mutex_lock(&port->lock);
	*flag = true;
	ring(port->wake_fd);
	pthread_mutex_unlock(&port->lock);
}

struct dotnet_port *dotnet_port_free(struct dotnet_port *port)
{
	struct stat st;

	if (!port)
		return NULL;
	if (port->has_thread) {
		set(port, &port->quit);
		pthread_join(port->thread, NULL);
	}
	if (port->inode && lstat(port->path, &st) == 0 && st.st_ino == port->inode &&
	    st.st_dev == port->device)
		unlink(port->path);
	while (port->lines.len)
		drop(port, 0);
	vec_release(&port->lines);
	vec_release(&port->accepted);
	dotnet_close(&port->listener);
	dotnet_close(&port->wake_fd);
	dotnet_close(&port->news_fd);
	pthread_mutex_destroy(&port->lock);
	free(port->path);
	free(port);
	return NULL;
}

const char *dotnet_port_path(const struct dotnet_port *port)
{
	return port->path;
}

void dotnet_port_resume_others(struct dotnet_port *port)
{
	set(port, &port->resume_others);
}

/* ---- peers ---- */

/* The oldest that waits: of this runtime, or with NULL of one not accepted yet. */
static bool find_line(struct dotnet_port *port, const uint8_t *cookie, size_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < port->lines.len; i++) {
		const struct line *l = &port->lines.ptr[i];
		bool fits = l->ready && (cookie ? !memcmp(l->who.cookie, cookie, 16)
						: !is_accepted(port, l->who.cookie));

		if (!fits || (found && port->lines.ptr[*ret].since_ns <= l->since_ns))
			continue;
		*ret = i;
		found = true;
	}
	return found;
}

/* Waits for news, but not for long: another peer may have had them. */
static int wait_news(struct dotnet_port *port, const struct dotnet_until *u)
{
	uint64_t now_ns = clock_now_ns(), news;
	struct dotnet_until look = { MIN(u->deadline_ns, now_ns + LOOK_NS), u->cancel_fd };
	int r;

	if (now_ns >= u->deadline_ns)
		return -ETIMEDOUT;
	r = dotnet_wait_fd(port->news_fd, POLLIN, &look);
	if (r == 0 && read(port->news_fd, &news, sizeof(news)) < 0)
		return 0;
	return r == -ETIMEDOUT ? 0 : r;
}

static int explain_dial(const struct dotnet_peer *peer, int r, struct error *reterr)
{
	if (r == -ECANCELED)
		return error_set(reterr, r, "%s: given up on request", peer->name);
	if (r == -ESRCH)
		return error_set(reterr, r, "%s has ended", peer->name);
	if (r == -ETIMEDOUT)
		return error_set(
			reterr, r,
			"%s does not dial %s again: the process may have ended, be stopped "
			"or hang",
			peer->name, peer->port->path);
	return error_errno(reterr, r, "%s: waiting for it to dial %s", peer->name,
			   peer->port->path);
}

static int dial_port(struct dotnet_peer *peer, const struct dotnet_until *u, int *ret_fd,
		     struct error *reterr)
{
	struct dotnet_port *port = peer->port;

	for (;;) {
		size_t i = 0;
		bool found;
		int r;

		pthread_mutex_lock(&port->lock);
		found = find_line(port, peer->cookie, &i);
		if (found) {
			*ret_fd = port->lines.ptr[i].fd;
			port->lines.ptr[i] = vec_last(&port->lines);
			port->lines.len--;
		}
		pthread_mutex_unlock(&port->lock);
		if (found && is_quiet(*ret_fd))
			return 0;
		if (found)
			dotnet_close(ret_fd);
		r = found ? 0 : wait_news(port, u);
		if (r == 0 && peer->pid && process_has_ended(peer->pid))
			r = -ESRCH;
		if (r < 0)
			return explain_dial(peer, r, reterr);
	}
}

static struct dotnet_peer *new_peer(struct dotnet_port *port, const struct line *l,
				    const struct dotnet_patience *p)
{
	CLEANUP(mem_cleanup)
	char *name = l->pid ? xasprintf("process %d", (int)l->pid)
			    : xasprintf("process %llu of another container",
					(unsigned long long)l->who.pid);
	struct dotnet_peer *peer = dotnet_peer_new(name, p);

	peer->dial = dial_port;
	peer->port = port;
	peer->pid = l->pid;
	memcpy(peer->cookie, l->who.cookie, sizeof(peer->cookie));
	return peer;
}

int dotnet_port_accept(struct dotnet_port *port, const struct dotnet_patience *p,
		       uint64_t timeout_ns, struct dotnet_peer **ret, pid_t *ret_pid,
		       struct error *reterr)
{
	uint64_t now_ns = clock_now_ns();
	struct dotnet_until u = { now_ns + MIN(timeout_ns, UINT64_MAX - now_ns),
				  p ? p->cancel_fd : 0 };
	struct dotnet_peer *peer = NULL;

	while (!peer) {
		size_t i = 0;
		int r;

		pthread_mutex_lock(&port->lock);
		if (find_line(port, NULL, &i)) {
			const struct line *l = &port->lines.ptr[i];
			struct cookie c;

			memcpy(c.bytes, l->who.cookie, sizeof(c.bytes));
			vec_push(&port->accepted, c);
			peer = new_peer(port, l, p);
		}
		pthread_mutex_unlock(&port->lock);
		r = peer ? 0 : wait_news(port, &u);
		if (r == -ETIMEDOUT || r == -ECANCELED)
			return error_set(reterr, r,
					 r == -ETIMEDOUT ? "no runtime has dialled %s in time"
							 : "no runtime has dialled %s until now",
					 port->path);
		if (r < 0)
			return error_errno(reterr, r, "waiting for a runtime to dial %s",
					   port->path);
	}
	if (ret_pid)
		*ret_pid = peer->pid;
	*ret = peer;
	return 0;
}

/* ---- PATH[,listen|connect] ---- */

int dotnet_port_spec_parse(const char *text, struct dotnet_port_spec *ret, struct error *reterr)
{
	struct str rest = str_from(text), path, mode = STR("listen");

	str_split(&rest, ',', &path);
	if (rest.ptr)
		mode = rest;
	if (!path.len)
		return error_set(reterr, -EINVAL,
				 "a diagnostic port is PATH, PATH,listen or PATH,connect; \"%s\" "
				 "has no path",
				 text);
	if (!str_ieq(mode, STR("listen")) && !str_ieq(mode, STR("connect")))
		return error_set(reterr, -EINVAL,
				 "a diagnostic port is PATH, PATH,listen or PATH,connect, not "
				 "\"%s\"",
				 text);
	*ret = (struct dotnet_port_spec){ str_dup(path), str_ieq(mode, STR("connect")) };
	return 0;
}

void dotnet_port_spec_release(struct dotnet_port_spec *spec)
{
	free(spec->path);
	spec->path = NULL;
}

int dotnet_port_connect(const char *path, const struct dotnet_patience *p, struct dotnet_peer **ret,
			pid_t *ret_pid, struct error *reterr)
{
	CLEANUP(cleanup_dotnet_peer) struct dotnet_peer *peer = NULL;
	CLEANUP(dotnet_close) int fd = -1;
	struct ucred who = { 0 };
	socklen_t size = sizeof(who);
	struct dotnet_until u;
	int r = dotnet_peer_of_socket(path, p, &peer, reterr);

	if (r < 0)
		return r;
	u = dotnet_until(peer, peer->patience.connect_ns);
	r = peer->dial(peer, &u, &fd, reterr);
	if (r == -ENOENT)
		return error_set(reterr, r,
				 "there is no socket %s: CoreCLR listens on none but its default "
				 "one, and dials; leave out ,connect to be dialled",
				 path);
	if (r < 0)
		return r;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		who.pid = 0;
	if (ret_pid)
		*ret_pid = who.pid;
	*ret = TAKE(peer);
	return 0;
}
