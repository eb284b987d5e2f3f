#include "dotnet/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "captures.h"
#include "test.h"
#include "trace_rig.h"

/* ---- an out that writes down what it is given ---- */

struct lines {
	struct watch_out out;
	struct strbuf values, notes;
	unsigned n_values, ticks;
	uint64_t tick_ns;
	int fail_at; /* value after which it fails; 0 = never */
};

static int add_value(struct watch_out *o, const struct watch_value *v)
{
	static const char *const kinds[] = { "gauge", "rate", "quantile" };
	struct lines *l = container_of(o, struct lines, out);

	strbuf_addf(&l->values, "%u %s %s %s", l->ticks, kinds[v->kind], v->provider, v->name);
	if (v->display)
		strbuf_addf(&l->values, " (%s)", v->display);
	strbuf_addf(&l->values, " [%s] {%s|%s|%s} %.12g", v->unit, v->meter_tags,
		    v->instrument_tags, v->tags, v->value);
	if (v->kind == WATCH_RATE)
		strbuf_addf(&l->values, " of %.12g", v->total);
	if (v->kind == WATCH_QUANTILE)
		strbuf_addf(&l->values, " p%g of %g", v->quantile * 100, v->count);
	strbuf_addf(&l->values, " in %.2f s\n", v->interval_s);
	return (int)++l->n_values == l->fail_at ? -EPIPE : 0;
}

static int add_tick(struct watch_out *o, uint64_t t_ns)
{
	struct lines *l = container_of(o, struct lines, out);

	ASSERT_TRUE(t_ns >= l->tick_ns);
	l->tick_ns = t_ns;
	l->ticks++;
	return 0;
}

static int add_note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	(void)t_ns;
	strbuf_addf(&container_of(o, struct lines, out)->notes, "%s\n", text);
	return 0;
}

static const struct watch_out_ops line_ops = { add_value, add_tick, add_note, NULL };

static void lines_release(struct lines *l)
{
	strbuf_release(&l->values);
	strbuf_release(&l->notes);
}

#define LINES_INIT                                                                                 \
	{                                                                                          \
		.out = { &line_ops }                                                               \
	}

static int decode(const struct strbuf *bytes, const char *wishes, struct lines *l)
{
	struct watch_wishes w = { 0 };
	struct dotnet_counters_opts o = { .wishes = &w, .interval_s = 0.5 };
	struct error err = ERROR_INIT;
	struct dotnet_counters_plan plan;
	struct dotnet_counters *c;
	int r;

	if (wishes)
		ASSERT_OK_ERR(watch_wishes_parse(wishes, &w, &err), err);
	dotnet_counters_plan(&o, &plan);
	c = dotnet_counters_new(&o, &plan, &l->out);
	dotnet_counters_plan_release(&plan);
	r = dotnet_counters_feed(c, strbuf_str(bytes), 0, &err);
	if (r == 0)
		r = dotnet_counters_flush(c, &err);
	if (r == 0)
		r = dotnet_counters_close_row(c);
	if (r == 0)
		r = dotnet_counters_note_missing(c, 0);
	dotnet_counters_free(c);
	watch_wishes_release(&w);
	return r;
}

static void decode_fixture(const char *name, const char *wishes, struct lines *l)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;

	capture_fixture(name, &bytes);
	ASSERT_OK(decode(&bytes, wishes, l));
}

/* ---- a program of ours, whose figures are known ---- */

/* One "go" between the first and the second interval of half a second. */
TEST(counters_of_all_kinds)
{
	struct lines l = LINES_INIT;

	decode_fixture("nettrace/metrics10.nettrace", "Assay.Lab", &l);
	ASSERT_STREQ(strbuf_cstr(&l.notes), "");
	ASSERT_INT(l.ticks, 3);
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "0 gauge Assay.Lab lab.level [By] {area=truth||} 42.5 in 0.50 s\n");
	/* nothing was there to subtract from */
	ASSERT_LACKS(strbuf_cstr(&l.values), "0 rate Assay.Lab lab.watched");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 rate Assay.Lab lab.watched [s] {area=truth||} 10 of 1010 in 0.50 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 rate Assay.Lab lab.orders [{order}] {area=truth||kind=a} 7 of 7 in 0.50 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values), "1 rate Assay.Lab lab.orders [{order}] "
					   "{area=truth||kind=b,region=eu,west=1} 5 of 5");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 rate Assay.Lab lab.odd [] {area=truth||größe=\"1\" \\ <€> 🎈} 0.5 of 0.5 in");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 gauge Assay.Lab lab.inside [{request}] {area=truth||} 3 in 0.50 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values), "1 gauge Assay.Lab lab.queue [] {area=truth||} 3 in");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 gauge Assay.Lab lab.gauge [Cel] {area=truth||} 21 in");
	ASSERT_HAS(strbuf_cstr(&l.values), "1 quantile Assay.Lab lab.latency [ms] "
					   "{area=truth|part=server|route=/x} 51 p50 of 100 in");
	ASSERT_HAS(strbuf_cstr(&l.values), "} 96 p95 of 100 in");
	ASSERT_HAS(strbuf_cstr(&l.values), "} 100 p99 of 100 in");
	/* what did not happen again is told as nothing added, and has no quantiles */
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "2 rate Assay.Lab lab.orders [{order}] {area=truth||kind=a} 0 of 7");
	ASSERT_LACKS(strbuf_cstr(&l.values), "2 quantile");
	lines_release(&l);
}

