/*
 * A connection, a command, an answer. Sockets never block: every wait is a poll with a deadline,
 * which also hears the caller's wish to end. A folder is opened with the target's root as its
 * root, so that links within it lead where they lead for the target, and the socket is addressed
 * through that descriptor, so that no path is too long for sun_path.
 */
#include "dotnet/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "dotnet/dotnet_internal.h"
#include "os/clock.h"

#define CONNECT_NS (3 * NS_PER_S)
#define REPLY_NS   (10 * NS_PER_S)
#define RETRY_NS   (10 * NS_PER_MS) /* while the queue of connections is full */

/* ---- waiting ---- */

struct dotnet_until dotnet_until(const struct dotnet_peer *peer, uint64_t wait_ns)
{
	return (struct dotnet_until){ clock_now_ns() + wait_ns, peer->patience.cancel_fd };
}

static bool take_cancel(int fd, short revents)
{
	uint64_t one;

	return (revents & POLLIN) && read(fd, &one, sizeof(one)) > 0;
}

int dotnet_wait_fd(int fd, short events, const struct dotnet_until *u)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = u->cancel_fd > 0 ? u->cancel_fd : -1,
					 .events = POLLIN },
				       { .fd = fd, .events = events } };
		uint64_t now = clock_now_ns();
		struct timespec left =
			clock_timespec(u->deadline_ns > now ? u->deadline_ns - now : 0);
		int n = ppoll(p, 2, &left, NULL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && take_cancel(p[0].fd, p[0].revents))
			return -ECANCELED;
		if (n > 0 && p[1].revents)
			return 0;
		if (n == 0 && clock_now_ns() >= u->deadline_ns)
			return -ETIMEDOUT;
	}
}

int dotnet_read_exactly(int fd, void *buf, size_t bytes, const struct dotnet_until *u,
			size_t *ret_got)
{
	for (*ret_got = 0; *ret_got < bytes;) {
		ssize_t n = read(fd, (char *)buf + *ret_got, bytes - *ret_got);
		int r = n == 0 ? -ECONNRESET : n < 0 ? -errno : 0;

		if (r == -EAGAIN || r == -EINTR)
			r = dotnet_wait_fd(fd, POLLIN, u);
		else if (r == 0)
			*ret_got += (size_t)n;
		if (r < 0)
			return r;
	}
	return 0;
}

int dotnet_send(int fd, struct str bytes, const struct dotnet_until *u)
{
	while (bytes.len) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
		int r = n < 0 ? -errno : 0;

		if (r == -EAGAIN || r == -EINTR)
			r = dotnet_wait_fd(fd, POLLOUT, u);
		else if (r == 0)
			bytes = (struct str){ bytes.ptr + n, bytes.len - (size_t)n };
		if (r < 0)
			return r == -EPIPE ? -ECONNRESET : r;
	}
	return 0;
}

/* ---- connecting ---- */

int dotnet_open_folder(const char *root, const char *dir)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT };
	CLEANUP(mem_cleanup) char *whole = xasprintf("%s/%s", root, dir);
	int top = *root ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;
	int fd;

	if (top == AT_FDCWD)
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	else if (top < 0)
		return -errno;
	else
		fd = (int)syscall(SYS_openat2, top, dir, &how, sizeof(how));
	if (fd < 0 && top >= 0 && (errno == ENOSYS || errno == EPERM)) /* Linux before 5.6 */
		fd = open(whole, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	if (top >= 0)
		close(top);
	return fd;
}

static int connect_to(int fd, const struct sockaddr_un *to, const struct dotnet_until *u)
{
	for (;;) {
		struct dotnet_until rest = { clock_now_ns() + RETRY_NS, u->cancel_fd };
		int r;

		if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (clock_now_ns() >= u->deadline_ns)
			return -ETIMEDOUT;
		r = dotnet_wait_fd(-1, 0, &rest);
		if (r != -ETIMEDOUT)
			return r;
	}
}

