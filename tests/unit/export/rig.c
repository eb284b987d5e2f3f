#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

static void give_metric(void *arg, uint32_t metric, struct export_metric *ret)
{
	static const struct export_metric metrics[] = {
		[HTTP_REQS] = { "http_reqs", EXPORT_COUNTER, EXPORT_DEFAULT },
		[MY_TREND] = { "my_trend", EXPORT_TREND, EXPORT_DEFAULT },
		[MY_RATE] = { "my_rate", EXPORT_RATE, EXPORT_DEFAULT },
		[MY_GAUGE] = { "my_gauge", EXPORT_GAUGE, EXPORT_DATA },
		[MY_TIME] = { "my_time", EXPORT_TREND, EXPORT_TIME },
	};

	(void)arg;
	*ret = metrics[metric];
}

static void give_thresholds(void *arg, uint32_t metric, struct strbuf *out)
{
	(void)arg;
	strbuf_addstr(out, metric == HTTP_REQS ? "[\"count>1\"]" : "[]");
}

static bool give_tag(const void *tags, uint32_t i, struct export_tag *ret)
{
	struct str rest = str_from(tags), part;

	for (uint32_t at = 0; str_split(&rest, ',', &part) && part.len; at++) {
		size_t eq = str_find(part, '=');
		static _Thread_local char key[64];

		if (at < i)
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)eq, part.ptr);
		ret->key = str_from(key);
		ret->value = (struct str){ part.ptr + eq + 1, part.len - eq - 1 };
		return true;
	}
	return false;
}

static const char *const system_tags[] = { "check", "name", "url" };

const struct export_run rig_run = {
	.metric = give_metric,
	.thresholds = give_thresholds,
	.tag = give_tag,
	.wall_anchor_ns = INT64_C(1500000000000000000),
	.system_tags = system_tags,
	.n_system_tags = ARRAY_SIZE(system_tags),
};

void rig_open_run(struct rig *r, const char *text, const char *const *env,
		  const struct export_run *run)
{
	struct error err = ERROR_INIT;

	*r = (struct rig){ .run = *run };
	ASSERT_OK_ERR(export_output_new(&r->out, text, env, STDOUT_FILENO, &err), err);
	ASSERT_OK_ERR(export_hub_open(&r->hub, &r->run, &r->out, 1, &err), err);
	r->batch = export_batch_new(r->hub);
}

void rig_open(struct rig *r, const char *text, const char *const *env)
{
	rig_open_run(r, text, env, &rig_run);
}

void rig_add(struct rig *r, uint32_t metric, const char *tags, uint64_t t_ns, double value)
{
	export_add(r->batch,
		   &(struct export_point){ metric, .vu = 3, .iter = 17, tags, t_ns, value });
}

uint64_t rig_close(struct rig *r, const char **ret_why)
{
	static struct strbuf why;
	uint64_t lost;

	export_batch_free(r->batch);
	export_hub_close(r->hub);
	strbuf_clear(&why);
	lost = export_output_lost(r->out, &why);
	export_output_free(r->out);
	if (ret_why)
		*ret_why = strbuf_cstr(&why);
	return lost;
}

char *rig_temporary(void)
{
	char *path = xstrdup("/tmp/assay-export-XXXXXX");

	close(mkstemp(path));
	return path;
}

struct strbuf rig_read(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	FILE *f = fopen(path, "r");
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		strbuf_add(&out, chunk, n);
	fclose(f);
	unlink(path);
	return out;
}
