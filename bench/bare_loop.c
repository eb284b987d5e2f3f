/*
 * bare_loop - the limit that a load generator of one thread can come near to: epoll, N connections,
 *one write and one read a request, nothing parsed, nothing measured but the count.
 *
 *	bare_loop PORT CONNECTIONS SECONDS
 *
 * Prints "requests CPU-seconds".
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bare\r\n\r\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int dial(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((unsigned short)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		exit(1);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int main(int argc, char **argv)
{
	struct epoll_event events[256], e = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	long count = 0;
	struct rusage use;
	double end;
	char in[4096];

	if (argc != 4 || epoll < 0)
		return 2;
	for (int i = 0; i < atoi(argv[2]); i++) {
		e.data.fd = dial(atoi(argv[1]));
		epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e);
		if (send(e.data.fd, request, sizeof(request) - 1, 0) < 0)
			return 1;
	}
	for (end = now() + atof(argv[3]); now() < end;) {
		int n = epoll_wait(epoll, events, 256, 100);

		for (int i = 0; i < n; i++) {
			if (recv(events[i].data.fd, in, sizeof(in), 0) <= 0)
				return 1;
			count++;
			if (send(events[i].data.fd, request, sizeof(request) - 1, 0) < 0)
				return 1;
		}
	}
	getrusage(RUSAGE_SELF, &use);
	printf("%ld %.6f\n", count,
	       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
	return 0;
}
