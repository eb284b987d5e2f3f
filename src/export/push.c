#include "export/push.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/mem.h"
#include "net/fetch.h"
#include "os/clock.h"
#include "os/file.h"

#define REQUEST_NS	 (5 * NS_PER_S)
#define BACKOFF_FIRST_NS (250 * NS_PER_MS)
#define BACKOFF_MOST_NS	 (4 * NS_PER_S)
#define RETRY_NS	 (30 * NS_PER_S)
#define CLOSE_IDLE_NS	 (5 * NS_PER_S)
#define CLOSE_NS	 (30 * NS_PER_S)
#define WAITING_BYTES	 ((size_t)64 << 20)
#define PEM_BYTES_MAX	 ((size_t)1 << 20)
/* Of a receiver's answer, in a message. */
#define ANSWER_CHARS 200

struct payload {
	struct payload *next;
	struct strbuf body;
	uint64_t points;
};

struct export_push {
	struct export_output *owner;
	struct export_push_opts opts;
	struct net_url url; /* of opts.url */
	char *shown;	    /* the address in messages */
	struct net_tls_auth *auth;
	struct net_fetch *fetch;
	pthread_t thread;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more;
	struct payload *first, *last;
	size_t waiting_bytes;
	bool busy, failed; /* with a body; the last one */
	bool closing;
	uint64_t closing_ns;
	uint64_t carried; /* cumulative: points of bodies that failed */
	char *why;	  /* the last failure; NULL = none since a success */

	uint64_t success_ns; /* the thread's own: the last one */
};

/* --- what to send with ------------------------------------------------------------------------ */

void export_push_opts_release(struct export_push_opts *o)
{
	vec_for_each (&o->headers, h) {
		free((char *)(uintptr_t)h->name.ptr);
		free((char *)(uintptr_t)h->value.ptr);
	}
	vec_release(&o->headers);
	free(o->url);
	free(o->first_url);
	free(o->ca_file);
	free(o->cert_file);
	free(o->key_file);
	*o = (struct export_push_opts){ 0 };
}

void export_push_header(struct export_push_opts *o, struct str name, struct str value)
{
	struct net_header h = { { str_dup(name), name.len }, { str_dup(value), value.len } };

	vec_push(&o->headers, h);
}

void export_push_basic_auth(struct export_push_opts *o, struct str user, struct str password)
{
	CLEANUP(strbuf_release) struct strbuf pair = STRBUF_INIT, value = STRBUF_INIT;

	strbuf_addf(&pair, "%.*s:%.*s", STR_FMT(user), STR_FMT(password));
	strbuf_addstr(&value, "Basic ");
	base64_encode(&value, strbuf_str(&pair));
	export_push_header(o, STR("Authorization"), strbuf_str(&value));
}

int export_push_headers(struct export_push_opts *o, struct str list, char sep, struct error *reterr)
{
	struct str part;

	while (str_split(&list, ',', &part)) {
		size_t at = str_find(part, sep);

		if (!str_trim(part).len)
			continue;
		if (at == part.len || !at)
			return error_set(reterr, -EINVAL, "the header '%.*s': expected NAME%cVALUE",
					 STR_FMT(part), sep);
		export_push_header(o, str_trim((struct str){ part.ptr, at }),
				   str_trim((struct str){ part.ptr + at + 1, part.len - at - 1 }));
	}
	return 0;
}

/* --- one request ------------------------------------------------------------------------------ */

/* The first line of what the receiver said, made fit for a message. */
static void add_answer(struct strbuf *out, struct str body)
{
	size_t len = MIN(str_find(body, '\n'), (size_t)ANSWER_CHARS);

	if (!len)
		return;
	strbuf_addstr(out, ": ");
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, isprint((unsigned char)body.ptr[i]) ? body.ptr[i] : '?');
}

static void check_success(struct export_push *p, struct str answer)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;

	strbuf_addf(&why, "%s: ", p->shown);
	if (p->opts.objects && p->opts.objects(answer, &why))
		export_lose(p->owner, 0, strbuf_cstr(&why));
}

static bool is_worth_a_retry(const struct export_push *p, unsigned status)
{
	if (status == 429 || (status >= 502 && status <= 504))
		return true;
	return status >= 500 && !p->opts.only_listed;
}

/* 0; -EAGAIN when it may be tried again, -EIO when not, with the reason. */
static int send_once(struct export_push *p, struct str body, uint64_t timeout_ns,
		     struct strbuf *why)
{
	struct net_response *res =
		net_fetch_request(p->fetch, &(struct net_request){ .method = STR("POST"),
								   .url = &p->url,
								   .headers = p->opts.headers.ptr,
								   .n_headers = p->opts.headers.len,
								   .body = body,
								   .max_body_bytes = 64 * 1024,
								   .timeout_ns = timeout_ns });
	unsigned status = res->head.status;
	int r = 0;

