#include "receiver.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#include "test.h"

static size_t length_of(const char *head)
{
	const char *at = strcasestr(head, "\ncontent-length:");

	return at ? strtoul(at + 16, NULL, 10) : 0;
}

static void serve(struct connection *c)
{
	struct receiver *r = (struct receiver *)(uintptr_t)c->server->arg;
	char head[2048], *body, reply[256];

	while (server_read_head(c->fd, head, sizeof(head))) {
		size_t len = length_of(head), i;
		unsigned status;

		body = malloc(len + 1);
		if (len && recv(c->fd, body, len, MSG_WAITALL) != (ssize_t)len)
			return;
		pthread_mutex_lock(&r->lock);
		i = r->count++;
		if (i < ARRAY_SIZE(r->requests)) {
			memcpy(r->requests[i].head, head, sizeof(head));
			strbuf_add(&r->requests[i].body, body, len);
		}
		status = r->statuses[MIN(i, r->n_statuses - 1)];
		pthread_mutex_unlock(&r->lock);
		free(body);
		if (!status)
			return;
		snprintf(reply, sizeof(reply), "HTTP/1.1 %u X\r\nContent-Length: %zu\r\n\r\n%s",
			 status, r->answer ? strlen(r->answer) : 0, r->answer ? r->answer : "");
		server_send(c->fd, reply);
	}
}

void receiver_start(struct receiver *r, const unsigned *statuses, size_t n)
{
	memset(r, 0, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	r->statuses = statuses;
	r->n_statuses = n;
	server_start(&r->server, serve, r);
}

void receiver_stop(struct receiver *r)
{
	server_stop(&r->server);
}

void receiver_release(struct receiver *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->requests); i++)
		strbuf_release(&r->requests[i].body);
	pthread_mutex_destroy(&r->lock);
}
