#include "host/sampler.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/run.h"
#include "test.h"

/* A v2 group whose limit sits on an ancestor: the fixture of the control group tests. */
TEST(sampler_puts_the_groups_counters_into_series)
{
	CLEANUP(cleanup_run) struct run *r = run_new();
	CLEANUP(cleanup_host_sampler) struct host_sampler *s = NULL;
	CLEANUP(cgroup_release) struct cgroup g = CGROUP_INIT;
	struct sink *sink = run_sink_new(r);
	char *root = xasprintf("%s/v2", test_fixture("cgroup"));
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(cgroup_of_pid(root, 7, &g, &err), err);
	s = host_sampler_new(&(struct host_sampler_opts){ .group = &g, .sink = sink });
	ASSERT_OK(host_sampler_sample(s, 100));
	ASSERT_OK(host_sampler_sample(s, 200));
	ASSERT_INT(run_series(r, "cgroup.cpu.nr_throttled")->points.len, 2);
	ASSERT_NEAR(run_series(r, "cgroup.cpu.nr_throttled")->points.ptr[1].value, 20, 0);
	ASSERT_NEAR(run_series(r, "cgroup.pressure.cpu.full")->points.ptr[0].value, 2.524, 1e-9);
	ASSERT_TRUE(run_series(r, "process.cpu.time") == NULL);
	free(root);
	run_sink_free(sink);
}

TEST(sampler_says_when_the_process_is_gone)
{
	CLEANUP(cleanup_run) struct run *r = run_new();
	CLEANUP(cleanup_host_sampler) struct host_sampler *s = NULL;
	struct cgroup none = CGROUP_INIT;
	struct sink *sink = run_sink_new(r);
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	s = host_sampler_new(
		&(struct host_sampler_opts){ .pid = child, .group = &none, .sink = sink });
	ASSERT_OK(host_sampler_sample(s, 1));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ASSERT_INT(host_sampler_sample(s, 2), -ESRCH);
	ASSERT_NEAR(run_series(r, "process.thread.count")->points.ptr[0].value, 1, 0);
	ASSERT_INT(r->losses.len, 1); /* no control group: said once */
	run_sink_free(sink);
}
