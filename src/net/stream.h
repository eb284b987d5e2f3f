/*
 * stream.h - bytes to and from a peer, without waiting. A stream is a socket with the layers put on
 * top of it; each layer is a struct net_stream_ops. The same five calls serve all of them.
 */
#ifndef ASSAY_NET_STREAM_H
#define ASSAY_NET_STREAM_H

#include <sys/types.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/str.h"
#include "net/err.h"

struct ssl_st;
struct ssl_session_st;

struct net_stream {
	const struct net_stream_ops *ops;
	int fd;
	uint32_t wants;	     /* after -EAGAIN: EPOLLIN or EPOLLOUT */
	uint64_t sent_bytes; /* on the wire, since opened */
	uint64_t received_bytes;
	struct ssl_st *ssl;		     /* of the TLS layer; NULL without */
	struct str tls_host;		     /* borrowed; valid until the handshake is over */
	struct ssl_session_st **tls_session; /* where to keep the newest one; NULL = nowhere */
	enum net_err tls_error;		     /* kind of a failure with -EPROTO */
};

struct net_stream_ops {
	/* Goes on with setting the layer up. 0 = done, -EAGAIN, or -EPROTO and others with words.
	 */
	int (*handshake)(struct net_stream *s, struct error *reterr);

	/* Bytes read, 0 at the end, -EAGAIN, or another negative errno. */
	ssize_t (*read)(struct net_stream *s, void *buf, size_t len);

	/* Bytes written (maybe fewer), -EAGAIN, or another negative errno. Never raises SIGPIPE. */
	ssize_t (*write)(struct net_stream *s, const struct iovec *iov, int n);

	/* Bytes wait inside the layer: the descriptor will not become ready for them. */
	bool (*has_pending)(const struct net_stream *s);

	/* Releases the layer and closes the descriptor. */
	void (*close)(struct net_stream *s);
};

/* Takes the descriptor of a socket that is not blocking. */
void net_stream_init_tcp(struct net_stream *s, int fd);

/* The bare socket, for the layers above. */
ssize_t net_tcp_read(struct net_stream *s, void *buf, size_t len);
ssize_t net_tcp_write(struct net_stream *s, const struct iovec *iov, int n);
void net_tcp_close(struct net_stream *s);

#endif
