/* SPDX-License-Identifier: Apache-2.0 */
/* Reads hwloc's XML: a list of tags first, then what the objects mean. */
#include "analysis/machine/topology_xml.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/topology.h"

#define OBJECTS_MAX 16384 /* of the kinds below */
#define GROUPS_MAX 512    /* of 32 CPUs each, in one set */

/* hwloc's words, HWLOC_DISTANCES_KIND_ of hwloc/distances.h. */
#define KIND_FROM_OS 1
#define KIND_MEANS_LATENCY 4

enum object_kind {
	OBJECT_CORE,
	OBJECT_PU,
	OBJECT_NODE,
	OBJECT_L1,
	OBJECT_L2,
	OBJECT_L3,
	OBJECT_KINDS
};
static const char *const kind_names[OBJECT_KINDS] = { "Core",    "PU",      "NUMANode",
						      "L1Cache", "L2Cache", "L3Cache" };

struct cpus {
	const uint32_t *groups; /* lowest CPUs first */
	size_t nr;
};

struct object {
	struct cpus cpus;
	uint64_t os_index, gp_index;
	/* ways as hwloc writes them: -1 for a fully associative cache */
	uint64_t bytes, line, ways;
};

struct objects {
	struct object *items;
	size_t nr, room;
};

/* A piece of the text. */
struct span {
	const char *at;
	size_t nr;
};

struct tag {
	struct span name; /* "object", "/object" */
	struct span attributes;
	struct span content; /* up to the next tag */
};

struct xml {
	struct arena *arena;
	struct topology *out;
	const char *at, *end;
	struct objects objects[OBJECT_KINDS];
	uint32_t node_of[MODEL_NODES]; /* model's nodes, as indices of objects[OBJECT_NODE] */
	/* The matrix that is being read. */
	bool takes_distances, has_distances, by_gp_index;
	uint64_t indices[MODEL_NODES], nr_objects;
	size_t nr_indices, nr_values;
	const char *why; /* it is not read; NULL: all is well */
};

static void refuse(struct xml *xml, const char *why)
{
	if (!xml->why)
		xml->why = why;
}

/* -- tags and attributes */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool same(struct span span, const char *word)
{
	return span.nr == strlen(word) && !memcmp(span.at, word, span.nr);
}

/* From `at` on up to `c`, or to the end. */
static struct span up_to(const char *at, const char *end, char c)
{
	const char *found = memchr(at, c, (size_t)(end - at));

	return (struct span){ at, (size_t)((found ? found : end) - at) };
}

/* The next tag; false: there is none. Attributes of tags that begin with "?" or "!" are ignored. */
static bool next_tag(struct xml *xml, struct tag *tag)
{
	const char *open = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
	struct span whole;
	size_t name = 0;

	if (!open)
		return false;
	whole = up_to(open + 1, xml->end, '>');
	if (whole.at + whole.nr == xml->end)
		return false;
	while (name < whole.nr && !is_blank(whole.at[name]) && (name == 0 || whole.at[name] != '/'))
		name++;
	tag->name = (struct span){ whole.at, name };
	tag->attributes = (struct span){ whole.at + name, whole.nr - name };
	xml->at = whole.at + whole.nr + 1;
	tag->content = up_to(xml->at, xml->end, '<');
	return true;
}

/* The value of an attribute; at NULL: the tag has none of that name. */
static struct span attribute(const struct tag *tag, const char *name)
{
	const char *at = tag->attributes.at, *end = at + tag->attributes.nr;

	while (at < end) {
		struct span key, value;

		while (at < end && is_blank(*at))
			at++;
		key = up_to(at, end, '=');
		at += key.nr;
		if (end - at < 2 || at[1] != '"')
			break;
		value = up_to(at + 2, end, '"');
		at = value.at + value.nr + (value.at + value.nr < end);
		if (same(key, name))
			return value;
	}
	return (struct span){ NULL, 0 };
}

