/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the table of accesses: what a recorded access costs to count, for streams as loops record
 * them. Usage: accesses ROUNDS; prints a line "STREAM NS_PER_ACCESS" for each stream and round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/code/code.h"
#include "analysis/trace/record_rows.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/decoded.h"

#define WORDS 32768 /* of a thread's buffer, sensors/accesses.c */
#define TIMES 60    /* a round takes it */
#define ARRAYS 4
#define ARRAY_BYTES (1ull << 24)
#define NODES 100000
#define NODE_BYTES 64
#define COLUMNS 500 /* of a row of a matrix */

static uint64_t words[WORDS + 64], nr_words, nr_accesses;
static uint64_t counted;
static const uint64_t low = 0x600000000000ull, nodes = 0x610000000000ull;

static uint64_t pick(uint64_t below) /* Marsaglia's xorshift64 */
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t begin_of(unsigned int array)
{
	return low + array * 2 * ARRAY_BYTES;
}

/*
 * `nr_sites` that share `nr_bases` words, each 8 bytes behind the one before; the last one writes.
 */
static uint32_t stretch_of(uint32_t nr_sites, uint32_t nr_bases)
{
	struct record_stretch stretch = { .first_site = record_nr_sites(),
					  .nr_sites = nr_sites,
					  .words = nr_bases };

	for (uint32_t i = 0; i < nr_sites; i++) {
		struct record_site site = { .size = 8,
					    .access = CODE_ACCESS_PLAIN,
					    .read = i + 1 < nr_sites || nr_sites == 1,
					    .write = i + 1 == nr_sites && nr_sites > 1,
					    .base_word = (uint16_t)(1 + i % nr_bases),
					    .displacement = (int64_t)(i / nr_bases * 8) };

		record_rows_add_site(&site);
	}
	return record_rows_add_stretch(&stretch);
}

static void put(uint32_t stretch, const uint64_t *addresses)
{
	const struct record_stretch *row = record_stretch(stretch);

	words[nr_words++] = stretch;
	memcpy(&words[nr_words], addresses, row->words * sizeof(*words));
	nr_words += row->words;
	nr_accesses += row->nr_sites;
}

/* ------------------------------------------------------------------ streams */

/* c[i] = a[i] + b[i] */
static void triad(void)
{
	uint32_t stretch = stretch_of(3, 3);

	for (uint64_t i = 0; nr_words < WORDS - 4; i += 8)
		put(stretch, (uint64_t[]){ begin_of(0) + i, begin_of(1) + i, begin_of(2) + i });
}

static void unrolled(void)
{
	uint32_t stretch = stretch_of(16, 2);

	for (uint64_t i = 0; nr_words < WORDS - 3; i += 64)
		put(stretch, (uint64_t[]){ begin_of(0) + i, begin_of(1) + i });
}

static void strided(void)
{
	uint32_t stretch = stretch_of(2, 2);

	for (uint64_t i = 0; nr_words < WORDS - 3; i++)
		put(stretch, (uint64_t[]){ begin_of(0) + i * 4096 % ARRAY_BYTES,
					   begin_of(1) + i * 8 % ARRAY_BYTES });
}

/* Nine sites in three rows, and something at each row's begin. */
static void rows_of(uint64_t columns)
{
	uint32_t begin = stretch_of(1, 1), stretch = stretch_of(9, 3);

	for (uint64_t row = 0; nr_words < WORDS - 4 * columns - 2; row++) {
		put(begin, (uint64_t[]){ begin_of(3) + row * 8 });
		for (uint64_t i = 0; i < columns; i++) {
			uint64_t at = begin_of(0) + (row * COLUMNS + i) * 8;

			put(stretch, (uint64_t[]){ at, at + COLUMNS * 8, at + 2 * COLUMNS * 8 });
		}
	}
}

static void stencil(void)
{
	rows_of(COLUMNS);
}
static void short_rows(void)
{
	rows_of(8);
}