TEST(counters_that_are_chosen)
{
	static const struct {
		const char *wishes;
		unsigned values;
	} cases[] = {
		{ "Assay.Lab[lab.level]", 3 },	   { "assay.LAB[LAB.level,lab.inside]", 5 },
		{ "Assay.L*[lab.l*]", 6 },	   { "Assay.La", 0 },
		{ "EventCounters\\Assay.Lab", 0 }, { "Assay.La,*", 21 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lines l = LINES_INIT;

		decode_fixture("nettrace/metrics10.nettrace", cases[i].wishes, &l);
		ASSERT_INT(l.n_values, cases[i].values);
		ASSERT_INT(l.ticks, 3);
		lines_release(&l);
	}
}

TEST(counters_that_nobody_has_are_said)
{
	struct lines l = LINES_INIT;

	decode_fixture("nettrace/metrics10.nettrace", "Assay.Lab,Shop.Orders,process", &l);
	ASSERT_STREQ(strbuf_cstr(&l.notes),
		     "nothing came from Shop.Orders: no meter and no EventSource "
		     "of that name, or it measured nothing\n");
	lines_release(&l);
}

/* One "go", in the first of two intervals. */
TEST(counters_of_an_event_source)
{
	struct lines l = LINES_INIT;

	decode_fixture("nettrace/eventcounters10.nettrace", "Assay-Events", &l);
	ASSERT_INT(l.ticks, 2);
	ASSERT_INT(l.n_values, 8);
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "0 gauge Assay-Events order-value (Order Value) [EUR] {||} 20 in 1.00 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "0 rate Assay-Events served (Served) [] {||} 3 of nan in 1.00 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "0 gauge Assay-Events vault (Vault Size) [] {||} 640 in");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "0 rate Assay-Events polled (Polled) [] {||} 6 of nan in");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   "1 rate Assay-Events polled (Polled) [] {||} 0 of nan in");
	/* told every second, wished every half */
	ASSERT_STREQ(
		strbuf_cstr(&l.notes),
		"another tool has EventCounters told every 1 s: they come so often here too\n");
	lines_release(&l);
	l = (struct lines)LINES_INIT;
	decode_fixture("nettrace/eventcounters10.nettrace", "EventCounters\\Assay-Events[served]",
		       &l);
	ASSERT_INT(l.n_values, 2);
	lines_release(&l);
}

/* Beside meters, whose intervals are the rows. */
TEST(counters_of_both_kinds)
{
	struct lines l = LINES_INIT;

	decode_fixture("nettrace/both10.nettrace", "Assay.Lab,Assay-Events", &l);
	ASSERT_STREQ(strbuf_cstr(&l.notes), "");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   " rate Assay-Events served (Served) [] {||} 3 of nan in 0.50 s\n");
	ASSERT_HAS(strbuf_cstr(&l.values),
		   " rate Assay.Lab lab.orders [{order}] {area=truth||kind=a} 7 of ");
	/* a first telling of the EventCounters came at once, left over from a client before */
	ASSERT_INT(l.ticks, 3);
	lines_release(&l);
}

static bool is_open_after(const char *fixture)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct lines l = LINES_INIT;
	struct watch_wishes w = { 0 };
	struct dotnet_counters_opts o = { .wishes = &w };
	struct dotnet_counters_plan plan = { .client_id = "" };
	struct dotnet_counters *c;
	bool open;

	capture_fixture(fixture, &bytes);
	ASSERT_OK(watch_wishes_parse("*", &w, NULL));
	c = dotnet_counters_new(&o, &plan, &l.out);
	ASSERT_OK(dotnet_counters_feed(c, strbuf_str(&bytes), 0, NULL));
	open = dotnet_counters_is_open(c);
	ASSERT_OK(dotnet_counters_close_row(c));
	ASSERT_TRUE(!dotnet_counters_is_open(c));
	dotnet_counters_free(c);
	watch_wishes_release(&w);
	lines_release(&l);
	return open;
}