/* Digits; false: something else, or too many. */
static bool to_number(struct span span, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < span.nr; i++) {
		if (span.at[i] < '0' || span.at[i] > '9' || *out > UINT64_MAX / 16)
			return false;
		*out = *out * 10 + (uint64_t)(span.at[i] - '0');
	}
	return span.nr > 0;
}

/* 0 where there is none; "-1" is UINT64_MAX. */
static uint64_t number(struct xml *xml, const struct tag *tag, const char *name)
{
	struct span value = attribute(tag, name);
	uint64_t result = 0;

	if (value.at && same(value, "-1"))
		return UINT64_MAX;
	if (value.at && !to_number(value, &result))
		refuse(xml, "it has a number that is none");
	return result;
}

/*
 * -- sets of CPUs: "0x00000001,0xffffffff", groups of 32, the last one has CPUs 0 to 31; an empty
 * group is 0
 */

static bool take_group(struct span text, uint32_t *out)
{
	uint64_t value = 0;

	if (text.nr >= 2 && text.at[0] == '0' && text.at[1] == 'x')
		text = (struct span){ text.at + 2, text.nr - 2 };
	if (text.nr > 8)
		return false;
	for (size_t i = 0; i < text.nr; i++) {
		char c = text.at[i];
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;

		if (digit == 16)
			return false;
		value = value << 4 | digit;
	}
	*out = (uint32_t)value;
	return true;
}

static void take_cpus(struct xml *xml, struct span text, struct cpus *out)
{
	const char *end = text.at + text.nr;
	size_t nr = 1, group;
	uint32_t *groups;

	for (size_t i = 0; i < text.nr; i++)
		nr += text.at[i] == ',';
	groups = nr <= GROUPS_MAX ? arena_alloc(xml->arena, nr * sizeof(*groups)) : NULL;
	if (!groups)
		return refuse(xml, "it has a set of CPUs that is too large");
	for (group = nr; group-- > 0;) {
		struct span one = up_to(text.at, end, ',');

		if (!take_group(one, &groups[group]))
			return refuse(xml, "it has a set of CPUs that is none");
		text.at = one.at + one.nr + (group > 0);
	}
	*out = (struct cpus){ groups, nr };
}

static bool cpus_empty(const struct cpus *cpus)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->groups[i])
			return false;
	return true;
}

static bool cpus_within(const struct cpus *part, const struct cpus *whole)
{
	for (size_t i = 0; i < part->nr; i++)
		if (part->groups[i] & ~(i < whole->nr ? whole->groups[i] : 0))
			return false;
	return true;
}

/* -- objects */

static void take_object(struct xml *xml, const struct tag *tag)
{
	struct span type = attribute(tag, "type"), cpuset = attribute(tag, "cpuset");
	struct object object = { .bytes = number(xml, tag, "cache_size"),
				 .line = number(xml, tag, "cache_linesize"),
				 .ways = number(xml, tag, "cache_associativity"),
				 .os_index = number(xml, tag, "os_index"),
				 .gp_index = number(xml, tag, "gp_index") };
	struct objects *objects;
	size_t kind = 0;

	while (kind < OBJECT_KINDS && !(type.at && same(type, kind_names[kind])))
		kind++;
	if (kind == OBJECT_KINDS || !cpuset.at)
		return;
	take_cpus(xml, cpuset, &object.cpus);
	objects = &xml->objects[kind];
	if (objects->nr == OBJECTS_MAX ||
	    !ARENA_GROW(xml->arena, objects->items, objects->nr, objects->room))
		return refuse(xml, "it is too large");
	objects->items[objects->nr++] = object;
}

