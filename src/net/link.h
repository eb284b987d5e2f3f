/*
 * link.h - a connection that has stopped to speak HTTP: what is left after a reply of status 101
 * (RFC 9110 7.8). Bytes go both ways as they are; whoever has the link gives them a meaning. It
 * belongs to the client that made the request and must be closed before that is freed.
 */
#ifndef ASSAY_NET_LINK_H
#define ASSAY_NET_LINK_H

#include "base/str.h"

struct net_link;

struct net_link_ops {
	/* Bytes have come. May close the link, and nothing more is called then. */
	void (*bytes)(void *arg, struct str bytes);
	/* The end of the connection: 0 = the peer closed it, else a negative errno. Once. The link
	 * is still to be closed. */
	void (*ended)(void *arg, int code);
};

/* Who gets what comes; bytes that came with the reply's head are handed over in the next round. */
void net_link_listen(struct net_link *l, const struct net_link_ops *ops, void *arg);

/* Sends bytes after those that wait; a copy is kept of what the socket does not take at once. */
void net_link_write(struct net_link *l, struct str bytes);

/* Reads no more until it is taken back: who cannot use what comes holds the peer up. */
void net_link_pause(struct net_link *l, bool paused);

/* Bytes that wait for the socket. */
size_t net_link_unsent(const struct net_link *l);

/* On the wire so far, TLS and the handshake included. */
uint64_t net_link_sent_bytes(const struct net_link *l);
uint64_t net_link_received_bytes(const struct net_link *l);

/* Ends it at once, whatever waits. NULL in, nothing done. */
void net_link_close(struct net_link *l);

#endif