/* Only where no meters end intervals does the caller have to. */
TEST(counters_rows_that_time_closes)
{
	ASSERT_TRUE(is_open_after("nettrace/eventcounters10.nettrace"));
	ASSERT_TRUE(!is_open_after("nettrace/both10.nettrace"));
}

TEST(counters_limits_and_failing_callbacks_are_said_once)
{
	struct lines l = LINES_INIT;

	decode_fixture("nettrace/limits10.nettrace", "Assay.Many,Assay.Lab,Assay.Throws", &l);
	ASSERT_HAS(strbuf_cstr(&l.notes), "the limit of 1000 time series is reached: others are "
					  "missing (--maxTimeSeries)\n");
	ASSERT_HAS(strbuf_cstr(&l.notes),
		   "the limit of 10 histograms is reached: others are missing "
		   "(--maxHistograms)\n");
	ASSERT_HAS(strbuf_cstr(&l.notes),
		   "an observable instrument's callback fails, its values are "
		   "missing: System.AggregateException: One or more errors "
		   "occurred. (broken on purpose)\n");
	ASSERT_HAS(strbuf_cstr(&l.notes), "nothing came from Assay.Throws: ");
	ASSERT_HAS(strbuf_cstr(&l.values), "Assay.Many many.series [] {||i=1} 1 of 1 in");
	lines_release(&l);
}

/* 1 to 100 in buckets that grow by 2^(1/16), 4.4 %. */
TEST(counters_of_exponential_histograms)
{
	struct lines l = LINES_INIT;
	double p50 = 0, p95 = 0, p99 = 0;
	const char *at;

	decode_fixture("nettrace/base2_10.nettrace", "Assay.Lab[lab.latency]", &l);
	ASSERT_INT(l.n_values, 3);
	at = strstr(strbuf_cstr(&l.values), "} ");
	ASSERT_INT(sscanf(at, "} %lf p50 of 100", &p50), 1);
	at = strstr(at + 1, "} ");
	ASSERT_INT(sscanf(at, "} %lf p95 of 100", &p95), 1);
	at = strstr(at + 1, "} ");
	ASSERT_INT(sscanf(at, "} %lf p99 of 100", &p99), 1);
	ASSERT_NEAR(p50, 50, 50 * 0.045);
	ASSERT_NEAR(p95, 95, 95 * 0.045);
	ASSERT_NEAR(p99, 99, 99 * 0.045);
	lines_release(&l);
}

/* ---- captures of others ---- */

static unsigned count_lines(const struct strbuf *text, const char *part)
{
	unsigned n = 0;

	for (const char *p = strbuf_cstr(text); (p = strstr(p, part)); p += strlen(part))
		n++;
	return n;
}

/* Every value of the official decoder's list, those without a measurement left out. */
TEST(counters_of_a_capture_decoded_by_another)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, list = STRBUF_INIT;
	struct lines l = LINES_INIT;
	struct str rest, line;
	unsigned rates = 0, ups = 0, gauges = 0, quantiles = 0;

	capture_shared("dotnet/counters/raw_metrics_shared_kw7.nettrace.zst", &bytes);
	capture_shared("dotnet/counters/raw_metrics_shared_kw7.decoded.tsv.zst", &list);
	ASSERT_OK(decode(&bytes, "*", &l));
	ASSERT_STREQ(strbuf_cstr(&l.notes), "");
	ASSERT_INT(l.ticks, 8);
	rest = strbuf_str(&list);
	while (str_split(&rest, '\n', &line)) {
		CLEANUP(mem_cleanup) char *text = str_dup(line);

		if (strstr(text, "\tCounterRateValuePublished\t"))
			rates += !strstr(text, "\trate=\t");
		else if (strstr(text, "\tUpDownCounterRateValuePublished\t"))
			ups += !strstr(text, "\tvalue=\t");
		else if (strstr(text, "\tGaugeValuePublished\t"))
			gauges += !strstr(text, "\tlastValue=\t");
		else if (strstr(text, "\tHistogramValuePublished\t"))
			quantiles += strstr(text, "\tquantiles=0.5=") ? 3 : 0;
	}
	ASSERT_TRUE(rates > 300 && ups > 100 && gauges > 50 && quantiles > 50);
	ASSERT_INT(count_lines(&l.values, " rate "), rates);
	ASSERT_INT(count_lines(&l.values, " gauge "), ups + gauges);
	ASSERT_INT(count_lines(&l.values, " quantile "), quantiles);
	lines_release(&l);
}

