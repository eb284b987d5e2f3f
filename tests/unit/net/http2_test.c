/*
 * HTTP/2 against servers whose frames are written by hand from RFC 9113 4.1 and 6; fields are from
 * RFC 7541's static table (0x88 is ":status: 200") or literal. What the client sends is read with
 * nghttp2's own decoder.
 */
#include "net/http2.h"

#include <nghttp2/nghttp2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"
#include "tls_server.h"

enum { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

/* --- the server's side --- */

struct frame {
	unsigned len, type, flags, stream;
	unsigned char payload[1 << 16];
};

static void send_frame(int fd, unsigned type, unsigned flags, unsigned stream, const void *payload,
		       size_t len)
{
	unsigned char head[9] = { (unsigned char)(len >> 16),
				  (unsigned char)(len >> 8),
				  (unsigned char)len,
				  (unsigned char)type,
				  (unsigned char)flags,
				  (unsigned char)(stream >> 24),
				  (unsigned char)(stream >> 16),
				  (unsigned char)(stream >> 8),
				  (unsigned char)stream };

	server_send_bytes(fd, head, sizeof(head));
	server_send_bytes(fd, payload, len);
}

static void send_code(int fd, unsigned type, unsigned stream, unsigned code)
{
	unsigned char payload[4] = { (unsigned char)(code >> 24), (unsigned char)(code >> 16),
				     (unsigned char)(code >> 8), (unsigned char)code };

	send_frame(fd, type, 0, stream, payload, sizeof(payload));
}

static void send_goaway(int fd, unsigned last_stream, unsigned code)
{
	unsigned char payload[8] = { 0, 0, 0, (unsigned char)last_stream,
				     0, 0, 0, (unsigned char)code };

	send_frame(fd, GOAWAY, 0, 0, payload, sizeof(payload));
}

/* Ends what is sent; what the client still sends is read, else the kernel would reset. */
static void end_stream_of_bytes(int fd)
{
	shutdown(fd, SHUT_WR);
	server_wait_close(fd);
}

static void send_ok(int fd, unsigned stream, const char *body)
{
	send_frame(fd, HEADERS, END_HEADERS, stream, "\x88", 1);
	send_frame(fd, DATA, END_STREAM, stream, body, strlen(body));
}

static bool read_exactly(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_frame(int fd, struct frame *f)
{
	unsigned char head[9];

	if (!read_exactly(fd, head, sizeof(head)))
		return false;
	f->len = (unsigned)head[0] << 16 | (unsigned)head[1] << 8 | head[2];
	f->type = head[3];
	f->flags = head[4];
	f->stream = (unsigned)head[7] << 8 | head[8];
	BUG_ON(f->len > sizeof(f->payload));
	return read_exactly(fd, f->payload, f->len);
}

/* Reads the connection preface (RFC 9113 3.4) and answers with settings. */
static bool open_server(int fd, const void *settings, size_t len)
{
	char preface[24];

	if (!read_exactly(fd, preface, sizeof(preface)) ||
	    memcmp(preface, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", sizeof(preface)) != 0)
		return false;
	send_frame(fd, SETTINGS, 0, 0, settings, len);
	return true;
}

/* The next frame of that type; false when the client closes first. */
static bool await(int fd, unsigned type, struct frame *f)
{
	while (read_frame(fd, f))
		if (f->type == type && !(type == SETTINGS && (f->flags & ACK)))
			return true;
	return false;
}

/* --- the client's --- */

static const struct net_client_opts by_h2 = { .http = NET_HTTP_2 };

static struct net_response *results[8];
static unsigned n_results;

static void keep(void *arg, struct net_response *res)
{
	struct rig *b = arg;

	results[n_results++] = res;
	b->done++;
}

static void begin_kept(struct rig *b)
{
	rig_begin(b, rig_url(b), (struct net_request){ .done = keep });
}

static void free_results(void)
{
	while (n_results)
		net_response_free(results[--n_results]);
}

static struct net_response *with_body(const char *body)
{
	for (unsigned i = 0; i < n_results; i++)
		if (!strcmp(strbuf_cstr(&results[i]->body), body))
			return results[i];
	test_fail(__FILE__, __LINE__, "no reply has the body %s", body);
}

/* --- what goes well --- */

static struct strbuf seen;

static void note_fields(const struct frame *f)
{
	nghttp2_hd_inflater *inflater;
	const unsigned char *p = f->payload;
	size_t len = f->len;
	nghttp2_nv nv;
	int flags = 0;

	BUG_ON(nghttp2_hd_inflate_new(&inflater) != 0);
	while (!(flags & NGHTTP2_HD_INFLATE_FINAL)) {
		ssize_t n = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, p, len, 1);

		BUG_ON(n < 0);
		p += n;
		len -= (size_t)n;
		if (flags & NGHTTP2_HD_INFLATE_EMIT)
			strbuf_addf(&seen, "%s=%s\n", nv.name, nv.value);
	}
	nghttp2_hd_inflate_del(inflater);
}

static void serve_one_and_note(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	note_fields(&f);
	BUG_ON(!await(c->fd, DATA, &f));
	strbuf_add(&seen, (const char *)f.payload, f.len);
	send_ok(c->fd, f.stream, "hello");
	server_wait_close(c->fd);
}

TEST(h2_sends_fields_and_body_and_reads_the_reply)
{
	static const struct net_header headers[] = { { STR("X-Own"), STR("a: b") },
						     { STR("Connection"), STR("keep-alive") },
						     { STR("TE"), STR("gzip") } };
	struct rig b;
	struct net_response *res;
	char expected[256];

	rig_serve(&b, serve_one_and_note, NULL,
		  &(struct net_client_opts){ .http = NET_HTTP_2, .user_agent = "ua" });
	res = rig_request(&b, (struct net_request){ .method = STR("POST"),
						    .headers = headers,
						    .n_headers = 3,
						    .body = STR("data") });
	ASSERT_ERR(res, "ok");
	ASSERT_INT(res->head.status, 200);
	ASSERT_STREQ(net_head_proto(&res->head), "HTTP/2.0");
	ASSERT_TRUE(str_eq_c(net_head_reason(&res->head), "OK"));
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_TRUE(res->t.connecting_ns > 0 && res->t.waiting_ns > 0 && !res->reused);
	/* two frames of 9 bytes, one of 1 and one of 5, and a SETTINGS of 0 */
	ASSERT_INT(res->received_bytes, 9 + 9 + 1 + 9 + 5);
	rig_close(&b);
	snprintf(expected, sizeof(expected),
		 ":method=POST\n:scheme=http\n:authority=127.0.0.1:%u\n:path=/path\n"
		 "user-agent=ua\ncontent-length=4\nx-own=a: b\ndata",
		 b.server.port);
	ASSERT_STREQ(strbuf_cstr(&seen), expected);
	strbuf_release(&seen);
}

static void serve_three_backwards(struct connection *c)
{
	static const char *const bodies[] = { "one", "two", "three" };
	struct frame f[3];

	if (!open_server(c->fd, NULL, 0))
		return;
	for (int i = 0; i < 3; i++)
		BUG_ON(!await(c->fd, HEADERS, &f[i]));
	for (int i = 3; i-- > 0;)
		send_ok(c->fd, f[i].stream, bodies[i]);
	BUG_ON(!await(c->fd, HEADERS, &f[0]));
	send_ok(c->fd, f[0].stream, "four");
	server_wait_close(c->fd);
}

TEST(h2_shares_one_connection)
{
	struct rig b;

	rig_serve(&b, serve_three_backwards, NULL, &by_h2);
	/* the first one's connection is there before the others begin */
	begin_kept(&b);
	rig_idle(&b, 50 * NS_PER_MS);
	begin_kept(&b);
	begin_kept(&b);
	rig_wait(&b, 3);
	ASSERT_STREQ(strbuf_cstr(&results[0]->body), "three");
	ASSERT_TRUE(!with_body("one")->reused && with_body("two")->reused);
	begin_kept(&b);
	rig_wait(&b, 4);
	ASSERT_STREQ(strbuf_cstr(&results[3]->body), "four");
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	free_results();
	rig_close(&b);
}

static void serve_each(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0))
		return;
	while (await(c->fd, HEADERS, &f))
		send_ok(c->fd, f.stream, "hello");
}

TEST(h2_dialled_at_once_stays_with_one_connection)
{
	struct rig b;

	rig_serve(&b, serve_each, NULL, &by_h2);
	for (int i = 0; i < 3; i++)
		begin_kept(&b);
	rig_wait(&b, 3);
	begin_kept(&b);
	begin_kept(&b);
	rig_wait(&b, 5);
	for (unsigned i = 0; i < 5; i++)
		ASSERT_ERR(results[i], "ok");
	ASSERT_TRUE(results[3]->reused && results[4]->reused);
	free_results();
	rig_close(&b);
}

/* SETTINGS_MAX_CONCURRENT_STREAMS = 1 (RFC 9113 6.5.2) */
static void serve_one_at_a_time(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, "\0\3\0\0\0\1", 6))
		return;
	while (await(c->fd, HEADERS, &f)) {
		server_sleep_ms(20);
		send_ok(c->fd, f.stream, "hello");
	}
}

