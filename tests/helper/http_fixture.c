/*
 * http_fixture - a small HTTP/1.1 server for end-to-end tests, kind and hostile by route:
 *
 *	http_fixture [SECONDS [LOG]]
 *
 * Prints "PORT\n" when it listens on 127.0.0.1 and ends when its standard input closes or after
 * SECONDS (120 unless given), whichever is first. Requests are appended to LOG as they came, a line
 * "----" after each. One thread a connection; nothing but libc, so
 *that it shares no code with what it tests.
 *
 *	/echo            "METHOD PATH LENGTH\n" and the body
 *	/json            a fixed document
 *	/status/N        that status
 *	/bytes/N         N times 'x'
 *	/cookie          sets the cookie "sid" to "jar"
 *	/delay/MS        an answer after MS
 *	/serial/MS       an answer after MS of work, one at a time: 1000/MS a second at most
 *	/stall/MS        at once, but nothing for MS, from 1 s after the first of these on
 *	/redirect/N      302 to /redirect/N-1, at last to /echo
 *	/close           an answer, then the connection is closed ("Connection: close")
 *	/chunked         "hello world" in two chunks
 *	/drop            closes without an answer
 *	/hang            never answers
 *	/drip/N          N bytes of body, one every 20 ms
 *	/short           says 100 bytes, sends 10, closes
 *	/cut             a chunk, then closes
 *	/long            says 4 bytes, sends 40
 *	/headers         header lines without end
 *	/header          one header line without end
 *	/garbage         bytes that are no HTTP
 *	/badlength       "Content-Length: -5"
 *	/badchunk        a chunk size that is no number
 *	/count           how many requests came so far, this one not counted
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct request {
	char method[16], path[512];
	char *body;
	size_t body_len;
};

struct conn {
	int fd;
	char in[65536];
	size_t len;
};

static atomic_ulong requests;
static FILE *request_log;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		p += sent;
		n -= (size_t)sent;
	}
	return true;
}

static bool send_text(int fd, const char *text)
{
	return send_all(fd, text, strlen(text));
}

static bool answer(int fd, int status, const char *headers, const char *body, size_t body_len)
{
	char head[512];
	int n = snprintf(head, sizeof(head), "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\n%s\r\n",
			 status, status == 200 ? "OK" : "Other", body_len, headers);

	return send_all(fd, head, (size_t)n) && send_all(fd, body, body_len);
}

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void log_request(const char *bytes, size_t n)
{
	pthread_mutex_lock(&log_lock);
	fwrite(bytes, 1, n, request_log);
	fputs("\n----\n", request_log);
	fflush(request_log);
	pthread_mutex_unlock(&log_lock);
}

/* More input; false at the end of the connection. */
static bool fill(struct conn *c)
{
	ssize_t n;

	if (c->len == sizeof(c->in))
		return false;
	n = recv(c->fd, c->in + c->len, sizeof(c->in) - c->len, 0);
	if (n <= 0)
		return false;
	c->len += (size_t)n;
	return true;
}

static bool read_request(struct conn *c, struct request *r, size_t *ret_used)
{
	char *end, *length;
	size_t head;

	while (!(end = memmem(c->in, c->len, "\r\n\r\n", 4)))
		if (!fill(c))
			return false;
	head = (size_t)(end - c->in) + 4;
	if (sscanf(c->in, "%15s %511s", r->method, r->path) != 2)
		return false;
	*end = '\0';
	length = strcasestr(c->in, "\r\ncontent-length:");
	r->body_len = length ? strtoul(length + 17, NULL, 10) : 0;
	if (r->body_len > sizeof(c->in) - head)
		return false;
	while (c->len < head + r->body_len)
		if (!fill(c))
			return false;
	r->body = c->in + head;
	*ret_used = head + r->body_len;
	if (request_log) {
		*end = '\r';
		log_request(c->in, *ret_used);
		*end = '\0';
	}
	return true;
}

