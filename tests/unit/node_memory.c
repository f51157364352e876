/* SPDX-License-Identifier: Apache-2.0 */
/* Free memory of nodes by files in the form of nodeN/meminfo: the fullest time, gaps, what cannot be read. */
#include "ompt_tool/placement/node_memory.h"

#include <stdio.h>
#include <sys/stat.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

static void put(uint32_t node, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "node%u", node);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "node%u/meminfo", node);
	file = fopen(path, "w");
	CHECK(file != NULL);
	fputs(text, file);
	fclose(file);
}

static void put_free(uint32_t node, uint64_t kib)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "Node %u MemTotal:       65536 kB\nNode %u MemFree:        %llu kB\n"
		 "Node %u MemUsed:            7 kB\n",
		 node, node, (unsigned long long)kib, node);
	put(node, text);
}

TEST(node_memory__the_fullest_time_is_kept)
{
	struct arena *arena = arena_new();
	struct run run = { .machine.nodes = 2 };

	scratch_enter();
	put_free(0, 32768);
	put_free(2, 1024); /* numbers have gaps */
	CHECK(node_memory_note(arena, ".", &run));
	CHECK_INT(run.nr_node_memory, 2);
	CHECK_INT(run.node_memory[0].node, 0);
	CHECK_INT(run.node_memory[0].bytes, 64 << 20);
	CHECK_INT(run.node_memory[0].free_bytes, 32 << 20);
	CHECK_INT(run.node_memory[1].node, 2);
	CHECK_INT(run.node_memory[1].free_bytes, 1 << 20);
	put_free(0, 16384);
	put_free(2, 2048);
	CHECK(node_memory_note(arena, ".", &run));
	CHECK_INT(run.nr_node_memory, 2);
	CHECK_INT(run.node_memory[0].free_bytes, 16 << 20);
	CHECK_INT(run.node_memory[1].free_bytes, 1 << 20);
	arena_free(arena);
}

TEST(node_memory__what_cannot_be_read_is_left_out)
{
	static const char *const texts[] = { "", "Node 0 MemTotal: 65536 kB\n",
					     "Node 0 MemFree: 65536 kB\n",
					     "Node 0 MemTotal: 0 kB\nNode 0 MemFree: 0 kB\n" };
	struct arena *arena = arena_new();
	struct run run = { .machine.nodes = 2 };

	scratch_enter();
	CHECK(node_memory_note(arena, ".", &run));
	CHECK_INT(run.nr_node_memory, 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(0, texts[i]);
		CHECK(node_memory_note(arena, ".", &run));
		CHECK_INT(run.nr_node_memory, 0);
	}
	put_free(1, 0); /* full */
	CHECK(node_memory_note(arena, ".", &run));
	CHECK_INT(run.nr_node_memory, 1);
	CHECK_INT(run.node_memory[0].node, 1);
	CHECK_INT(run.node_memory[0].free_bytes, 0);
	arena_free(arena);
}
