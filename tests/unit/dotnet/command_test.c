#include "dotnet/command.h"

#include <errno.h>
#include <stdio.h>

#include "os/file.h"
#include "test.h"

static struct str captured(struct strbuf *sb, const char *name)
{
	char path[256];
	struct error err = ERROR_INIT;

	snprintf(path, sizeof(path), "dotnet/ipc/%s.bin", name);
	ASSERT_OK_ERR(file_read(test_fixture(path), DOTNET_MESSAGE_MAX, sb, &err), err);
	return strbuf_str(sb);
}

/* Ours are the bytes that an official tool sent. */
static void assert_captured(const struct strbuf *ours, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf theirs = STRBUF_INIT;

	captured(&theirs, name);
	ASSERT_INT(ours->len, theirs.len);
	for (size_t i = 0; i < theirs.len; i++)
		if (ours->ptr[i] != theirs.ptr[i])
			test_fail(__FILE__, __LINE__, "%s: byte %zu is %02x, expected %02x", name,
				  i, (uint8_t)ours->ptr[i], (uint8_t)theirs.ptr[i]);
}

static void assert_collects(const char *name, const struct dotnet_session_wish *w, unsigned id)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_INT(dotnet_session_command(w), id);
	ASSERT_INT(dotnet_session_lost(w, id), 0);
	ASSERT_OK_ERR(dotnet_command_collect(&sb, id, w, &err), err);
	assert_captured(&sb, name);
}

TEST(command_without_payload_is_the_official_tools)
{
	CLEANUP(strbuf_release) struct strbuf info = STRBUF_INIT, resume = STRBUF_INIT;

	dotnet_command_bare(&info, DOTNET_PROCESS_INFO3);
	assert_captured(&info, "counters_monitor.00.0408");
	dotnet_command_bare(&resume, DOTNET_RESUME);
	assert_captured(&resume, "counters_monitor.02.0401");
}

TEST(command_stop_is_the_official_tools)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	dotnet_command_stop(&sb, UINT64_C(0x7f2e541836a0));
	assert_captured(&sb, "trace_default.02.0201");
}

#define RUNTIME	       "Microsoft-Windows-DotNETRuntime"
#define SAMPLER	       "Microsoft-DotNETCore-SampleProfiler"
#define SAMPLER_WORDS  UINT64_C(0xf00000000000)
#define WITH_PROVIDERS .providers = p, .n_providers = ARRAY_SIZE(p)

TEST(collect_with_rundown_is_dotnet_trace)
{
	const struct dotnet_provider p[] = {
		{ .name = RUNTIME, .keywords = UINT64_C(0x100003801d), .level = 4 },
		{ .name = SAMPLER, .keywords = SAMPLER_WORDS, .level = 4 },
	};

	assert_collects("trace_default.00.0203",
			&(struct dotnet_session_wish){ WITH_PROVIDERS,
						       .rundown_keyword = DOTNET_RUNDOWN_DEFAULT },
			0x0203);
}

TEST(collect_with_other_rundown_is_dotnet_trace)
{
	const struct dotnet_provider p[] = {
		{ .name = RUNTIME, .keywords = 1, .level = 4 },
		{ .name = "Microsoft-Windows-DotNETRuntimePrivate", .keywords = 1, .level = 4 },
	};

	assert_collects("trace_gccollect.00.0205",
			&(struct dotnet_session_wish){ WITH_PROVIDERS, .rundown_keyword = 1 },
			0x0205);
}

TEST(collect_without_loss_is_dotnet_gcdump)
{
	const struct dotnet_provider p[] = {
		{ .name = RUNTIME, .keywords = UINT64_C(0x1980001), .level = 5 },
	};

	assert_collects("gcdump.02.0207",
			&(struct dotnet_session_wish){ WITH_PROVIDERS, .buffer_mb = 1024,
						       .rundown_keyword = DOTNET_RUNDOWN_DEFAULT,
						       .block = true },
			0x0207);
}

TEST(collect_with_arguments_is_dotnet_counters)
{
	const struct dotnet_provider p[] = {
		{ .name = "System.Runtime", .level = 4, .args = "EventCounterIntervalSec=1" },
		{ .name = "Shop.Orders", .level = 4, .args = "EventCounterIntervalSec=1" },
		{ .name = "System.Diagnostics.Metrics",
		  .keywords = 2,
		  .level = 4,
		  .args = "SessionId=SHARED;Metrics=System.Runtime,Shop.Orders;RefreshInterval=1;"
			  "MaxTimeSeries=1000;MaxHistograms=10;"
			  "ClientId=9b28fb8c-3004-422d-80b8-56b278213bef" },
	};

	assert_collects("counters_monitor.01.0203", &(struct dotnet_session_wish){ WITH_PROVIDERS },
			0x0203);
}

