/*
 * export.h - views of profiles as files of other tools. Each appends a whole file to out.
 */
#ifndef ASSAY_PROFILE_EXPORT_H
#define ASSAY_PROFILE_EXPORT_H

#include "base/error.h"
#include "profile/view.h"

struct export_source {
	const struct profile *profile; /* for its threads */
	const struct profile_view *view;
	const struct profile_view_opts *opts; /* that the view was made with */
	const char *title;		      /* what was traced: a command line */
	uint64_t pid;			      /* 0 = unknown */
	int64_t wall_ns;		      /* when the session began, since 1970; 0 = unknown */
	int64_t interval_ns;		      /* between two samples; 0 = unknown */
	const struct profile_view *baseline;  /* what a flame graph is compared with; or NULL */
	const char *baseline_title;
};

/*
 * speedscope's own format (its file-format-schema.json): a profile a thread, of frames that open
 * and close when the view charges time (made with keep_samples), else of samples with their
 * weights.
 */
void export_speedscope(const struct export_source *s, struct strbuf *out);

/* Chrome's trace events (the "Trace Event Format"): B and E by thread, in microseconds. The view
 * charges time and keeps samples. */
void export_chrome(const struct export_source *s, struct strbuf *out);

/* The Firefox Profiler's processed profile, version 62 (its types/profile.ts; later profilers read
 * it too). The view keeps samples. */
void export_firefox(const struct export_source *s, struct strbuf *out);

/* pprof (google/pprof, proto/profile.proto), gzipped: samples, and what they weigh. -EIO when
 * compressing fails. */
int export_pprof(const struct export_source *s, struct strbuf *out, struct error *reterr);

/* Brendan Gregg's folded stacks: "outer;inner COUNT", in samples, µs or bytes. */
void export_folded(const struct export_source *s, struct strbuf *out);

/*
 * A flame graph as one HTML file: no network, no other files; a table of names when there is no
 * JavaScript. With a baseline, colours say what grew and what shrank, as shares of all. Of trees of
 * more than EXPORT_HTML_NODES nodes the lightest are left out, and it says so.
 */
#define EXPORT_HTML_NODES 20000
#define EXPORT_HTML_ROWS  500
void export_html(const struct export_source *s, struct strbuf *out);

#endif
