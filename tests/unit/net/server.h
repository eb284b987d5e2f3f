/*
 * server.h - a loopback server that does exactly what a test tells it to, on a free port. Each
 * connection is served by a thread of its own; it is closed when the function returns.
 */
#ifndef ASSAY_TESTS_NET_SERVER_H
#define ASSAY_TESTS_NET_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct server;

struct connection {
	struct server *server;
	int fd;
	int number; /* 0 for the first */
	pthread_t thread;
};

typedef void serve_fn(struct connection *c);

struct server {
	serve_fn *serve;
	const void *arg; /* for serve */
	uint16_t port;
	int listener;
	pthread_t thread;
	atomic_int accepted;
	struct connection connections[64];
};

void server_start(struct server *s, serve_fn *serve, const void *arg);

/* Waits for all connections: the client must have closed its ends, or serve must return by itself.
 */
void server_stop(struct server *s);

/* Reads up to and with the empty line (and no further); its length, 0 when the client closed. */
size_t server_read_head(int fd, char *buf, size_t size);

/* Reads and drops n bytes; false when the client closed before. */
int server_read_bytes(int fd, size_t n);

void server_send(int fd, const char *text);
void server_send_bytes(int fd, const void *data, size_t len);

/* Waits until the client closes; what it sends is dropped. */
void server_wait_close(int fd);

void server_sleep_ms(unsigned ms);

/* Makes close() reset the connection. */
void server_reset_on_close(int fd);

/* A listener whose queue is full: the kernel drops what comes, and connecting hangs. */
struct deaf_server {
	uint16_t port;
	int fds[9];
};

void deaf_server_start(struct deaf_server *d, const char *address, uint16_t port /* 0 = any */);
void deaf_server_stop(struct deaf_server *d);

#endif
