/* dotnet_internal.h - what the files of the client share. */
#ifndef ASSAY_DOTNET_INTERNAL_H
#define ASSAY_DOTNET_INTERNAL_H

#include <unistd.h>

#include "dotnet/find.h"

/* When a wait ends. */
struct dotnet_until {
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	int cancel_fd;	      /* 0 = none */
};

struct dotnet_peer {
	char *name;
	struct dotnet_patience patience; /* defaults filled in */
	/* A connection that takes one command; no blocking. The caller closes it. */
	int (*dial)(struct dotnet_peer *peer, const struct dotnet_until *u, int *ret_fd,
		    struct error *reterr);
	void (*release)(struct dotnet_peer *peer); /* what the kind of peer owns; may be NULL */

	/* by its socket: the file `socket` in the folder `dir` as seen from `root` */
	char *root, *dir, *socket;

	/* by a port of ours */
	struct dotnet_port *port; /* borrowed */
	uint8_t cookie[16];
	pid_t pid; /* as we see it; 0 = out of our sight */
};

struct dotnet_peer *dotnet_peer_new(const char *name, const struct dotnet_patience *p);

struct dotnet_until dotnet_until(const struct dotnet_peer *peer, uint64_t wait_ns);

static inline void dotnet_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* 0 when one of the events is there, or -ETIMEDOUT, -ECANCELED or another code. */
int dotnet_wait_fd(int fd, short events, const struct dotnet_until *u);

/* A folder as a process sees it whose root this is; an O_PATH descriptor or a negative errno. */
int dotnet_open_folder(const char *root, const char *dir);

/* Connects to the socket `name` in that folder. The codes are connect(2)'s. */
int dotnet_connect_in(int folder_fd, const char *name, const struct dotnet_until *u, int *ret_fd);

/* Reads exactly so many bytes; -ECONNRESET when they end before. */
int dotnet_read_exactly(int fd, void *buf, size_t bytes, const struct dotnet_until *u,
			size_t *ret_got);
int dotnet_send(int fd, struct str bytes, const struct dotnet_until *u);

/* An answer and its payload. A refusal is an error with the runtime's reason. */
int dotnet_receive(int fd, struct strbuf *payload, const struct dotnet_until *u,
		   struct error *reterr);

/* Sends a command and takes the answer; *ret_fd is the connection if it is wanted, else NULL. */
int dotnet_call(struct dotnet_peer *peer, struct str command, struct strbuf *payload, int *ret_fd,
		struct error *reterr);

/* ---- where a process listens: locate.c ---- */

/* All text is owned. */
struct dotnet_place {
	pid_t pid, inner_pid;
	uint64_t key; /* its start, in ticks since boot */
	/* The file `socket` in `dir` below `root`; socket NULL = there is none, in the first of the
	 * folders that were looked into. */
	char *root, *dir, *socket;
	int folder_error; /* why that folder cannot be opened; 0 = it can */
	bool closed;	  /* its environment and its root are not ours to read */
};

void dotnet_place_release(struct dotnet_place *at);

/* 0 also when there is no socket; -ESRCH the process is gone. */
int dotnet_locate(pid_t pid, struct dotnet_place *ret);

/* "dotnet-diagnostic-PID-KEY-socket" */
bool dotnet_socket_name(struct str name, pid_t *ret_pid);

/* Who listens, as we see it; 0 = out of our sight. -ECONNREFUSED nobody, and others. */
int dotnet_listener(int folder_fd, const char *name, pid_t *ret);

/* Calls fn for each socket of that name pattern in a folder. */
void dotnet_each_socket(int folder_fd,
			void (*fn)(void *arg, int folder_fd, const char *name, pid_t inner_pid),
			void *arg);

/* ---- why it cannot be talked to: explain.c ---- */

enum dotnet_kind dotnet_kind_of(pid_t pid, bool *ret_starting);

/* The reason in words, and what to do; a negative errno as dotnet_find_pid() returns them. */
int dotnet_explain(const struct dotnet_place *at, enum dotnet_kind kind, bool starting,
		   const char *name, struct error *reterr);

/* A runtime that only serves developing: dotnet run, a build server. By its arguments. */
bool dotnet_is_sdk(const char *command_line);

#endif
