/*
 * The lines are k6's (its documentation, "JSON output"); times are RFC 3339 in UTC with all nine
 * digits. A worker's points go into a block of fixed size; a full block is pushed onto a list under
 * a lock that is held for a few instructions, and blocks that were written come back by the same
 * way, so that a busy run allocates nothing. io_uring and a lock-free ring were rejected: at 1,024
 * points a block the lock is taken a few times a millisecond at most.
 */
#include "export/k6json.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"

/* What is formatted before it is written. */
#define WRITE_BYTES (256u << 10)
/* Tag sets whose text is kept. */
#define TAG_TEXTS_MAX 32768

struct block {
	struct block *next;
	uint32_t len;
	struct k6json_point points[K6JSON_BATCH];
};

struct tag_text {
	const void *tags; /* NULL = free */
	char *text;
	size_t len;
};

struct k6json {
	struct k6json_opts opts;
	char *path;
	int fd;
	pthread_t thread;

	pthread_mutex_t lock; /* of all up to the next blank line */
	pthread_cond_t more;
	struct block *first, *last; /* to be written, in order */
	struct block *spare;
	unsigned blocks; /* there are, spare ones and those in use too */
	uint64_t lost;
	bool closing;

	/* the writer thread's own */
	struct strbuf text;
	size_t pending;	       /* points formatted, not written */
	int failed;	       /* the first errno, negative; 0 = none */
	VEC(char *) metrics;   /* names, quoted; NULL = not met yet */
	struct tag_text *tags; /* open addressing, TAG_TEXTS_MAX * 2 slots */
	size_t tag_count;
	struct strbuf scratch;
	time_t second; /* whose text is in stamp */
	char stamp[32];
};

struct k6json_batch {
	struct k6json *k;
	struct block *block; /* NULL while none could be had */
	uint64_t lost;	     /* not added to k->lost yet */
	uint32_t skip;	     /* points to lose before the queue is asked again */
};

/* --- blocks ----------------------------------------------------------------------------------- */

/* A block to fill, or NULL when the queue has as many as it may. The lock is held. */
static struct block *take_block(struct k6json *k)
{
	struct block *b = k->spare;

	if (b) {
		k->spare = b->next;
	} else {
		if (k->blocks >= K6JSON_QUEUE_LIMIT)
			return NULL;
		k->blocks++;
		b = xmalloc(sizeof(*b));
	}
	b->next = NULL;
	b->len = 0;
	return b;
}

static void push_block(struct k6json *k, struct block *b)
{
	if (k->last)
		k->last->next = b;
	else
		k->first = b;
	k->last = b;
	pthread_cond_signal(&k->more);
}

struct k6json_batch *k6json_batch_new(struct k6json *k)
{
	struct k6json_batch *b = xcalloc(1, sizeof(*b));

	b->k = k;
	return b;
}

void k6json_flush(struct k6json_batch *b)
{
	bool full = b->block && b->block->len;

	if (!full && !b->lost)
		return;
	pthread_mutex_lock(&b->k->lock);
	b->k->lost += b->lost;
	b->lost = 0;
	if (full) {
		push_block(b->k, b->block);
		b->block = NULL;
	}
	pthread_mutex_unlock(&b->k->lock);
}

static bool get_block(struct k6json_batch *b)
{
	if (b->skip) {
		b->skip--;
		return false;
	}
	pthread_mutex_lock(&b->k->lock);
	b->block = take_block(b->k);
	pthread_mutex_unlock(&b->k->lock);
	if (!b->block)
		b->skip = K6JSON_BATCH;
	return b->block;
}

void k6json_add(struct k6json_batch *b, const struct k6json_point *p)
{
	if (!b->block && !get_block(b)) {
		b->lost++;
		return;
	}
	b->block->points[b->block->len++] = *p;
	if (b->block->len == K6JSON_BATCH)
		k6json_flush(b);
}

void k6json_batch_free(struct k6json_batch *b)
{
	if (!b)
		return;
	k6json_flush(b);
	if (b->block) {
		pthread_mutex_lock(&b->k->lock);
		b->block->next = b->k->spare;
		b->k->spare = b->block;
		pthread_mutex_unlock(&b->k->lock);
	}
	free(b);
}

