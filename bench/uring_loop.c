/*
 * uring_loop - bare_loop with io_uring in epoll's place: for each answer that has come, one send
 *and the next receive, chained, all of a round in one system call. It tells whether assay's loop
 *should be built on it.
 *
 *	uring_loop PORT CONNECTIONS SECONDS
 *
 * Prints "requests CPU-seconds".
 */
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define CONNECTIONS_MAX 1024
#define IN_BYTES	4096

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bare\r\n\r\n";
static char in[CONNECTIONS_MAX][IN_BYTES];
static int fds[CONNECTIONS_MAX];

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

/* A request and the wait for its answer; only the answer makes a completion. */
static void exchange(struct io_uring *ring, int i)
{
	struct io_uring_sqe *send = io_uring_get_sqe(ring), *recv = io_uring_get_sqe(ring);

	if (!send || !recv)
		exit(1);
	io_uring_prep_send(send, fds[i], request, sizeof(request) - 1, 0);
	io_uring_sqe_set_data64(send, CONNECTIONS_MAX);
	send->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
	io_uring_prep_recv(recv, fds[i], in[i], IN_BYTES, 0);
	io_uring_sqe_set_data64(recv, (unsigned)i);
}

int main(int argc, char **argv)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SINGLE_ISSUER |
					      IORING_SETUP_DEFER_TASKRUN };
	struct io_uring_cqe *done[CONNECTIONS_MAX];
	struct io_uring ring;
	struct rusage use;
	long count = 0;
	int connections;
	double end;

	if (argc != 4 || (connections = atoi(argv[2])) > CONNECTIONS_MAX)
		return 2;
	if (io_uring_queue_init_params(4 * CONNECTIONS_MAX, &ring, &p) < 0) {
		fprintf(stderr, "uring_loop: the kernel gives no io_uring\n");
		return 1;
	}
	for (int i = 0; i < connections; i++) {
		fds[i] = dial(atoi(argv[1]));
		exchange(&ring, i);
	}
	for (end = now() + atof(argv[3]); now() < end;) {
		unsigned n;

		if (io_uring_submit_and_wait(&ring, 1) < 0)
			return 1;
		n = io_uring_peek_batch_cqe(&ring, done, CONNECTIONS_MAX);
		for (unsigned i = 0; i < n; i++) {
			if (done[i]->res <= 0)
				return 1;
			count++;
			exchange(&ring, (int)io_uring_cqe_get_data64(done[i]));
		}
		io_uring_cq_advance(&ring, n);
	}
	getrusage(RUSAGE_SELF, &use);
	printf("%ld %.6f\n", count,
	       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
	return 0;
}
