#include <stddef.h>
#include <stdint.h>

#include "scrape/figures.h"
#include "scrape/prom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(struct watch_out *o, const struct watch_value *v)
{
	(void)o;
	return strlen(v->name) + strlen(v->tags) > 1u << 30;
}

static int tick(struct watch_out *o, uint64_t t_ns)
{
	(void)o;
	(void)t_ns;
	return 0;
}

static int note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	(void)o;
	(void)t_ns;
	return text[0] == '\0';
}

/* Two readings of a page: the halves of the data. */
static void read_twice(const char *data, size_t size)
{
	static const struct watch_out_ops ops = { take, tick, note, NULL };
	CLEANUP(cleanup_scrape_figures) struct scrape_figures *f = scrape_figures_new(20);
	struct watch_out out = { &ops };

	scrape_figures_take(f, (struct str){ data, size / 2 }, 1, &out, NULL);
	scrape_figures_take(f, (struct str){ data + size / 2, size - size / 2 }, 2, &out, NULL);
	scrape_figures_take(f, (struct str){ data, size }, 3, &out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(prom_histogram_release) struct prom_histogram h = PROM_HISTOGRAM_INIT;
	CLEANUP(prom_histogram_release) struct prom_histogram none = PROM_HISTOGRAM_INIT;

	if (prom_histogram_read((struct str){ (const char *)data, size }, "h", NULL, &h, NULL) == 0)
		prom_quantile(&none, &h, 0.99);
	read_twice((const char *)data, size);
	return 0;
}
