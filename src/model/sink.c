#include "model/sink.h"

#include <stdarg.h>

static int null_meta(struct sink *s UNUSED, const char *key UNUSED, const char *value UNUSED)
{
	return 0;
}

static int null_series(struct sink *s UNUSED, const struct series_def *def UNUSED, uint32_t *ret_id)
{
	*ret_id = 0;
	return 0;
}

static int null_point(struct sink *s UNUSED, uint32_t id UNUSED, uint64_t t UNUSED, double v UNUSED)
{
	return 0;
}

static int null_dist(struct sink *s UNUSED, const struct dist *d UNUSED)
{
	return 0;
}

static int null_span(struct sink *s UNUSED, const struct span *sp UNUSED)
{
	return 0;
}

static int null_exemplar(struct sink *s UNUSED, const struct exemplar *e UNUSED)
{
	return 0;
}

static int null_loss(struct sink *s UNUSED, const char *source UNUSED, uint64_t count UNUSED,
		     const char *what UNUSED)
{
	return 0;
}

static const struct sink_ops null_ops = {
	.meta = null_meta,
	.series = null_series,
	.point = null_point,
	.dist = null_dist,
	.span = null_span,
	.exemplar = null_exemplar,
	.loss = null_loss,
};

struct sink sink_null = { .ops = &null_ops };

int sink_metaf(struct sink *s, const char *key, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf value = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&value, fmt, ap);
	va_end(ap);
	return sink_meta(s, key, strbuf_cstr(&value));
}
