/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology by hwloc, opened at run time. An XML file is read in a child: hwloc's readers (2.9.0)
 * crash on damaged files.
 */
#include "analysis/machine/topology.h"

#include <errno.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/whole_file.h"

#ifdef HAVE_HWLOC
#include <dlfcn.h>
#include <fcntl.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/transfer.h"

#define LIBRARY "libhwloc.so.15" /* hwloc 2, since 2017 */
#define XML_MAX (64 << 20)       /* bytes; one of 512 CPUs has 1 MiB */
#define XML_SECONDS 10           /* for reading one; that of 512 CPUs takes 20 ms */
#define WHY_MAX 160
#define DISTANCES (HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY)

static struct {
	bool asked;
	const char *why; /* not; NULL: it works */
	__typeof__(&hwloc_get_api_version) get_api_version;
	__typeof__(&hwloc_topology_init) init;
	__typeof__(&hwloc_topology_destroy) destroy;
	__typeof__(&hwloc_topology_set_flags) set_flags;
	__typeof__(&hwloc_topology_set_components) set_components;
	__typeof__(&hwloc_topology_set_xmlbuffer) set_xmlbuffer;
	__typeof__(&hwloc_topology_load) load;
	__typeof__(&hwloc_topology_is_thissystem) is_thissystem;
	__typeof__(&hwloc_get_type_depth) get_type_depth;
	__typeof__(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
	__typeof__(&hwloc_get_obj_by_depth) get_obj_by_depth;
	__typeof__(&hwloc_bitmap_isincluded) isincluded;
	__typeof__(&hwloc_bitmap_isequal) isequal;
	__typeof__(&hwloc_bitmap_iszero) iszero;
	__typeof__(&hwloc_distances_get_by_type) distances_get_by_type;
	__typeof__(&hwloc_distances_release) distances_release;
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
		{ "hwloc_topology_set_xmlbuffer", &hwloc.set_xmlbuffer },
		{ "hwloc_topology_load", &hwloc.load },
		{ "hwloc_topology_is_thissystem", &hwloc.is_thissystem },
		{ "hwloc_get_type_depth", &hwloc.get_type_depth },
		{ "hwloc_get_nbobjs_by_depth", &hwloc.get_nbobjs_by_depth },
		{ "hwloc_get_obj_by_depth", &hwloc.get_obj_by_depth },
		{ "hwloc_bitmap_isincluded", &hwloc.isincluded },
		{ "hwloc_bitmap_isequal", &hwloc.isequal },
		{ "hwloc_bitmap_iszero", &hwloc.iszero },
		{ "hwloc_distances_get_by_type", &hwloc.distances_get_by_type },
		{ "hwloc_distances_release", &hwloc.distances_release },
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

static const char *start(void)
{
	void *library;

	if (hwloc.asked)
		return hwloc.why;
	hwloc.asked = true;
	library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		hwloc.why = LIBRARY " cannot be opened: install Debian's package libhwloc15";
	else if (!find_functions(library))
		hwloc.why = LIBRARY " lacks functions that hwloc 2.1 has";
	else if (hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
		hwloc.why = LIBRARY " is another hwloc than the one memsearch was built with";
	return hwloc.why;
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

/* -- objects */

/* All of one type. */
struct objects {
	hwloc_topology_t topology;
	int depth;
	unsigned nr;
};

static struct objects objects_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int depth = hwloc.get_type_depth(topology, type);

	return (struct objects){ topology, depth, hwloc.get_nbobjs_by_depth(topology, depth) };
}

static hwloc_obj_t object_at(const struct objects *objects, unsigned i)
{
	return hwloc.get_obj_by_depth(objects->topology, objects->depth, i);
}

/* Cores where hwloc knows cores, else CPUs. */
static struct objects cores_of(hwloc_topology_t topology)
{
	struct objects cores = objects_of(topology, HWLOC_OBJ_CORE);

	return cores.nr ? cores : objects_of(topology, HWLOC_OBJ_PU);
}

/* 0 if the machine is too large for the model. */
static uint32_t cores_in(hwloc_topology_t topology, hwloc_const_bitmap_t cpus)
{
	struct objects cores = cores_of(topology);
	uint32_t nr = 0;

	for (unsigned i = 0; i < cores.nr && cores.nr <= MODEL_CORES; i++)
		nr += hwloc.isincluded(object_at(&cores, i)->cpuset, cpus) != 0;
	return nr;
}

/*
 * Memory without cores (CXL) or beside other memory of the same cores (HBM) makes no node of its
 * own.
 */
static bool is_node(const hwloc_obj_t *known, uint32_t nr, hwloc_obj_t node)
{
	if (hwloc.iszero(node->cpuset))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (hwloc.isequal(known[i]->cpuset, node->cpuset))
			return false;
	return true;
}

static const char *find_nodes(hwloc_topology_t topology, struct topology *out, hwloc_obj_t *found)
{
	struct objects nodes = objects_of(topology, HWLOC_OBJ_NUMANODE);

	for (unsigned i = 0; i < nodes.nr; i++) {
		hwloc_obj_t node = object_at(&nodes, i);

		if (!is_node(found, out->nodes, node))
			continue;
		if (out->nodes == MODEL_NODES)
			return "it has more NUMA nodes than can be modelled";
		found[out->nodes++] = node;
	}
	for (uint32_t i = 0; i < out->nodes; i++)
		out->uneven |= cores_in(topology, found[i]->cpuset) * out->nodes != out->cores;
	return NULL;
}

/* -1 is hwloc's number for a fully associative cache. */
static uint32_t ways_of(const struct hwloc_cache_attr_s *cache)
{
	if (cache->associativity >= 0)
		return (uint32_t)cache->associativity;
	return cache->linesize ? (uint32_t)(cache->size / cache->linesize) : 0;
}

static void find_cache(hwloc_topology_t topology, struct topology *out, int level)
{
	struct objects caches = objects_of(topology, HWLOC_OBJ_L1CACHE + (unsigned)level);

	for (unsigned i = 0; i < caches.nr; i++) {
		hwloc_obj_t object = object_at(&caches, i);
		const struct hwloc_cache_attr_s *cache = &object->attr->cache;
		uint32_t cores = cores_in(topology, object->cpuset);

		if (i) {
			out->uneven |= cache->size != out->cache[level].bytes ||
				       cores != out->cache[level].cores;
			continue;
		}
		out->cache[level].bytes = cache->size;
		out->cache[level].line = cache->linesize;
		out->cache[level].ways = ways_of(cache);
		out->cache[level].cores = cores ? cores : 1;
	}
}

static int index_of(const hwloc_obj_t *nodes, uint32_t nr, hwloc_obj_t node)
{
	for (uint32_t i = 0; i < nr; i++)
		if (nodes[i] == node)
			return (int)i;
	return -1;
}

/* The first matrix of latencies that the firmware reported. */
static void find_distances(hwloc_topology_t topology, struct topology *out,
			   const hwloc_obj_t *nodes)
{
	struct hwloc_distances_s *matrix;
	unsigned nr = 1;

	if (hwloc.distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &nr, &matrix, DISTANCES, 0) ||
	    !nr)
		return;
	for (unsigned i = 0; i < matrix->nbobjs * matrix->nbobjs; i++) {
		int from = index_of(nodes, out->nodes, matrix->objs[i / matrix->nbobjs]);
		int to = index_of(nodes, out->nodes, matrix->objs[i % matrix->nbobjs]);
		uint64_t value = matrix->values[i];

		if (from >= 0 && to >= 0)
			out->distances[from][to] = value < UINT16_MAX ? (uint32_t)value
								      : UINT16_MAX;
	}
	hwloc.distances_release(topology, matrix);
}

/* NULL: success. */
static const char *take(hwloc_topology_t topology, struct topology *out)
{
	hwloc_obj_t nodes[MODEL_NODES];
	const char *why;

	out->cores = cores_of(topology).nr;
	why = find_nodes(topology, out, nodes);
	if (why)
		return why;
	if (!out->cores || !out->nodes)
		return "it has no cores, or no memory";
	for (int level = 0; level < MODEL_LEVELS; level++)
		find_cache(topology, out, level);
	find_distances(topology, out, nodes);
	return NULL;
}

/* With `text`: of an XML, `bytes` with the 0 at its end. */
static const char *look(const char *text, size_t bytes, struct topology *out)
{
	hwloc_topology_t topology;
	const char *why;

	if (hwloc.init(&topology))
		return "hwloc has no memory";
	why = text && hwloc.set_xmlbuffer(topology, text, (int)bytes) ? "it is not an XML of hwloc"
								      : load(topology);
	if (!why)
		why = take(topology, out);
	out->here = !text && hwloc.is_thissystem(topology);
	hwloc.destroy(topology);
	return why;
}

const char *topology_here(struct arena *arena, struct topology *out)
{
	const char *why = start();

	memset(out, 0, sizeof(*out));
	if (!why)
		why = look(NULL, 0, out);
	if (why)
		return why;
	out->version = arena_printf(arena, "%u.%u", hwloc.get_api_version() >> 16,
				    hwloc.get_api_version() >> 8 & 0xff);
	return out->version ? NULL : "out of memory";
}

/* -- XML, in a child */

struct answer {
	char why[WHY_MAX]; /* not; "": it is read */
	struct topology topology;
};

static void read_in_child(const char *text, size_t bytes, int fd)
{
	const struct rlimit none = { 0, 0 };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct answer answer;
	const char *why;

	/* a crash is an answer, too: without a core file, and hwloc's messages do not name the file */
	setrlimit(RLIMIT_CORE, &none);
	dup2(nothing, STDERR_FILENO);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(XML_SECONDS);
	memset(&answer, 0, sizeof(answer));
	why = look(text, bytes, &answer.topology);
	if (why)
		strncpy(answer.why, why, sizeof(answer.why) - 1);
	transfer_write(fd, &answer, sizeof(answer));
	_exit(0);
}

static const char *read_answer(struct arena *arena, int fd, struct topology *out)
{
	struct answer answer;

	if (transfer_read(fd, &answer, sizeof(answer)) != sizeof(answer))
		return "hwloc did not survive reading it: it is damaged";
	answer.why[WHY_MAX - 1] = '\0';
	if (*answer.why)
		return arena_strdup(arena, answer.why);
	*out = answer.topology;
	return NULL;
}

const char *topology_parse_xml(struct arena *arena, const char *text, struct topology *out)
{
	const char *why = start();
	int ends[2];
	pid_t child;

	memset(out, 0, sizeof(*out));
	if (why)
		return why;
	if (pipe(ends))
		return arena_strdup(arena, strerror(errno));
	child = fork();
	if (!child)
		read_in_child(text, strlen(text) + 1, ends[1]);
	close(ends[1]);
	why = child > 0 ? read_answer(arena, ends[0], out) : "no process could be started";
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return why;
}

const char *topology_of_xml(struct arena *arena, const char *path, struct topology *out)
{
	size_t length = 0;
	const char *text = whole_file_read(arena, path, XML_MAX, &length);

	memset(out, 0, sizeof(*out));
	return text ? topology_parse_xml(arena, text, out) : arena_strdup(arena, strerror(errno));
}

#else

static const char *left_out(struct topology *out)
{
	memset(out, 0, sizeof(*out));
	return "left out of this build: hwloc (Debian's package libhwloc-dev)";
}

const char *topology_here(struct arena *arena, struct topology *out)
{
	(void)arena;
	return left_out(out);
}

const char *topology_parse_xml(struct arena *arena, const char *text, struct topology *out)
{
	(void)arena;
	(void)text;
	return left_out(out);
}

const char *topology_of_xml(struct arena *arena, const char *path, struct topology *out)
{
	(void)arena;
	(void)path;
	return left_out(out);
}

#endif
