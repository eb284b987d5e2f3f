/*
 * push.h - sends bodies to an HTTP receiver from a thread of its own, one after the other, so that
 * the output's thread goes on taking points while a receiver is slow or dead.
 *
 * A body that gets no answer, or one that says "later" (429, 502, 503, 504 and, unless told
 * otherwise, all of 500 to 599), is sent again after 0.25 s, 0.5 s, ... 4 s, for half a minute at
 * most. Any other refusal is final. After export_push_close() the rest is tried for 5 s without a
 * success, and for 30 s in all.
 *
 * Points are lost with the body that holds them; or, when bodies are cumulative (each holds what
 * those before it held), only if none came through after them: then a body is given up as soon as
 * there is a newer one.
 */
#ifndef ASSAY_EXPORT_PUSH_H
#define ASSAY_EXPORT_PUSH_H

#include "export/outputs.h"
#include "net/client.h"
#include "net/tls_auth.h"

struct export_push;

struct export_push_opts {
	char *url;
	char *first_url; /* POSTed to before the first body, whatever comes of it; NULL = none */
	VEC(struct net_header) headers; /* name and value owned by it */
	bool cumulative;
	bool only_listed; /* of 5xx, only those above are tried again */

	/* Of an answer of success: whether it hides a loss, and then appends which ("it rejected
	 * ..."). NULL = none does. */
	bool (*objects)(struct str answer, struct strbuf *why);

	bool insecure;		    /* any certificate will do */
	char *ca_file;		    /* NULL = the system's */
	char *cert_file, *key_file; /* NULL = none */
};

void export_push_opts_release(struct export_push_opts *o);

/* Copies. */
void export_push_header(struct export_push_opts *o, struct str name, struct str value);
void export_push_basic_auth(struct export_push_opts *o, struct str user, struct str password);

/* "a=1,b=2" with sep '=': adds each; -EINVAL names the part without a separator. */
int export_push_headers(struct export_push_opts *o, struct str list, char sep,
			struct error *reterr);

/* Takes over what opts holds, also on failure. -EINVAL for a bad address or certificate. */
int export_push_open(struct export_push **ret, struct export_output *owner,
		     struct export_push_opts *opts, struct error *reterr);

/* Whether a cumulative body is worth making: none is waiting to be sent. */
bool export_push_is_due(struct export_push *p);

/* Whether all bodies so far have come through. */
bool export_push_is_settled(struct export_push *p);

/* Hands a body over (*body is left empty), with the points that it is the first to hold. When too
 * many bytes wait, they are lost. */
void export_push_put(struct export_push *p, struct strbuf *body, uint64_t points);

/* Sends the rest, in bounded time; tells the owner what was lost. NULL in, nothing done. */
void export_push_close(struct export_push *p);

#endif
