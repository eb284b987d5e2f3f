#include "diag.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "shop.h"

__attribute__((format(printf, 2, 3))) static void reply_fmt(struct http_reply *reply,
							    const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	http_reply_json(reply, len >= 0 ? text : NULL, len >= 0 ? (size_t)len : 0);
}

void diag_health(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	(void)ctx;
	(void)req;
	reply_fmt(reply, "{\"status\":\"ok\"}");
}

void diag_metrics(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	const struct shop *shop = ctx;
	struct cache_stats stats;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)req;
	if (!f)
		return;
	cache_stats_get(shop->cache, &stats);
	metrics_write(shop->metrics, &stats, f);
	if (fclose(f) != 0) {
		free(text);
		return;
	}
	http_reply_json(reply, text, len);
	reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
}

void diag_cache(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	const struct shop *shop = ctx;
	struct cache_stats stats;

	(void)req;
	cache_stats_get(shop->cache, &stats);
	reply_fmt(reply,
		  "{\"currentEntryCount\":%" PRIu64 ",\"currentEstimatedSize\":%" PRIu64
		  ",\"totalMisses\":%" PRIu64 ",\"totalHits\":%" PRIu64 "}",
		  stats.entries, stats.size_bytes, stats.misses, stats.hits);
}

void diag_rules(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	const struct shop *shop = ctx;
	uint64_t h = 0xcbf29ce484222325u;

	(void)req;
	for (size_t i = 0; i < shop->rules_len; i++)
		h = (h ^ (unsigned char)shop->rules_text[i]) * 0x100000001b3u;
	reply_fmt(reply, "{\"count\":%d,\"bytes\":%zu,\"fnv1a\":\"%016" PRIx64 "\"}", shop->n_rules,
		  shop->rules_len, h);
}

static int processor_count(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

void diag_runtime(void *ctx, const struct http_request *req, struct http_reply *reply)
{
	const struct shop *shop = ctx;

	(void)req;
	reply_fmt(reply,
		  "{\"edition\":\"c\",\"runtime\":\"%s %s\",\"processorCount\":%d,"
		  "\"heapLimitBytes\":null,\"workers\":%d,\"rules\":%d}",
#ifdef __clang__
		  "clang", __clang_version__,
#else
		  "gcc", __VERSION__,
#endif
		  processor_count(), shop->workers, shop->n_rules);
}
