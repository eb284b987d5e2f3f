/*
 * assay load: runs a k6 script with k6's flags, exit codes and summary. The engine is load/; here
 * are flags, signals, the log on stderr, and what goes to stdout.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/load_flags.h"
#include "cli/load_limit.h"
#include "cli/load_log.h"
#include "cli/load_output.h"
#include "cli/proxies.h"
#include "cli/term.h"
#include "cli/verb.h"
#include "js/module.h"
#include "model/meta.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/writer.h"

/* ---- signals ---- */

static atomic_int stop_word;

/* After the order to end at once: a native function of a script may go on for ever. */
#define END_WITHIN_S 5

static void on_alarm(int sig UNUSED)
{
	static const char text[] = "\nassay load: the script does not let go: ended without a "
				   "result\n";

	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(LOAD_EXIT_SIGNAL);
	_exit(LOAD_EXIT_SIGNAL);
}

static void on_signal(int sig UNUSED)
{
	switch (atomic_load(&stop_word)) {
	case LOAD_STOP_NONE:
		atomic_store(&stop_word, LOAD_STOP_GRACEFUL);
		break;
	case LOAD_STOP_GRACEFUL:
		atomic_store(&stop_word, LOAD_STOP_NOW);
		alarm(END_WITHIN_S);
		break;
	default:
		_exit(LOAD_EXIT_SIGNAL);
	}
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction last = { .sa_handler = on_alarm };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGALRM, &last, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- stderr: the log and the progress ---- */

struct view {
	const struct load_flags *flags;
	struct load_log_out log;
};

static void view_release(struct view *v)
{
	load_log_close(&v->log);
}

static void log_line(void *arg, const struct load_log_line *line)
{
	load_log_line(&((struct view *)arg)->log, line);
}

static void show_progress(void *arg, const struct load_progress *p)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct view *v = arg;

	if (v->flags->quiet)
		return;
	strbuf_addstr(&sb, p->phase);
	if (p->planned_ns) {
		strbuf_addch(&sb, ' ');
		duration_fmt(&sb, p->elapsed_ns / NS_PER_S * NS_PER_S);
		strbuf_addstr(&sb, " of ");
		duration_fmt(&sb, p->planned_ns);
	}
	if (p->elapsed_ns > NS_PER_S)
		strbuf_addf(&sb, "  %.1f iterations/s",
			    (double)p->iterations * 1e9 / (double)p->elapsed_ns);
	strbuf_addf(&sb, "  %llu complete", (unsigned long long)p->iterations);
	if (p->dropped)
		strbuf_addf(&sb, "  %llu dropped", (unsigned long long)p->dropped);
	if (p->interrupted)
		strbuf_addf(&sb, "  %llu interrupted", (unsigned long long)p->interrupted);
	strbuf_addf(&sb, "  %u/%u VUs", p->vus_active, p->vus);
	term_progress("%s", strbuf_cstr(&sb));
}

/* ---- what comes out ---- */

/* k6 tells when a file cannot be written and changes nothing else. */
static void write_file(const char *path, struct str content)
{
	struct error err = ERROR_INIT;

	if (file_write_atomic(path, content, &err) < 0)
		term_error("load", &err);
}

static void print_result(const struct load_flags *f, const struct load_result *r, int exit_code)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct load_summary_style style = { .colour = term_has_colour(stdout) && !f->no_colour,
					    .ascii = !term_is_utf8() };
	const char *export = load_flags_or_variable(f->summary_export, "K6_SUMMARY_EXPORT");

	if (!r->has_summary)
		return;
	vec_for_each (&r->files, file) {
		struct str content = strbuf_str(&file->content);

		if (!strcmp(file->path, "stdout"))
			fwrite(content.ptr, 1, content.len, stdout);
		else if (!strcmp(file->path, "stderr"))
			fwrite(content.ptr, 1, content.len, stderr);
		else
			write_file(file->path, content);
	}
	if (!r->files.len && !r->summary->plan->no_summary) {
		load_summary_fmt(r->summary, style, &sb);
		fwrite(strbuf_cstr(&sb), 1, sb.len, stdout);
	}
	if (export) {
		strbuf_clear(&sb);
		load_summary_fmt_export(r->summary, &sb);
		write_file(export, strbuf_str(&sb));
	}
	if (f->json) {
		strbuf_clear(&sb);
		load_summary_fmt_result(r->summary, exit_code, &sb);
		write_file(f->json, strbuf_str(&sb));
	}
}

