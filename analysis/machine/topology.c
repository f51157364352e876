/* SPDX-License-Identifier: Apache-2.0 */
/* The topology by hwloc, opened at run time, and its conversion to a model. */
#include "analysis/machine/topology.h"

#include <errno.h>
#include <string.h>
#ifdef HAVE_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#endif

#include "analysis/base/arena.h"
#include "analysis/base/own_imports.h"
#include "analysis/base/whole_file.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/topology_xml.h"

#define FIRMWARE_OWN 10 /* ACPI 6.5, 5.2.17: distance of a node from itself */

#define XML_MAX (64 << 20) /* bytes; one of 512 CPUs has 1 MiB */

const char *topology_of_xml(struct arena *arena, const char *path, struct topology *out)
{
	size_t length = 0;
	const char *text = whole_file_read(arena, path, XML_MAX, &length);

	return text ? topology_parse_xml(arena, text, length, out)
		    : arena_strdup(arena, strerror(errno));
}

#ifdef HAVE_HWLOC
#define LIBRARY "libhwloc.so.15" /* hwloc 2, since 2017 */

static struct {
	bool asked;
	const char *why; /* not; NULL: it works */
	unsigned (*get_api_version)(void);
	int (*init)(hwloc_topology_t *topology);
	void (*destroy)(hwloc_topology_t topology);
	int (*set_flags)(hwloc_topology_t topology, unsigned long flags);
	int (*set_components)(hwloc_topology_t topology, unsigned long flags, const char *name);
	int (*load)(hwloc_topology_t topology);
	int (*is_thissystem)(hwloc_topology_t topology);
	int (*export_xmlbuffer)(hwloc_topology_t topology, char **buffer, int *bytes,
				unsigned long flags);
	void (*free_xmlbuffer)(hwloc_topology_t topology, char *buffer);
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
		{ "hwloc_topology_load", &hwloc.load },
		{ "hwloc_topology_is_thissystem", &hwloc.is_thissystem },
		{ "hwloc_topology_export_xmlbuffer", &hwloc.export_xmlbuffer },
		{ "hwloc_free_xmlbuffer", &hwloc.free_xmlbuffer },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *function = dlsym(library, wanted[i].name);

		if (!function)
			return false;
		/* ISO C has no cast for this: dlsym(3) */
		memcpy(wanted[i].pointer, &function, sizeof(function));
	}
	return true;
}

/* RTLD_LOCAL: invisible to the program. */
static const char *start(void)
{
	void *library;

	if (hwloc.asked)
		return hwloc.why;
	hwloc.asked = true;
	library = own_imports_open(LIBRARY);
	if (!library)
		hwloc.why = LIBRARY " cannot be opened: install Debian's package libhwloc15";
	else if (!find_functions(library))
		hwloc.why = LIBRARY " lacks functions that hwloc 2.1 has";
	else if (hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
		hwloc.why = LIBRARY " is another hwloc than the one memsearch was built with";
	return hwloc.why;
}

static hwloc_topology_t opened; /* keeps the plugins; NULL: none */

static bool is_in_process(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);

	return library && dlclose(library) == 0;
}

bool topology_open(void)
{
	bool was_there = is_in_process();

	if (!start() && !opened && hwloc.init(&opened))
		opened = NULL;
	return opened && !was_there;
}

void topology_close(void)
{
	if (opened)
		hwloc.destroy(opened);
	opened = NULL;
}

static const char *load(hwloc_topology_t topology)
{
	if (hwloc.set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86"))
		return "hwloc cannot leave out its part that moves the thread";
	/* the whole machine, not the container's part */
	if (hwloc.set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED))
		return "hwloc cannot look at the whole machine";
	return hwloc.load(topology) ? "hwloc makes no topology of it" : NULL;
}

/* Parses its XML as that of a file. */
static const char *take(struct arena *arena, hwloc_topology_t topology, struct topology *out)
{
	char *text = NULL;
	int bytes = 0;
	const char *why;

	if (hwloc.export_xmlbuffer(topology, &text, &bytes, 0) || bytes <= 0)
		return "hwloc does not tell what it sees";
	why = topology_parse_xml(arena, text, (size_t)bytes, out);
	hwloc.free_xmlbuffer(topology, text);
	out->here = hwloc.is_thissystem(topology);
	out->version = arena_printf(arena, "%u.%u", hwloc.get_api_version() >> 16,
				    hwloc.get_api_version() >> 8 & 0xff);
	return why || out->version ? why : "out of memory";
}

const char *topology_here(struct arena *arena, struct topology *out)
{
	hwloc_topology_t topology;
	const char *why = start();

	memset(out, 0, sizeof(*out));
	if (why)
		return why;
	if (hwloc.init(&topology))
		return "hwloc has no memory";
	why = load(topology);
	if (!why)
		why = take(arena, topology, out);
	hwloc.destroy(topology);
	return why;
}

#else

bool topology_open(void)
{
	return false;
}

void topology_close(void)
{
}

const char *topology_here(struct arena *arena, struct topology *out)
{
	(void)arena;
	memset(out, 0, sizeof(*out));
	return "left out of this build: hwloc (Debian's package libhwloc-dev)";
}

#endif

/* -- into a model */

uint32_t topology_ways(uint64_t lines, uint32_t ways)
{
	const uint32_t wanted[] = { ways, TOPOLOGY_WAYS,
				    8,    12,
				    10,   20,
				    24,   9,
				    11,   14,
				    15,   18,
				    22,   28,
				    13,   26,
				    30,   4,
				    6,    5,
				    7,    3 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (wanted[i] && lines % wanted[i] == 0 && is_power_of_two(lines / wanted[i]))
			return wanted[i];
	return 0;
}

/* Caches that are private in the model. */
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
			cache[level].ways = topology_ways(cache[level].bytes / cache[level].line,
							  cache[level].ways);
}

/* The origin of a cache of the model: see topology_apply. */
static uint64_t told(const struct topology *topology, const struct machine_model *model,
		     const struct figure *figure)
{
	bool is_second = figure->level == MODEL_LEVELS && !topology->cache[2].bytes &&
			 !model->cache[1].bytes;
	int level = is_second ? 1 : figure->level - 1;

	switch (figure->kind) {
	case FIGURE_WAYS: return topology->cache[level].ways;
	case FIGURE_COUNT: return topology->cache[level].cores;
	default:
		return figure->offset == offsetof(struct machine_model,
						  cache[figure->level - 1].bytes)
			       ? topology->cache[level].bytes
			       : topology->cache[level].line;
	}
}

const char *topology_says(const struct topology *topology, const struct machine_model *model,
			  const struct figure *figure)
{
	if (!figure->level || told(topology, model, figure) == figure_get(figure, model))
		return "hwloc";
	return told(topology, model, figure) && figure->kind != FIGURE_WAYS
		       ? "a core's share of what hwloc says"
		       : "typical; hwloc tells none that fit";
}

void topology_apply_distances(const struct topology *topology, struct machine_model *model)
{
	for (uint32_t i = 0; i < model->nodes && topology->distances[0][0]; i++)
		for (uint32_t j = 0; j < model->nodes; j++)
			model->distances[i][j] = (uint32_t)((uint64_t)model->memory_latency *
							    topology->distances[i][j] /
							    FIRMWARE_OWN);
}
