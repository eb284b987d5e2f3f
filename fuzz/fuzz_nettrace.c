/*
 * A stream of events, whole and in pieces: both give the same events, and every payload is walked
 * to its end.
 */
#include "dotnet/payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t events, sum;
	struct strbuf json;
};

static int on_event(void *user, const struct nettrace_event *e)
{
	struct seen *s = user;
	struct payload_value v;
	struct json_writer w;

	s->events++;
	s->sum = s->sum * 31 + e->ticks + e->payload.len + e->sequence;
	for (size_t i = 0; i < nettrace_depth(e); i++)
		s->sum += nettrace_ip(e, i);
	strbuf_clear(&s->json);
	json_init(&w, &s->json, JSON_COMPACT);
	payload_json(e, NULL, &w);
	payload_find(e, "Mean", &v);
	return 0;
}

static int read_all(struct str bytes, size_t piece, struct seen *s)
{
	struct nettrace_handler h = { .user = s, .event = on_event };
	struct nettrace *r = nettrace_new(&h);
	int code = 0;

	while (bytes.len && code == 0) {
		size_t n = MIN(piece, bytes.len);

		code = nettrace_feed(r, (struct str){ bytes.ptr, n }, NULL);
		bytes = (struct str){ bytes.ptr + n, bytes.len - n };
	}
	if (code == 0)
		code = nettrace_end(r, NULL);
	BUG_ON(nettrace_counts(r)->events != s->events);
	nettrace_free(r);
	strbuf_release(&s->json);
	return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = { 0 }, pieces = { 0 };
	struct str bytes = { (const char *)data, size };
	int a = read_all(bytes, size, &whole), b = read_all(bytes, 61, &pieces);

	BUG_ON(a != b);
	BUG_ON(a == 0 && (whole.events != pieces.events || whole.sum != pieces.sum));
	return 0;
}