/* A loop whose body has calls or branches that always go the same way. */
static void pieces(void)
{
	uint32_t stretches[6];

	for (int i = 0; i < 6; i++)
		stretches[i] = stretch_of(1 + (uint32_t)i % 2, 1);
	for (uint64_t i = 0; nr_words < WORDS - 12; i++)
		for (unsigned int piece = 0; piece < 6; piece++)
			put(stretches[piece], (uint64_t[]){ begin_of(piece % ARRAYS) + i * 8 });
}

/* The same, and each is passed over now and then. */
static void branches(void)
{
	uint32_t stretches[6];

	for (int i = 0; i < 6; i++)
		stretches[i] = stretch_of(1 + (uint32_t)i % 2, 1);
	for (uint64_t i = 0; nr_words < WORDS - 12; i++)
		for (unsigned int piece = 0; piece < 6; piece++)
			if (pick(2))
				put(stretches[piece],
				    (uint64_t[]){ begin_of(piece % ARRAYS) + i * 8 });
}

/* a[i] += b[index[i]] */
static void gather(void)
{
	uint32_t stretch = stretch_of(4, 3);

	for (uint64_t i = 0; nr_words < WORDS - 4; i += 8)
		put(stretch, (uint64_t[]){ begin_of(0) + i, begin_of(1) + i,
					   begin_of(2) + pick(ARRAY_BYTES / 16) * 8 });
}

static void randomly(void)
{
	uint32_t stretch = stretch_of(4, 4);

	while (nr_words < WORDS - 5)
		put(stretch, (uint64_t[]){ begin_of(0) + pick(ARRAY_BYTES - 8),
					   begin_of(1) + pick(ARRAY_BYTES - 8),
					   begin_of(2) + pick(ARRAY_BYTES - 8),
					   begin_of(3) + pick(ARRAY_BYTES - 8) });
}

/* Nodes of one allocation, each a block of its own. */
static void list(void)
{
	uint32_t stretch = stretch_of(3, 1);

	while (nr_words < WORDS - 2)
		put(stretch, (uint64_t[]){ nodes + pick(NODES) * 2 * NODE_BYTES });
}

/* ------------------------------------------------------------------ timing */

static const struct {
	const char *name;
	void (*fill)(void);
} streams[] = {
	{ "triad", triad },       { "unrolled", unrolled },     { "strided", strided },
	{ "stencil", stencil },   { "short_rows", short_rows }, { "pieces", pieces },
	{ "branches", branches }, { "gather", gather },         { "randomly", randomly },
	{ "list", list },
};

static double time_stream(struct access_table *table)
{
	double begin = now_ns();
	const struct access_sum *all;

	for (int i = 0; i < TIMES; i++)
		decoded(table, words, nr_words);
	all = access_table_end(table, 1, 1);
	counted += all->counts.reads + all->counts.writes;
	line_set_clear(table->lines);
	return (now_ns() - begin) / ((double)nr_accesses * TIMES);
}

static void declare(void)
{
	uint32_t list_array = array_of_site(1);

	for (unsigned int i = 0; i < ARRAYS; i++)
		array_block_add(array_of_site(2 + i), begin_of(i), ARRAY_BYTES);
	for (unsigned int i = 0; i < NODES; i++)
		array_block_add(list_array, nodes + (uint64_t)i * 2 * NODE_BYTES, NODE_BYTES);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	const char *only = argc > 2 ? argv[2] : NULL;
	struct access_table *table = calloc(1, sizeof(*table));
	struct line_set *lines = calloc(1, sizeof(*lines));

	if (!table || !lines || !(lines->pool = calloc(1, sizeof(*lines->pool))))
		return 2;
	table->lines = lines;
	declare();
	table->world = &decoding_world;
	access_table_enter(table, 1);
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		nr_words = nr_accesses = 0;
		if (only && strcmp(only, streams[i].name))
			continue;
		streams[i].fill();
		for (int round = 0; round < rounds; round++) {
			counted = 0;
			printf("%s %.3f\n", streams[i].name, time_stream(table));
			if (counted != nr_accesses * TIMES || table->dropped || lines->lost)
				return fprintf(stderr, "%s: %llu accesses counted\n",
					       streams[i].name, (unsigned long long)counted),
				       1;
		}
	}
	free(lines->pool);
	free(lines);
	free(table);
	return 0;
}
