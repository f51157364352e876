/* SPDX-License-Identifier: Apache-2.0 */
/* hwloc's XML: a file with known answers, distances of other kinds, and damaged files. */
#include "analysis/machine/topology.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/base/whole_file.h"
#include "tests/unit/test.h"

#define XML "tests/data/modelled/two_sockets.xml"
#define SECONDS 2

static const char *text_of(const char *path)
{
	size_t length;
	const char *text = whole_file_read(arena_new(), path, 1 << 20, &length);

#ifndef HAVE_HWLOC
	test_skip("built without hwloc");
#endif
	CHECK(text != NULL);
	return text;
}

/* The XML with the first `what` replaced. */
static const char *with(const char *what, const char *by)
{
	const char *text = text_of(XML), *at = strstr(text, what);

	CHECK(at != NULL);
	return arena_printf(arena_new(), "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

static void parse_well(const char *text, struct topology *out)
{
	const char *why = topology_parse_xml(arena_new(), text, out);

	if (why)
		test_fail(__FILE__, __LINE__, "%s", why);
}

TEST(machine_xml__file)
{
	struct topology topology;

	parse_well(text_of(XML), &topology);
	CHECK_INT(topology.cores, 8);
	CHECK_INT(topology.nodes, 2);
	CHECK(!topology.uneven && !topology.here && !topology.version);
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

TEST(machine_xml__uneven_caches)
{
	struct topology topology;

	parse_well(with("cache_size=\"25165824\"", "cache_size=\"12582912\""), &topology);
	CHECK(topology.uneven);
}

TEST(machine_xml__fully_associative)
{
	struct topology topology;

	parse_well(with("cache_associativity=\"12\"", "cache_associativity=\"-1\""), &topology);
	CHECK_INT(topology.cache[0].ways, 768);
}

/* Those of users, bandwidths, and those of something else than nodes are not taken. */
TEST(machine_xml__other_distances)
{
	static const char *const kinds[] = { "kind=\"6\"", "kind=\"9\"" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct topology topology;

		parse_well(with("kind=\"5\"", kinds[i]), &topology);
		CHECK_INT(topology.distances[0][0], 0);
	}
}

TEST(machine_xml__broken)
{
	const char *const texts[] = {
		"",
		"core 3",
		"<html></html>",
		"<topology>",
		"<topology version=\"2.0\"></topology>",
		with("<topology version=\"2.0\">", "<topology version=\"9.0\">"),
		with("</topology>", ""),
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct topology topology;
		const char *why = topology_parse_xml(arena_new(), texts[i], &topology);

		if (!why || !*why)
			test_fail(__FILE__, __LINE__, "text %zu is read", i);
		CHECK_INT(topology.cores, 0);
	}
}

/* Any bytes end neither this process nor leave more than fits. Fixed seed. */
TEST(machine_xml__mutations)
{
	uint64_t state = 20261120;
	size_t runs = 0, good = 0, length;
	const char *text = text_of(XML);
	time_t end = time(NULL) + SECONDS;

	length = strlen(text);
	for (; time(NULL) < end; runs++) {
		struct arena *arena = arena_new();
		struct topology topology;
		char *copy = arena_strndup(arena, text, length);

		for (int i = 0; i < 4; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			copy[(state >> 33) % length] =
				"0123456789<>\"=,x \0af/"[(state >> 20) % 21];
		}
		good += !topology_parse_xml(arena, copy, &topology);
		CHECK_THAT(topology.nodes, <=, MODEL_NODES);
		arena_free(arena);
	}
	CHECK(runs > 100 && good > 0 && good < runs);
}