/* Opens the run file, if one is asked for, and notes what only the command line knows. */
static int open_run_file(const struct verb_args *a, struct store_writer **ret, struct error *reterr)
{
	const struct load_flags *f = a->opts;
	struct timespec wall;
	struct sink *sink;
	int64_t anchor_ns;

	if (!f->run_file)
		return 0;
	if (store_writer_open(f->run_file, ret, reterr) < 0)
		return reterr->code;
	sink = store_writer_sink(*ret);
	clock_gettime(CLOCK_REALTIME, &wall);
	anchor_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - (int64_t)clock_now_ns();
	sink_meta(sink, META_VERSION, ASSAY_VERSION);
	sink_meta(sink, META_COMMAND, a->command_line);
	sink_metaf(sink, META_WALL_ANCHOR, "%lld", (long long)anchor_ns);
	return 0;
}

/* k6's code, but 3 (could not measure) where --strict asks for it and k6's would be 0. */
static int exit_code_of(const struct load_flags *f, const struct load_result *r,
			struct error *reterr)
{
	if (r->exit_code)
		error_set(reterr, -1, "%s", r->reason);
	else if (f->strict && r->has_summary && !r->generator_valid)
		error_set(reterr, -1, "the run is not valid (--strict): %s", r->generator_verdict);
	else
		return LOAD_EXIT_OK;
	return r->exit_code ? r->exit_code : EXIT_UNMEASURED;
}

/* Where copies of modules from the network are looked for; the caller frees it; NULL = nowhere. */
static char *module_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache)
		return xasprintf("%s/assay/modules", cache);
	return home && *home ? xasprintf("%s/.cache/assay/modules", home) : NULL;
}

/* Of each probe of a search, unless --warmup says another. */
#define PROBE_WARMUP "2s"

/* The script "-"; what it imports and opens is looked for from the working directory on. */
static int read_stdin(struct load_opts *o, struct strbuf *ret, struct error *reterr)
{
	if (strcmp(o->path, "-") != 0)
		return 0;
	if (file_read("/dev/stdin", JS_SOURCE_BYTES_MAX, ret, reterr) < 0)
		return error_wrap(reterr, "reading the script");
	o->path = "./-";
	o->source = (struct str){ strbuf_cstr(ret), ret->len };
	return 0;
}

/* Runs, prints, returns the exit code. */
static int run_load_of(const struct verb_args *a, const struct load_tiers *options,
		       const struct load_env *env, const struct load_target *target,
		       struct error *reterr)
{
	CLEANUP(cleanup_load_result) struct load_result *result = NULL;
	CLEANUP(load_outputs_release) struct load_outputs outputs = { 0 };
	CLEANUP(mem_cleanup) char *modules = module_dir();
	CLEANUP(cleanup_net_proxies) struct net_proxies *proxies = NULL;
	const struct load_flags *f = a->opts;
	CLEANUP(view_release) struct view view = { f, LOAD_LOG_OUT_INIT };
	CLEANUP(strbuf_release) struct strbuf source = STRBUF_INIT;
	struct load_opts o = {
		.path = a->args[0],
		.target = target,
		.module_dir = modules,
		.env = env->list.ptr,
		.n_env = env->list.len,
		.system_env = env->system.ptr,
		.n_system_env = env->system.len,
		.flags = options->flags,
		.config = options->config,
		.threads = (unsigned)f->threads,
		.stdout_is_tty = isatty(1),
		.stderr_is_tty = isatty(2),
		.no_colour = !term_has_colour(stdout) || f->no_colour,
		.log = log_line,
		.progress = show_progress,
		.arg = &view,
		.stop = &stop_word,
	};
	struct store_writer *run_file = NULL;
	struct error failed = ERROR_INIT;
	int r;

