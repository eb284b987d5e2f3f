/* The lowest stream layer: a socket. */
#include "net/stream.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int handshake(struct net_stream *s UNUSED, struct error *reterr UNUSED)
{
	return 0;
}

ssize_t net_tcp_read(struct net_stream *s, void *buf, size_t len)
{
	ssize_t n;

	do
		n = recv(s->fd, buf, len, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		s->wants = EPOLLIN;
		return -errno;
	}
	s->received_bytes += (uint64_t)n;
	return n;
}

static ssize_t send_all_parts(int fd, const struct iovec *iov, int n)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)(uintptr_t)iov, .msg_iovlen = (size_t)n };

	if (n == 1)
		return send(fd, iov->iov_base, iov->iov_len, MSG_NOSIGNAL);
	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

ssize_t net_tcp_write(struct net_stream *s, const struct iovec *iov, int n)
{
	ssize_t sent;

	do
		sent = send_all_parts(s->fd, iov, n);
	while (sent < 0 && errno == EINTR);
	if (sent < 0) {
		s->wants = EPOLLOUT;
		return -errno;
	}
	s->sent_bytes += (uint64_t)sent;
	return sent;
}

static bool has_pending(const struct net_stream *s UNUSED)
{
	return false;
}

void net_tcp_close(struct net_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static const struct net_stream_ops tcp_ops = {
	.handshake = handshake,
	.read = net_tcp_read,
	.write = net_tcp_write,
	.has_pending = has_pending,
	.close = net_tcp_close,
};

void net_stream_init_tcp(struct net_stream *s, int fd)
{
	*s = (struct net_stream){ .ops = &tcp_ops, .fd = fd };
}
