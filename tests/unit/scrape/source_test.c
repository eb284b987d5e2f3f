/* Pages from a server that does as it is told, and what becomes of them. */
#include "scrape/source.h"

#include <errno.h>

#include "../net/server.h"
#include "../watch/rig.h"
#include "base/mem.h"
#include "os/clock.h"
#include "test.h"

/* Each connection gets the answer of its number; NULL: it is closed without a word. */
static void serve(struct connection *c)
{
	const char *const *answers = c->server->arg;
	char head[4096];

	server_read_head(c->fd, head, sizeof(head));
	if (answers[c->number])
		server_send(c->fd, answers[c->number]);
}

#define OK(body) "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" body
#define NOT_OK	 "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static struct watch_source *open_source(uint16_t port)
{
	CLEANUP(mem_cleanup) char *url = xasprintf("127.0.0.1:%u", port);
	struct watch_source *s;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(scrape_source_new(&(struct scrape_source_opts){ .url = url,
								      .timeout_ns = 2 * NS_PER_S,
								      .max_series = 100 },
					&s, &err),
		      err);
	return s;
}

TEST(source_goes_on_over_pages_that_do_not_come)
{
	static const char *const answers[] = {
		OK("a_total 1\n"), NOT_OK, NULL, OK("<html>"), OK("a_total 11\n"),
		OK("a_total 12\n")
	};
	struct server server;
	struct watch_source *s;
	struct error err = ERROR_INIT;
	struct log log;

	server_start(&server, serve, answers);
	s = open_source(server.port);
	log_init(&log);
	ASSERT_OK_ERR(s->ops->start(s, &log.out, 1, &err), err);
	for (int i = 0; i < 5; i++)
		ASSERT_OK(s->ops->poll(s, clock_now_ns()));
	s->ops->close(s);
	server_stop(&server);
	ASSERT_HAS(strbuf_cstr(&log.text), "/metrics: status 503) prometheus/a_total=10/");
	ASSERT_HAS(strbuf_cstr(&log.text), "(/metrics is there again, after 3 missed) "
					   "prometheus/a_total=1/");
	ASSERT_INT(log.notes, 2);
}

TEST(source_without_a_first_page_does_not_start)
{
	static const char *const answers[] = { OK("\n") };
	struct server server;
	struct watch_source *s;
	struct error err = ERROR_INIT;
	struct log log;

	log_init(&log);
	server_start(&server, serve, answers);
	s = open_source(server.port);
	ASSERT_INT(s->ops->start(s, &log.out, 1, &err), -EBADMSG);
	ASSERT_HAS(err.msg, "http://127.0.0.1:");
	ASSERT_HAS(err.msg, "no Prometheus text");
	s->ops->close(s);
	server_stop(&server);
	s = open_source(server.port);
	ASSERT_INT(s->ops->start(s, &log.out, 1, &err), -EIO);
	ASSERT_HAS(err.msg, "refused");
	s->ops->close(s);
	ASSERT_TRUE(scrape_source_new(&(struct scrape_source_opts){ .url = "ftp://x/" }, &s, &err) <
		    0);
}