static void begin_distances(struct xml *xml, const struct tag *tag)
{
	struct span type = attribute(tag, "type"), indexing = attribute(tag, "indexing");
	uint64_t kind = number(xml, tag, "kind");

	xml->nr_objects = number(xml, tag, "nbobjs");
	xml->nr_indices = xml->nr_values = 0;
	xml->by_gp_index = indexing.at && same(indexing, "gp");
	xml->takes_distances = !xml->has_distances && type.at && same(type, "NUMANode") &&
			       (kind & KIND_FROM_OS) && (kind & KIND_MEANS_LATENCY) &&
			       xml->nr_objects <= MODEL_NODES;
}

/* Numbers between blanks, each passed to `take`. */
static void take_numbers(struct xml *xml, struct span text,
			 void (*take)(struct xml *xml, uint64_t value))
{
	const char *at = text.at, *end = at + text.nr;

	while (at < end && !xml->why) {
		struct span word = { at, 0 };
		uint64_t value;

		while (word.at + word.nr < end && !is_blank(word.at[word.nr]))
			word.nr++;
		at = word.at + word.nr + 1;
		if (!word.nr)
			continue;
		if (!to_number(word, &value))
			return refuse(xml, "it has a distance that is none");
		take(xml, value);
	}
}

static void take_index(struct xml *xml, uint64_t value)
{
	if (xml->nr_indices < xml->nr_objects)
		xml->indices[xml->nr_indices++] = value;
}

static int node_at(const struct xml *xml, uint64_t index)
{
	for (uint32_t i = 0; i < xml->out->nodes; i++) {
		const struct object *node = &xml->objects[OBJECT_NODE].items[xml->node_of[i]];

		if ((xml->by_gp_index ? node->gp_index : node->os_index) == index)
			return (int)i;
	}
	return -1;
}

/* Nodes are known by then: distances stand behind the objects. */
static void take_value(struct xml *xml, uint64_t value)
{
	size_t row = xml->nr_objects ? xml->nr_values / xml->nr_objects : 0,
	       column = xml->nr_objects ? xml->nr_values % xml->nr_objects : 0;
	int from, to;

	xml->nr_values++;
	if (row >= xml->nr_indices || column >= xml->nr_indices)
		return;
	from = node_at(xml, xml->indices[row]);
	to = node_at(xml, xml->indices[column]);
	if (from >= 0 && to >= 0)
		xml->out->distances[from][to] = value < UINT16_MAX ? (uint32_t)value : UINT16_MAX;
	xml->has_distances = true;
}

/* -- what the objects mean */

/* A core where hwloc knows cores, else a CPU. */
static const struct objects *cores_of(const struct xml *xml)
{
	return &xml->objects[xml->objects[OBJECT_CORE].nr ? OBJECT_CORE : OBJECT_PU];
}

/* 0 if the machine is too large for the model. */
static uint32_t cores_in(const struct xml *xml, const struct cpus *cpus)
{
	const struct objects *cores = cores_of(xml);
	uint32_t nr = 0;

	for (size_t i = 0; i < cores->nr && cores->nr <= MODEL_CORES; i++)
		nr += cpus_within(&cores->items[i].cpus, cpus);
	return nr;
}

static bool is_known_node(const struct xml *xml, const struct cpus *cpus)
{
	for (uint32_t i = 0; i < xml->out->nodes; i++) {
		const struct cpus *known = &xml->objects[OBJECT_NODE].items[xml->node_of[i]].cpus;

		if (cpus_within(known, cpus) && cpus_within(cpus, known))
			return true;
	}
	return false;
}

/*
 * Memory without cores (CXL) or beside other memory of the same cores (HBM) makes no node of its
 * own.
 */
static void find_nodes(struct xml *xml)
{
	const struct objects *nodes = &xml->objects[OBJECT_NODE];

	for (size_t i = 0; i < nodes->nr; i++) {
		const struct cpus *cpus = &nodes->items[i].cpus;

		if (cpus_empty(cpus) || is_known_node(xml, cpus))
			continue;
		if (xml->out->nodes == MODEL_NODES)
			return refuse(xml, "it has more NUMA nodes than can be modelled");
		xml->node_of[xml->out->nodes++] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < xml->out->nodes; i++)
		xml->out->uneven |= cores_in(xml, &nodes->items[xml->node_of[i]].cpus) *
					    xml->out->nodes !=
				    xml->out->cores;
}

