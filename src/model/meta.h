/*
 * meta.h - the facts of a run, by key: the one place where keys of struct run's meta are named.
 * Values are text; numbers in plain decimal, sizes in bytes, times with their unit in the key.
 */
#ifndef ASSAY_MODEL_META_H
#define ASSAY_MODEL_META_H

/* what was done */
#define META_VERSION	  "assay.version"
#define META_COMMAND	  "assay.command"	 /* the command line, as typed */
#define META_WALL_START	  "clock.wall_start"	 /* RFC 3339, UTC */
#define META_WALL_ANCHOR  "clock.wall_anchor_ns" /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
#define META_CASE	  "case.name"
#define META_CASE_FILE	  "case.file"
#define META_VARIANT	  "variant.name"
#define META_VARIANT_TEXT "variant.description"
#define META_RUN_INDEX	  "run.index" /* 1, 2, … within the variant */
#define META_RUN_ORDER	  "run.order" /* 1, 2, … within the case */
#define META_RUN_KIND	  "run.kind" /* "measure"; "goal", the fix at the rate asked for; "watch" */
#define META_RUN_STATUS	  "run.status" /* "complete", or why it is not */

/* the machine and the target */
#define META_HOST_KERNEL     "host.kernel"
#define META_HOST_CPU	     "host.cpu_model"
#define META_HOST_CPUS	     "host.cpus"
#define META_HOST_MEMORY     "host.memory_bytes"
#define META_TARGET_COMMAND  "target.command"
#define META_TARGET_PID	     "target.pid"
#define META_TARGET_EXIT     "target.exit" /* exit code or "signal N" */
#define META_LIMIT_CPUS	     "limit.cpus"  /* effective: the minimum over all ancestors */
#define META_LIMIT_PERIOD_NS "limit.period_ns"
#define META_LIMIT_MEMORY    "limit.memory_bytes"

/* the load */
#define META_LOAD_SCRIPT     "load.script"
#define META_LOAD_SHA256     "load.script_sha256"
#define META_LOAD_ENV	     "load.env"	 /* one JSON object */
#define META_LOAD_RATE	     "load.rate" /* arrivals per second asked for */
#define META_LOAD_DURATION_S "load.duration_s"
#define META_LOAD_WARMUP_S   "load.warmup_s"
#define META_LOAD_VUS	     "load.vus" /* most that may run */
#define META_LOAD_ITERATIONS "load.iterations"
#define META_LOAD_DROPPED    "load.dropped_iterations"
#define META_LOAD_REQUESTS   "load.http_reqs"
#define META_LOAD_FAILED     "load.http_req_failed"
#define META_CHECKS_FAILED   "load.checks_failed"

/* can the generator's numbers be trusted? */
#define META_GEN_VERDICT     "generator.verdict"   /* "valid" or the reason */
#define META_GEN_CPU_SHARE   "generator.cpu_share" /* busiest thread, 0..1 */
#define META_GEN_LAG_P99_MS  "generator.send_lag_p99_ms"
#define META_GEN_STEAL_SHARE "generator.steal_share"

/* what the target says of itself at the end of the load */
/* its own histogram, over the measured phase; without one, from what its runtime told each second
 */
#define META_SERVER_P99_MS "server.p99_ms"
#define META_CACHE_HITS	   "cache.hits"
#define META_CACHE_MISSES  "cache.misses"
#define META_CACHE_ENTRIES "cache.entries"

#endif
