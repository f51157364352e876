/* SPDX-License-Identifier: Apache-2.0 */
/* Threads bound to the node they are on, by nodes of the test's own, and back. */
#define _GNU_SOURCE
#include "ompt_tool/process/thread_bindings.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

static cpu_set_t allowed_at_start;

/* The first CPU of the process is node 0's, all others are node 3's; 1 and 2 are none. */
static void make_nodes(void)
{
	char first[64], others[8192] = "";

	CHECK(!sched_getaffinity(0, sizeof(allowed_at_start), &allowed_at_start));
	if (CPU_COUNT(&allowed_at_start) < 2)
		test_skip("this process may use one CPU");
	*first = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &allowed_at_start))
			continue;
		if (!*first)
			snprintf(first, sizeof(first), "%d\n", cpu);
		else
			snprintf(others + strlen(others), sizeof(others) - strlen(others), "%s%d",
				 *others ? "," : "", cpu);
	}
	scratch_enter();
	mkdir("node0", 0700);
	mkdir("node1", 0700);
	mkdir("node3", 0700);
	file_write("node0/cpulist", first, strlen(first));
	file_write("node1/cpulist", "\n", 1); /* memory alone */
	file_write("node3/cpulist", others, strlen(others));
}

static int count_cpus(int thread)
{
	cpu_set_t cpus;

	return sched_getaffinity(thread, sizeof(cpus), &cpus) ? -1 : CPU_COUNT(&cpus);
}

TEST(thread_bindings__bound_and_back)
{
	struct thread_bindings bindings;
	int thread = gettid(), all;

	make_nodes();
	all = CPU_COUNT(&allowed_at_start);
	CHECK(thread_bindings_find(arena_new(), ".", &thread, 1, &bindings));
	CHECK_INT(bindings.nr, 1);
	CHECK_INT(thread_bindings_apply(&bindings, false), 0);
	CHECK(count_cpus(0) == 1 || count_cpus(0) == all - 1);
	CHECK_INT(thread_bindings_apply(&bindings, true), 0);
	CHECK_INT(count_cpus(0), all);
}

TEST(thread_bindings__the_programs_own_change_stays)
{
	struct thread_bindings bindings;
	int thread = gettid();
	cpu_set_t one;

	make_nodes();
	CHECK(thread_bindings_find(arena_new(), ".", &thread, 1, &bindings));
	thread_bindings_apply(&bindings, false);
	CPU_ZERO(&one);
	for (size_t cpu = CPU_SETSIZE; cpu-- > 0 && !CPU_COUNT(&one);)
		if (CPU_ISSET(cpu, &allowed_at_start))
			CPU_SET(cpu, &one);
	/* of three CPUs and more this is another set than a node's */
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	if (CPU_COUNT(&allowed_at_start) < 3)
		CHECK(!sched_setaffinity(0, sizeof(one), &allowed_at_start));
	CHECK_INT(thread_bindings_apply(&bindings, true), 0);
	CHECK_INT(count_cpus(0),
		  CPU_COUNT(&allowed_at_start) < 3 ? CPU_COUNT(&allowed_at_start) : 1);
}

TEST(thread_bindings__threads_of_one_node_and_ended_ones)
{
	struct thread_bindings bindings;
	int threads[] = { gettid(), 0x3ffffff };
	cpu_set_t one = { 0 };

	make_nodes();
	for (size_t cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &allowed_at_start))
			CPU_SET(cpu, &one);
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	CHECK(thread_bindings_find(arena_new(), ".", threads, 2, &bindings));
	CHECK_INT(bindings.nr, 0);
	CHECK(!sched_setaffinity(0, sizeof(one), &allowed_at_start));
	CHECK(thread_bindings_find(arena_new(), "nowhere", threads, 2, &bindings));
	CHECK_INT(bindings.nr, 0);
}