	strbuf_clear(why);
	if (res->error != NET_OK) {
		strbuf_addf(why, "%s: %s", p->shown, strbuf_cstr(&res->message));
		r = -EAGAIN;
	} else if (status / 100 != 2) {
		strbuf_addf(why, "%s answered %u", p->shown, status);
		add_answer(why, strbuf_str(&res->body));
		r = is_worth_a_retry(p, status) ? -EAGAIN : -EIO;
	} else {
		check_success(p, strbuf_str(&res->body));
	}
	net_response_free(res);
	return r;
}

static void send_first(struct export_push *p)
{
	struct net_url url;
	struct net_response *res;

	if (!p->opts.first_url || net_url_parse(&url, str_from(p->opts.first_url), NULL) < 0)
		return;
	res = net_fetch_request(p->fetch, &(struct net_request){ .method = STR("POST"),
								 .url = &url,
								 .headers = p->opts.headers.ptr,
								 .n_headers = p->opts.headers.len,
								 .timeout_ns = REQUEST_NS });
	net_response_free(res);
}

/* --- the thread ------------------------------------------------------------------------------- */

/* When all must be over; UINT64_MAX while the run goes on. The lock is held. */
static uint64_t deadline_ns(const struct export_push *p)
{
	uint64_t idle_ns = MAX(p->success_ns, p->closing_ns) + CLOSE_IDLE_NS;

	return p->closing ? MIN(idle_ns, p->closing_ns + CLOSE_NS) : UINT64_MAX;
}

/* Waits before another try; false when there is to be none. */
static bool wait_to_retry(struct export_push *p, uint64_t begun_ns, uint64_t backoff_ns)
{
	uint64_t until_ns = clock_now_ns() + backoff_ns;
	struct timespec until;
	bool go_on;

	pthread_mutex_lock(&p->lock);
	while (clock_now_ns() < MIN(until_ns, deadline_ns(p)) &&
	       !(p->opts.cumulative && p->first)) {
		until = clock_timespec(MIN(until_ns, deadline_ns(p)));
		pthread_cond_timedwait(&p->more, &p->lock, &until);
	}
	go_on = clock_now_ns() < MIN(begun_ns + RETRY_NS, deadline_ns(p)) &&
		!(p->opts.cumulative && p->first);
	pthread_mutex_unlock(&p->lock);
	return go_on;
}

static uint64_t timeout_ns(struct export_push *p)
{
	uint64_t now_ns = clock_now_ns(), due_ns;

	pthread_mutex_lock(&p->lock);
	due_ns = deadline_ns(p);
	pthread_mutex_unlock(&p->lock);
	return due_ns <= now_ns ? 0 : MIN(REQUEST_NS, due_ns - now_ns);
}

static void note(struct export_push *p, const char *why)
{
	pthread_mutex_lock(&p->lock);
	free(p->why);
	p->why = why ? xstrdup(why) : NULL;
	pthread_mutex_unlock(&p->lock);
}

static int send_payload(struct export_push *p, const struct payload *b, struct strbuf *why)
{
	uint64_t begun_ns = clock_now_ns(), backoff_ns = BACKOFF_FIRST_NS;

	for (;;) {
		uint64_t most_ns = timeout_ns(p);
		int r = -EIO;

		if (most_ns)
			r = send_once(p, strbuf_str(&b->body), most_ns, why);
		else if (!why->len)
			strbuf_addf(why, "%s did not take them in the time after the end",
				    p->shown);
		if (r == 0)
			p->success_ns = clock_now_ns();
		note(p, r < 0 ? strbuf_cstr(why) : NULL);
		if (r != -EAGAIN || !wait_to_retry(p, begun_ns, backoff_ns))
			return r;
		backoff_ns = MIN(backoff_ns * 2, BACKOFF_MOST_NS);
	}
}

static void free_payload(struct payload *b)
{
	strbuf_release(&b->body);
	free(b);
}

static struct payload *next_payload(struct export_push *p)
{
	struct payload *b;

	pthread_mutex_lock(&p->lock);
	p->busy = false;
	while (!p->first && !p->closing)
		pthread_cond_wait(&p->more, &p->lock);
	b = p->first;
	if (b) {
		p->first = b->next;
		p->waiting_bytes -= b->body.len;
		p->busy = true;
	}
	if (!p->first)
		p->last = NULL;
	pthread_mutex_unlock(&p->lock);
	return b;
}