TEST(counters_of_an_exponential_capture)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct lines l = LINES_INIT;

	capture_shared("dotnet/counters/raw_metrics_base2.nettrace.zst", &bytes);
	/* its session is a private one, of another client: what it says is read along */
	ASSERT_OK(decode(&bytes, "Shop.Orders", &l));
	ASSERT_INT(l.n_values, 0);
	lines_release(&l);
}

TEST(counters_limits_of_a_capture)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct lines l = LINES_INIT;

	capture_shared("dotnet/counters/raw_metrics_limits.nettrace.zst", &bytes);
	ASSERT_OK(decode(&bytes, "*", &l));
	lines_release(&l);
}

/* ---- events by hand ---- */

static void add_metrics_event_at(struct strbuf *t, unsigned kind, unsigned id, unsigned version,
				 const struct strbuf *payload, uint64_t ticks)
{
	static unsigned sequence;
	CLEANUP(strbuf_release) struct strbuf body = STRBUF_INIT, meta = STRBUF_INIT;

	put_kind(&meta, kind, "System.Diagnostics.Metrics", id, "");
	memcpy(meta.ptr + meta.len - 12, &version, 4);
	events_begin(&body, true);
	put(&body, 0x80, 1);
	put_var(&body, 5);
	put_var(&body, meta.len);
	strbuf_add(&body, meta.ptr, meta.len);
	trace_block(t, "MetadataBlock", &body);
	strbuf_clear(&body);
	events_begin(&body, true);
	put(&body, 0x01 | 0x02 | 0x40 | 0x80, 1);
	put_var(&body, kind);
	put_var(&body, sequence++);
	put_var(&body, 7);
	put_var(&body, 0);
	put_var(&body, ticks);
	put_var(&body, payload->len);
	strbuf_add(&body, payload->ptr, payload->len);
	trace_block(t, "EventBlock", &body);
}

static void add_metrics_event(struct strbuf *t, unsigned kind, unsigned id, unsigned version,
			      const struct strbuf *payload)
{
	add_metrics_event_at(t, kind, id, version, payload, 1000 + kind);
}

static void add_texts(struct strbuf *t, unsigned kind, unsigned id, unsigned version,
		      const char *const *texts)
{
	CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;

	for (; *texts; texts++)
		put_text16(&payload, *texts);
	add_metrics_event(t, kind, id, version, &payload);
}

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The first forms: .NET 6 had no totals and no numbers, 8 no numbers. */
TEST(counters_of_older_runtimes)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT, p = STRBUF_INIT;
	struct lines l = LINES_INIT;

	trace_begin(&t, 4);
	add_texts(&t, 1, 7, 0, TEXTS("SHARED", "M", "", "i", "Counter`1", "u", "d"));
	add_texts(&t, 2, 4, 0, TEXTS("SHARED", "M", "", "i", "u", "k=v", "3"));
	add_texts(&t, 3, 5, 0, TEXTS("SHARED", "M", "", "g", "u", "", "4.5"));
	add_texts(&t, 4, 6, 0, TEXTS("SHARED", "M", "", "h", "u", "", "0.5=1;0.95=2;0.99=3"));
	add_texts(&t, 5, 7, 1,
		  TEXTS("SHARED", "M", "", "j", "Counter`1", "u", "d", "it=1", "mt=2", ""));
	add_texts(&t, 6, 4, 1, TEXTS("SHARED", "M", "", "j", "u", "", "3", "10"));
	add_texts(&t, 7, 16, 1, TEXTS("SHARED", "M", "", "d", "u", "", "-1", "2"));
	for (const char *const *text = TEXTS("SHARED", "M", "", "h", "u", "", "0.5=7"); *text;
	     text++)
		put_text16(&p, *text);
	put(&p, 12, 4);
	put(&p, 0, 8);
	add_metrics_event(&t, 8, 6, 1, &p);
	add_texts(&t, 9, 4, 0, TEXTS("another", "M", "", "i", "u", "", "9"));
	trace_end(&t);
	ASSERT_OK(decode(&t, "M", &l));
	ASSERT_STREQ(strbuf_cstr(&l.values), "0 rate M i [u] {||k=v} 3 of nan in 0.00 s\n"
					     "0 gauge M g [u] {||} 4.5 in 0.00 s\n"
					     "0 quantile M h [u] {||} 1 p50 of nan in 0.00 s\n"
					     "0 quantile M h [u] {||} 2 p95 of nan in 0.00 s\n"
					     "0 quantile M h [u] {||} 3 p99 of nan in 0.00 s\n"
					     "0 rate M j [u] {mt=2|it=1|} 3 of 10 in 0.00 s\n"
					     "0 gauge M d [u] {||} 2 in 0.00 s\n"
					     "0 quantile M h [u] {||} 7 p50 of 12 in 0.00 s\n");
	ASSERT_STREQ(strbuf_cstr(&l.notes), "");
	lines_release(&l);
}

