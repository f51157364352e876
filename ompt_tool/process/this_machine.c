/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and the program in a few facts, from /proc and /sys. */
#define _GNU_SOURCE
#include "ompt_tool/process/this_machine.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/base/arena.h"
#include "analysis/base/thread_clock.h"
#include "analysis/base/log.h"
#include "analysis/base/system_text.h"

#define COMMAND_BYTES 4096

void machine_describe(struct arena *arena, const char *cpus, struct machine *machine_out)
{
	char text[8192];
	struct utsname names;
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	*machine_out = (struct machine){ .host_name = "", .cpu_model = "", .kernel = "" };
	if (uname(&names) == 0) {
		machine_out->host_name = arena_strdup(arena, names.nodename);
		machine_out->kernel = arena_printf(arena, "%s %s", names.sysname, names.release);
	}
	system_text_read("/proc/cpuinfo", text, sizeof(text));
	machine_out->cpu_model = system_text_cpu_model(arena, text);
	machine_out->cpus = (uint32_t)system_text_count(cpus);
	system_text_read("/sys/devices/system/cpu/online", text, sizeof(text));
	machine_out->cpus_online = (uint32_t)system_text_count(text);
	system_text_read("/sys/devices/system/node/has_memory", text, sizeof(text));
	machine_out->nodes = (uint32_t)system_text_count(text);
	if (pages > 0 && page_bytes > 0)
		machine_out->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
}

void machine_calibration(struct arena *arena, const char *cpus, struct machine *machine)
{
	struct bandwidth_place place;
	struct bandwidth kept;
	enum ms_status status;

	bandwidth_find(arena, cpus, &place);
	status = bandwidth_load(&place, &kept);
	if (status == MS_ERR_FORMAT)
		log_warning(
			"'%s' is damaged: `memsearch doctor --calibrate` measures the bandwidth of memory anew",
			place.path);
	machine->attainable_bandwidth = kept.all;
	machine->single_bandwidth = kept.single;
	machine->bandwidth_spread = kept.all_spread > kept.single_spread ? kept.all_spread
									 : kept.single_spread;
	machine->bandwidth_measured = kept.measured;
	machine->cache_bytes = kept.caches;
}

double machine_line_bytes(void)
{
	char text[32];

	system_text_read("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", text,
			 sizeof(text));
	return *text ? (double)strtoul(text, NULL, 10)
		     : (double)(sysconf(_SC_LEVEL1_DCACHE_LINESIZE) > 0
					? sysconf(_SC_LEVEL1_DCACHE_LINESIZE)
					: 0);
}

#define FAULT_PAGES 64
#define FAULT_ROUNDS 3

/* Cost of touching and releasing FAULT_PAGES pages, per page; 0: no memory. */
static double touch_ns(size_t page_bytes)
{
	size_t bytes = FAULT_PAGES * page_bytes;
	uint64_t begin_ns;
	volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 0;
	madvise((void *)pages, bytes, MADV_NOHUGEPAGE);
	begin_ns = thread_clock_ns();
	for (size_t i = 0; i < FAULT_PAGES; i++)
		pages[i * page_bytes] = 1;
	munmap((void *)pages, bytes);
	return (double)(thread_clock_ns() - begin_ns) / FAULT_PAGES;
}

double machine_page_fault_ns(void)
{
	static double least_ns;
	static bool measured;

	for (int round = 0; round < FAULT_ROUNDS && !measured; round++) {
		double ns = touch_ns((size_t)sysconf(_SC_PAGESIZE));

		least_ns = round ? fmin(least_ns, ns) : ns;
	}
	measured = true;
	return least_ns;
}

#define ATOMIC_UPDATES 500
#define ROUNDS 5

/* The least of the rounds: others were interrupted. */
double machine_atomic_ns(void)
{
	uint64_t value = 0, least_ns = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = thread_clock_ns(), ns;

		for (int i = 0; i < ATOMIC_UPDATES; i++)
			__atomic_fetch_add(&value, 1, __ATOMIC_SEQ_CST);
		ns = thread_clock_ns() - begin_ns;
		least_ns = ns < least_ns ? ns : least_ns;
	}
	return (double)least_ns / ATOMIC_UPDATES;
}

#define CHAIN 8 /* additions of a loop's body, so that its counter takes no time */
#define CHAIN_LOOPS 1000

/* Each addition needs the one before, and takes a cycle. */
static uint64_t add_chain(uint64_t sum)
{
	uint64_t summand = sum | 1;

	for (int i = 0; i < CHAIN_LOOPS; i++)
		for (int k = 0; k < CHAIN; k++) {
			sum += summand;
			__asm__ volatile("" : "+r"(sum), "+r"(summand));
		}
	return sum;
}

double machine_cycle_ns(void)
{
	uint64_t sum = 0, least_ns = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = thread_clock_ns(), ns;

		sum = add_chain(sum);
		ns = thread_clock_ns() - begin_ns;
		least_ns = ns < least_ns ? ns : least_ns;
	}
	return (double)least_ns / (CHAIN * CHAIN_LOOPS);
}

const char *machine_program(struct arena *arena, const char **command_out)
{
	char text[COMMAND_BYTES + 1];
	size_t length = system_text_read("/proc/self/cmdline", text, sizeof(text));
	const char *program = arena_strdup(arena, text);

	for (size_t i = 0; i + 1 < length; i++)
		if (!text[i])
			text[i] = ' ';
	*command_out = arena_strdup(arena, text);
	return program;
}

uint64_t machine_process_age_ns(void)
{
	char text[1024], *at;
	struct timespec now;
	unsigned long long ticks = 0;
	long hz = sysconf(_SC_CLK_TCK);
	int64_t age;

	system_text_read("/proc/self/stat", text, sizeof(text));
	/* the name may hold blanks; field 3 follows, starttime is field 22, proc(5) */
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || hz <= 0 || sscanf(at, " %llu", &ticks) != 1 ||
	    clock_gettime(CLOCK_BOOTTIME, &now))
		return 0;
	age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec -
	      (int64_t)(ticks * (1000000000ull / (unsigned long long)hz));
	return age > 0 ? (uint64_t)age : 0;
}
