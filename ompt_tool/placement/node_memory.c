/* SPDX-License-Identifier: Apache-2.0 */
/* How full the memory of NUMA nodes is. */
#include "ompt_tool/placement/node_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/record/run.h"

#define NUMBERS_MOST 64 /* of nodes that are looked for: numbers may have gaps */

/* "Node 0 MemFree:  1024 kB", in bytes. False: there is no such line. */
static bool value_of(const char *text, const char *key, uint64_t *bytes_out)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	*bytes_out = strtoull(at + strlen(key), NULL, 10) << 10;
	return true;
}

static bool read_node(struct arena *arena, const char *folder, uint32_t node,
		      struct run_node_memory *out)
{
	const char *path = arena_printf(arena, "%s/node%u/meminfo", folder, node);
	char text[512]; /* the first lines have both */

	out->node = node;
	return path && system_text_read(path, text, sizeof(text)) &&
	       value_of(text, " MemTotal:", &out->bytes) &&
	       value_of(text, " MemFree:", &out->free_bytes) && out->bytes;
}

static double free_part(const struct run_node_memory *of)
{
	return (double)of->free_bytes / (double)of->bytes;
}

static struct run_node_memory *row_of(const struct run *run, uint32_t node)
{
	for (size_t i = 0; i < run->nr_node_memory; i++)
		if (run->node_memory[i].node == node)
			return &run->node_memory[i];
	return NULL;
}

bool node_memory_note(struct arena *arena, const char *folder, struct run *run)
{
	uint32_t found = 0;

	for (uint32_t node = 0; node < NUMBERS_MOST && found < run->machine.nodes; node++) {
		struct run_node_memory *row = row_of(run, node), now;

		if (!read_node(arena, folder, node, &now))
			continue;
		found++;
		if (row && free_part(&now) < free_part(row))
			*row = now;
		if (row)
			continue;
		if (!ARENA_GROW(arena, run->node_memory, run->nr_node_memory,
				run->room_node_memory))
			return false;
		run->node_memory[run->nr_node_memory++] = now;
	}
	return true;
}