TEST(h2_opens_another_connection_above_the_servers_limit)
{
	struct rig b;

	rig_serve(&b, serve_one_at_a_time, NULL, &by_h2);
	begin_kept(&b);
	rig_wait(&b, 1);
	begin_kept(&b);
	begin_kept(&b);
	rig_wait(&b, 3);
	for (unsigned i = 0; i < 3; i++)
		ASSERT_ERR(results[i], "ok");
	ASSERT_INT(atomic_load(&b.server.accepted), 2);
	free_results();
	rig_close(&b);
}

/* ":status: 103" and "x: y" as literals without indexing (RFC 7541 6.2.2); then 200; trailers. */
static void serve_interim_and_trailers(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_frame(c->fd, HEADERS, END_HEADERS, f.stream,
		   "\x08\x03"
		   "103"
		   "\0\1x\1y",
		   10);
	send_frame(c->fd, HEADERS, END_HEADERS, f.stream, "\x88\0\1z\1w", 6);
	send_frame(c->fd, DATA, 0, f.stream, "he", 2);
	send_frame(c->fd, DATA, 0, f.stream, "llo", 3);
	send_frame(c->fd, HEADERS, END_HEADERS | END_STREAM, f.stream, "\0\1t\1v", 5);
	server_wait_close(c->fd);
}

