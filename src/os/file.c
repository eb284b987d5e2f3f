#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Until there is something to read, or the end. */
static int wait_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do
		n = poll(&p, 1, FILE_READ_WAIT_MS);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

static int read_all(int fd, size_t max, struct strbuf *out)
{
	size_t start = out->len;

	for (;;) {
		ssize_t n;

		if (strbuf_reserve(out, 16384) < 0)
			return -E2BIG;
		n = read(fd, strbuf_tail(out), 16384);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			int r = wait_readable(fd);

			if (r < 0)
				return r;
			continue;
		}
		if (n < 0)
			return -errno;
		strbuf_commit(out, (size_t)n);
		if (out->len - start > max)
			return -E2BIG;
	}
}

int file_read(const char *path, size_t max, struct strbuf *out, struct error *reterr)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s", path);
	/* one that nobody writes to reads as empty at once, one that somebody will write to too */
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		r = wait_readable(fd);
	if (r == 0)
		r = read_all(fd, max, out);
	if (r == -E2BIG)
		return error_set(reterr, r, "%s is larger than the %zu bytes allowed", path, max);
	return r < 0 ? error_errno(reterr, r, "reading %s", path) : 0;
}

static int write_all(int fd, struct str s)
{
	while (s.len) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s = (struct str){ s.ptr + n, s.len - (size_t)n };
	}
	return 0;
}

/* What stands for something else, a device or a pipe, is written to, not replaced. */
static int write_in_place(const char *path, struct str content, struct error *reterr)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	int r;

	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s", path);
	r = write_all(fd, content);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? error_errno(reterr, r, "writing %s", path) : 0;
}

static int write_beside(int fd, const char *tmp, const char *path, struct str content)
{
	int r = write_all(fd, content);

	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(tmp);
	return r;
}

int file_write_atomic(const char *path, struct str content, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *real = realpath(path, NULL);
	const char *target = real ? real : path;
	CLEANUP(mem_cleanup) char *tmp = xasprintf("%s.tmp%d", target, (int)getpid());
	struct stat st;
	int fd, r;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return write_in_place(path, content, reterr);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	/* a folder that takes no new file may hold one that takes new content */
	if (fd < 0 && real && (errno == EACCES || errno == EPERM))
		return write_in_place(path, content, reterr);
	if (fd < 0)
		return error_errno(reterr, -errno, "creating %s", tmp);
	r = write_beside(fd, tmp, target, content);
	return r < 0 ? error_errno(reterr, r, "writing %s", path) : 0;
}

int file_write_control(const char *path, const char *value, struct error *reterr)
{
	CLEANUP(close_fd) int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(value);

	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s", path);
	if (write(fd, value, len) != (ssize_t)len)
		return error_errno(reterr, -errno, "writing \"%s\" to %s", value, path);
	return 0;
}

int file_make_dirs(const char *path, struct error *reterr)
{
	CLEANUP(mem_cleanup) char *part = xstrdup(path);

	for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return error_errno(reterr, -errno, "creating folder %s", part);
		if (!slash)
			return 0;
		*slash = '/';
	}
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}