/* An interval as told by the clock on the wall, which begins and ends in units of 100 ns. */
static void add_interval(struct strbuf *t, unsigned kind, uint64_t end_ms, uint64_t told_ms)
{
	CLEANUP(strbuf_release) struct strbuf p = STRBUF_INIT;

	put_text16(&p, "SHARED");
	put(&p, 130000000000000000 + (end_ms - told_ms) * 10000, 8);
	put(&p, 130000000000000000 + end_ms * 10000, 8);
	add_metrics_event_at(t, kind, 2, 0, &p, end_ms * NS_PER_MS);
}

/* The clock is set by 11 s in the second interval; the third is late and long indeed. */
TEST(counters_when_the_clock_is_set)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct lines l = LINES_INIT;

	trace_begin(&t, 4);
	add_interval(&t, 1, 500, 500);
	add_texts(&t, 2, 5, 0, TEXTS("SHARED", "M", "", "g", "", "", "1"));
	add_interval(&t, 3, 1020, 11500);
	add_texts(&t, 4, 5, 0, TEXTS("SHARED", "M", "", "g", "", "", "2"));
	add_interval(&t, 5, 4020, 3000);
	add_texts(&t, 6, 5, 0, TEXTS("SHARED", "M", "", "g", "", "", "3"));
	trace_end(&t);
	ASSERT_OK(decode(&t, "M", &l));
	ASSERT_STREQ(strbuf_cstr(&l.values), "0 gauge M g [] {||} 1 in 0.50 s\n"
					     "0 gauge M g [] {||} 2 in 0.52 s\n"
					     "0 gauge M g [] {||} 3 in 3.00 s\n");
	lines_release(&l);
}

/* Fewer fields than the version has. */
TEST(counters_that_are_cut_are_said)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct lines l = LINES_INIT;

	trace_begin(&t, 4);
	add_texts(&t, 1, 4, 2, TEXTS("SHARED", "M", "", "i", "u", "k=v", "3", "4"));
	add_texts(&t, 2, 4, 1, TEXTS("SHARED", "M", "", "i", "u", "k=v", "3", "4"));
	trace_end(&t);
	ASSERT_OK(decode(&t, "M", &l));
	ASSERT_INT(l.n_values, 1);
	ASSERT_HAS(strbuf_cstr(&l.notes), "event 4 of version 2 at offset ");
	lines_release(&l);
}

/* A private session of another tool keeps the shared one out; its values are there all the same. */
TEST(counters_beside_another_session)
{
	CLEANUP(strbuf_release) struct strbuf t = STRBUF_INIT;
	struct lines l = LINES_INIT;

	trace_begin(&t, 4);
	add_texts(&t, 1, 15, 0, TEXTS("SHARED")); /* somebody else was refused because of us */
	add_texts(&t, 2, 4, 1, TEXTS("0fa1252a", "M", "", "i", "u", "", "1", "1"));
	add_texts(&t, 3, 15, 0, TEXTS("0fa1252a"));
	add_texts(&t, 4, 4, 1, TEXTS("0fa1252a", "M", "", "i", "u", "", "3", "4"));
	trace_end(&t);
	ASSERT_OK(decode(&t, "M", &l));
	ASSERT_STREQ(strbuf_cstr(&l.values), "0 rate M i [u] {||} 3 of 4 in 0.00 s\n");
	ASSERT_LACKS(strbuf_cstr(&l.notes), "(SHARED)");
	ASSERT_HAS(strbuf_cstr(&l.notes),
		   "another tool reads the meters of this process in a session "
		   "of its own (0fa1252a)");
	lines_release(&l);
}

/* An out that takes no more ends all. */
TEST(counters_end_when_nobody_takes_them)
{
	CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
	struct lines l = LINES_INIT;

	l.fail_at = 2;
	capture_fixture("nettrace/metrics10.nettrace", &bytes);
	ASSERT_INT(decode(&bytes, "*", &l), -EPIPE);
	ASSERT_INT(l.n_values, 2);
	lines_release(&l);
}
