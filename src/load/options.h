/*
 * options.h - one tier of k6's options: the JSON text of a script's `options`, or flags. A tier is
 * only a set of keys and values; plan.h puts tiers together and checks them. An option that assay
 * does not have and that could change what the run measures is refused by its name; one that cannot
 * matter is taken with a warning.
 */
#ifndef ASSAY_LOAD_OPTIONS_H
#define ASSAY_LOAD_OPTIONS_H

#include "base/error.h"
#include "base/str.h"

/* The text of options a script may have. */
#define LOAD_OPTIONS_MAX_BYTES (4u << 20)

struct load_options;

/* An empty tier. */
struct load_options *load_options_new(void);
struct load_options *load_options_copy(const struct load_options *o);
void load_options_free(struct load_options *o);
DEFINE_CLEANUP(load_options, struct load_options *, load_options_free)

/* What JSON.stringify(options) gave; empty text, "undefined" and "null" are an empty tier.
 * Messages do not say whose options they are: the caller does. -EINVAL when it is not an object,
 * -E2BIG. */
int load_options_parse(struct str json, struct load_options **ret, struct error *reterr);

/*
 * A flag, by the option's name in k6 and the text given on the command line:
 *	vus 10; duration 30s; iterations 100; stages 10s:5,1m:20 (each may also come alone, they
 *	add up); tags k=v (they add up); summaryTrendStats avg,p(99); systemTags status,url;
 *	any other by its value, an empty text meaning true; and assay's own, warmup 10s.
 * -EINVAL when the value cannot be read or there is no such option.
 */
int load_options_set(struct load_options *o, const char *key, const char *value,
		     struct error *reterr);

/*
 * A variable of the environment, as k6 reads them: K6_ and the option's name in upper case, words
 * parted by '_', the value as a flag's; empty is unset. Returns 1 when it was taken and 0 when it
 * is not an option's, as K6_OUT; -EINVAL when the value cannot be read or assay does not have the
 * option, with the variable's name.
 */
int load_options_set_env(struct load_options *o, const char *name, const char *value,
			 struct error *reterr);

/*
 * Lays a higher tier over a lower one, which becomes the two together: keys replace whole, and what
 * shapes the load (duration, iterations, stages, scenarios) as k6 does. A higher tier with vus
 * alone replaces the lower one's scenarios.
 */
void load_options_overlay(struct load_options *lower, const struct load_options *higher);

#endif
