#include "host/facts.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/meta.h"
#include "os/clock.h"
#include "os/proc.h"

static void put_time(struct sink *s)
{
	struct timespec wall;
	struct tm utc;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &wall);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&wall.tv_sec, &utc));
	sink_meta(s, META_WALL_START, text);
	sink_metaf(s, META_WALL_ANCHOR, "%lld",
		   (long long)wall.tv_sec * (long long)NS_PER_S + wall.tv_nsec -
			   (long long)clock_now_ns());
}

void host_put_facts(struct sink *s)
{
	CLEANUP(mem_cleanup) char *cpu = proc_cpu_model();
	struct utsname u;

	put_time(s);
	uname(&u);
	sink_metaf(s, META_HOST_KERNEL, "%s %s", u.sysname, u.release);
	sink_meta(s, META_HOST_CPU, cpu);
	sink_metaf(s, META_HOST_CPUS, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	sink_metaf(s, META_HOST_MEMORY, "%llu", (unsigned long long)proc_memory_bytes());
}