	catch_signals();
	if (read_stdin(&o, &source, reterr) < 0)
		return LOAD_EXIT_SCRIPT;
	if (cli_proxies(&proxies, reterr) < 0 || load_log_open(f, &view.log, reterr) < 0)
		return LOAD_EXIT_CONFIG;
	o.proxies = proxies;
	if (f->find_limit)
		return load_limit_run(f, &o, reterr);
	if (load_outputs_read(f, &outputs, reterr) < 0)
		return LOAD_EXIT_CONFIG;
	if (outputs.len) {
		o.output = &load_outputs_ops;
		o.output_arg = &outputs;
	}
	if (open_run_file(a, &run_file, reterr) < 0)
		return LOAD_EXIT_CONFIG;
	if (run_file)
		o.sink = store_writer_sink(run_file);
	r = load_run(&o, &result, reterr);
	if (store_writer_close(run_file, &failed) < 0)
		term_error("load", &failed);
	if (r < 0)
		return LOAD_EXIT_SCRIPT;
	term_progress_end();
	failed = (struct error)ERROR_INIT;
	r = exit_code_of(f, result, &failed);
	print_result(f, result, r);
	fflush(stdout);
	if (r)
		term_error("load", &failed);
	return r;
}

/* What the flags say to the engine: the search's probes have a load of their own, and a warm-up. */
static int read_flags(const struct load_flags *f, struct load_tiers *ret, struct error *reterr)
{
	struct load_flags flags = *f;

	if (f->find_limit) {
		if (load_limit_check(f, reterr) < 0)
			return -EINVAL;
		flags.vus = NULL;
		flags.warmup = f->warmup ? f->warmup : PROBE_WARMUP;
	} else if (f->probe_ns || f->resolution > 0) {
		return error_set(reterr, -EINVAL, "%s goes with --find-limit",
				 f->probe_ns ? "--probe-duration" : "--resolution");
	}
	return load_flags_read(&flags, ret, reterr);
}

/* The flags that only mean something without a script; the first that was given. */
static const char *url_flag(const struct load_url_flags *u)
{
	const struct {
		bool given;
		const char *name;
	} flags[] = {
		{ u->rate > 0, "--rate" },
		{ u->stages != NULL, "--stages" },
		{ u->method != NULL, "--method" },
		{ u->body != NULL, "--body" },
		{ u->body_file != NULL, "--body-file" },
		{ u->timeout_ns > 0, "--timeout" },
		{ u->headers.len > 0, "--header" },
		{ u->thresholds.len > 0, "--threshold" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].given)
			return flags[i].name;
	return NULL;
}

static int read_target(const struct verb_args *a, struct load_url *ret, struct error *reterr)
{
	const struct load_flags *f = a->opts;
	struct load_url_flags u = f->url;

	if (!load_url_is(a->args[0])) {
		if (url_flag(&u))
			return error_set(reterr, -EINVAL,
					 "%s goes with a URL; with a script its options say it",
					 url_flag(&u));
		return 0;
	}
	u.vus = f->vus;
	u.duration = f->duration;
	u.iterations = f->iterations;
	return load_url_read(a->args[0], &u, ret, reterr);
}

#define USAGE "[options] SCRIPT.js|-|URL"

/* "assay load run script.js", as k6 has it, is "assay load script.js". */
static int take_script(const struct verb_args *a, struct verb_args *ret, struct error *reterr)
{
	*ret = *a;
	if (a->n_args < 2)
		return 0;
	if (strcmp(a->args[0], "run") != 0)
		return error_set(reterr, -EINVAL,
				 "\"%s\" is one argument too many: assay load " USAGE, a->args[1]);
	ret->args++;
	ret->n_args--;
	return 0;
}

static int run_load(const struct verb_args *all)
{
	CLEANUP(load_tiers_release) struct load_tiers options = { NULL, NULL };
	CLEANUP(load_env_release) struct load_env env = LOAD_ENV_INIT;
	CLEANUP(load_url_release) struct load_url url = LOAD_URL_INIT;
	const struct load_flags *f = all->opts;
	struct error err = ERROR_INIT;
	int exit_code = LOAD_EXIT_CONFIG;
	struct verb_args args;

	if (f->threads > 256)
		error_set(&err, -EINVAL, "--threads %llu: at most 256",
			  (unsigned long long)f->threads);
	else if (take_script(all, &args, &err) == 0 && read_target(&args, &url, &err) == 0 &&
		 read_flags(f, &options, &err) == 0 && load_env_read(f, &env, &err) == 0)
		exit_code = run_load_of(&args, &options, &env, url.target.url ? &url.target : NULL,
					&err);
	if (err.code)
		term_error("load", &err);
	return exit_code;
}