TEST(h2_skips_interim_heads_and_trailers)
{
	struct rig b;
	struct net_response *res;

	rig_serve(&b, serve_interim_and_trailers, NULL, &by_h2);
	res = rig_get(&b);
	ASSERT_ERR(res, "ok");
	ASSERT_INT(res->head.status, 200);
	ASSERT_STREQ(strbuf_cstr(&res->body), "hello");
	ASSERT_STREQ(strbuf_cstr(&res->head.text), "HTTP/2.0 200 OK\r\nz: w\r\n");
	rig_close(&b);
}

static atomic_int pinged;

static void serve_ping(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_ok(c->fd, f.stream, "hello");
	send_frame(c->fd, PING, 0, 0, "12345678", 8);
	if (await(c->fd, PING, &f))
		atomic_store(&pinged, (f.flags & ACK) && !memcmp(f.payload, "12345678", 8));
	server_wait_close(c->fd);
}

TEST(h2_answers_a_ping_while_idle)
{
	struct rig b;

	rig_serve(&b, serve_ping, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "ok");
	rig_idle(&b, 100 * NS_PER_MS);
	rig_close(&b);
	ASSERT_TRUE(atomic_load(&pinged));
}

static atomic_llong received;

/* Opens the windows (65,535 bytes at first) a step at a time. */
static void serve_upload(struct connection *c)
{
	struct frame f;
	unsigned stream;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	stream = f.stream;
	while (await(c->fd, DATA, &f)) {
		atomic_fetch_add(&received, f.len);
		if (f.flags & END_STREAM)
			break;
		send_code(c->fd, WINDOW_UPDATE, 0, f.len);
		send_code(c->fd, WINDOW_UPDATE, stream, f.len);
	}
	send_ok(c->fd, stream, "hello");
	server_wait_close(c->fd);
}

TEST(h2_sends_a_large_body_through_the_window)
{
	char *data = xcalloc(1, 3000000);
	struct rig b;

	rig_serve(&b, serve_upload, NULL, &by_h2);
	ASSERT_ERR(rig_request(&b, (struct net_request){ .method = STR("PUT"),
							 .body = { data, 3000000 } }),
		   "ok");
	ASSERT_INT(atomic_load(&received), 3000000);
	rig_close(&b);
	free(data);
}

/* --- what does not --- */

static void serve_reset_first(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_code(c->fd, RST_STREAM, f.stream, *(const unsigned *)c->server->arg);
	while (await(c->fd, HEADERS, &f))
		send_ok(c->fd, f.stream, "hello");
}

TEST(h2_reset_by_the_server_ends_the_request_only)
{
	static const unsigned internal_error = 2;
	struct rig b;

	rig_serve(&b, serve_reset_first, &internal_error, &by_h2);
	ASSERT_ERR(rig_get(&b), "h2_stream");
	ASSERT_INT(b.res->h2_code, 2);
	ASSERT_HAS(strbuf_cstr(&b.res->message), "INTERNAL_ERROR");
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_TRUE(b.res->reused);
	rig_close(&b);
}

