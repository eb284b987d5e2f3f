/* Pages in, values out; quantiles by hand as histogram_quantile() has them. */
#include "scrape/figures.h"

#include <errno.h>
#include <stdio.h>

#include "../watch/rig.h"
#include "base/mem.h"
#include "test.h"

/* Takes the page at t seconds; what came is log's text. */
static const char *take(struct scrape_figures *f, struct log *log, unsigned t, const char *text)
{
	struct error err = ERROR_INIT;

	log_init(log);
	ASSERT_OK_ERR(scrape_figures_take(f, str_from(text), t * NS_PER_S, &log->out, &err), err);
	return strbuf_cstr(&log->text);
}

TEST(figures_counters_and_gauges)
{
	struct scrape_figures *f = scrape_figures_new(100);
	struct log log;

	ASSERT_STREQ(take(f, &log, 1,
			  "# HELP jobs_done x\n# TYPE jobs_done counter\n"
			  "jobs_done{kind=\"a\",note=\"q\\\"\\\\n,\"} 5\n"
			  "# TYPE memory_bytes gauge\nmemory_bytes 100\nolder_total 7 123456\n"),
		     "");
	ASSERT_STREQ(
		take(f, &log, 3,
		     "# TYPE jobs_done counter\njobs_done{kind=\"a\",note=\"q\\\"\\\\n,\"} 9.5\n"
		     "jobs_done{kind=\"b\"} 3\nthings 4\n"
		     "# TYPE memory_bytes gauge\nmemory_bytes 90\nolder_total 8\n"),
		"prometheus/jobs_done{kind=a,note=q\"\\n,}=4.5/2 total 9.5 "
		"prometheus/jobs_done{kind=b}=3/2 total 3 prometheus/things=4 "
		"prometheus/memory_bytes=90 prometheus/older_total=1/2 total 8 ");
	scrape_figures_free(f);
}

#define BUCKETS(labels, a, b, c)                                                                   \
	"wait_seconds_bucket{" labels ",le=\"0.1\"} " a "\n"                                       \
	"wait_seconds_bucket{" labels ",le=\"+Inf\"} " c "\n"                                      \
	"wait_seconds_bucket{" labels ",le=\"0.2\"} " b "\n"

/*
 * Between the pages: 10 up to 0.1, 80 up to 0.2, 10 above. Half of 100 is the 40th of the 80 within
 * (0.1, 0.2]: 0.15. Above the highest bound there is only that bound.
 */
TEST(figures_quantiles_are_of_the_interval_and_of_each_label_set)
{
	struct scrape_figures *f = scrape_figures_new(100);
	struct log log;

	take(f, &log, 1,
	     "# TYPE wait_seconds histogram\n" BUCKETS(
		     "r=\"x\"", "1000", "1000",
		     "1000") "wait_seconds_sum{r=\"x\"} 50\nwait_seconds_count{r=\"x\"} 1000\n");
	ASSERT_STREQ(
		take(f, &log, 2,
		     "# TYPE wait_seconds histogram\n" BUCKETS("r=\"x\"", "1010", "1090", "1100")
			     BUCKETS("r=\"y\"", "4", "4",
				     "4") "wait_seconds_sum{r=\"x\"} 65\n"
					  "wait_seconds_count{r=\"x\"} 1100\n"
					  "wait_seconds_created{r=\"x\"} 1.5e9\n"),
		"prometheus/wait_seconds_sum{r=x}=15/1 total 65 "
		"prometheus/wait_seconds_count{r=x}=100/1 total 1100 "
		"prometheus/wait_seconds{r=x}=0.15 q0.5 of 100 "
		"prometheus/wait_seconds{r=x}=0.2 q0.95 of 100 "
		"prometheus/wait_seconds{r=x}=0.2 q0.99 of 100 "
		"prometheus/wait_seconds{r=y}=0.05 q0.5 of 4 "
		"prometheus/wait_seconds{r=y}=0.095 q0.95 of 4 "
		"prometheus/wait_seconds{r=y}=0.099 q0.99 of 4 ");
	/* nothing came: no quantiles, and no old ones */
	ASSERT_STREQ(
		take(f, &log, 3,
		     "# TYPE wait_seconds histogram\n" BUCKETS("r=\"x\"", "1010", "1090", "1100")),
		"");
	scrape_figures_free(f);
}

