#include "load/k6/auth.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <time.h>

#include "load/k6/request.h"
#include "net/auth.h"

void load_auth_release(struct load_auth *a)
{
	free(a->user);
	free(a->password);
}

static char *decoded(struct str text)
{
	struct strbuf sb = STRBUF_INIT;

	net_url_decode(&sb, text);
	return strbuf_detach(&sb);
}

void load_auth_begin(struct load_request *req)
{
	struct load_auth *a = &req->auth;
	struct net_url url;
	size_t colon, before, at;

	if (a->scheme == LOAD_AUTH_BASIC || net_url_parse(&url, strbuf_str(&req->url), NULL) < 0 ||
	    !url.has_userinfo)
		return;
	colon = str_find(url.userinfo, ':');
	a->user = decoded((struct str){ url.userinfo.ptr, colon });
	a->password = colon < url.userinfo.len
			      ? decoded((struct str){ url.userinfo.ptr + colon + 1,
						      url.userinfo.len - colon - 1 })
			      : xstrdup("");
	before = (size_t)(url.userinfo.ptr - req->url.ptr);
	at = before + url.userinfo.len + 1;
	memmove(req->url.ptr + before, req->url.ptr + at, req->url.len - at);
	strbuf_truncate(&req->url, req->url.len - (at - before));
}

/* The value of the first WWW-Authenticate of the scheme; ptr is NULL when there is none. */
static struct str challenge_of(const struct net_response *net, const char *scheme)
{
	const struct net_field *f;
	size_t pos = 0, len = strlen(scheme);

	while ((f = net_head_find(&net->head, STR("WWW-Authenticate"), &pos)) != NULL) {
		struct str value = net_field_value(&net->head, f);

		if (value.len >= len && str_ieq((struct str){ value.ptr, len }, str_from(scheme)))
			return value;
	}
	return (struct str){ NULL, 0 };
}

static const char *name_of(enum load_auth_scheme s)
{
	return s == LOAD_AUTH_NTLM ? "NTLM" : "Digest";
}

bool load_auth_is_challenge(const struct load_request *req, const struct net_response *net)
{
	const struct load_auth *a = &req->auth;
	unsigned steps = a->scheme == LOAD_AUTH_NTLM ? 2 : 1;

	return a->user && !net->error && net->head.status == 401 && a->answered < steps &&
	       challenge_of(net, name_of(a->scheme)).ptr;
}

static int random_bytes(void *ret, int n)
{
	return RAND_bytes(ret, n) == 1 ? 0 : -1;
}

static int answer_digest(struct load_request *req, struct str challenge, struct strbuf *out)
{
	struct load_auth *a = &req->auth;
	unsigned char bytes[16];
	char cnonce[2 * sizeof(bytes) + 1];
	struct net_url url;

	if (random_bytes(bytes, sizeof(bytes)) < 0 ||
	    net_url_parse(&url, strbuf_str(&req->url), NULL) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(cnonce + 2 * i, 3, "%02x", bytes[i]);
	return net_auth_digest(challenge,
			       &(struct net_auth_digest){
				       .user = str_from(a->user),
				       .password = str_from(a->password),
				       .method = str_from(req->method),
				       .target = url.target.len ? url.target : STR("/"),
				       .body = strbuf_str(&req->body),
				       .cnonce = cnonce,
			       },
			       out, NULL);
}

/* 100 ns since 1601-01-01, which is 11,644,473,600 s before 1970. */
static uint64_t filetime_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return ((uint64_t)t.tv_sec + UINT64_C(11644473600)) * 10000000 + (uint64_t)t.tv_nsec / 100;
}

static int answer_ntlm(struct load_request *req, struct str challenge, struct strbuf *out)
{
	struct net_auth_ntlm with = { .user = str_from(req->auth.user),
				      .password = str_from(req->auth.password),
				      .filetime = filetime_now() };

	if (!req->auth.answered) {
		net_auth_ntlm_open(out);
		return 0;
	}
	if (random_bytes(with.nonce, sizeof(with.nonce)) < 0)
		return -1;
	return net_auth_ntlm(challenge, &with, out, NULL);
}

int load_auth_answer(struct load_request *req, const struct net_response *net)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	struct load_auth *a = &req->auth;
	struct str challenge = challenge_of(net, name_of(a->scheme));
	int r = a->scheme == LOAD_AUTH_NTLM ? answer_ntlm(req, challenge, &value)
					    : answer_digest(req, challenge, &value);

	if (r < 0)
		return r;
	a->answered++;
	load_request_set_header(req, "Authorization", strbuf_str(&value));
	return 0;
}