TEST(h2_refused_request_is_sent_once_more)
{
	static const unsigned refused_stream = 7;
	struct rig b;

	rig_serve(&b, serve_reset_first, &refused_stream, &by_h2);
	ASSERT_ERR(rig_request(&b, (struct net_request){ .method = STR("POST"), .body = STR("x") }),
		   "ok");
	ASSERT_TRUE(b.res->retried);
	rig_close(&b);
}

/* The first connection goes away before the second of two requests. */
static void serve_goaway(struct connection *c)
{
	struct frame f[2];

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f[0]))
		return;
	if (c->number == 0) {
		BUG_ON(!await(c->fd, HEADERS, &f[1]));
		send_goaway(c->fd, f[0].stream, 0);
	}
	send_ok(c->fd, f[0].stream, c->number ? "new" : "old");
	server_wait_close(c->fd);
}

TEST(h2_goaway_sends_what_was_not_handled_elsewhere)
{
	struct rig b;

	rig_serve(&b, serve_goaway, NULL, &by_h2);
	begin_kept(&b);
	rig_idle(&b, 50 * NS_PER_MS);
	begin_kept(&b);
	rig_wait(&b, 2);
	ASSERT_ERR(with_body("old"), "ok");
	ASSERT_TRUE(with_body("new")->retried);
	ASSERT_INT(atomic_load(&b.server.accepted), 2);
	free_results();
	rig_close(&b);
}

static void serve_goaway_calm(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_goaway(c->fd, f.stream, 11);
	end_stream_of_bytes(c->fd);
}

TEST(h2_goaway_with_an_error_is_told)
{
	struct rig b;

	rig_serve(&b, serve_goaway_calm, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "h2_goaway");
	ASSERT_INT(b.res->h2_code, 11);
	ASSERT_HAS(strbuf_cstr(&b.res->message), "ENHANCE_YOUR_CALM");
	rig_close(&b);
}

static void serve_http1(struct connection *c)
{
	char preface[24];

	if (read_exactly(c->fd, preface, sizeof(preface)))
		server_send(c->fd, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
	server_wait_close(c->fd);
}

TEST(h2_tells_a_server_that_speaks_http1)
{
	struct rig b;

	rig_serve(&b, serve_http1, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "h2_connection");
	rig_close(&b);
}

/* A DATA frame on a stream that was never opened: a connection error (RFC 9113 5.1). */
static void serve_idle_data(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_frame(c->fd, DATA, 0, 77, "x", 1);
	server_wait_close(c->fd);
}

TEST(h2_tells_a_protocol_error)
{
	struct rig b;

	rig_serve(&b, serve_idle_data, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "h2_connection");
	ASSERT_INT(b.res->h2_code, 1);
	rig_close(&b);
}

static void serve_half(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_frame(c->fd, HEADERS, END_HEADERS, f.stream, "\x88", 1);
	send_frame(c->fd, DATA, 0, f.stream, "hel", 3);
	end_stream_of_bytes(c->fd);
}

TEST(h2_tells_a_reply_that_breaks_off)
{
	struct rig b;

	rig_serve(&b, serve_half, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "truncated");
	rig_close(&b);
}

static void serve_close_after_one(struct connection *c)
{
	struct frame f;

	if (open_server(c->fd, NULL, 0) && await(c->fd, HEADERS, &f))
		send_ok(c->fd, f.stream, "hello");
	if (c->number)
		server_wait_close(c->fd);
	else
		await(c->fd, HEADERS, &f); /* and closes on the second request */
}

TEST(h2_stale_connection_is_replaced)
{
	struct rig b;

	rig_serve(&b, serve_close_after_one, NULL, &by_h2);
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_TRUE(b.res->retried);
	rig_close(&b);
}

static atomic_int reset_code;

/* Says nothing to the first, answers the second, and hears that the first was given up. */
static void serve_slow_first(struct connection *c)
{
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f) ||
	    !await(c->fd, RST_STREAM, &f))
		return;
	atomic_store(&reset_code, f.payload[3]);
	while (await(c->fd, HEADERS, &f))
		send_ok(c->fd, f.stream, "hello");
}

TEST(h2_timeout_gives_the_stream_up_and_keeps_the_connection)
{
	struct rig b;

	rig_serve(&b, serve_slow_first, NULL, &by_h2);
	ASSERT_ERR(rig_request(&b, (struct net_request){ .timeout_ns = 50 * NS_PER_MS }),
		   "timeout");
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_INT(atomic_load(&b.server.accepted), 1);
	rig_close(&b);
	ASSERT_INT(atomic_load(&reset_code), 8); /* CANCEL */
}

