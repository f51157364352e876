/* SPDX-License-Identifier: Apache-2.0 */
/* What hwloc sees, by the few of its functions that are needed; and how that becomes a model. */
#include "analysis/machine/topology.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/arena.h"

#define FIRMWARE_OWN 10                  /* ACPI 6.5, 5.2.17: distance of a node from itself */

#ifdef HAVE_HWLOC
#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>

#define LIBRARY "libhwloc.so.15"         /* hwloc 2, since 2017 */
#define XML_MAX (64 << 20)               /* bytes; one of 512 CPUs has 1 MiB */

static struct {
	bool asked;
	const char *why;                 /* not; NULL: it works */
	unsigned (*get_api_version)(void);
	int (*init)(hwloc_topology_t *topology);
	void (*destroy)(hwloc_topology_t topology);
	int (*set_flags)(hwloc_topology_t topology, unsigned long flags);
	int (*set_components)(hwloc_topology_t topology, unsigned long flags, const char *name);
	int (*set_xml)(hwloc_topology_t topology, const char *path);
	int (*set_synthetic)(hwloc_topology_t topology, const char *description);
	int (*load)(hwloc_topology_t topology);
	int (*is_thissystem)(hwloc_topology_t topology);
	int (*get_type_depth)(hwloc_topology_t topology, hwloc_obj_type_t type);
	unsigned (*get_nbobjs_by_depth)(hwloc_topology_t topology, int depth);
	hwloc_obj_t (*get_obj_by_depth)(hwloc_topology_t topology, int depth, unsigned index);
	int (*bitmap_isincluded)(hwloc_const_bitmap_t part, hwloc_const_bitmap_t whole);
	int (*bitmap_isequal)(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
	int (*bitmap_iszero)(hwloc_const_bitmap_t bitmap);
	int (*distances_get)(hwloc_topology_t topology, unsigned *nr, struct hwloc_distances_s **out, unsigned long kind, unsigned long flags);
	void (*distances_release)(hwloc_topology_t topology, struct hwloc_distances_s *distances);
} hwloc;

static bool find_functions(void *library)
{
	const struct {
		const char *name;
		void *pointer;
	} wanted[] = {
		{ "hwloc_get_api_version", &hwloc.get_api_version },
		{ "hwloc_topology_init", &hwloc.init },
		{ "hwloc_topology_destroy", &hwloc.destroy },
		{ "hwloc_topology_set_flags", &hwloc.set_flags },
		{ "hwloc_topology_set_components", &hwloc.set_components },
		{ "hwloc_topology_set_xml", &hwloc.set_xml },
		{ "hwloc_topology_set_synthetic", &hwloc.set_synthetic },
		{ "hwloc_topology_load", &hwloc.load },
		{ "hwloc_topology_is_thissystem", &hwloc.is_thissystem },
		{ "hwloc_get_type_depth", &hwloc.get_type_depth },
		{ "hwloc_get_nbobjs_by_depth", &hwloc.get_nbobjs_by_depth },
		{ "hwloc_get_obj_by_depth", &hwloc.get_obj_by_depth },
		{ "hwloc_bitmap_isincluded", &hwloc.bitmap_isincluded },
		{ "hwloc_bitmap_isequal", &hwloc.bitmap_isequal },
		{ "hwloc_bitmap_iszero", &hwloc.bitmap_iszero },
		{ "hwloc_distances_get", &hwloc.distances_get },
		{ "hwloc_distances_release", &hwloc.distances_release },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *function = dlsym(library, wanted[i].name);

		if (!function)
			return false;
		memcpy(wanted[i].pointer, &function, sizeof(function));  /* ISO C has no cast for this: dlsym(3) */
	}
	return true;
}

/* RTLD_LOCAL, so that a program never meets it. */
static const char *start(void)
{
	void *library;

	if (hwloc.asked)
		return hwloc.why;
	hwloc.asked = true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		hwloc.why = LIBRARY " cannot be opened: install Debian's package libhwloc15";
	else if (!find_functions(library))
		hwloc.why = LIBRARY " lacks functions that hwloc 2.1 has";
	else if (hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
		hwloc.why = LIBRARY " is another hwloc than the one memsearch was built with";
	return hwloc.why;
}

/* -- one topology */

struct reading {
	hwloc_topology_t topology;
	struct topology *out;
	int cores;                       /* depth of the objects that count as cores */
	hwloc_obj_t nodes[MODEL_NODES];  /* those that have cores, one of those with the same cores */
};

static unsigned count_at(const struct reading *reading, int depth)
{
	return depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE ? 0 : hwloc.get_nbobjs_by_depth(reading->topology, depth);
}

static hwloc_obj_t core(const struct reading *reading, unsigned index)
{
	return hwloc.get_obj_by_depth(reading->topology, reading->cores, index);
}

static uint32_t cores_in(const struct reading *reading, hwloc_const_bitmap_t cpus)
{
	uint32_t nr = 0;

	for (unsigned i = 0; i < reading->out->cores; i++)
		nr += hwloc.bitmap_isincluded(core(reading, i)->cpuset, cpus) != 0;
	return nr;
}

/* A core where hwloc knows cores, else a CPU. */
static void find_cores(struct reading *reading)
{
	reading->cores = hwloc.get_type_depth(reading->topology, HWLOC_OBJ_CORE);
	if (!count_at(reading, reading->cores))
		reading->cores = hwloc.get_type_depth(reading->topology, HWLOC_OBJ_PU);
	reading->out->cores = count_at(reading, reading->cores);
}

static bool is_known_node(const struct reading *reading, hwloc_obj_t node)
{
	for (uint32_t i = 0; i < reading->out->nodes; i++)
		if (hwloc.bitmap_isequal(reading->nodes[i]->cpuset, node->cpuset))
			return true;
	return false;
}

/* Memory without cores (CXL) or beside other memory of the same cores (HBM) makes no node of its own. */
static void find_nodes(struct reading *reading)
{
	for (unsigned i = 0; i < count_at(reading, HWLOC_TYPE_DEPTH_NUMANODE); i++) {
		hwloc_obj_t node = hwloc.get_obj_by_depth(reading->topology, HWLOC_TYPE_DEPTH_NUMANODE, i);

		if (!node->cpuset || hwloc.bitmap_iszero(node->cpuset) || is_known_node(reading, node))
			continue;
		if (reading->out->nodes == MODEL_NODES)
			break;
		reading->nodes[reading->out->nodes++] = node;
	}
	for (uint32_t i = 0; i < reading->out->nodes; i++)
		reading->out->uneven |= cores_in(reading, reading->nodes[i]->cpuset) * reading->out->nodes != reading->out->cores;
}

static void find_cache(struct reading *reading, int level)
{
	static const hwloc_obj_type_t types[MODEL_LEVELS] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE };
	int depth = hwloc.get_type_depth(reading->topology, types[level]);

	for (unsigned i = 0; i < count_at(reading, depth); i++) {
		hwloc_obj_t cache = hwloc.get_obj_by_depth(reading->topology, depth, i);
		uint32_t cores = cores_in(reading, cache->cpuset);
		int ways = cache->attr->cache.associativity;

		if (i) {
			reading->out->uneven |= cache->attr->cache.size != reading->out->cache[level].bytes || cores != reading->out->cache[level].cores;
			continue;
		}
		reading->out->cache[level].bytes = cache->attr->cache.size;
		reading->out->cache[level].line = cache->attr->cache.linesize;
		reading->out->cache[level].cores = cores ? cores : 1;
		if (ways > 0)
			reading->out->cache[level].ways = (uint32_t)ways;
		else if (ways < 0 && cache->attr->cache.linesize)        /* fully associative */
			reading->out->cache[level].ways = (uint32_t)(cache->attr->cache.size / cache->attr->cache.linesize);
	}
}

static int node_index(const struct reading *reading, hwloc_obj_t object)
{
	for (uint32_t i = 0; i < reading->out->nodes; i++)
		if (reading->nodes[i] == object)
			return (int)i;
	return -1;
}

static void take_distances(struct reading *reading, const struct hwloc_distances_s *distances)
{
	for (unsigned i = 0; i < distances->nbobjs; i++) {
		for (unsigned j = 0; j < distances->nbobjs; j++) {
			int from = node_index(reading, distances->objs[i]), to = node_index(reading, distances->objs[j]);
			hwloc_uint64_t value = distances->values[(size_t)i * distances->nbobjs + j];

			if (from >= 0 && to >= 0)
				reading->out->distances[from][to] = value < UINT16_MAX ? (uint32_t)value : UINT16_MAX;
		}
	}
}

static void find_distances(struct reading *reading)
{
	struct hwloc_distances_s *distances = NULL;
	unsigned nr = 1;

	if (hwloc.distances_get(reading->topology, &nr, &distances, HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) || !nr || !distances)
		return;
	take_distances(reading, distances);
	hwloc.distances_release(reading->topology, distances);
}

/* hwloc opens whatever it is told to, and waits for a pipe. */
static const char *check_file(struct arena *arena, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return arena_strdup(arena, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return "not a file";
	return status.st_size > XML_MAX ? "larger than 64 MiB: not an XML of hwloc" : NULL;
}

static const char *choose(struct arena *arena, hwloc_topology_t topology, enum topology_source source, const char *what)
{
	const char *why = source == TOPOLOGY_XML ? check_file(arena, what) : NULL;

	if (why)
		return why;
	if (hwloc.set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86"))
		return "hwloc cannot leave out its part that moves the thread";
	if (hwloc.set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED))   /* the machine, not what a container may use of it */
		return "hwloc cannot look at the whole machine";
	if (source == TOPOLOGY_XML && hwloc.set_xml(topology, what))
		return "it is not an XML of hwloc";
	if (source == TOPOLOGY_SYNTHETIC && hwloc.set_synthetic(topology, what))
		return "it is not a description of hwloc's";
	return hwloc.load(topology) ? "hwloc makes no topology of it" : NULL;
}

static const char *read_all(struct arena *arena, hwloc_topology_t topology, enum topology_source source, const char *what, struct topology *out)
{
	struct reading reading = { .topology = topology, .out = out };
	const char *why = choose(arena, topology, source, what);

	if (why)
		return why;
	find_cores(&reading);
	find_nodes(&reading);
	if (!out->cores || !out->nodes)
		return "it has no cores, or no memory";
	for (int level = 0; level < MODEL_LEVELS; level++)
		find_cache(&reading, level);
	find_distances(&reading);
	out->here = hwloc.is_thissystem(topology);
	out->version = arena_printf(arena, "%u.%u", hwloc.get_api_version() >> 16, hwloc.get_api_version() >> 8 & 0xff);
	return out->version ? NULL : "out of memory";
}

const char *topology_read(struct arena *arena, enum topology_source source, const char *what, struct topology *out)
{
	hwloc_topology_t topology;
	const char *why = start();

	memset(out, 0, sizeof(*out));
	if (why)
		return why;
	if (hwloc.init(&topology))
		return "hwloc has no memory";
	why = read_all(arena, topology, source, what, out);
	hwloc.destroy(topology);
	return why;
}

#else

const char *topology_read(struct arena *arena, enum topology_source source, const char *what, struct topology *out)
{
	(void)arena;
	(void)source;
	(void)what;
	memset(out, 0, sizeof(*out));
	return "left out of this build: hwloc (Debian's package libhwloc-dev)";
}

#endif

/* -- into a model */

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

uint32_t topology_ways(uint64_t lines, uint32_t ways)
{
	const uint32_t wanted[] = { ways, TOPOLOGY_WAYS, 8, 12, 10, 20, 24, 9, 11, 14, 15, 18, 22, 28, 13, 26, 30, 4, 6, 5, 7, 3 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (wanted[i] && lines % wanted[i] == 0 && is_power_of_two(lines / wanted[i]))
			return wanted[i];
	return 0;
}

/* Caches that the model has one of for each core. */
static void share(struct model_cache *cache)
{
	cache->bytes /= cache->cores;
	cache->cores = 1;
}

static void apply_cache(const struct topology *topology, struct machine_model *model, int level)
{
	struct model_cache *cache = &model->cache[level];

	cache->bytes = topology->cache[level].bytes;
	cache->ways = topology->cache[level].ways;
	cache->line = topology->cache[level].line ? topology->cache[level].line : TOPOLOGY_LINE;
	cache->cores = topology->cache[level].cores;
}

void topology_apply(const struct topology *topology, struct machine_model *model)
{
	struct model_cache *cache = model->cache;

	model->cores = topology->cores;
	model->nodes = topology->nodes;
	for (int level = 0; level < MODEL_LEVELS; level++)
		apply_cache(topology, model, level);
	if (cache[1].bytes && cache[1].cores > 1 && !cache[2].bytes) {
		cache[2] = cache[1];
		memset(&cache[1], 0, sizeof(cache[1]));
	}
	for (int level = 0; level < 2; level++)
		if (cache[level].bytes && cache[level].cores > 1)
			share(&cache[level]);
	for (int level = 0; level < MODEL_LEVELS; level++)
		if (cache[level].bytes && (level < 2 || !cache[level].ways))
			cache[level].ways = topology_ways(cache[level].bytes / cache[level].line, cache[level].ways);
}

void topology_apply_distances(const struct topology *topology, struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes && topology->distances[0][0]; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			model->distances[i][j] = (uint32_t)((uint64_t)model->memory_latency * topology->distances[i][j] / FIRMWARE_OWN);
}