uint64_t k6json_lost(struct k6json *k)
{
	uint64_t lost;

	pthread_mutex_lock(&k->lock);
	lost = k->lost;
	pthread_mutex_unlock(&k->lock);
	return lost;
}

/* --- writing: the thread ---------------------------------------------------------------------- */

static void lose(struct k6json *k, uint64_t points)
{
	pthread_mutex_lock(&k->lock);
	k->lost += points;
	pthread_mutex_unlock(&k->lock);
}

static int write_all(int fd, struct str s)
{
	while (s.len) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s.ptr += n;
		s.len -= (size_t)n;
	}
	return 0;
}

static void write_text(struct k6json *k)
{
	if (!k->failed && k->text.len)
		k->failed = write_all(k->fd, strbuf_str(&k->text));
	if (k->failed)
		lose(k, k->pending);
	k->pending = 0;
	strbuf_clear(&k->text);
}

static void add_time(struct k6json *k, uint64_t t_ns)
{
	int64_t ns = (int64_t)t_ns + k->opts.wall_anchor_ns;
	time_t second = (time_t)(ns / (int64_t)NS_PER_S);
	struct tm utc;

	if (second != k->second || !*k->stamp) {
		gmtime_r(&second, &utc);
		strftime(k->stamp, sizeof(k->stamp), "%Y-%m-%dT%H:%M:%S", &utc);
		k->second = second;
	}
	strbuf_addf(&k->text, "%s.%09dZ", k->stamp, (int)(ns % (int64_t)NS_PER_S));
}

static void define_metric(struct k6json *k, uint32_t metric)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct k6json_metric m = { 0 };

	k->opts.metric(k->opts.arg, metric, &m);
	json_add_quoted(&name, str_from(m.name));
	strbuf_addf(
		&k->text,
		"{\"type\":\"Metric\",\"data\":{\"name\":%s,\"type\":\"%s\",\"contains\":\"%s\","
		"\"thresholds\":%s,\"submetrics\":null},\"metric\":%s}\n",
		strbuf_cstr(&name), m.type, m.contains, m.thresholds ? m.thresholds : "[]",
		strbuf_cstr(&name));
	k->metrics.ptr[metric] = strbuf_detach(&name);
}

static const char *metric_name(struct k6json *k, uint32_t metric)
{
	while (k->metrics.len <= metric)
		vec_push(&k->metrics, NULL);
	if (!k->metrics.ptr[metric])
		define_metric(k, metric);
	return k->metrics.ptr[metric];
}

static void format_tags(struct k6json *k, const void *tags)
{
	struct json_writer w;

	strbuf_clear(&k->scratch);
	json_init(&w, &k->scratch, JSON_COMPACT);
	json_object_begin(&w, NULL);
	k->opts.tags_fmt(k->opts.arg, tags, &w);
	json_object_end(&w);
}

static void add_tags(struct k6json *k, const void *tags)
{
	size_t mask = TAG_TEXTS_MAX * 2 - 1;
	size_t i = ((uintptr_t)tags * UINT64_C(0x9E3779B97F4A7C15) >> 40) & mask;

	while (k->tags[i].tags && k->tags[i].tags != tags)
		i = (i + 1) & mask;
	if (!k->tags[i].tags) {
		format_tags(k, tags);
		if (k->tag_count == TAG_TEXTS_MAX) {
			strbuf_add(&k->text, k->scratch.ptr, k->scratch.len);
			return;
		}
		k->tag_count++;
		k->tags[i] = (struct tag_text){ tags, NULL, k->scratch.len };
		k->tags[i].text = strbuf_detach(&k->scratch);
	}
	strbuf_add(&k->text, k->tags[i].text, k->tags[i].len);
}

static void add_metadata(struct k6json *k, const struct k6json_point *p)
{
	if (!p->vu || (!k->opts.vu && !k->opts.iter))
		return;
	strbuf_addstr(&k->text, ",\"metadata\":{");
	if (k->opts.iter)
		strbuf_addf(&k->text, "\"iter\":\"%llu\"%s", (unsigned long long)p->iter,
			    k->opts.vu ? "," : "");
	if (k->opts.vu)
		strbuf_addf(&k->text, "\"vu\":\"%u\"", p->vu);
	strbuf_addch(&k->text, '}');
}