TEST(h2_cancelled_call_gives_the_stream_up)
{
	struct rig b;
	struct net_call *call;

	rig_serve(&b, serve_slow_first, NULL, &by_h2);
	call = rig_begin(&b, rig_url(&b), (struct net_request){ 0 });
	rig_idle(&b, 50 * NS_PER_MS);
	net_call_cancel(call);
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_INT(b.done, 1);
	rig_close(&b);
}

static void serve_large_body(struct connection *c)
{
	static const char chunk[10000];
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	send_frame(c->fd, HEADERS, END_HEADERS, f.stream, "\x88", 1);
	send_frame(c->fd, DATA, 0, f.stream, chunk, sizeof(chunk));
	while (await(c->fd, HEADERS, &f))
		send_ok(c->fd, f.stream, "hello");
}

TEST(h2_body_above_the_limit_is_given_up)
{
	struct rig b;

	rig_serve(&b, serve_large_body, NULL, &by_h2);
	ASSERT_ERR(rig_request(&b, (struct net_request){ .max_body_bytes = 5000 }), "too_large");
	ASSERT_ERR(rig_get(&b), "ok");
	ASSERT_TRUE(b.res->reused);
	rig_close(&b);
}

/* "x" with a value of 16,000 bytes (0x7f and 15,873 as a varint, RFC 7541 5.1), five times. */
static void serve_large_head(struct connection *c)
{
	struct strbuf block = STRBUF_INIT;
	struct frame f;

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f))
		return;
	strbuf_addstr(&block, "\x88");
	strbuf_add(&block, "\0\1x\x7f\x81\x7c", 6);
	for (int i = 0; i < 16000; i++)
		strbuf_addch(&block, 'v');
	send_frame(c->fd, HEADERS, 0, f.stream, block.ptr, block.len);
	for (int i = 0; i < 4; i++)
		send_frame(c->fd, 9 /* CONTINUATION */, i == 3 ? END_HEADERS : 0, f.stream,
			   block.ptr + 1, block.len - 1);
	strbuf_release(&block);
	server_wait_close(c->fd);
}

TEST(h2_head_above_the_limit_is_refused)
{
	struct rig b;

	rig_serve(&b, serve_large_head, NULL, &by_h2);
	rig_get(&b);
	ASSERT_TRUE(b.res->error == NET_ERR_TOO_LARGE || b.res->error == NET_ERR_H2_CONNECTION);
	ASSERT_TRUE(b.res->head.text.len <= NET_HEAD_MAX_BYTES);
	rig_close(&b);
}

/* The client's end, from within the first reply; a second request is under way. */
static void close_client(void *arg, struct net_response *res)
{
	struct rig *b = arg;

	net_response_free(res);
	net_client_free(b->client);
	b->client = NULL;
	b->done++;
}

static void serve_two_at_once(struct connection *c)
{
	struct frame f[2];

	if (!open_server(c->fd, NULL, 0) || !await(c->fd, HEADERS, &f[0]) ||
	    !await(c->fd, HEADERS, &f[1]))
		return;
	send_ok(c->fd, f[0].stream, "one");
	send_ok(c->fd, f[1].stream, "two");
	server_wait_close(c->fd);
}

TEST(h2_client_may_end_within_a_reply)
{
	struct rig b;

	rig_serve(&b, serve_two_at_once, NULL, &by_h2);
	rig_begin(&b, rig_url(&b), (struct net_request){ .done = close_client });
	rig_idle(&b, 50 * NS_PER_MS);
	rig_begin(&b, rig_url(&b), (struct net_request){ .done = close_client });
	rig_wait(&b, 1);
	ASSERT_INT(b.done, 1);
	rig_close(&b);
}

TEST(h2_demanded_of_a_tls_server_without_it_is_an_error)
{
	struct tls_server t;
	struct rig b;

	signal(SIGPIPE, SIG_IGN); /* OpenSSL's own sockets, on the server's side */
	tls_server_start(&t, &good_cert, serve_replies);
	rig_open(&b, &(struct net_stack_opts){ .tls.ca_file = t.cert.file }, &by_h2);
	ASSERT_ERR(get_https(&b, "localhost", t.server.port), "h2");
	ASSERT_HAS(strbuf_cstr(&b.res->message), "does not offer HTTP/2");
	rig_close(&b);
	tls_server_stop(&t);
}
