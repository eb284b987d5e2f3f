/*
 * A pipe that nobody reads must not hold the process for ever: there, no more is written at once
 * than the kernel promises to take when poll() says so (PIPE_BUF), and after the run's end a reader
 * who takes nothing for a while is given up. A slow disk is waited for.
 */
#include "export/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "os/clock.h"

/* What is collected before it is written. */
#define WRITE_BYTES (256u << 10)
#define Z_BYTES	    (64u << 10)
/* How long a pipe's reader may take nothing when the run is over. */
#define READER_MS 3000
#define LOOK_MS	  100

/* 0 when the pipe takes PIPE_BUF bytes; -ETIMEDOUT. */
static int wait_for_reader(struct export_file *f)
{
	struct pollfd p = { .fd = f->fd, .events = POLLOUT };

	for (int waited_ms = 0; waited_ms < READER_MS;) {
		if (poll(&p, 1, LOOK_MS) != 0)
			return 0;
		if (atomic_load(&f->owner->closing_ns))
			waited_ms += LOOK_MS;
	}
	return -ETIMEDOUT;
}

static int write_all(struct export_file *f, const char *p, size_t len)
{
	while (len) {
		size_t most = f->waits ? MIN(len, (size_t)PIPE_BUF) : len;
		int r = f->waits ? wait_for_reader(f) : 0;
		ssize_t n = r < 0 ? r : write(f->fd, p, most);

		if (r == 0 && n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return r < 0 ? r : -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_compressed(struct export_file *f, int flush)
{
	f->z->next_in = (Bytef *)f->text.ptr;
	f->z->avail_in = (uInt)f->text.len;
	do {
		int r;

		f->z->next_out = (Bytef *)f->zbuf;
		f->z->avail_out = Z_BYTES;
		deflate(f->z, flush);
		r = write_all(f, f->zbuf, Z_BYTES - f->z->avail_out);
		if (r < 0)
			return r;
	} while (f->z->avail_out == 0);
	return 0;
}

static void fail(struct export_file *f, int r)
{
	struct error err = ERROR_INIT;

	f->failed = r;
	error_errno(&err, r, "writing %s failed", *f->path == '-' ? "to stdout" : f->path);
	export_lose(f->owner, f->pending, err.msg);
	f->pending = 0;
}

static void write_text(struct export_file *f, int flush)
{
	int r = 0;

	if (f->failed)
		export_lose(f->owner, f->pending, "");
	else if (f->z)
		r = write_compressed(f, flush);
	else
		r = write_all(f, strbuf_cstr(&f->text), f->text.len);
	if (r < 0)
		fail(f, r);
	f->pending = 0;
	strbuf_clear(&f->text);
}

void export_file_line(struct export_file *f)
{
	f->pending++;
	if (f->text.len >= WRITE_BYTES)
		write_text(f, Z_NO_FLUSH);
}

void export_file_flush(struct export_file *f)
{
	if (f->text.len)
		write_text(f, Z_NO_FLUSH);
}

static int open_z(struct export_file *f)
{
	f->z = xcalloc(1, sizeof(*f->z));
	f->zbuf = xmalloc(Z_BYTES);
	/* 15 + 16: gzip's frame. The fastest level: the CPU is the load generator's. */
	return deflateInit2(f->z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

int export_file_open(struct export_file *f, struct export_output *owner, const char *path,
		     int stdout_fd, struct error *reterr)
{
	struct stat st;

	*f = (struct export_file){ .owner = owner };
	f->fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
				  : fcntl(stdout_fd, F_DUPFD_CLOEXEC, 0);
	if (f->fd < 0)
		return error_errno(reterr, -errno, "opening %s for samples", path);
	f->path = xstrdup(path);
	f->waits = fstat(f->fd, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
	if (str_ends_with(str_from(path), STR(".gz")) && open_z(f) < 0) {
		export_file_close(f);
		return error_set(reterr, -ENOMEM, "no memory to compress %s", path);
	}
	return 0;
}

void export_file_close(struct export_file *f)
{
	if (!f->path)
		return;
	write_text(f, Z_FINISH);
	if (close(f->fd) < 0 && !f->failed)
		fail(f, -errno);
	if (f->z)
		deflateEnd(f->z);
	free(f->z);
	free(f->zbuf);
	free(f->path);
	strbuf_release(&f->text);
	*f = (struct export_file){ 0 };
}
