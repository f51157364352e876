/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs, caches and memory of this process, from the kernel. */
#define _GNU_SOURCE
#include "analysis/bandwidth/sizes.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_UNKNOWN (32ull << 20)
#define CPUS_MAX (1 << 20)

/* The first line of a file; false: it cannot be read. */
static bool read_line(const char *path, char *line, int room)
{
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, room, file);

	if (file)
		fclose(file);
	return read;
}

/*
 * A number at the begin of a file, with K or M behind it perhaps; UINT64_MAX: none ("max", no such
 * file).
 */
static uint64_t read_bytes(const char *path)
{
	char line[64], *end;
	unsigned long long value;

	if (!read_line(path, line, sizeof(line)) || *line < '0' || *line > '9')
		return UINT64_MAX;
	value = strtoull(line, &end, 10);
	return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value;
}

/* ------------------------------------------------------------------ caches */

#define LEVELS 5

struct cache {
	long first;     /* of the CPUs that share it */
	uint64_t bytes; /* 0: there is none, or it holds no data */
};

static struct cache read_cache(int cpu, int index, uint64_t *level_out)
{
	struct cache cache = { cpu, 0 };
	char path[96], line[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu,
		 index);
	if (!read_line(path, line, sizeof(line)) || *line == 'I')
		return cache;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu,
		 index);
	*level_out = read_bytes(path);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu,
		 index);
	cache.bytes = read_bytes(path);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
		 cpu, index);
	cache.first = read_line(path, line, sizeof(line)) ? strtol(line, NULL, 10) : cpu;
	cache.bytes = cache.bytes == UINT64_MAX ? 0 : cache.bytes;
	return cache;
}

/* Of one CPU by level; [0]: the highest one. */
static void caches_of(int cpu, struct cache caches[LEVELS])
{
	memset(caches, 0, LEVELS * sizeof(*caches));
	for (int index = 0; index < 8; index++) {
		uint64_t level = 0;
		struct cache cache = read_cache(cpu, index, &level);

		if (level > 0 && level < LEVELS)
			caches[level] = cache;
	}
	for (int level = 1; level < LEVELS; level++)
		if (caches[level].bytes)
			caches[0] = caches[level];
	if (!caches[0].bytes)
		caches[0] = (struct cache){ cpu, CACHE_UNKNOWN };
}

/* Caches of a level found so far. */
struct met {
	long *first; /* NULL: no memory, then each counts */
	uint32_t nr;
};

static uint64_t bytes_if_new(struct met *met, const struct cache *cache)
{
	uint32_t at = 0;

	while (met->first && at < met->nr && met->first[at] != cache->first)
		at++;
	if (at < met->nr)
		return 0;
	if (met->first)
		met->first[met->nr++] = cache->first;
	return cache->bytes;
}

/* Counts a shared cache once. */
static void find_caches(struct bandwidth_sizes *sizes)
{
	struct met met[LEVELS];
	bool told = true;

	for (int level = 0; level < LEVELS; level++)
		met[level] = (struct met){ calloc(sizes->nr_cpus, sizeof(*met->first)), 0 };
	for (uint32_t i = 0; i < sizes->nr_cpus; i++) {
		struct cache caches[LEVELS];

		caches_of(sizes->cpus[i], caches);
		sizes->cache = i ? sizes->cache : caches[0].bytes;
		sizes->caches += bytes_if_new(&met[0], &caches[0]);
		for (int level = 1; level < LEVELS; level++)
			sizes->all_levels += bytes_if_new(&met[level], &caches[level]);
		told = told && caches[1].bytes;
	}
	sizes->all_levels = told ? sizes->all_levels : 0;
	for (int level = 0; level < LEVELS; level++)
		free(met[level].first);
}

/* ------------------------------------------------------------------ memory */

static uint64_t available_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (file && !kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
			kib = 0;
	if (file)
		fclose(file);
	return kib ? (uint64_t)kib << 10 : 1ull << 30;
}

/* Memory left in the cgroup, as a container sees it; UINT64_MAX: no limit. */
static uint64_t cgroup_bytes(const char *limit_path, const char *used_path)
{
	uint64_t limit = read_bytes(limit_path), used = read_bytes(used_path);

	if (limit == UINT64_MAX || used == UINT64_MAX)
		return limit;
	return limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * MEMSEARCH__CALIBRATION_MEMORY is for tests: their expected output must not depend on free memory.
 */
static uint64_t memory_to_take(void)
{
	const char *given = secure_getenv("MEMSEARCH__CALIBRATION_MEMORY");
	uint64_t bytes = given ? strtoull(given, NULL, 10) : available_bytes();

	bytes = least(bytes,
		      cgroup_bytes("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
	bytes = least(bytes, cgroup_bytes("/sys/fs/cgroup/memory/memory.limit_in_bytes",
					  "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
	return bytes / 4;
}

/* ------------------------------------------------------------------ CPUs */

/* The kernel's CPU set has an unknown size; it rejects smaller ones. */
static cpu_set_t *allowed(int *room_out)
{
	for (int room = 1024; room <= CPUS_MAX; room *= 4) {
		cpu_set_t *set = CPU_ALLOC((size_t)room);

		if (set && sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)room), set) == 0) {
			*room_out = room;
			return set;
		}
		CPU_FREE(set);
	}
	return NULL;
}

static bool find_cpus(struct bandwidth_sizes *sizes)
{
	int room = 0;
	cpu_set_t *set = allowed(&room);
	size_t bytes = CPU_ALLOC_SIZE((size_t)room);

	sizes->cpus = set ? calloc((size_t)CPU_COUNT_S(bytes, set) + 1, sizeof(*sizes->cpus))
			  : NULL;
	for (int cpu = 0; sizes->cpus && cpu < room; cpu++)
		if (CPU_ISSET_S((size_t)cpu, bytes, set))
			sizes->cpus[sizes->nr_cpus++] = cpu;
	CPU_FREE(set);
	return sizes->nr_cpus > 0;
}

enum ms_status bandwidth_sizes_find(struct bandwidth_sizes *sizes_out)
{
	*sizes_out = (struct bandwidth_sizes){ .memory = memory_to_take() };
	if (!find_cpus(sizes_out)) {
		bandwidth_sizes_release(sizes_out);
		return MS_ERR_MEMORY;
	}
	find_caches(sizes_out);
	return MS_OK;
}

void bandwidth_sizes_release(struct bandwidth_sizes *sizes)
{
	free(sizes->cpus);
	*sizes = (struct bandwidth_sizes){ 0 };
}
