#include "cli/collect.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/num.h"
#include "base/str.h"
#include "os/clock.h"

/* ---- signals ---- */

static int stop_fd = -1;

static void on_signal(int number UNUSED)
{
	uint64_t one = 1;

	if (write(stop_fd, &one, sizeof(one)) < 0)
		return; /* it is full of signals already */
}

int collect_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (stop_fd >= 0)
		return stop_fd;
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &sa, NULL);
	return stop_fd;
}

bool collect_is_told_to_stop(void)
{
	uint64_t n;

	return stop_fd >= 0 && read(stop_fd, &n, sizeof(n)) > 0;
}

/* ---- how long ---- */

/* .NET's way: [dd:]hh:mm:ss */
static int parse_clock(struct str text, uint64_t *ret_ns)
{
	static const uint64_t weight_s[] = { 86400, 3600, 60, 1 };
	struct str part, parts[ARRAY_SIZE(weight_s)];
	uint64_t seconds = 0, v;
	size_t n = 0;

	while (str_split(&text, ':', &part)) {
		if (n == ARRAY_SIZE(parts))
			return -EINVAL;
		parts[n++] = part;
	}
	if (n < 3)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (num_parse_u64(parts[i], &v) < 0 || v > 1000000)
			return -EINVAL;
		seconds += v * weight_s[ARRAY_SIZE(weight_s) - n + i];
	}
	*ret_ns = seconds * NS_PER_S;
	return 0;
}

/* A bare number would be milliseconds to k6 and days to dotnet-counters: neither is taken. */
int collect_duration(const char *text, uint64_t *ret_ns, struct error *reterr)
{
	struct str s = str_from(text);
	uint64_t bare;
	int r = num_parse_u64(s, &bare) == 0 ? -EINVAL : parse_clock(s, ret_ns);

	if (r < 0 && num_parse_u64(s, &bare) < 0)
		r = duration_parse(s, ret_ns);
	if (r == 0 && *ret_ns)
		return 0;
	return error_set(reterr, -EINVAL,
			 "--duration takes a time such as 30s, 5m or 00:00:05:00 (days, hours, "
			 "minutes, seconds), not \"%s\"",
			 text);
}
