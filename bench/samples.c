/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sampling costs: the same work with and without, in turn. Prints one line a pair:
 * the two times in ns. Run by bench/samples.sh.
 *     samples clock RATE PAIRS      a loop in regions of about 1 ms
 *     samples faults PAIRS          first touch of fresh pages
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/options/options.h"
#include "memsearch/sensor.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sensors/samples.h"

#define REGIONS 200
#define PAGES 256 /* touched in each region */

static volatile double sink;

static void compute(void)
{
	double value = 1;

	for (int i = 0; i < 400000; i++)
		value = value * 1.0000001 + 1e-9;
	sink = value;
}

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, PAGES * page);
}

static uint64_t regions(const struct sensor *sensor, struct thread *self, void (*work)(void),
			bool on)
{
	struct frame *frame = &self->frames[0];
	uint64_t begin_ns = thread_clock_ns();

	frame->region = 1;
	frame->requests = on ? 1u << sensor->id : 0;
	for (int i = 0; i < REGIONS; i++) {
		if (on)
			sensor->region_begin(self, frame);
		work();
		if (on)
			sensor->region_end(self, frame);
	}
	return thread_clock_ns() - begin_ns;
}

static void pairs(const struct sensor *sensor, struct thread *self, void (*work)(void), int nr)
{
	regions(sensor, self, work, true);
	for (int i = 0; i < nr; i++) {
		uint64_t ns[2];

		for (int half = 0; half < 2; half++) { /* with first in every other pair */
			int on = (i + half) % 2;

			sensor->enable(self, on);
			ns[on] = regions(sensor, self, work, on);
		}
		printf("%llu %llu\n", (unsigned long long)ns[0], (unsigned long long)ns[1]);
	}
}

int main(int argc, char **argv)
{
	bool faults = argc == 3 && !strcmp(argv[1], "faults");
	const struct sensor *sensor = faults ? &sensor_faults : &sensor_samples;
	static struct thread self;
	struct sensor_status status;

	if (!faults && argc != 4)
		return 2;
	if (!faults)
		sensor_samples.session.configure(&(struct sensor_setting){
			.options = &(struct options){ .sampling_rate = atof(argv[2]) } });
	sensor->probe(&status);
	self.summary = summary_new();
	if (!status.works || !self.summary || !sensor->thread_begin(&self)) {
		fprintf(stderr, "samples: skipped: %s\n", status.text);
		return 77;
	}
	pairs(sensor, &self, faults ? touch : compute, atoi(argv[argc - 1]));
	return 0;
}