static void init_flags(void *opts)
{
	((struct load_flags *)opts)->system_env = true;
}

#define AT(field) offsetof(struct load_flags, field)

static const struct opt opts[] = {
	{ "vus", 'u', OPT_STRING, AT(vus), "N", "Virtual users" },
	{ "duration", 'd', OPT_STRING, AT(duration), "TIME", "Length of the load" },
	{ "iterations", 'i', OPT_STRING, AT(iterations), "N", "Iterations, shared by all VUs" },
	{ "stage", 's', OPT_LIST, AT(stages), "TIME:VUS",
	  "Ramp to VUS within TIME; may be repeated" },
	{ "rate", 0, OPT_DOUBLE, AT(url.rate), "N",
	  "With a URL: arrivals per second, whatever the server does" },
	{ "stages", 0, OPT_STRING, AT(url.stages), "TIME:N,...",
	  "With a URL: ramp the rate (with --rate) or the users" },
	{ "method", 'X', OPT_STRING, AT(url.method), "NAME",
	  "With a URL: GET, or POST when there is a body, unless given" },
	{ "header", 'H', OPT_LIST, AT(url.headers), "NAME: VALUE",
	  "With a URL: a header; may be repeated" },
	{ "body", 0, OPT_STRING, AT(url.body), "TEXT", "With a URL: what to send" },
	{ "body-file", 0, OPT_STRING, AT(url.body_file), "FILE", "With a URL: what to send",
	  "file" },
	{ "timeout", 0, OPT_DURATION, AT(url.timeout_ns), "TIME",
	  "With a URL: of one request (60s)" },
	{ "threshold", 0, OPT_LIST, AT(url.thresholds), "METRIC: EXPR",
	  "With a URL: a threshold; may be repeated" },
	{ "env", 'e', OPT_LIST, AT(env), "NAME=VALUE", "Set __ENV.NAME; may be repeated" },
	{ "include-system-env-vars", 0, OPT_FLAG, AT(system_env), NULL,
	  "Put our own environment into __ENV (yes, unless =false)" },
	{ "tag", 0, OPT_LIST, AT(tags), "NAME=VALUE", "Tag every sample; may be repeated" },
	{ "warmup", 0, OPT_STRING, AT(warmup), "TIME",
	  "Drive the same load before, without counting it" },
	{ "queue-arrivals", 0, OPT_FLAG, AT(queue), NULL,
	  "Arrivals that find no free VU wait for one instead of being dropped" },
	{ "precise", 0, OPT_FLAG, AT(precise), NULL,
	  "Wait for each arrival awake: sent within microseconds, for up to a whole CPU" },
	{ "auto-vus", 0, OPT_FLAG, AT(auto_vus), NULL,
	  "Arrival rates make as many VUs as they need, up to 10,000" },
	{ "find-limit", 0, OPT_MAYBE, AT(find_limit), "START..MAX",
	  "Search for the highest rate, or with --vus the most users, that meets the thresholds" },
	{ "probe-duration", 0, OPT_DURATION, AT(probe_ns), "TIME",
	  "With --find-limit: of each probe, after its warm-up (10s)" },
	{ "resolution", 0, OPT_DOUBLE, AT(resolution), "PERCENT",
	  "With --find-limit: how near the two ends must come (5)" },
	{ "threads", 0, OPT_UINT, AT(threads), "N",
	  "Worker threads (one per 64 VUs, at most half of the CPUs)" },
	{ "out", 'o', OPT_LIST, AT(outputs), "NAME[=ARG]",
	  "Send every sample there: json=FILE, csv=FILE, ...; may be repeated", "file" },
	{ "run", 0, OPT_STRING, AT(run_file), "FILE.assay", "Write a run file", "file" },
	{ "summary-export", 0, OPT_STRING, AT(summary_export), "FILE",
	  "Write the summary as JSON, in k6's old form", "file" },
	{ "json", 0, OPT_STRING, AT(json), "FILE",
	  "Write the result as JSON: verdict, drops, percentiles with their intervals", "file" },
	{ "strict", 0, OPT_FLAG, AT(strict), NULL,
	  "Exit with 3 when the generator was not fit and k6 would say 0" },
	{ "summary-trend-stats", 0, OPT_STRING, AT(summary_trend_stats), "LIST",
	  "Columns of trends: avg,min,med,max,p(95),count" },
	{ "summary-time-unit", 0, OPT_STRING, AT(summary_time_unit), "UNIT",
	  "Unit of times in the summary", "s ms us" },
	{ "no-summary", 0, OPT_FLAG, AT(no_summary), NULL, "Print no summary" },
	{ "no-thresholds", 0, OPT_FLAG, AT(no_thresholds), NULL, "Do not evaluate thresholds" },
	{ "no-setup", 0, OPT_FLAG, AT(no_setup), NULL, "Do not call setup()" },
	{ "no-teardown", 0, OPT_FLAG, AT(no_teardown), NULL, "Do not call teardown()" },
	{ "system-tags", 0, OPT_STRING, AT(system_tags), "LIST",
	  "Tags that samples get of themselves" },
	{ "min-iteration-duration", 0, OPT_STRING, AT(min_iteration_duration), "TIME",
	  "Shorter iterations are stretched to it" },
	{ "user-agent", 0, OPT_STRING, AT(user_agent), "TEXT", "User-Agent of requests" },
	{ "max-redirects", 0, OPT_STRING, AT(max_redirects), "N", "Redirects to follow (10)" },
	{ "h2", 0, OPT_FLAG, AT(h2), NULL,
	  "HTTP/2 only, on http:// too (by prior knowledge); else where TLS agrees on it" },
	{ "http1", 0, OPT_FLAG, AT(http1), NULL, "HTTP/1.1 only: HTTP/2 is not offered" },
	{ "tls-resumption", 0, OPT_FLAG, AT(tls_resumption), NULL,
	  "A VU's later TLS handshakes continue its earlier session; else each is a full one" },
	{ "no-connection-reuse", 0, OPT_FLAG, AT(no_connection_reuse), NULL,
	  "A new connection for every request" },
	{ "no-vu-connection-reuse", 0, OPT_FLAG, AT(no_vu_connection_reuse), NULL,
	  "New connections in every iteration" },
	{ "dns", 0, OPT_STRING, AT(dns), "LIST",
	  "Names to addresses: ttl=5m,select=random,policy=preferIPv4" },
	{ "local-ips", 0, OPT_STRING, AT(local_ips), "LIST",
	  "Send from these addresses: 10.0.0.5-10.0.0.9,10.1.0.0/24" },
	{ "unix-socket", 0, OPT_STRING, AT(unix_socket), "PATH",
	  "Connect to this socket whatever host the URL names" },
	{ "blacklist-ip", 0, OPT_LIST, AT(blacklist_ips), "NET",
	  "Send nothing to this network; may be repeated" },
	{ "block-hostnames", 0, OPT_LIST, AT(block_hostnames), "LIST",
	  "Send nothing to these names, *.example.com and the like" },
	{ "insecure-skip-tls-verify", 0, OPT_FLAG, AT(insecure), NULL, "Take any certificate" },
	{ "discard-response-bodies", 0, OPT_FLAG, AT(discard_bodies), NULL,
	  "Do not keep bodies unless a request asks for it" },
	{ "throw", 'w', OPT_FLAG, AT(throw_errors), NULL, "Failed requests throw" },
	{ "rps", 0, OPT_STRING, AT(rps), "N",
	  "Requests per second at most, of all users together" },
	{ "batch", 0, OPT_STRING, AT(batch), "N", "Requests of http.batch() at once (20)" },
	{ "batch-per-host", 0, OPT_STRING, AT(batch_per_host), "N", "and to one host (6)" },
	{ "execution-segment", 0, OPT_STRING, AT(segment), "FROM:TO",
	  "Run this part of the test, as 0:1/4; the others run elsewhere" },
	{ "execution-segment-sequence", 0, OPT_STRING, AT(segments), "CUTS",
	  "All parts of the test, as 0,1/4,1/2,1" },
	{ "config", 'c', OPT_STRING, AT(config), "FILE",
	  "JSON with options, below those of the script", "file" },
	{ "http-debug", 0, OPT_MAYBE, AT(http_debug), "headers|full",
	  "Log every request and answer, without their bodies or with them" },
	{ "log-output", 0, OPT_STRING, AT(log_output), "WHERE",
	  "The log goes to stderr, stdout, none or file=PATH,level=LEVEL", "stderr stdout none" },
	{ "log-format", 0, OPT_STRING, AT(log_format), "FORM", "Of its lines: text, raw or json",
	  "text raw json" },
	{ "console-output", 0, OPT_STRING, AT(console_output), "FILE",
	  "What the script says with console.log() goes there", "file" },
	{ "summary-mode", 0, OPT_STRING, AT(summary_mode), "MODE",
	  "compact; full: groups and scenarios too; legacy: k6's older form; disabled",
	  "compact full legacy disabled" },
	{ "no-color", 0, OPT_FLAG, AT(no_colour), NULL, "No colours, on a terminal either" },
	{ "profiling-enabled", 0, OPT_FLAG, AT(no_report), NULL,
	  "Taken for k6's sake: there is no server to profile it by" },
	{ "no-usage-report", 0, OPT_FLAG, AT(no_report), NULL,
	  "Nothing is ever reported; taken for k6's sake" },
	{ "linger", 'l', OPT_FLAG, AT(linger), NULL,
	  "Taken for k6's sake: there is nothing to wait for" },
	{ "type", 't', OPT_STRING, AT(ignored), "KIND", "Taken for k6's sake: always js", "js" },
	{ "address", 'a', OPT_STRING, AT(ignored), "ADDRESS",
	  "Taken for k6's sake: there is no server to control a run by" },
	{ "compatibility-mode", 0, OPT_STRING, AT(ignored), "MODE", "Taken for k6's sake",
	  "base extended" },
	{ "quiet", 'q', OPT_FLAG, AT(quiet), NULL, "No progress" },
	{ "verbose", 'v', OPT_FLAG, AT(verbose), NULL, "Show console.debug() too" },
	{ 0 },
};