static bool route_echo(int fd, const struct request *r, long n)
{
	char body[70000];
	int len = snprintf(body, sizeof(body), "%s %s %zu\n", r->method, r->path, r->body_len);

	(void)n;
	memcpy(body + len, r->body, r->body_len);
	return answer(fd, 200, "Content-Type: text/plain\r\n", body, (size_t)len + r->body_len);
}

static bool route_json(int fd, const struct request *r, long n)
{
	static const char doc[] =
		"{\"name\":\"kit\",\"list\":[1,2,{\"deep\":true}],\"nothing\":null}";

	(void)r;
	(void)n;
	return answer(fd, 200, "Content-Type: application/json\r\n", doc, sizeof(doc) - 1);
}

static bool route_status(int fd, const struct request *r, long n)
{
	(void)r;
	return answer(fd, (int)n, "", "", 0);
}

static bool route_bytes(int fd, const struct request *r, long n)
{
	char *body = malloc((size_t)n + 1);
	bool ok;

	(void)r;
	memset(body, 'x', (size_t)n);
	ok = answer(fd, 200, "", body, (size_t)n);
	free(body);
	return ok;
}

static bool route_delay(int fd, const struct request *r, long n)
{
	(void)r;
	sleep_ms(n);
	return answer(fd, 200, "", "late", 4);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool route_stall(int fd, const struct request *r, long n)
{
	static atomic_long first_ms;
	long none = 0, now = now_ms();

	(void)r;
	atomic_compare_exchange_strong(&first_ms, &none, now);
	now -= atomic_load(&first_ms);
	if (now >= 1000 && now < 1000 + n)
		sleep_ms(1000 + n - now);
	return answer(fd, 200, "", "ok", 2);
}

static bool route_cookie(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	return answer(fd, 200, "Set-Cookie: sid=jar; Path=/\r\n", "", 0);
}

/* When the one that works is free again; each takes its turn by the clock, so that nothing is lost
 * between two. */
static bool route_serial(int fd, const struct request *r, long n)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct timespec free_at;
	struct timespec now, done;

	(void)r;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&lock);
	if (free_at.tv_sec < now.tv_sec ||
	    (free_at.tv_sec == now.tv_sec && free_at.tv_nsec < now.tv_nsec))
		free_at = now;
	free_at.tv_nsec += n * 1000000;
	free_at.tv_sec += free_at.tv_nsec / 1000000000;
	free_at.tv_nsec %= 1000000000;
	done = free_at;
	pthread_mutex_unlock(&lock);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &done, NULL) == EINTR)
		;
	return answer(fd, 200, "", "done", 4);
}

static bool route_redirect(int fd, const struct request *r, long n)
{
	char location[64];

	(void)r;
	if (n > 1)
		snprintf(location, sizeof(location), "Location: /redirect/%ld\r\n", n - 1);
	else
		snprintf(location, sizeof(location), "Location: /echo\r\n");
	return answer(fd, 302, location, "", 0);
}

static bool route_close(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	answer(fd, 200, "Connection: close\r\n", "bye", 3);
	return false;
}

static bool route_chunked(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	return send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
			     "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n");
}

static bool route_drop(int fd, const struct request *r, long n)
{
	(void)fd;
	(void)r;
	(void)n;
	return false;
}

static bool route_hang(int fd, const struct request *r, long n)
{
	char byte;

	(void)r;
	(void)n;
	while (recv(fd, &byte, 1, 0) > 0)
		;
	return false;
}

static bool route_drip(int fd, const struct request *r, long n)
{
	char head[128];

	(void)r;
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %ld\r\n\r\n", n);
	if (!send_text(fd, head))
		return false;
	for (long i = 0; i < n; i++) {
		sleep_ms(20);
		if (!send_all(fd, "d", 1))
			return false;
	}
	return true;
}

static bool route_short(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	send_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
	return false;
}

static bool route_cut(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello ");
	return false;
}

static bool route_long(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	return send_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
			     "0123456789012345678901234567890123456789");
}

static bool route_headers(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	if (!send_text(fd, "HTTP/1.1 200 OK\r\n"))
		return false;
	for (long i = 0; i < 1000000; i++)
		if (!send_text(fd, "X-More: and more and more and more and more\r\n"))
			return false;
	return false;
}

