#include "model/role.h"

#include "base/str.h"

/* In order of preference within a role. */
static const struct {
	const char *name;
	const char *label; /* must be among the labels; NULL = any */
	enum series_kind kind;
	enum role role;
	double scale;
} names[] = {
	{ "dotnet.gc.heap.total_allocated", NULL, SERIES_COUNTER, ROLE_ALLOCATED, 1 },
	{ "alloc-rate", NULL, SERIES_COUNTER, ROLE_ALLOCATED, 1 },
	{ "dotnet_gc_heap_total_allocated_bytes_total", NULL, SERIES_COUNTER, ROLE_ALLOCATED, 1 },
	{ "process_runtime_dotnet_gc_allocations_size_bytes_total", NULL, SERIES_COUNTER,
	  ROLE_ALLOCATED, 1 },
	{ "go_memstats_alloc_bytes_total", NULL, SERIES_COUNTER, ROLE_ALLOCATED, 1 },
	{ "jvm_gc_memory_allocated_bytes_total", NULL, SERIES_COUNTER, ROLE_ALLOCATED, 1 },

	{ "dotnet.gc.pause.time", NULL, SERIES_COUNTER, ROLE_PAUSE, 1 },
	{ "total-pause-time-by-gc", NULL, SERIES_COUNTER, ROLE_PAUSE, 1e-3 },
	{ "dotnet_gc_pause_time_seconds_total", NULL, SERIES_COUNTER, ROLE_PAUSE, 1 },
	{ "go_gc_duration_seconds_sum", NULL, SERIES_COUNTER, ROLE_PAUSE, 1 },
	{ "jvm_gc_pause_seconds_sum", NULL, SERIES_COUNTER, ROLE_PAUSE, 1 },
	{ "time-in-gc", NULL, SERIES_GAUGE, ROLE_PAUSE_SHARE, 1 },

	{ "dotnet.gc.last_collection.heap.size", NULL, SERIES_GAUGE, ROLE_HEAP, 1 },
	{ "gc-heap-size", NULL, SERIES_GAUGE, ROLE_HEAP, 1e6 },
	{ "dotnet_gc_last_collection_heap_size_bytes", NULL, SERIES_GAUGE, ROLE_HEAP, 1 },
	{ "dotnet_total_memory_bytes", NULL, SERIES_GAUGE, ROLE_HEAP, 1 },
	{ "go_memstats_heap_alloc_bytes", NULL, SERIES_GAUGE, ROLE_HEAP, 1 },
	{ "jvm_memory_used_bytes", "area=heap", SERIES_GAUGE, ROLE_HEAP, 1 },

	{ "dotnet.gc.collections", "gc.heap.generation=gen2", SERIES_COUNTER, ROLE_COLLECTIONS2,
	  1 },
	{ "gen-2-gc-count", NULL, SERIES_COUNTER, ROLE_COLLECTIONS2, 1 },
	{ "dotnet_gc_collections_total", "gc_heap_generation=gen2", SERIES_COUNTER,
	  ROLE_COLLECTIONS2, 1 },
	{ "dotnet_collection_count_total", "generation=2", SERIES_COUNTER, ROLE_COLLECTIONS2, 1 },

	{ "process.cpu.time", NULL, SERIES_COUNTER, ROLE_CPU, 1 },
	{ "dotnet.process.cpu.time", NULL, SERIES_COUNTER, ROLE_CPU, 1 },
	{ "process_cpu_seconds_total", NULL, SERIES_COUNTER, ROLE_CPU, 1 },

	{ "cgroup.cpu.nr_periods", NULL, SERIES_COUNTER, ROLE_PERIODS, 1 },
	{ "cgroup.cpu.nr_throttled", NULL, SERIES_COUNTER, ROLE_THROTTLED, 1 },
	{ "cgroup.cpu.limit", NULL, SERIES_GAUGE, ROLE_LIMIT_CPUS, 1 },

	{ "process.memory.usage", NULL, SERIES_GAUGE, ROLE_RSS, 1 },
	{ "dotnet.process.memory.working_set", NULL, SERIES_GAUGE, ROLE_RSS, 1 },
	{ "working-set", NULL, SERIES_GAUGE, ROLE_RSS, 1e6 },
	{ "process_resident_memory_bytes", NULL, SERIES_GAUGE, ROLE_RSS, 1 },
};

static bool has_label(const char *labels, const char *label)
{
	struct str rest = str_from(labels), part;

	while (str_split(&rest, ',', &part))
		if (str_eq_c(part, label))
			return true;
	return false;
}

struct role_def role_of(const char *name, const char *labels, enum series_kind kind)
{
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].kind == kind && !strcmp(names[i].name, name) &&
		    (!names[i].label || has_label(labels, names[i].label)))
			return (struct role_def){ names[i].role, names[i].scale, i };
	return (struct role_def){ ROLE_NONE, 0, 0 };
}