static const struct example examples[] = {
	{ "assay load script.js", "as the script's options say" },
	{ "assay load -u 50 -d 30s -e BASE=http://127.0.0.1:8080 script.js",
	  "50 VUs for half a minute, with a variable" },
	{ "assay load http://127.0.0.1:8080/ --rate 500 -d 30s --threshold 'http_req_duration: "
	  "p(99)<100'",
	  "500 requests a second without a script; 99 when the threshold is crossed" },
	{ "assay load http://127.0.0.1:8080/ --find-limit --threshold 'http_req_duration: "
	  "p(95)<100'",
	  "the highest rate at which 95 % of the answers come within 100 ms" },
	{ "assay load --warmup 10s --out json=samples.json checkout.js",
	  "ten uncounted seconds first, every sample kept" },
	{ 0 },
};

const struct verb verb_load = {
	.name = "load",
	.summary = "Run a k6 script as load",
	.usage = USAGE,
	.about =
		"Runs a k6 script as it is, with k6's metrics, thresholds, summary and exit "
		"codes.\n"
		"With a URL there is no script: each iteration is one request, of 10 users for\n"
		"10 s unless flags say otherwise.\n"
		"Options come from the script, over them from variables such as K6_VUS, over\n"
		"those from flags.\n"
		"What of k6 is not there is refused by its name before the load begins. The\n"
		"summary goes to stdout; the log and the progress to stderr.\n"
		"\n"
		"Ctrl-C ends the load gracefully and still prints the summary (105); a second one\n"
		"ends it at once, a third one without a result.\n"
		"\n"
		"assay load new writes a script: from a curl command, a HAR file or an OpenAPI\n"
		"document; see assay load new --help.\n"
		"\n"
		"Exit codes: 0; 3 the generator was not fit (--strict); 99 thresholds crossed;\n"
		"100 setup(), 101 teardown() or 102 the init code took too long; 104 wrong\n"
		"options; 105 signal; 107 the script threw outside of an iteration;\n"
		"108 test.abort(); 110 test.fail().",
	.init = init_flags,
	.opts = opts,
	.examples = examples,
	.opts_size = sizeof(struct load_flags),
	.min_args = 1,
	.max_args = 2,
	.usage_exit = LOAD_EXIT_CONFIG,
	.completes = "file",
	.run = run_load,
};
