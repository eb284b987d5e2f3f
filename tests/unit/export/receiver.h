/*
 * receiver.h - what outputs send to: keeps every request and answers with the statuses it is told,
 * the last one again and again; 0 closes the connection without a word.
 */
#ifndef ASSAY_TESTS_EXPORT_RECEIVER_H
#define ASSAY_TESTS_EXPORT_RECEIVER_H

#include "../net/server.h"
#include "base/strbuf.h"

struct receiver {
	struct server server;
	const unsigned *statuses; /* ends with the one to repeat */
	size_t n_statuses;
	const char *answer; /* body of the answers; NULL = none */
	pthread_mutex_t lock;
	struct {
		char head[2048];
		struct strbuf body;
	} requests[16];
	size_t count;
};

void receiver_start(struct receiver *r, const unsigned *statuses, size_t n);
void receiver_stop(struct receiver *r); /* the requests stay */
void receiver_release(struct receiver *r);

#endif