TEST(figures_a_restart_is_said_and_counted_from_zero)
{
	struct scrape_figures *f = scrape_figures_new(100);
	struct log log;

	take(f, &log, 1,
	     "# TYPE wait_seconds histogram\n" BUCKETS("r=\"x\"", "50", "60", "70") "a_total 50\n");
	ASSERT_STREQ(
		take(f, &log, 2,
		     "# TYPE wait_seconds histogram\n" BUCKETS("r=\"x\"", "4", "4",
							       "4") "a_total 8\n"),
		"prometheus/a_total=8/1 total 8 "
		"prometheus/wait_seconds{r=x}=0.05 q0.5 of 4 "
		"prometheus/wait_seconds{r=x}=0.095 q0.95 of 4 "
		"prometheus/wait_seconds{r=x}=0.099 q0.99 of 4 "
		"(counters of /metrics began anew: the target restarted, or its metrics did) ");
	scrape_figures_free(f);
}

/* A summary's quantiles are what they are; its sum and count grow. OpenMetrics' _total too. */
TEST(figures_summaries_and_openmetrics_names)
{
	struct scrape_figures *f = scrape_figures_new(100);
	struct log log;
	static const char page[] = "# TYPE gc_seconds summary\ngc_seconds{quantile=\"0.5\"} 0.25\n"
				   "gc_seconds_sum %u\ngc_seconds_count %u\n"
				   "# TYPE hits counter\nhits_total{a=\"\"} %u\nhits_created 3\n";
	char first[256], second[256];

	snprintf(first, sizeof(first), page, 1, 2, 3);
	snprintf(second, sizeof(second), page, 4, 6, 8);
	take(f, &log, 1, first);
	ASSERT_STREQ(take(f, &log, 2, second), "prometheus/gc_seconds{quantile=0.5}=0.25 "
					       "prometheus/gc_seconds_sum=3/1 total 4 "
					       "prometheus/gc_seconds_count=4/1 total 6 "
					       "prometheus/hits_total{a=}=5/1 total 8 ");
	scrape_figures_free(f);
}

TEST(figures_garbage_changes_nothing)
{
	struct scrape_figures *f = scrape_figures_new(100);
	struct error err = ERROR_INIT;
	struct log log;

	take(f, &log, 1, "a_total 1\n");
	log_init(&log);
	ASSERT_INT(scrape_figures_take(f, STR("a_total 5\n<html>\n"), 2 * NS_PER_S, &log.out, &err),
		   -EBADMSG);
	ASSERT_HAS(err.msg, "line 2 is no sample");
	ASSERT_INT(scrape_figures_take(f, STR("# nothing\n"), 2 * NS_PER_S, &log.out, &err),
		   -EBADMSG);
	ASSERT_HAS(err.msg, "there is no sample in it");
	ASSERT_STREQ(strbuf_cstr(&log.text), "");
	ASSERT_STREQ(take(f, &log, 5,
			  "a_total 9\nb_bucket{le=\"x\"} 1\nc_bucket 2\nd NaN\n"
			  "e_total NaN\n"),
		     "prometheus/a_total=8/4 total 9 prometheus/c_bucket=2 prometheus/d=nan ");
	scrape_figures_free(f);
}

TEST(figures_series_are_limited)
{
	struct scrape_figures *f = scrape_figures_new(2);
	struct log log;

	take(f, &log, 1, "a_total 1\nb_total 1\nc_total 1\n");
	ASSERT_HAS(strbuf_cstr(&log.text), "(more than 2 series in /metrics");
	ASSERT_STREQ(take(f, &log, 2, "a_total 2\nb_total 2\nc_total 2\n"),
		     "prometheus/a_total=1/1 total 2 prometheus/b_total=1/1 total 2 ");
	scrape_figures_free(f);
}
