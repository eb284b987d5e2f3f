#include "os/proc.h"

#include <errno.h>
#include <unistd.h>

#include "test.h"

/* A real line whose name was changed to what breaks parsers that split at blanks. */
#define STAT                                                                                       \
	"4242 (a) b (c)) S 1 4242 4242 0 -1 4194560 1523 77 3 1 250 50 5 6 20 0 9 0 12345 "        \
	"227897344 2048 18446744073709551615 1 1 0 0 0 0 0 4096 0\n"

TEST(proc_stat_survives_a_strange_name)
{
	struct error err = ERROR_INIT;
	struct proc_stat st;

	ASSERT_OK_ERR(proc_parse_stat(STR(STAT), &st, &err), err);
	ASSERT_INT(st.state, 'S');
	ASSERT_INT(st.minor_faults, 1523);
	ASSERT_INT(st.major_faults, 3);
	ASSERT_INT(st.user_ns, 2500 * NS_PER_MS); /* 250 ticks of 10 ms */
	ASSERT_INT(st.system_ns, 500 * NS_PER_MS);
	ASSERT_INT(st.threads, 9);
	ASSERT_INT(st.rss_bytes, 2048 * sysconf(_SC_PAGESIZE));
	ASSERT_INT(proc_parse_stat(STR("1 (x) S 1 2"), &st, &err), -EBADMSG);
	ASSERT_INT(proc_parse_stat(STR("garbage"), &st, &err), -EBADMSG);
}

TEST(proc_cpu_line_has_steal_in_the_eighth_place)
{
	struct proc_cpu cpu;

	ASSERT_OK(proc_parse_cpu(STR("cpu  100 1 50 1000 20 3 4 7 0 0\ncpu0 1\n"), &cpu, NULL));
	ASSERT_INT(cpu.steal_ns, 70 * NS_PER_MS);
	ASSERT_INT(cpu.idle_ns, 10200 * NS_PER_MS);
	ASSERT_INT(cpu.busy_ns, 1580 * NS_PER_MS);
}

TEST(proc_netstat_is_looked_up_by_name)
{
	uint64_t v = 0;
	struct str text = STR("TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 5 6\n"
			      "IpExt: InNoRoutes\nIpExt: 9\n");

	ASSERT_OK(proc_parse_netstat(text, "TcpExt", "ListenOverflows", &v));
	ASSERT_INT(v, 5);
	ASSERT_INT(proc_parse_netstat(text, "TcpExt", "Nothing", &v), -ENOENT);
}

TEST(proc_reads_itself)
{
	struct proc_stat st;

	ASSERT_OK(proc_read("", getpid(), &st, NULL));
	ASSERT_TRUE(st.threads >= 1); /* a sanitizer may run one of its own */
	ASSERT_TRUE(st.rss_bytes > 0);
	ASSERT_TRUE(proc_read("", 999999999, &st, NULL) < 0);
}
