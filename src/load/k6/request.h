/*
 * request.h - one request that a script makes: what it asked for, the exchanges that follow from it
 * (each redirect is one), the samples of each, and the response at the end. It runs on the loop;
 * whether the script waits for it (http.get) or is told later (http.asyncRequest, http.batch) is
 * the caller's affair.
 */
#ifndef ASSAY_LOAD_HTTP_H
#define ASSAY_LOAD_HTTP_H

#include "load/k6/auth.h"
#include "load/vu.h"
#include "net/client.h"

struct load_jar;

/* A cookie of this request alone. */
struct load_request_cookie {
	char *name, *value;
	bool replace; /* in place of what the jar has under that name */
};

struct load_request {
	struct load_vu *vu;
	char *method;
	struct strbuf url; /* as written, then as redirected */
	char *name;	   /* value of the tag "name"; NULL = the URL */
	VEC(struct load_header) headers;
	struct strbuf body;
	enum load_response_type type;
	struct load_statuses expected;
	const struct load_tags *tags; /* the VU's and the request's own */
	struct load_jar *jar;	      /* borrowed */
	struct load_auth auth;
	VEC(struct load_request_cookie) cookies;
	uint64_t timeout_ns, deadline_ns;
	unsigned redirects_left;
	bool throw_errors;
	char *refused; /* why it cannot be made at all; NULL = it can */
	int refused_code;

	/* running */
	struct net_call *call; /* NULL between exchanges */
	struct net_task late;  /* reports a failure that was known before anything was sent */
	bool late_queued;
	struct net_timer hold; /* with the option rps: until its turn comes */
	uint64_t lag_ns; /* by which the first exchange began late, for the generator's fault */
	struct load_response *response;
	bool finished;
	void (*done)(struct load_request *req); /* in the loop; the response is there */
	void *arg;
	void (*release)(struct load_request *req); /* frees arg; may be NULL */
	bool waited_for;
	struct load_request *prev, *next; /* of the VU's */
	bool linked;
};

/* Reads what a script gave: url (text or what http.url`` made), body and params. NULL with an
 * exception pending. */
struct load_request *load_request_new(JSContext *ctx, const char *method, JSValueConst url,
				      JSValueConst body, JSValueConst params);

/* Cancels what is in flight, without samples. NULL in, nothing done. */
void load_request_free(struct load_request *req);

/* Replaces a header of that name, or adds it. */
void load_request_set_header(struct load_request *req, const char *name, struct str value);

/*
 * What was asked for cannot be made into a request: no exception (unless the option throw is set),
 * but a response without samples that tells. code is k6's, 0 where it has none.
 */
void load_request_refuse(struct load_request *req, int code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Refuses it when its address is none that anything could be sent to. */
void load_request_check_url(struct load_request *req);

/* Starts it; done is never called before this has returned. */
void load_request_start(struct load_request *req);

/* The script's result of a finished request: a response object, or an exception if it failed and
 * the script wants failures thrown. */
JSValue load_request_result(JSContext *ctx, struct load_request *req);

/* The same of one that is not to be sent: what was refused, or an empty response. */
JSValue load_request_unsent(JSContext *ctx, struct load_request *req);

/* Takes back what is in flight, without samples; it can be started again. */
void load_request_cancel(struct load_request *req);

/* Ends all of a VU's, without samples. */
void load_requests_cancel(struct load_vu *vu);

/* k6's error code: of a failure, or 1000 + status from 400 on; else 0. */
int load_http_error_code(const struct net_response *net);

/* What a script gets as its error, and the samples as their tag; "" when there is none. */
const char *load_http_error_text(const struct net_response *net);

/* "tls1.3" and the like; NULL without TLS. */
const char *load_http_tls_version(const struct net_response *net);

/* The samples of one exchange. */
void load_http_emit(struct load_request *req, const struct net_response *net);

#endif
