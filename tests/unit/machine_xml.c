/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hwloc's XML: small files with known answers, damaged ones, and that hwloc itself reads the same
 * out of what it wrote.
 */
#include "analysis/machine/topology_xml.h"

#include <stdlib.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/base/whole_file.h"
#include "analysis/machine/topology.h"
#include "tests/unit/test.h"

#define XML "tests/data/modelled/two_sockets.xml"
#define SECONDS 2
#define HEAD \
	"<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
#define END "</topology>\n"
#define OBJECT(type, cpus, more) "<object type=\"" type "\" cpuset=\"" cpus "\" " more "/>"
#define NODE(number, cpus) \
	OBJECT("NUMANode", cpus, "os_index=\"" #number "\" gp_index=\"1" #number "\"")

static const char *parse(const char *text, struct topology *out)
{
	return topology_parse_xml(arena_new(), text, strlen(text), out);
}

static void parse_well(const char *text, struct topology *out)
{
	const char *why = parse(text, out);

	if (why)
		test_fail(__FILE__, __LINE__, "%s", why);
}

TEST(machine_xml__file)
{
	struct topology topology;
	size_t length;
	const char *text = whole_file_read(arena_new(), XML, 1 << 20, &length);

	CHECK(text != NULL);
	CHECK(!topology_parse_xml(arena_new(), text, length, &topology));
	CHECK_INT(topology.cores, 8);
	CHECK_INT(topology.nodes, 2);
	CHECK(!topology.uneven && !topology.here);
	CHECK_INT(topology.cache[0].bytes, 49152);
	CHECK_INT(topology.cache[0].ways, 12);
	CHECK_INT(topology.cache[1].ways, 20);
	CHECK_INT(topology.cache[1].line, 64);
	CHECK_INT(topology.cache[2].bytes, 25165824);
	CHECK_INT(topology.cache[2].ways, 0);
	CHECK_INT(topology.cache[2].cores, 4);
	CHECK_INT(topology.distances[0][1], 21);
	CHECK_INT(topology.distances[1][1], 10);
}

/* Groups of 32 CPUs, the highest first; one that is 0 may be empty. */
TEST(machine_xml__many_cpus)
{
	struct topology topology;

	parse_well(
		HEAD NODE(0, "0x0000000f,,0x3") OBJECT("L3Cache", "0x1,,0x1", "cache_size=\"4096\"")
			OBJECT("L3Cache", "0xe,,0x00000002", "cache_size=\"4096\"")
				OBJECT("Core", "0x1", "") OBJECT("Core", "0x2", "") OBJECT(
					"Core", "0x1,,", "") OBJECT("Core", "0x2,0x0,0x0", "")
					OBJECT("Core", "0x4,,", "") OBJECT("Core", "0x8,,", "") END,
		&topology);
	CHECK_INT(topology.cores, 6);
	CHECK_INT(topology.nodes, 1);
	CHECK_INT(topology.cache[2].cores, 2);
	CHECK(topology.uneven); /* the other one has 4 */
}

/* Memory without CPUs, and two kinds of memory of the same ones. */
TEST(machine_xml__nodes)
{
	struct topology topology;

	parse_well(
		HEAD NODE(0, "0x3") NODE(1, "0x3") NODE(2, "0xc") NODE(3, "0x0") OBJECT(
			"PU", "0x1", "") OBJECT("PU", "0x2", "") OBJECT("PU", "0x4", "")
			OBJECT("PU", "0x8",
			       "") "<object type=\"PCIDev\" cache_size=\"7\"/>"
				   "<distances2 type=\"NUMANode\" nbobjs=\"3\" kind=\"5\" indexing=\"gp\"><indexes length=\"9\">10 11</indexes><indexes length=\"2\">12</indexes>\n"
				   "<u64values length=\"9\">10 17 21\n17 10 28 </u64values><u64values length=\"9\">22 28 11 </u64values></distances2>" END,
		&topology);
	CHECK_INT(topology.cores, 4); /* no cores: CPUs */
	CHECK_INT(topology.nodes, 2);
	CHECK_INT(topology.distances[0][0], 10);
	CHECK_INT(topology.distances[0][1], 21);
	CHECK_INT(topology.distances[1][0], 22);
	CHECK_INT(topology.distances[1][1], 11);
	CHECK(!topology.uneven);
}

TEST(machine_xml__fully_associative)
{
	struct topology topology;

	parse_well(HEAD NODE(0, "0x1") OBJECT("Core", "0x1", "") OBJECT(
			   "L1Cache", "0x1",
			   "cache_size=\"4096\" cache_linesize=\"64\" cache_associativity=\"-1\"")
			   END,
		   &topology);
	CHECK_INT(topology.cache[0].ways, 64);
}

/* Distances that are no latencies of nodes are not taken. */
TEST(machine_xml__other_distances)
{
	static const char *const kinds[] = { "type=\"NUMANode\" kind=\"9\"",
					     "type=\"PU\" kind=\"5\"",
					     "type=\"NUMANode\" kind=\"6\"" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct topology topology;
		const char *text = arena_printf(
			arena_new(),
			HEAD NODE(0, "0x1") OBJECT(
				"Core", "0x1",
				"") "<distances2 nbobjs=\"1\" %s indexing=\"os\">"
				    "<indexes>0</indexes><u64values>10</u64values></distances2>" END,
			kinds[i]);

		parse_well(text, &topology);
		CHECK_INT(topology.distances[0][0], 0);
	}
}

static const struct {
	int line;
	const char *text, *why;
} broken[] = {
	{ __LINE__, "", "it is not an XML of hwloc" },
	{ __LINE__, "core 3", "it is not an XML of hwloc" },
	{ __LINE__, "<html></html>", "it is not an XML of hwloc" },
	{ __LINE__, "<topology>" END,
	  "it is not of hwloc 2; `lstopo old.xml new.xml` of hwloc 2 makes it one" },
	{ __LINE__, HEAD END, "it has no cores, or no memory" },
	{ __LINE__, HEAD OBJECT("Core", "0x1", "") END, "it has no cores, or no memory" },
	{ __LINE__, HEAD OBJECT("Core", "0x1", "") NODE(0, "0x1"), "its end is missing" },
	{ __LINE__, HEAD OBJECT("Core", "0xg", "") END, "it has a set of CPUs that is none" },
	{ __LINE__, HEAD OBJECT("Core", "0xf...f", "") END, "it has a set of CPUs that is none" },
	{ __LINE__, HEAD OBJECT("Core", "0x111111111", "") END,
	  "it has a set of CPUs that is none" },
	{ __LINE__, HEAD OBJECT("L1Cache", "0x1", "cache_size=\"many\"") END,
	  "it has a number that is none" },
	{ __LINE__, HEAD OBJECT("L1Cache", "0x1", "cache_size=\"99999999999999999999999\"") END,
	  "it has a number that is none" },
	{ __LINE__,
	  HEAD NODE(0, "0x1") OBJECT(
		  "Core", "0x1",
		  "") "<distances2 type=\"NUMANode\" nbobjs=\"1\" kind=\"5\"><indexes>x</indexes>" END,
	  "it has a distance that is none" },
};

TEST(machine_xml__broken)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct topology topology;
		const char *why = parse(broken[i].text, &topology);

		if (!why || strcmp(why, broken[i].why) != 0)
			test_fail(__FILE__, broken[i].line, "%s", why ? why : "it is read");
		CHECK_INT(topology.cores, 0);
	}
}

/* Any bytes: nothing is read beyond them, and what is read is within bounds. Fixed seed. */
TEST(machine_xml__mutations)
{
	uint64_t state = 20261120;
	size_t length, runs = 0, good = 0;
	const char *text = whole_file_read(arena_new(), XML, 1 << 20, &length);
	time_t end = time(NULL) + SECONDS;

	CHECK(text != NULL);
	for (; time(NULL) < end; runs++) {
		struct arena *arena = arena_new();
		struct topology topology;
		char *copy = malloc(length);
		size_t left = length;

		memcpy(copy, text, length);
		for (int i = 0; i < 4; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			copy[(state >> 33) % length] =
				"0123456789<>\"=,x \0af/"[(state >> 20) % 21];
			if ((state >> 60) == 0)
				left = (state >> 33) % length;
		}
		copy = realloc(copy, left + 1);
		good += !topology_parse_xml(arena, copy, left, &topology);
		CHECK_THAT(topology.nodes, <=, MODEL_NODES);
		free(copy);
		arena_free(arena);
	}
	CHECK(runs > 100 && good > 0 && good < runs);
}