/* What a cumulative body held is in the next one, if that comes through. */
static void settle(struct export_push *p, const struct payload *b, int r, const char *why)
{
	if (!p->opts.cumulative) {
		if (r < 0)
			export_lose(p->owner, b->points, why);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->failed = r < 0;
	if (r < 0) {
		p->carried += b->points;
	} else {
		p->carried = 0;
	}
	pthread_mutex_unlock(&p->lock);
}

static void *run_push(void *arg)
{
	CLEANUP(strbuf_release) struct strbuf why = STRBUF_INIT;
	struct export_push *p = arg;
	struct payload *b;

	send_first(p);
	while ((b = next_payload(p)) != NULL) {
		int r;

		strbuf_clear(&why);
		r = send_payload(p, b, &why);
		settle(p, b, r, strbuf_cstr(&why));
		free_payload(b);
	}
	return NULL;
}

/* --- the output's side ------------------------------------------------------------------------ */

bool export_push_is_due(struct export_push *p)
{
	bool due;

	pthread_mutex_lock(&p->lock);
	due = !p->first;
	pthread_mutex_unlock(&p->lock);
	return due;
}

bool export_push_is_settled(struct export_push *p)
{
	bool settled;

	pthread_mutex_lock(&p->lock);
	settled = !p->first && !p->busy && !p->failed;
	pthread_mutex_unlock(&p->lock);
	return settled;
}

/* The list is full: says what keeps the receiver. */
static void lose_body(struct export_push *p, struct strbuf *body, uint64_t points)
{
	CLEANUP(mem_cleanup) char *why = NULL;

	pthread_mutex_lock(&p->lock);
	why = xasprintf("64 MB waited for its receiver, which %s%s",
			p->why ? "failed: " : "was too slow", p->why ? p->why : "");
	pthread_mutex_unlock(&p->lock);
	strbuf_clear(body);
	export_lose(p->owner, points, why);
}

static bool append(struct export_push *p, struct strbuf *body, uint64_t points)
{
	struct payload *b;

	if (p->first && p->waiting_bytes + body->len > WAITING_BYTES)
		return false;
	b = xcalloc(1, sizeof(*b));
	b->body = *body;
	b->points = points;
	*body = (struct strbuf)STRBUF_INIT;
	if (p->last)
		p->last->next = b;
	else
		p->first = b;
	p->last = b;
	p->waiting_bytes += b->body.len;
	pthread_cond_signal(&p->more);
	return true;
}

void export_push_put(struct export_push *p, struct strbuf *body, uint64_t points)
{
	bool taken;

	pthread_mutex_lock(&p->lock);
	taken = append(p, body, points);
	pthread_mutex_unlock(&p->lock);
	if (!taken)
		lose_body(p, body, points);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int read_certificate(struct export_push *p, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf cert = STRBUF_INIT, key = STRBUF_INIT;

	if (!p->opts.cert_file)
		return 0;
	if (file_read(p->opts.cert_file, PEM_BYTES_MAX, &cert, reterr) < 0 ||
	    file_read(p->opts.key_file ? p->opts.key_file : p->opts.cert_file, PEM_BYTES_MAX, &key,
		      reterr) < 0)
		return reterr->code;
	p->auth = net_tls_auth_new();
	return net_tls_auth_add(p->auth, strbuf_str(&cert), strbuf_str(&key), NULL, reterr);
}

static int open_parts(struct export_push *p, struct error *reterr)
{
	struct net_tls_opts tls = { 0 };

	if (net_url_parse(&p->url, str_from(p->opts.url), reterr) < 0)
		return error_wrap(reterr, "the receiver's address");
	if (p->url.tls && read_certificate(p, reterr) < 0)
		return error_wrap(reterr, "the client's certificate");
	tls.insecure = p->opts.insecure;
	tls.ca_file = p->opts.ca_file;
	tls.auth = p->auth;
	return net_fetch_open_tls(&p->fetch, &tls, reterr);
}

static void free_push(struct export_push *p)
{
	net_fetch_close(p->fetch);
	net_tls_auth_free(p->auth);
	export_push_opts_release(&p->opts);
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	free(p->shown);
	free(p->why);
	free(p);
}

static void init_sync(struct export_push *p)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->more, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&p->lock, NULL);
}

int export_push_open(struct export_push **ret, struct export_output *owner,
		     struct export_push_opts *opts, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf shown = STRBUF_INIT;
	struct export_push *p = xcalloc(1, sizeof(*p));
	int r;

	p->owner = owner;
	p->opts = *opts;
	*opts = (struct export_push_opts){ 0 };
	init_sync(p);
	net_url_mask(&shown, str_from(p->opts.url));
	p->shown = strbuf_detach(&shown);
	p->shown[strcspn(p->shown, "?")] = '\0';
	r = open_parts(p, reterr);
	if (r == 0)
		r = -pthread_create(&p->thread, NULL, run_push, p);
	if (r < 0 && !reterr->code)
		error_errno(reterr, r, "starting the thread that sends to %s", p->shown);
	if (r < 0) {
		free_push(p);
		return r;
	}
	*ret = p;
	return 0;
}

void export_push_close(struct export_push *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	p->closing_ns = clock_now_ns();
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	if (p->carried)
		export_lose(p->owner, p->carried, p->why ? p->why : p->shown);
	free_push(p);
}