int dotnet_connect_in(int folder_fd, const char *name, const struct dotnet_until *u, int *ret_fd)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, r;

	if ((size_t)snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d/%s", folder_fd,
			     name) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	r = connect_to(fd, &to, u);
	if (r < 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

/* What to do about a socket that cannot be connected to. */
static int explain_connect(int r, const struct dotnet_peer *peer, struct error *reterr)
{
	switch (r) {
	case -ECONNREFUSED:
		return error_set(reterr, r,
				 "%s: nobody listens on %s/%s: the process has ended and left it",
				 peer->name, peer->dir, peer->socket);
	case -EACCES:
	case -EPERM:
		return error_set(reterr, r,
				 "%s: no right to use %s/%s: it belongs to another user; run as "
				 "that user or as root",
				 peer->name, peer->dir, peer->socket);
	case -ENOENT:
		return error_set(reterr, r, "%s: there is no socket %s/%s", peer->name, peer->dir,
				 peer->socket);
	case -ETIMEDOUT:
		return error_set(reterr, r,
				 "%s: it takes no connection on %s/%s: the process may be stopped "
				 "or hang",
				 peer->name, peer->dir, peer->socket);
	default:
		return error_errno(reterr, r, "%s: connecting to %s/%s", peer->name, peer->dir,
				   peer->socket);
	}
}

static int dial_socket(struct dotnet_peer *peer, const struct dotnet_until *u, int *ret_fd,
		       struct error *reterr)
{
	CLEANUP(dotnet_close) int folder = dotnet_open_folder(peer->root, peer->dir);
	int r = folder < 0 ? folder : dotnet_connect_in(folder, peer->socket, u, ret_fd);

	return r < 0 ? explain_connect(r, peer, reterr) : 0;
}

void dotnet_peer_set_patience(struct dotnet_peer *peer, const struct dotnet_patience *p)
{
	peer->patience = p ? *p : (struct dotnet_patience){ 0 };
	if (!peer->patience.connect_ns)
		peer->patience.connect_ns = CONNECT_NS;
	if (!peer->patience.reply_ns)
		peer->patience.reply_ns = REPLY_NS;
}

struct dotnet_peer *dotnet_peer_new(const char *name, const struct dotnet_patience *p)
{
	struct dotnet_peer *peer = xcalloc(1, sizeof(*peer));

	peer->name = xstrdup(name);
	dotnet_peer_set_patience(peer, p);
	peer->dial = dial_socket;
	return peer;
}

int dotnet_peer_of_socket(const char *path, const struct dotnet_patience *p,
			  struct dotnet_peer **ret, struct error *reterr)
{
	const char *slash = strrchr(path, '/');
	struct dotnet_peer *peer;

	if (slash ? !slash[1] : !*path)
		return error_set(reterr, -EINVAL, "\"%s\" is no path of a socket", path);
	peer = dotnet_peer_new(path, p);
	peer->root = xstrdup("");
	peer->dir = !slash ? xstrdup(".") : xstrndup(path, MAX((size_t)(slash - path), 1u));
	peer->socket = xstrdup(slash ? slash + 1 : path);
	*ret = peer;
	return 0;
}

struct dotnet_peer *dotnet_peer_free(struct dotnet_peer *peer)
{
	if (!peer)
		return NULL;
	if (peer->release)
		peer->release(peer);
	free(peer->name);
	free(peer->root);
	free(peer->dir);
	free(peer->socket);
	free(peer);
	return NULL;
}

const char *dotnet_peer_name(const struct dotnet_peer *peer)
{
	return peer->name;
}

/* ---- an answer ---- */

static int code_of(uint32_t hresult)
{
	switch (hresult) {
	case DOTNET_E_UNKNOWN_COMMAND:
		return -ENOSYS;
	case DOTNET_E_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case DOTNET_E_NOT_YET_AVAILABLE:
	case DOTNET_E_UNINITIALISED:
		return -EAGAIN;
	default:
		return -EREMOTEIO;
	}
}

/* A result that came with a refusal, or as the whole of an answer. */
static int explain_hresult(uint32_t hresult, struct error *reterr)
{
	const char *words = dotnet_error_words(hresult);

	return error_set(reterr, code_of(hresult), "%s (0x%08X)",
			 words ? words : "the runtime refused with an error that we do not know",
			 hresult);
}

static int explain_read(int r, size_t got, size_t wanted, struct error *reterr)
{
	if (r == -ECONNRESET && !got)
		return error_set(reterr, r,
				 "the runtime hung up without an answer: it may be ending");
	if (r == -ECONNRESET)
		return error_set(reterr, r,
				 "the runtime hung up in the middle of its answer, after %zu of "
				 "%zu bytes",
				 got, wanted);
	if (r == -ETIMEDOUT)
		return error_set(reterr, r,
				 "no answer in time: the process may be stopped, or the runtime "
				 "hangs");
	if (r == -ECANCELED)
		return error_set(reterr, r, "given up on request");
	return error_errno(reterr, r, "reading the answer");
}

int dotnet_receive(int fd, struct strbuf *payload, const struct dotnet_until *u,
		   struct error *reterr)
{
	char bytes[DOTNET_HEADER_BYTES];
	struct dotnet_header h;
	uint32_t hresult;
	size_t got;
	int r = dotnet_read_exactly(fd, bytes, sizeof(bytes), u, &got);

	if (r < 0)
		return explain_read(r, got, sizeof(bytes), reterr);
	r = dotnet_header_parse((struct str){ bytes, sizeof(bytes) }, &h, reterr);
	if (r < 0)
		return r;
	strbuf_clear(payload);
	strbuf_reserve(payload, h.bytes + 1);
	r = dotnet_read_exactly(fd, strbuf_tail(payload), h.bytes, u, &got);
	if (r < 0)
		return explain_read(r, sizeof(bytes) + got, sizeof(bytes) + h.bytes, reterr);
	strbuf_commit(payload, h.bytes);
	if (h.id == DOTNET_REPLY_ERROR) {
		r = dotnet_reply_u32(strbuf_str(payload), &hresult, reterr);
		return r < 0 ? r : explain_hresult(hresult, reterr);
	}
	if (h.id != DOTNET_REPLY_OK)
		return error_set(reterr, -EBADMSG,
				 "the runtime sent 0x%04x where an answer was due", h.id);
	return 0;
}

int dotnet_call(struct dotnet_peer *peer, struct str command, struct strbuf *payload, int *ret_fd,
		struct error *reterr)
{
	struct dotnet_until u = dotnet_until(peer, peer->patience.connect_ns);
	CLEANUP(dotnet_close) int fd = -1;
	struct error e = ERROR_INIT;
	int r = peer->dial(peer, &u, &fd, reterr);

	if (r < 0)
		return r;
	u = dotnet_until(peer, peer->patience.reply_ns);
	r = dotnet_send(fd, command, &u);
	if (r < 0)
		explain_read(r, 0, 1, &e);
	else
		r = dotnet_receive(fd, payload, &u, &e);
	if (r < 0)
		return error_set(reterr, r, "%s: %s", peer->name, e.msg);
	if (ret_fd) {
		*ret_fd = fd;
		fd = -1;
	}
	return 0;
}

/* ---- the commands ---- */

int dotnet_process_info(struct dotnet_peer *peer, struct dotnet_process_info *ret,
			struct error *reterr)
{
	static const unsigned ids[] = { DOTNET_PROCESS_INFO3, DOTNET_PROCESS_INFO2,
					DOTNET_PROCESS_INFO };
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
	struct error e = ERROR_INIT;
	int r = -ENOSYS;

	for (size_t i = 0; i < ARRAY_SIZE(ids) && r == -ENOSYS; i++) {
		CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;

		dotnet_command_bare(&command, ids[i]);
		r = dotnet_call(peer, strbuf_str(&command), &payload, NULL, &e);
		if (r < 0)
			continue;
		r = dotnet_process_info_parse(strbuf_str(&payload), ids[i], ret, &e);
		if (r < 0)
			error_wrap(&e, "%s", peer->name);
	}
	return r < 0 ? error_set(reterr, r, "%s", e.msg) : 0;
}

/* A command whose answer is nothing, or with has_result the HRESULT of doing it. */
static int simple_call(struct dotnet_peer *peer, const struct strbuf *command, bool has_result,
		       struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
	struct error e = ERROR_INIT;
	uint32_t result = 0;
	int r = dotnet_call(peer, strbuf_str(command), &payload, NULL, reterr);

	if (r < 0 || !has_result || !payload.len)
		return r;
	r = dotnet_reply_u32(strbuf_str(&payload), &result, &e);
	if (r == 0 && result & 0x80000000)
		r = explain_hresult(result, &e);
	return r < 0 ? error_set(reterr, r, "%s: %s", peer->name, e.msg) : 0;
}

int dotnet_resume(struct dotnet_peer *peer, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;

	dotnet_command_bare(&command, DOTNET_RESUME);
	return simple_call(peer, &command, false, reterr);
}

int dotnet_set_environment(struct dotnet_peer *peer, const char *name, const char *value,
			   struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;
	int r = dotnet_command_set_environment(&command, name, value, reterr);

	return r < 0 ? r : simple_call(peer, &command, true, reterr);
}

int dotnet_perf_map_enable(struct dotnet_peer *peer, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;

	dotnet_command_u32(&command, DOTNET_ENABLE_PERF_MAP, DOTNET_PERF_MAP_ONLY);
	return simple_call(peer, &command, true, reterr);
}

int dotnet_perf_map_disable(struct dotnet_peer *peer, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf command = STRBUF_INIT;

	dotnet_command_bare(&command, DOTNET_DISABLE_PERF_MAP);
	return simple_call(peer, &command, true, reterr);
}
