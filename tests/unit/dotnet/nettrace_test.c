#include "dotnet/nettrace.h"

#include <errno.h>
#include <stdio.h>

#include "base/map.h"
#include "captures.h"
#include "test.h"

/* What a stream gave. */
struct seen {
	struct map kinds; /* "provider/id" to how many */
	int64_t first_ns, last_ns;
	bool disordered;
	struct strbuf text; /* a line for each event, when wanted */
	bool wants_text;
	struct error err;
	int code;
	struct nettrace_info info;
	struct nettrace_counts counts;
};

static int on_event(void *user, const struct nettrace_event *e)
{
	struct seen *s = user;
	char key[256];

	snprintf(key, sizeof(key), "%s/%u", e->meta->provider, e->meta->event_id);
	map_put(&s->kinds, str_from(key), (char *)map_get_c(&s->kinds, key) + 1);
	s->disordered |= s->counts.events && e->t_ns < s->last_ns;
	s->last_ns = e->t_ns;
	s->first_ns = s->counts.events++ ? s->first_ns : e->t_ns;
	if (s->wants_text)
		strbuf_addf(&s->text, "%s %lld %llu:%u %.*s\n", key, (long long)e->t_ns,
			    (unsigned long long)e->capture_thread, e->sequence,
			    STR_FMT(e->payload));
	return 0;
}

static void read_in_pieces(struct seen *s, struct str bytes, size_t piece)
{
	struct nettrace_handler h = { .user = s, .event = on_event };
	CLEANUP(cleanup_nettrace) struct nettrace *r = nettrace_new(&h);

	while (bytes.len && s->code >= 0) {
		struct str part = { bytes.ptr, MIN(bytes.len, piece) };

		s->code = nettrace_feed(r, part, &s->err);
		bytes = (struct str){ bytes.ptr + part.len, bytes.len - part.len };
	}
	if (s->code >= 0)
		s->code = nettrace_end(r, &s->err);
	s->info = *nettrace_info(r);
	s->counts = *nettrace_counts(r);
}

static void release(struct seen *s)
{
	map_release(&s->kinds);
	strbuf_release(&s->text);
}

static int count(const struct seen *s, const char *key)
{
	return (int)(intptr_t)map_get_c(&s->kinds, key);
}

static void read_shared(struct seen *s, const char *name)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;

	capture_shared(name, &bytes);
	read_in_pieces(s, strbuf_str(&bytes), 65536);
}

#define METRICS "System.Diagnostics.Metrics"
#define RUNDOWN "Microsoft-Windows-DotNETRuntimeRundown"
#define SAMPLER "Microsoft-DotNETCore-SampleProfiler"

/* The numbers are those of the official parser. */
TEST(nettrace_metrics_capture)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/counters/raw_metrics_shared_kw7.nettrace.zst");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.info.version, 4);
	ASSERT_INT(count(&s, METRICS "/11"), 71);
	ASSERT_INT(count(&s, METRICS "/7"), 71);
	ASSERT_INT(count(&s, METRICS "/4"), 405);
	ASSERT_INT(count(&s, METRICS "/16"), 144);
	ASSERT_INT(count(&s, METRICS "/5"), 56);
	ASSERT_INT(count(&s, METRICS "/6"), 48);
	ASSERT_INT(count(&s, METRICS "/1"), 7);
	ASSERT_INT(count(&s, METRICS "/18"), 1);
	ASSERT_INT(s.counts.lost, 0);
	ASSERT_TRUE(!s.disordered);
	release(&s);
}

TEST(nettrace_samples_of_many_threads)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/cpu/cpuonly10.nettrace.zst");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.counts.events, 86639);
	ASSERT_INT(s.counts.lost, 0);
	ASSERT_INT(count(&s, SAMPLER "/0"), 68865);
	ASSERT_INT(count(&s, RUNDOWN "/144"), 11699);
	ASSERT_TRUE(!s.disordered);
	release(&s);
	s = (struct seen){ 0 };
	read_shared(&s, "only_managed_samples.nettrace.zip");
	ASSERT_INT(s.counts.events, 37603);
	ASSERT_INT(count(&s, SAMPLER "/0"), 7423);
	ASSERT_NEAR((double)(s.last_ns - s.first_ns) / 1e9, 10.47, 0.02);
	release(&s);
}

TEST(nettrace_version_3)
{
	struct seen s = { 0 };

	read_shared(&s, "eventpipe-dotnetcore2.1-linux-x64-objver3.netperf.zip");
	ASSERT_STREQ(s.err.msg, "");
	ASSERT_INT(s.info.version, 3);
	ASSERT_INT(s.info.pid, 80749);
	ASSERT_INT(s.info.processors, 4);
	ASSERT_INT(s.info.ticks_per_s, 1000000000);
	ASSERT_INT(s.counts.events, 26146);
	ASSERT_INT(count(&s, RUNDOWN "/144"), 26053);
	ASSERT_INT(count(&s, RUNDOWN "/158"), 2);
	ASSERT_INT(count(&s, RUNDOWN "/156"), 13);
	release(&s);
}

TEST(nettrace_version_2_is_refused)
{
	struct seen s = { 0 };

	read_shared(&s, "eventpipe-dotnetcore2.0-linux-objver2.netperf.zip");
	ASSERT_INT(s.code, -EOPNOTSUPP);
	ASSERT_HAS(s.err.msg, "offset 24: format version 2, of .NET Core 2.0, is not read");
	release(&s);
}

TEST(nettrace_of_a_process_that_was_killed)
{
	struct seen s = { 0 };

	read_shared(&s, "dotnet/edge/target_killed.nettrace.zst");
	ASSERT_INT(s.code, -ENODATA);
	ASSERT_HAS(s.err.msg, "truncated at offset 71203");
	ASSERT_INT(s.counts.events, 6280);
	release(&s);
}
