/*
 * role.h - what a series is about, whoever named it: the same thing has one name in .NET 9's meter,
 * another in the older EventCounters, another in the kernel, and others in the usual Prometheus
 * exporters (OpenTelemetry's and prometheus-net for .NET, Go's, the JVM's).
 */
#ifndef ASSAY_MODEL_ROLE_H
#define ASSAY_MODEL_ROLE_H

#include "model/series.h"

enum role {
	ROLE_NONE,
	ROLE_ALLOCATED,	  /* counter, bytes the program allocated */
	ROLE_PAUSE,	  /* counter, seconds in which garbage collections stood everything still */
	ROLE_PAUSE_SHARE, /* gauge, the same in % of the time */
	ROLE_HEAP,	  /* gauge, bytes of the collected heap */
	ROLE_COLLECTIONS2, /* counter, full collections */
	ROLE_CPU,	   /* counter, seconds */
	ROLE_PERIODS,	   /* counter, of the quota */
	ROLE_THROTTLED,	   /* counter, of them */
	ROLE_LIMIT_CPUS,   /* gauge */
	ROLE_RSS,	   /* gauge, bytes */
	ROLES
};

struct role_def {
	enum role role;
	double scale; /* times this it is in the unit above */
	/*
	 * Lower ranks are to be preferred: of several names for one role, only the series of the
	 * lowest rank that is there are to be added up.
	 */
	unsigned rank;
};

/* labels: "k=v,k2=v2". ROLE_NONE when it is about nothing of these. */
struct role_def role_of(const char *name, const char *labels, enum series_kind kind);

#endif
