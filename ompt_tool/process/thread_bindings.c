/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs of threads and nodes. */
#define _GNU_SOURCE
#include "ompt_tool/process/thread_bindings.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"

#define NODES_MOST 1024 /* numbers of nodes: below (Linux, MAX_NUMNODES) */
#define LIST_BYTES 4096 /* of a list of CPUs */

struct thread_binding {
	int thread;
	cpu_set_t node, before;
};

struct node_cpus {
	cpu_set_t cpus;
};

/* "0-3,8" */
static void read_list(const char *list, cpu_set_t *out)
{
	CPU_ZERO(out);
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, out);
		list = *end == ',' ? end + 1 : end;
	}
}

/* Of nodes with CPUs; returns how many. NULL: no memory. */
static struct node_cpus *read_nodes(struct arena *arena, const char *folder, size_t *nr_out)
{
	struct node_cpus *nodes = NULL;
	size_t room = 0;

	*nr_out = 0;
	for (unsigned int number = 0; number < NODES_MOST; number++) {
		const char *path = arena_printf(arena, "%s/node%u/cpulist", folder, number);
		char list[LIST_BYTES];
		cpu_set_t cpus;

		if (!path || !system_text_read(path, list, sizeof(list)))
			continue;
		read_list(list, &cpus);
		if (!CPU_COUNT(&cpus))
			continue;
		if (!ARENA_GROW(arena, nodes, *nr_out, room))
			return NULL;
		nodes[(*nr_out)++].cpus = cpus;
	}
	return nodes;
}

/* proc(5): the 39th value of stat; the second one is a name in parentheses. -1: not known. */
static int cpu_of(struct arena *arena, int thread)
{
	const char *path = arena_printf(arena, "/proc/self/task/%d/stat", thread), *at;
	char text[1024];

	if (!path || !system_text_read(path, text, sizeof(text)))
		return -1;
	at = strrchr(text, ')');
	for (int value = 2; at && value < 39; value++)
		at = strchr(at + 1, ' ');
	return at ? (int)strtol(at, NULL, 10) : -1;
}

/* The node that the thread is on, if it may run on others, too; NULL: it may not. */
static const struct node_cpus *node_of(struct arena *arena, const struct node_cpus *nodes,
				       size_t nr, int thread, const cpu_set_t *allowed)
{
	int cpu = cpu_of(arena, thread);

	for (size_t i = 0; i < nr && cpu >= 0 && cpu < CPU_SETSIZE; i++) {
		cpu_set_t both;

		if (!CPU_ISSET((size_t)cpu, &nodes[i].cpus))
			continue;
		CPU_AND(&both, &nodes[i].cpus, allowed);
		return CPU_COUNT(&both) && !CPU_EQUAL(&both, allowed) ? &nodes[i] : NULL;
	}
	return NULL;
}

bool thread_bindings_find(struct arena *arena, const char *folder, const int *threads, size_t nr,
			  struct thread_bindings *out)
{
	size_t nr_nodes;
	const struct node_cpus *nodes = read_nodes(arena, folder, &nr_nodes);

	*out = (struct thread_bindings){ .nr = 0 };
	for (size_t i = 0; nodes && i < nr; i++) {
		struct thread_binding binding = { .thread = threads[i] };
		const struct node_cpus *node;

		if (sched_getaffinity(threads[i], sizeof(binding.before), &binding.before))
			continue; /* it has ended */
		node = node_of(arena, nodes, nr_nodes, threads[i], &binding.before);
		if (!node)
			continue;
		CPU_AND(&binding.node, &node->cpus, &binding.before);
		if (!ARENA_GROW(arena, out->items, out->nr, out->room))
			return false;
		out->items[out->nr++] = binding;
	}
	return true;
}

static bool has_cpus(const struct thread_binding *binding, const cpu_set_t *cpus)
{
	cpu_set_t now;

	return !sched_getaffinity(binding->thread, sizeof(now), &now) && CPU_EQUAL(&now, cpus);
}

size_t thread_bindings_apply(const struct thread_bindings *bindings, bool back)
{
	size_t refused = 0;

	for (size_t i = 0; i < bindings->nr; i++) {
		const struct thread_binding *binding = &bindings->items[i];
		const cpu_set_t *from = back ? &binding->node : &binding->before,
				*to = back ? &binding->before : &binding->node;

		if (has_cpus(binding, from))
			refused += sched_setaffinity(binding->thread, sizeof(*to), to) &&
				   errno != ESRCH;
	}
	return refused;
}