static bool route_header(int fd, const struct request *r, long n)
{
	char part[4096];

	(void)r;
	(void)n;
	memset(part, 'h', sizeof(part));
	if (!send_text(fd, "HTTP/1.1 200 OK\r\nX-Long: "))
		return false;
	for (long i = 0; i < 100000; i++)
		if (!send_all(fd, part, sizeof(part)))
			return false;
	return false;
}

static bool route_garbage(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	send_text(fd, "\x01\x02SSH-2.0-not-http\r\n\r\n");
	return false;
}

static bool route_badlength(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	return send_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc");
}

static bool route_badchunk(int fd, const struct request *r, long n)
{
	(void)r;
	(void)n;
	return send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n");
}

static bool route_count(int fd, const struct request *r, long n)
{
	char body[32];
	int len = snprintf(body, sizeof(body), "%lu", atomic_load(&requests) - 1);

	(void)r;
	(void)n;
	return answer(fd, 200, "", body, (size_t)len);
}

/* Each answers and tells whether the connection may serve another request. */
static const struct {
	const char *name;
	bool (*serve)(int fd, const struct request *r, long n);
} routes[] = {
	{ "echo", route_echo },		  { "json", route_json },
	{ "status", route_status },	  { "bytes", route_bytes },
	{ "delay", route_delay },	  { "redirect", route_redirect },
	{ "stall", route_stall },	  { "close", route_close },
	{ "chunked", route_chunked },	  { "drop", route_drop },
	{ "hang", route_hang },		  { "drip", route_drip },
	{ "short", route_short },	  { "cut", route_cut },
	{ "long", route_long },		  { "headers", route_headers },
	{ "header", route_header },	  { "garbage", route_garbage },
	{ "badlength", route_badlength }, { "badchunk", route_badchunk },
	{ "count", route_count },	  { "serial", route_serial },
	{ "cookie", route_cookie },
};

static bool serve(int fd, const struct request *r)
{
	size_t len = strcspn(r->path + 1, "/?");
	const char *rest = r->path + 1 + len;
	long n = *rest == '/' ? strtol(rest + 1, NULL, 10) : 0;

	atomic_fetch_add(&requests, 1);
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (strlen(routes[i].name) == len && !strncmp(routes[i].name, r->path + 1, len))
			return routes[i].serve(fd, r, n);
	return answer(fd, 404, "", "no such route", 13);
}

static void *run_conn(void *arg)
{
	struct conn *c = arg;
	struct request r;
	size_t used;
	int on = 1;

	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	while (read_request(c, &r, &used)) {
		if (!serve(c->fd, &r))
			break;
		memmove(c->in, c->in + used, c->len - used);
		c->len -= used;
	}
	shutdown(c->fd, SHUT_WR);
	close(c->fd);
	free(c);
	return NULL;
}

static void *wait_for_end(void *arg)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	char byte;

	if (poll(&p, 1, *(int *)arg * 1000) > 0)
		while (read(0, &byte, 1) > 0)
			;
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t at_len = sizeof(at);
	int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 120;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_t thread;

	signal(SIGPIPE, SIG_IGN);
	if (argc > 2 && !(request_log = fopen(argv[2], "w"))) {
		perror(argv[2]);
		return 1;
	}
	if (listener < 0 || bind(listener, (struct sockaddr *)&at, at_len) < 0 ||
	    listen(listener, 1024) < 0 ||
	    getsockname(listener, (struct sockaddr *)&at, &at_len) < 0) {
		perror("http_fixture");
		return 1;
	}
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	pthread_create(&thread, NULL, wait_for_end, &seconds);
	for (;;) {
		struct conn *c = calloc(1, sizeof(*c));

		c->fd = accept(listener, NULL, NULL);
		if (c->fd < 0 || pthread_create(&thread, NULL, run_conn, c) != 0) {
			free(c);
			continue;
		}
		pthread_detach(thread);
	}
}