/* No official tool sends these two; the bytes are laid out by hand from the specification. */
TEST(collect_without_stacks)
{
	static const uint32_t none[1];
	static const char bytes[] = "DOTNET_IPC_V1\0"
				    "\x3c\0\x02\x04\0\0"
				    "\0\x01\0\0\x01\0\0\0\0\0" /* 256 MB, nettrace, no, no */
				    "\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x05\0\0\0"
				    "\x02\0\0\0A\0\0\0"
				    "\x01\0\0\0\0\0";
	const struct dotnet_provider p[] = {
		{ .name = "A",
		  .keywords = UINT64_C(0x0102030405060708),
		  .level = 5,
		  .events = none },
	};
	const struct dotnet_session_wish w = { WITH_PROVIDERS, .no_stacks = true };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	ASSERT_INT(dotnet_session_command(&w), 0x0204);
	ASSERT_OK(dotnet_command_collect(&sb, 0x0204, &w, NULL));
	ASSERT_INT(sb.len, 0x3c);
	ASSERT_INT(sizeof(bytes) - 1, 0x3c);
	ASSERT_INT(memcmp(sb.ptr, bytes, sb.len), 0);
}

TEST(collect_chosen_events)
{
	static const uint32_t ids[] = { 1, 258 };
	static const char tail[] = "\x01\0\0\0\0\0"			   /* no arguments */
				   "\x01\x02\0\0\0\x01\0\0\0\x02\x01\0\0"; /* only 1 and 258 */
	struct dotnet_provider p[] = { { .name = "A", .events = ids, .n_events = 2 } };
	const struct dotnet_session_wish w = { WITH_PROVIDERS };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t at;

	ASSERT_INT(dotnet_session_command(&w), 0x0206);
	ASSERT_OK(dotnet_command_collect(&sb, 0x0206, &w, NULL));
	ASSERT_INT(memcmp(sb.ptr + 20, "\0\0\0\0\0\x01\0\0", 8), 0); /* a stream, 256 MB */
	at = sb.len - (sizeof(tail) - 1);
	ASSERT_INT(memcmp(sb.ptr + at, tail, sizeof(tail) - 1), 0);
	p[0].except = true;
	strbuf_clear(&sb);
	ASSERT_OK(dotnet_command_collect(&sb, 0x0206, &w, NULL));
	ASSERT_INT(sb.ptr[at + 6], 0);
}

TEST(collect_tells_what_older_commands_lose)
{
	static const uint32_t ids[] = { 1 };
	struct dotnet_provider p[] = { { .name = "A", .events = ids, .n_events = 1 } };
	struct dotnet_session_wish w = { WITH_PROVIDERS, .rundown_keyword = 0x38, .block = true };

	ASSERT_INT(dotnet_session_lost(&w, 0x0206), DOTNET_LOST_BLOCK);
	ASSERT_INT(dotnet_session_lost(&w, 0x0205), DOTNET_LOST_BLOCK | DOTNET_LOST_FILTER);
	ASSERT_INT(dotnet_session_lost(&w, 0x0203),
		   DOTNET_LOST_BLOCK | DOTNET_LOST_FILTER | DOTNET_LOST_RUNDOWN);
	w = (struct dotnet_session_wish){ WITH_PROVIDERS, .no_stacks = true };
	p[0].n_events = 0;
	ASSERT_INT(dotnet_session_lost(&w, 0x0203), DOTNET_LOST_NO_STACKS);
	ASSERT_INT(dotnet_session_lost(&w, 0x0202), DOTNET_LOST_NO_STACKS | DOTNET_LOST_RUNDOWN);
}

TEST(collect_refuses_what_no_runtime_takes)
{
	static char name[40000];
	struct dotnet_provider p[] = { { .name = "A", .level = 6 } };
	struct dotnet_session_wish w = { WITH_PROVIDERS };
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_INT(dotnet_command_collect(&sb, 0x0203, &w, &err), -EINVAL);
	ASSERT_HAS(err.msg, "provider A: level 6");
	p[0] = (struct dotnet_provider){ .name = "" };
	ASSERT_INT(dotnet_command_collect(&sb, 0x0203, &w, &err), -EINVAL);
	memset(name, 'x', sizeof(name) - 1);
	p[0].name = name;
	ASSERT_INT(dotnet_command_collect(&sb, 0x0203, &w, &err), -E2BIG);
	w.n_providers = 0;
	ASSERT_INT(dotnet_command_collect(&sb, 0x0203, &w, &err), -EINVAL);
	ASSERT_INT(sb.len, 0);
}

/* U+00E9, U+20AC and U+1F600, which needs two units; then a byte that is no UTF-8. */
TEST(command_text_is_utf16)
{
	static const char bytes[] = "\x06\0\0\0\xe9\0\xac\x20\x3d\xd8\x00\xde\xfd\xff\0\0"
				    "\x01\0\0\0\0\0";
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

	ASSERT_OK(dotnet_command_set_environment(&sb, "é€😀\xff", "", NULL));
	ASSERT_INT(sb.len, 20 + sizeof(bytes) - 1);
	ASSERT_INT(memcmp(sb.ptr + 20, bytes, sizeof(bytes) - 1), 0);
}