static uint32_t ways_of(const struct object *cache)
{
	uint64_t ways = cache->ways == UINT64_MAX && cache->line ? cache->bytes / cache->line
								 : cache->ways;

	return ways <= UINT32_MAX ? (uint32_t)ways : 0;
}

static void find_cache(struct xml *xml, int level)
{
	const struct objects *caches = &xml->objects[OBJECT_L1 + level];

	for (size_t i = 0; i < caches->nr; i++) {
		const struct object *cache = &caches->items[i];
		uint32_t cores = cores_in(xml, &cache->cpus);

		if (i) {
			xml->out->uneven |= cache->bytes != xml->out->cache[level].bytes ||
					    cores != xml->out->cache[level].cores;
			continue;
		}
		xml->out->cache[level].bytes = cache->bytes;
		xml->out->cache[level].line = cache->line <= UINT32_MAX ? (uint32_t)cache->line : 0;
		xml->out->cache[level].ways = ways_of(cache);
		xml->out->cache[level].cores = cores ? cores : 1;
	}
}

/* All objects are there. */
static void find_all(struct xml *xml)
{
	xml->out->cores = (uint32_t)cores_of(xml)->nr;
	find_nodes(xml);
	if (!xml->out->cores || !xml->out->nodes)
		refuse(xml, "it has no cores, or no memory");
	for (int level = 0; level < MODEL_LEVELS; level++)
		find_cache(xml, level);
}

/* -- the whole file */

/* hwloc 1 wrote other objects; the format of 3 is unknown. */
static void check_version(struct xml *xml, const struct tag *tag)
{
	struct span version = attribute(tag, "version");

	if (!version.at || version.nr < 2 || memcmp(version.at, "2.", 2) != 0)
		refuse(xml,
		       "it is not of hwloc 2; `lstopo old.xml new.xml` of hwloc 2 makes it one");
}

static void take_tag(struct xml *xml, const struct tag *tag, bool *is_first)
{
	if (same(tag->name, "object"))
		take_object(xml, tag);
	else if (same(tag->name, "distances2") && *is_first)
		find_all(xml);
	*is_first &= !same(tag->name, "distances2");
	if (same(tag->name, "distances2"))
		begin_distances(xml, tag);
	else if (same(tag->name, "indexes") && xml->takes_distances)
		take_numbers(xml, tag->content, take_index);
	else if (same(tag->name, "u64values") && xml->takes_distances)
		take_numbers(xml, tag->content, take_value);
}

static void take_all(struct xml *xml)
{
	bool is_first = true, ended = false;
	struct tag tag;

	while (!xml->why && !ended && next_tag(xml, &tag)) {
		ended = same(tag.name, "/topology");
		if (!ended)
			take_tag(xml, &tag, &is_first);
	}
	if (!ended)
		refuse(xml, "its end is missing");
	if (!xml->why && is_first)
		find_all(xml);
}

const char *topology_parse_xml(struct arena *arena, const char *text, size_t length,
			       struct topology *out)
{
	struct xml *xml = arena_alloc(arena, sizeof(*xml));
	struct tag tag = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };

	memset(out, 0, sizeof(*out));
	if (!xml)
		return "out of memory";
	*xml = (struct xml){ .arena = arena, .out = out, .at = text, .end = text + length };
	while (next_tag(xml, &tag) && !same(tag.name, "topology"))
		if (tag.name.at[0] != '?' && tag.name.at[0] != '!')
			break;
	if (!tag.name.at || !same(tag.name, "topology"))
		return "it is not an XML of hwloc";
	check_version(xml, &tag);
	take_all(xml);
	if (xml->why)
		memset(out, 0, sizeof(*out));
	return xml->why;
}