static void add_point(struct k6json *k, const struct k6json_point *p)
{
	const char *name = metric_name(k, p->metric);

	strbuf_addf(&k->text, "{\"metric\":%s,\"type\":\"Point\",\"data\":{\"time\":\"", name);
	add_time(k, p->t_ns);
	strbuf_addstr(&k->text, "\",\"value\":");
	json_add_double(&k->text, p->value);
	strbuf_addstr(&k->text, ",\"tags\":");
	add_tags(k, p->tags);
	add_metadata(k, p);
	strbuf_addstr(&k->text, "}}\n");
	k->pending++;
}

static void write_block(struct k6json *k, const struct block *b)
{
	if (k->failed) {
		lose(k, b->len);
		return;
	}
	for (uint32_t i = 0; i < b->len; i++) {
		add_point(k, &b->points[i]);
		if (k->text.len >= WRITE_BYTES)
			write_text(k);
	}
}

/* The next block, or NULL when there will be none. What is formatted is written before a wait. */
static struct block *next_block(struct k6json *k, struct block *done)
{
	struct block *b;

	pthread_mutex_lock(&k->lock);
	if (done) {
		done->next = k->spare;
		k->spare = done;
	}
	if (!k->first && k->text.len) {
		pthread_mutex_unlock(&k->lock);
		write_text(k);
		pthread_mutex_lock(&k->lock);
	}
	while (!k->first && !k->closing)
		pthread_cond_wait(&k->more, &k->lock);
	b = k->first;
	if (b)
		k->first = b->next;
	if (!k->first)
		k->last = NULL;
	pthread_mutex_unlock(&k->lock);
	return b;
}

static void *run_writer(void *arg)
{
	struct k6json *k = arg;
	struct block *b = NULL;

	while ((b = next_block(k, b)) != NULL)
		write_block(k, b);
	return NULL;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void free_all(struct k6json *k)
{
	for (struct block *b = k->spare, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	vec_for_each (&k->metrics, name)
		free(*name);
	vec_release(&k->metrics);
	for (size_t i = 0; i < TAG_TEXTS_MAX * 2; i++)
		free(k->tags[i].text);
	free(k->tags);
	strbuf_release(&k->text);
	strbuf_release(&k->scratch);
	pthread_cond_destroy(&k->more);
	pthread_mutex_destroy(&k->lock);
	free(k->path);
	free(k);
}

int k6json_open(const char *path, const struct k6json_opts *opts, struct k6json **ret,
		struct error *reterr)
{
	struct k6json *k;
	int fd, err;

	if (str_ends_with(str_from(path), STR(".gz")))
		return error_set(reterr, -ENOTSUP,
				 "writing samples to %s: assay does not compress them; give a name "
				 "without .gz and compress it afterwards",
				 path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_errno(reterr, -errno, "opening %s for samples", path);
	k = xcalloc(1, sizeof(*k));
	k->opts = *opts;
	k->path = xstrdup(path);
	k->fd = fd;
	k->tags = xcalloc(TAG_TEXTS_MAX * 2, sizeof(*k->tags));
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->more, NULL);
	err = pthread_create(&k->thread, NULL, run_writer, k);
	if (err) {
		close(fd);
		free_all(k);
		return error_errno(reterr, -err, "starting the thread that writes %s", path);
	}
	*ret = k;
	return 0;
}

int k6json_close(struct k6json *k, struct error *reterr)
{
	int failed;

	if (!k)
		return 0;
	pthread_mutex_lock(&k->lock);
	k->closing = true;
	pthread_cond_signal(&k->more);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->thread, NULL);
	failed = k->failed;
	if (close(k->fd) < 0 && !failed)
		failed = -errno;
	if (failed)
		error_errno(reterr, failed, "writing samples to %s; %llu were lost", k->path,
			    (unsigned long long)k->lost);
	free_all(k);
	return failed;
}
