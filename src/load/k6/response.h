/*
 * response.h - the object that http.get() and its kin return. It keeps what came over the wire and
 * makes a script value of a field only when the script looks at it: most scripts read one or two of
 * twenty.
 */
#ifndef ASSAY_LOAD_RESPONSE_H
#define ASSAY_LOAD_RESPONSE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "js/shard.h"
#include "net/client.h"

struct load_vu;

enum load_response_type { LOAD_RESPONSE_TEXT, LOAD_RESPONSE_BINARY, LOAD_RESPONSE_NONE };

/* Fields in the order of Object.keys(). The last four are methods. */
enum load_response_field {
	RESPONSE_REMOTE_IP,
	RESPONSE_REMOTE_PORT,
	RESPONSE_URL,
	RESPONSE_STATUS,
	RESPONSE_STATUS_TEXT,
	RESPONSE_PROTO,
	RESPONSE_HEADERS,
	RESPONSE_COOKIES,
	RESPONSE_BODY,
	RESPONSE_TIMINGS,
	RESPONSE_TLS_VERSION,
	RESPONSE_TLS_CIPHER_SUITE,
	RESPONSE_OCSP,
	RESPONSE_ERROR,
	RESPONSE_ERROR_CODE,
	RESPONSE_REQUEST,
	RESPONSE_JSON,
	RESPONSE_HTML,
	RESPONSE_SUBMIT_FORM,
	RESPONSE_CLICK_LINK,
	RESPONSE_FIELDS,
};

/* Of one shard: the names as the engine knows them. */
struct load_response_atoms {
	JSAtom field[RESPONSE_FIELDS];
};

void load_response_atoms_init(JSContext *ctx, struct load_response_atoms *atoms);
void load_response_atoms_release(JSContext *ctx, struct load_response_atoms *atoms);

struct load_header {
	char *name, *value;
};

void load_header_release(struct load_header *h);

/* What one request gave. Owned, all of it. */
struct load_response {
	struct net_response *net; /* NULL when nothing could be sent */
	char *error;		  /* why not; otherwise net's message tells */
	int error_code;
	bool unmade; /* it was refused before it became a request: its body is an empty list */
	enum load_response_type type;
	char *method, *url;
	VEC(struct load_header) headers; /* of the request */
	struct strbuf body;		 /* of the request */
};

void load_response_free(struct load_response *r); /* NULL in, nothing done */
DEFINE_CLEANUP(load_response, struct load_response *, load_response_free)

/* Appends "content-type" as "Content-Type", as Go's net/http spells field names. */
void load_header_canonical(struct str name, struct strbuf *out);

/* "" when there is none. */
const char *load_response_error(const struct load_response *r);

/* The script's view; takes r over, also on failure. */
JSValue load_response_object(JSContext *ctx, struct load_response *r);

/* The fields of a reply's head, as scripts see them; of NULL none. */
JSValue load_headers_object(JSContext *ctx, const struct net_response *net);

/* For js_shard_opts. */
extern const struct js_class load_response_class;

/* Sets the class's prototype in a new context. 0 or -1. */
int load_response_setup(JSContext *ctx);

#endif
