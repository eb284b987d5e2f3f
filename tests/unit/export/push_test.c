/* How outputs get on with receivers that fail; influxdb is the one whose bodies hold points once.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "os/clock.h"
#include "receiver.h"
#include "rig.h"

static char *address(const struct receiver *rec)
{
	return xasprintf("influxdb=http://127.0.0.1:%u/db", rec->server.port);
}

/* Sends three points to a receiver with these answers; the first answer is to CREATE DATABASE. */
static uint64_t send_three(struct receiver *rec, const unsigned *statuses, size_t n,
			   const char *answer, const char **why)
{
	char *text;
	struct rig r;
	uint64_t lost;

	receiver_start(rec, statuses, n);
	rec->answer = answer;
	text = address(rec);
	rig_open(&r, text, NULL);
	for (unsigned i = 0; i < 3; i++)
		rig_add(&r, MY_TREND, "", i, i);
	lost = rig_close(&r, why);
	receiver_stop(rec);
	free(text);
	return lost;
}

TEST(what_may_pass_is_sent_again)
{
	const unsigned statuses[] = { 200, 503, 0, 429, 204 };
	struct receiver rec;
	const char *why;

	ASSERT_INT(send_three(&rec, statuses, ARRAY_SIZE(statuses), NULL, &why), 0);
	ASSERT_STREQ(why, "");
	ASSERT_TRUE(rec.count >= 5);
	for (unsigned i = 2; i < 5; i++)
		ASSERT_STREQ(strbuf_cstr(&rec.requests[i].body),
			     strbuf_cstr(&rec.requests[1].body));
	receiver_release(&rec);
}

TEST(a_final_no_is_taken_for_one)
{
	const unsigned statuses[] = { 200, 400 };
	struct receiver rec;
	const char *why;

	ASSERT_INT(send_three(&rec, statuses, 2, "{\"error\":\"no\x01\"}\nmore", &why), 3);
	ASSERT_INT(rec.count, 2);
	ASSERT_HAS(why, "http://127.0.0.1:");
	ASSERT_HAS(why, "/write answered 400: {\"error\":\"no?\"}");
	receiver_release(&rec);
}

/* refused connections: given up 5 s after the end, and the rest with it */
TEST(a_dead_receiver_costs_seconds_at_the_end)
{
	uint64_t begun_ns = clock_now_ns(), took_ns;
	const char *why;
	struct rig r;

	rig_open(&r, "influxdb=http://127.0.0.1:1/db", NULL);
	for (unsigned i = 0; i < 30000; i++)
		rig_add(&r, MY_TREND, "a=b", i, i);
	ASSERT_INT(rig_close(&r, &why), 30000);
	ASSERT_HAS(why, "http://127.0.0.1:1/write: ");
	took_ns = clock_now_ns() - begun_ns;
	ASSERT_TRUE(took_ns >= 4 * NS_PER_S && took_ns < 8 * NS_PER_S);
}

static void serve_nothing(struct connection *c)
{
	server_wait_close(c->fd);
}

TEST(a_silent_receiver_costs_seconds_at_the_end)
{
	uint64_t begun_ns = clock_now_ns();
	struct server server;
	const char *why;
	struct rig r;
	char *text;

	server_start(&server, serve_nothing, NULL);
	text = xasprintf("influxdb=http://127.0.0.1:%u/db", server.port);
	rig_open(&r, text, NULL);
	for (unsigned i = 0; i < 5000; i++)
		rig_add(&r, MY_TREND, "", i, i);
	ASSERT_INT(rig_close(&r, &why), 5000);
	ASSERT_TRUE(clock_now_ns() - begun_ns < 13 * NS_PER_S);
	ASSERT_TRUE(*why);
	server_stop(&server);
	free(text);
}
