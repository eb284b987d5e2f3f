/*
 * http_server - the other side of the load benchmarks: one thread, epoll, keep-alive, a fixed
 *answer of 13 bytes to whatever comes. It looks for the blank line that ends a request's head and
 *for no more.
 *
 *	http_server [SECONDS]
 *
 * Prints "PORT\n", and ends after SECONDS (60) or when its standard input closes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char answer[] =
	"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
	"hello, world\n";

enum { FDS_MAX = 65536, ANSWERS_MAX = 64 };
static unsigned char state[FDS_MAX]; /* how much of "\r\n\r\n" each connection has shown */

static int listen_any(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) || listen(fd, 4096) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		return -1;
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

/* Ends of heads among n bytes. */
static int heads_in(unsigned char *seen, const char *p, size_t n)
{
	int heads = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == "\r\n\r\n"[*seen])
			(*seen)++;
		else
			*seen = p[i] == '\r';
		if (*seen == 4) {
			*seen = 0;
			heads++;
		}
	}
	return heads;
}

static void serve(int fd)
{
	static char in[16384], out[sizeof(answer) * ANSWERS_MAX];
	ssize_t n = recv(fd, in, sizeof(in), 0);
	int heads;

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			close(fd);
		return;
	}
	heads = heads_in(&state[fd], in, (size_t)n);
	while (heads > 0) {
		size_t len = 0;

		for (; heads > 0 && len + sizeof(answer) <= sizeof(out); heads--) {
			memcpy(out + len, answer, sizeof(answer) - 1);
			len += sizeof(answer) - 1;
		}
		if (send(fd, out, len, MSG_NOSIGNAL) < 0) {
			close(fd);
			return;
		}
	}
}

static void take(int listener, int epoll)
{
	struct epoll_event e = { .events = EPOLLIN };
	int one = 1, fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (fd >= FDS_MAX) {
			close(fd);
			continue;
		}
		state[fd] = 0;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		e.data.fd = fd;
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
	}
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
	struct epoll_event events[256], e = { .events = EPOLLIN };
	int listener = listen_any(), epoll = epoll_create1(EPOLL_CLOEXEC);

	if (listener < 0 || epoll < 0)
		return 1;
	e.data.fd = listener;
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	e.data.fd = 0;
	epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &e);
	while (time(NULL) < end) {
		int n = epoll_wait(epoll, events, 256, 500);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd == 0)
				return 0;
			if (fd == listener)
				take(listener, epoll);
			else
				serve(fd);
		}
	}
	return 0;
}
