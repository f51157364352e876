/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a very large record takes: 10,000 regions × 256 threads × 2 metrics, written in one
 * update and read again. Prints one line a round: processor seconds to write and to read, and
 * bytes.
 * Run by bench/record.sh.        record [REGIONS THREADS ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"

#define FILE_NAME "bench-record.ms"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Thread by thread, as the tool folds its tables; times vary, most regions run often. */
static void fill(struct arena *arena, struct run *run, uint32_t regions, uint32_t threads)
{
	uint64_t state = 88172645463325252u;

	run->nr_regions = regions;
	run->regions = arena_alloc(arena, regions * sizeof(*run->regions));
	for (uint32_t r = 0; r < regions; r++)
		run->regions[r] = (struct run_region){ .id = r,
						       .parent = r ? 0 : MS_REGION_NONE,
						       .construct = { 0, 0x1000 + 64 * r } };
	run->measurements = arena_alloc(arena,
					(size_t)regions * threads * 2 * sizeof(*run->measurements));
	for (uint32_t thread = 0; thread < threads; thread++)
		for (uint32_t r = 0; r < regions; r++)
			for (uint32_t metric = 0; metric < 2; metric++) {
				struct run_measurement *row =
					&run->measurements[run->nr_measurements++];

				row->row = (struct ms_measurement){
					.region = r,
					.thread = thread,
					.metric = metric ? MS_METRIC_BARRIER_WAIT : MS_METRIC_TIME
				};
				for (int i = 0; i < 4; i++) {
					state = state * 6364136223846793005u + 1442695040888963407u;
					ms_stat_add(&row->row.stat,
						    (double)(20000 + (state >> 33) % 1000000));
				}
				row->phases = 4;
				row->observed_ns = 4e7;
			}
}

static void round_trip(const struct run *run)
{
	struct arena *arena = arena_new();
	struct record *record = record_replace(arena, FILE_NAME, NULL);
	struct run again;
	double begin = seconds(), written;

	if (!record || record_close(record, run) != MS_OK)
		exit(1);
	written = seconds() - begin;
	printf("%.3f ", written);
	arena_free(arena);
	arena = arena_new();
	begin = seconds();
	if (record_read(arena, FILE_NAME, &again, NULL) != MS_OK ||
	    again.nr_measurements != run->nr_measurements)
		exit(1);
	printf("%.3f ", seconds() - begin);
	arena_free(arena);
}

int main(int argc, char **argv)
{
	uint32_t regions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000;
	uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 256;
	int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 5;
	struct arena *arena = arena_new();
	struct run run = { .program = "./bench", .complete = true };

	fill(arena, &run, regions, threads);
	for (int i = 0; i < rounds; i++) {
		FILE *file;

		round_trip(&run);
		file = fopen(FILE_NAME, "r");
		if (!file || fseek(file, 0, SEEK_END))
			return 1;
		printf("%ld\n", ftell(file));
		fclose(file);
	}
	unlink(FILE_NAME);
	return 0;
}
