/*
 * outputs.h - the outputs there are, by name, and how one is made of what a user wrote.
 */
#ifndef ASSAY_EXPORT_OUTPUTS_H
#define ASSAY_EXPORT_OUTPUTS_H

#include "export/output.h"

struct export_spec {
	const char *name;	/* before the '=' */
	const char *arg;	/* after it; "" = none */
	const char *const *env; /* "NAME=value", NULL at the end */
	int stdout_fd;
};

struct export_kind {
	const char *name;
	const char *usage; /* "json=FILE", for lists */
	const char *help;
	/* Reads argument and environment; opens nothing. */
	int (*create)(const struct export_spec *spec, struct export_output **ret,
		      struct error *reterr);
};

extern const struct export_kind export_kinds[];
extern const size_t export_kind_count;

/*
 * Makes the output that text ("NAME" or "NAME=ARGUMENT") names. -EINVAL when there is no such one
 * (with the nearest and all there are), or its argument or a variable of its is wrong; -ENOTSUP for
 * those of k6 that assay has not.
 */
int export_output_new(struct export_output **ret, const char *text, const char *const *env,
		      int stdout_fd, struct error *reterr);

/* A variable's value; NULL when it is unset or empty. */
const char *export_variable(const struct export_spec *spec, const char *name);

/* These leave *ret as it is when the variable is unset; -EINVAL names it. */
int export_variable_ns(const struct export_spec *spec, const char *name, uint64_t *ret,
		       struct error *reterr);
int export_variable_bool(const struct export_spec *spec, const char *name, bool *ret,
			 struct error *reterr);

/* Each in a file of its name. */
int export_json_create(const struct export_spec *spec, struct export_output **ret,
		       struct error *reterr);
int export_csv_create(const struct export_spec *spec, struct export_output **ret,
		      struct error *reterr);
int export_promrw_create(const struct export_spec *spec, struct export_output **ret,
			 struct error *reterr);
int export_otel_create(const struct export_spec *spec, struct export_output **ret,
		       struct error *reterr);
int export_influx_create(const struct export_spec *spec, struct export_output **ret,
			 struct error *reterr);

#endif
