#include "server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

static void *serve_connection(void *arg)
{
	struct connection *c = arg;

	c->server->serve(c);
	close(c->fd);
	return NULL;
}

static void *accept_connections(void *arg)
{
	struct server *s = arg;
	int fd, one = 1;

	while ((fd = accept(s->listener, NULL, NULL)) >= 0) {
		int n = atomic_load(&s->accepted);
		struct connection *c = &s->connections[n];

		BUG_ON(n == ARRAY_SIZE(s->connections));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		*c = (struct connection){ .server = s, .fd = fd, .number = n };
		atomic_store(&s->accepted, n + 1);
		BUG_ON(pthread_create(&c->thread, NULL, serve_connection, c) != 0);
	}
	return NULL;
}

void server_start(struct server *s, serve_fn *serve, const void *arg)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	memset(s, 0, sizeof(*s));
	s->serve = serve;
	s->arg = arg;
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	BUG_ON(s->listener < 0);
	BUG_ON(bind(s->listener, (struct sockaddr *)&a, sizeof(a)) < 0);
	BUG_ON(listen(s->listener, 64) < 0);
	BUG_ON(getsockname(s->listener, (struct sockaddr *)&a, &len) < 0);
	s->port = ntohs(a.sin_port);
	BUG_ON(pthread_create(&s->thread, NULL, accept_connections, s) != 0);
}

void server_stop(struct server *s)
{
	shutdown(s->listener, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->listener);
	for (int i = 0; i < atomic_load(&s->accepted); i++)
		pthread_join(s->connections[i].thread, NULL);
}

size_t server_read_head(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && recv(fd, buf + n, 1, 0) == 1) {
		buf[++n] = '\0';
		if (n >= 4 && !memcmp(buf + n - 4, "\r\n\r\n", 4))
			return n;
	}
	return 0;
}

int server_read_bytes(int fd, size_t n)
{
	char buf[65536];

	while (n) {
		ssize_t got = recv(fd, buf, MIN(n, sizeof(buf)), 0);

		if (got <= 0)
			return false;
		n -= (size_t)got;
	}
	return true;
}

void server_send_bytes(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		p += n;
		len -= (size_t)n;
	}
}

void server_send(int fd, const char *text)
{
	server_send_bytes(fd, text, strlen(text));
}

void server_wait_close(int fd)
{
	char buf[4096];

	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
}

void server_sleep_ms(unsigned ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

void server_reset_on_close(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

void deaf_server_start(struct deaf_server *d, const char *address, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	socklen_t len = sizeof(a);

	BUG_ON(inet_pton(AF_INET, address, &a.sin_addr) != 1);
	for (size_t i = 0; i < ARRAY_SIZE(d->fds); i++) {
		d->fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (i) {
			connect(d->fds[i], (struct sockaddr *)&a, sizeof(a));
			continue;
		}
		BUG_ON(bind(d->fds[0], (struct sockaddr *)&a, sizeof(a)) < 0);
		BUG_ON(listen(d->fds[0], 0) < 0);
		BUG_ON(getsockname(d->fds[0], (struct sockaddr *)&a, &len) < 0);
	}
	d->port = ntohs(a.sin_port);
}

void deaf_server_stop(struct deaf_server *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(d->fds); i++)
		close(d->fds[i]);
}