static void parse_reply(struct strbuf *sb, const char *name, unsigned id,
			struct dotnet_process_info *info)
{
	struct str all = captured(sb, name), rest;
	struct dotnet_header h;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(dotnet_header_parse((struct str){ all.ptr, 20 }, &h, &err), err);
	ASSERT_INT(h.id, DOTNET_REPLY_OK);
	ASSERT_INT(h.bytes, all.len - 20);
	rest = (struct str){ all.ptr + 20, all.len - 20 };
	ASSERT_OK_ERR(dotnet_process_info_parse(rest, id, info, &err), err);
	for (size_t i = 0; i < rest.len; i++) { /* cut anywhere, it is refused */
		struct dotnet_process_info cut;

		ASSERT_INT(dotnet_process_info_parse((struct str){ rest.ptr, i }, id, &cut, NULL),
			   -EBADMSG);
	}
}

TEST(reply_of_process_info)
{
	static const struct {
		const char *name;
		unsigned id;
		const char *entry, *version, *rid;
	} replies[] = {
		{ "reply.ProcessInfo", DOTNET_PROCESS_INFO, NULL, NULL, NULL },
		{ "reply.ProcessInfo2", DOTNET_PROCESS_INFO2, "Leaky", "10.0.12", NULL },
		{ "reply.ProcessInfo3", DOTNET_PROCESS_INFO3, "Leaky", "10.0.12", "linux-x64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(replies); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
		CLEANUP(dotnet_process_info_release) struct dotnet_process_info info;

		parse_reply(&sb, replies[i].name, replies[i].id, &info);
		ASSERT_INT(info.pid, 12805);
		ASSERT_INT(info.cookie[0], 0x08);
		ASSERT_INT(info.cookie[15], 0x75);
		ASSERT_STREQ(info.command_line,
			     "/tmp/dn/bin/Leaky/Leaky /tmp/dn/bin/Leaky/Leaky.dll");
		ASSERT_STREQ(info.os, "Linux");
		ASSERT_STREQ(info.arch, "x64");
		if (!replies[i].entry) {
			ASSERT_TRUE(!info.entry_assembly && !info.version && !info.rid);
			continue;
		}
		ASSERT_STREQ(info.entry_assembly, replies[i].entry);
		ASSERT_STREQ(info.version, replies[i].version);
		ASSERT_TRUE(!replies[i].rid == !info.rid);
		if (info.rid)
			ASSERT_STREQ(info.rid, replies[i].rid);
	}
}

/* What .NET 10.0.12 answers to a ProcessInfo3 with a payload: no header at all. */
TEST(reply_without_magic_is_refused)
{
	static const char garbage[] = "\x01\0\0\0\xdc\x7f\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static const char short_one[] = "DOTNET_IPC_V1\0\x13\0\xff\0\0\0";
	struct dotnet_header h;
	struct error err = ERROR_INIT;

	ASSERT_INT(dotnet_header_parse((struct str){ garbage, 20 }, &h, &err), -EBADMSG);
	ASSERT_INT(dotnet_header_parse((struct str){ short_one, 20 }, &h, &err), -EBADMSG);
	ASSERT_HAS(err.msg, "19 bytes");
}

TEST(advertise_of_a_runtime)
{
	static const char bytes[] = "ADVR_V1\0"
				    "0123456789abcdef"
				    "\x39\x30\0\0\0\0\0\0"
				    "\0\0";
	struct dotnet_advertise a;

	ASSERT_OK(dotnet_advertise_parse((struct str){ bytes, 34 }, &a, NULL));
	ASSERT_INT(a.pid, 12345);
	ASSERT_INT(memcmp(a.cookie, "0123456789abcdef", 16), 0);
	ASSERT_INT(dotnet_advertise_parse((struct str){ bytes + 1, 33 }, &a, NULL), -EBADMSG);
	ASSERT_INT(
		dotnet_advertise_parse(
			(struct str){ "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 34 }, &a, NULL),
		-EBADMSG);
}

TEST(errors_in_words)
{
	static const uint32_t documented[] = { 0x80131384, 0x80131385, 0x80131386, 0x80131515,
					       0x8013135b, 0x80131371, 0x80004005, 0x80070057,
					       0x8007007a, 0x800000cb };

	for (size_t i = 0; i < ARRAY_SIZE(documented); i++)
		ASSERT_TRUE(dotnet_error_words(documented[i]) != NULL);
	ASSERT_HAS(dotnet_error_words(0x80131385), "does not know the command");
	ASSERT_TRUE(!dotnet_error_words(0x12345678));
}
