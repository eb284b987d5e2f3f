/*
 * jitter - how evenly do requests arrive that were to come at a fixed rate?
 *
 *	jitter receive RATE SECONDS     prints "PORT\n", then a histogram of how late each request
 *came jitter send PORT RATE SECONDS   the bare sender: one connection, clock_nanosleep() to
 *absolute times
 *
 * The receiver answers every request and notes when it read it. Lateness of the i-th is its time
 *less that of an ideal clock at RATE, set so that the earliest request is on time. The first tenth
 *is not counted. It spins, so that its own waking up is not what is measured: give it a CPU of its
 *own.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(double *late, long n)
{
	static const double edges[] = {
		1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e9
	};
	double low = 0;
	long i = 0;

	qsort(late, (size_t)n, sizeof(*late), compare);
	printf("n %ld  p50 %.1f us  p90 %.1f us  p99 %.1f us  max %.1f us\n", n, late[n / 2],
	       late[n * 9 / 10], late[n * 99 / 100], late[n - 1]);
	for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); k++) {
		long count = 0;

		for (; i < n && late[i] <= edges[k]; i++)
			count++;
		if (count)
			printf("  %7.0f to %7.0f us  %7ld  %.*s\n", low, edges[k], count,
			       (int)(count * 50 / n) + 1,
			       "##################################################");
		low = edges[k];
	}
}

static int listen_any(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) || listen(fd, 4096) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		exit(1);
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

/* What has been received: when. */
struct log {
	double *at, end; /* end 0 = nothing has come yet */
	long n, most;
};

static void take(int listener, int epoll)
{
	struct epoll_event e = { .events = EPOLLIN };
	int one = 1, fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		e.data.fd = fd;
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
	}
}

/* A late sender's requests may come together. */
static void serve(struct log *l, int fd)
{
	char in[4096];
	ssize_t len = recv(fd, in, sizeof(in) - 1, 0);

	if (len <= 0) {
		close(fd);
		return;
	}
	in[len] = 0;
	for (char *p = in; l->n < l->most && (p = strstr(p, "\r\n\r\n")); p += 4) {
		l->at[l->n++] = now_us();
		send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
	}
}

static int judge(struct log *l, double rate)
{
	long first = l->n / 10;
	double base = 1e18;

	if (l->n <= first)
		return 1;
	for (long i = first; i < l->n; i++) {
		l->at[i] -= (double)i * 1e6 / rate;
		base = l->at[i] < base ? l->at[i] : base;
	}
	for (long i = first; i < l->n; i++)
		l->at[i] -= base;
	print(l->at + first, l->n - first);
	return 0;
}

static int receive(double rate, double seconds)
{
	struct log l = { .most = (long)(rate * seconds * 2) + 1000 };
	struct epoll_event events[64], e = { .events = EPOLLIN };
	int listener = listen_any(), epoll = epoll_create1(0);

	l.at = calloc((size_t)l.most, sizeof(*l.at));
	e.data.fd = listener;
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	while (l.n < l.most && (!l.end || now_us() < l.end)) {
		int ready = epoll_wait(epoll, events, 64, 0);

		for (int i = 0; i < ready; i++) {
			if (events[i].data.fd == listener)
				take(listener, epoll);
			else
				serve(&l, events[i].data.fd);
		}
		if (l.n && !l.end)
			l.end = now_us() + seconds * 1e6;
	}
	return judge(&l, rate);
}

static int send_all(int port, double rate, double seconds)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((unsigned short)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct timespec t0, t;
	char in[4096];

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	prctl(PR_SET_TIMERSLACK, 1UL);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (long i = 0; i < (long)(rate * seconds); i++) {
		long ns = t0.tv_nsec + (long)((double)i * 1e9 / rate);

		t = (struct timespec){ t0.tv_sec + ns / 1000000000, ns % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0)
			return 1;
		while (recv(fd, in, sizeof(in), MSG_DONTWAIT) > 0)
			;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "receive"))
		return receive(atof(argv[2]), atof(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "send"))
		return send_all(atoi(argv[2]), atof(argv[3]), atof(argv[4]));
	fprintf(stderr, "usage: jitter receive RATE SECONDS | jitter send PORT RATE SECONDS\n");
	return 2;
}
