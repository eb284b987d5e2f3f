#include "scrape/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/fetch.h"
#include "os/clock.h"
#include "scrape/figures.h"

struct scrape_source {
	struct watch_source source;
	char *url;
	uint64_t timeout_ns;
	struct net_fetch *fetch;
	struct scrape_figures *figures;
	struct watch_out *out;
	unsigned missed; /* pages in a row */
};

static struct scrape_source *source_of(struct watch_source *s)
{
	return container_of(s, struct scrape_source, source);
}

static int get(struct scrape_source *s, struct net_response **ret, struct error *reterr)
{
	static const struct net_header accept = { STR("Accept"), STR("text/plain;version=0.0.4") };
	struct net_response *res;
	struct net_url url;
	int r = net_url_parse(&url, str_from(s->url), reterr);

	if (r < 0)
		return r;
	res = net_fetch_request(s->fetch, &(struct net_request){ .method = STR("GET"),
								 .url = &url,
								 .headers = &accept,
								 .n_headers = 1,
								 .timeout_ns = s->timeout_ns });
	*ret = res;
	if (res->error != NET_OK)
		return error_set(reterr, -EIO, "%s: %s", s->url, strbuf_cstr(&res->message));
	if (res->head.status != 200)
		return error_set(reterr, -EIO, "%s: status %u", s->url, res->head.status);
	return 0;
}

static int read_page(struct scrape_source *s, struct error *reterr)
{
	struct net_response *res = NULL;
	int r = get(s, &res, reterr);

	if (r == 0) {
		r = scrape_figures_take(
			s->figures,
			(struct str){ res->body.ptr ? res->body.ptr : "", res->body.len },
			clock_now_ns(), s->out, reterr);
		if (r == -EBADMSG)
			error_wrap(reterr, "%s", s->url);
	} else {
		r = -EIO;
	}
	net_response_free(res);
	return r;
}

static int start(struct watch_source *source, struct watch_out *out, uint64_t t_ns UNUSED,
		 struct error *reterr)
{
	struct scrape_source *s = source_of(source);

	s->out = out;
	return read_page(s, reterr);
}

static int poll_page(struct watch_source *source, uint64_t t_ns)
{
	struct scrape_source *s = source_of(source);
	struct error err = ERROR_INIT;
	char text[96];
	int r = read_page(s, &err);

	if (r == -EIO || r == -EBADMSG)
		return s->missed++ ? 0 : s->out->ops->note(s->out, t_ns, err.msg);
	if (r < 0 || !s->missed)
		return r;
	snprintf(text, sizeof(text), "/metrics is there again, after %u missed", s->missed);
	s->missed = 0;
	return s->out->ops->note(s->out, t_ns, text);
}

static void close_source(struct watch_source *source)
{
	struct scrape_source *s = source_of(source);

	net_fetch_close(s->fetch);
	scrape_figures_free(s->figures);
	free(s->url);
	free(s);
}

int scrape_source_new(const struct scrape_source_opts *opts, struct watch_source **ret,
		      struct error *reterr)
{
	static const struct watch_source_ops ops = { start, poll_page, NULL, NULL, close_source };
	const char *scheme_end = strstr(opts->url, "://");
	const char *host = scheme_end ? scheme_end + 3 : opts->url;
	CLEANUP(mem_cleanup)
	char *url = xasprintf("%s%s%s", scheme_end ? "" : "http://", opts->url,
			      strchr(host, '/') ? "" : "/metrics");
	struct scrape_source *s;
	struct net_fetch *fetch;
	struct net_url parsed;
	int r = net_url_parse(&parsed, str_from(url), reterr);

	if (r < 0)
		return error_wrap(reterr, "%s", opts->url);
	r = net_fetch_open(&fetch, reterr);
	if (r < 0)
		return r;
	s = xcalloc(1, sizeof(*s));
	*s = (struct scrape_source){ .source = { .ops = &ops, .name = "/metrics" },
				     .url = TAKE(url),
				     .timeout_ns = opts->timeout_ns,
				     .fetch = fetch,
				     .figures = scrape_figures_new(opts->max_series) };
	*ret = &s->source;
	return 0;
}
