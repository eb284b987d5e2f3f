/*
 * auth.h - params.auth "digest" and "ntlm": the credentials of the URL are not sent as they are but
 * used to answer the server's challenge. Each step is an exchange of its own with its samples; a
 * 401 that asks for the next step is expected, as under k6.
 */
#ifndef ASSAY_LOAD_AUTH_H
#define ASSAY_LOAD_AUTH_H

#include "base/strbuf.h"

struct load_request;
struct net_response;

enum load_auth_scheme { LOAD_AUTH_BASIC, LOAD_AUTH_DIGEST, LOAD_AUTH_NTLM };

struct load_auth {
	enum load_auth_scheme scheme;
	char *user, *password; /* decoded; NULL until load_auth_begin() found some */
	unsigned answered;     /* challenges so far */
};

void load_auth_release(struct load_auth *a);

/* Takes the credentials out of the request's URL; does nothing for basic. */
void load_auth_begin(struct load_request *req);

/* Is this reply a challenge that load_auth_answer() will answer? */
bool load_auth_is_challenge(const struct load_request *req, const struct net_response *net);

/* Sets the request's Authorization for the next exchange: 0, or -errno when that cannot be. */
int load_auth_answer(struct load_request *req, const struct net_response *net);

#endif
