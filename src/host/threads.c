#include "host/threads.h"

#include <stdlib.h>
#include <string.h>

static const struct proc_thread *find(const struct proc_threads *list, pid_t tid)
{
	size_t low = 0, high = list->list.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct proc_thread *t = &list->list.ptr[middle];

		if (t->tid == tid)
			return t;
		if (t->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void group_name(const char *name, char ret[16])
{
	size_t n = strnlen(name, 15), end = n;

	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	memset(ret, 0, 16);
	memcpy(ret, name, n);
	if (end < n && end) {
		ret[end] = '#';
		memset(ret + end + 1, 0, 15 - end);
	}
	for (char *c = ret; *c; c++) /* the signs of label lists */
		if (*c == ',' || *c == '=' || (unsigned char)*c < ' ')
			*c = '_';
}

static struct host_thread_group *find_group(struct host_threads *t, const char *name)
{
	vec_for_each (&t->groups, g)
		if (!strcmp(g->name, name))
			return g;
	return NULL;
}

static struct host_thread_group *group_of(struct host_threads *t, const char *thread)
{
	struct host_thread_group fresh = { .live = 0 };
	struct host_thread_group *g;

	group_name(thread, fresh.name);
	g = find_group(t, fresh.name);
	if (!g && t->groups.len >= HOST_THREAD_NAMES_MAX) {
		memcpy(fresh.name, "(others)", sizeof("(others)"));
		g = find_group(t, fresh.name);
	}
	if (g)
		return g;
	vec_push(&t->groups, fresh);
	return &vec_last(&t->groups);
}

/* A thread that is new has all its figures from within the interval. A tid that came again too. */
static void add_thread(struct host_threads *t, const struct proc_thread *now)
{
	static const struct proc_thread nothing = { 0 };
	const struct proc_thread *before = find(&t->last, now->tid);
	struct host_thread_group *g = group_of(t, now->name);

	if (!before || now->run_ns < before->run_ns || now->wait_ns < before->wait_ns ||
	    now->voluntary_switches < before->voluntary_switches ||
	    now->involuntary_switches < before->involuntary_switches)
		before = &nothing;
	g->live++;
	g->run_ns += now->run_ns - before->run_ns;
	g->wait_ns += now->wait_ns - before->wait_ns;
	t->run_ns += now->run_ns - before->run_ns;
	t->wait_ns += now->wait_ns - before->wait_ns;
	t->voluntary_switches += now->voluntary_switches - before->voluntary_switches;
	t->involuntary_switches += now->involuntary_switches - before->involuntary_switches;
	t->has_schedstat = t->has_schedstat || now->has_schedstat;
}

void host_threads_add(struct host_threads *t, struct proc_threads *now)
{
	vec_for_each (&t->groups, g)
		g->live = 0;
	vec_for_each (&now->list, thread)
		add_thread(t, thread);
	vec_release(&t->last.list);
	t->last = *now;
	*now = (struct proc_threads){ 0 };
}

void host_threads_release(struct host_threads *t)
{
	vec_release(&t->last.list);
	vec_release(&t->groups);
}
