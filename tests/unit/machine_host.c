/* SPDX-License-Identifier: Apache-2.0 */
/* This machine as a model, and others by hwloc's synthetic topologies and XML. */
#include "analysis/machine/model_host.h"

#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/model_text.h"
#include "analysis/machine/topology.h"
#include "tests/unit/test.h"

#define DATA "tests/data/modelled"

static const struct host_facts facts = { .cpu = "a CPU", .hz = 2e9, .page = 4096 };

static void need_hwloc(void)
{
#ifndef HAVE_HWLOC
	test_skip("built without hwloc");
#endif
}

/* hwloc's descriptions of machines there are not: "numa:2 l3:1 core:4 pu:1". */
static const char *describe(const char *description, struct topology *out)
{
	need_hwloc();
	CHECK_THAT(setenv("HWLOC_SYNTHETIC", description, 1), ==, 0);
	return topology_here(arena_new(), out);
}

static void describe_well(const char *description, struct topology *out)
{
	const char *why = describe(description, out);

	if (why)
		test_fail(__FILE__, __LINE__, "%s: %s", description, why);
	CHECK(!out->here); /* not the machine that runs the test */
}

static const struct model_file *host_of(const char *description)
{
	struct arena *arena = arena_new();
	struct topology topology;

	describe_well(description, &topology);
	return model_host_of(arena, &topology, &facts);
}

static const struct model_file *good_host_of(const char *description)
{
	const struct model_file *file = host_of(description);

	if (file->nr_mistakes)
		test_fail(__FILE__, __LINE__, "%s", file->mistakes[0].text);
	CHECK(!model_check(arena_new(), &file->model));
	return file;
}

TEST(machine_host__two_sockets)
{
	const struct model_file *file = good_host_of(
		"pack:2 numa:1 l3:1(size=25165824) l2:4(size=1310720) l1:1(size=49152) core:1 pu:2");
	const struct machine_model *model = &file->model;

	CHECK_STR(model->name, "host");
	CHECK(!model->path);
	CHECK_STR(file->title, "a CPU");
	CHECK_INT(model->cores, 8); /* not 16: these are hyperthreads */
	CHECK_INT(model->nodes, 2);
	CHECK_INT(model->cache[0].bytes, 49152);
	CHECK_INT(model->cache[0].ways, 12); /* what 768 lines need */
	CHECK_INT(model->cache[1].bytes, 1310720);
	CHECK_INT(model->cache[1].ways, 10);
	CHECK_INT(model->cache[2].bytes, 25165824);
	CHECK_INT(model->cache[2].cores, 4);
	CHECK_THAT(model->remote_latency, >, model->memory_latency);
	CHECK_STR(model_source_of(file, "cores"), "hwloc");
	CHECK_STR(model_source_of(file, "l1.ways"), "typical; hwloc tells none that fit");
	CHECK_STR(model_source_of(file, "memory"), "typical");
	CHECK_STR(model_source_of(file, "tlb1.entries"), "typical");
	CHECK(strstr(
		model->source,
		"8 cores on 2 nodes, L1 of 48 KiB, L2 of 1280 KiB, L3 of 24576 KiB for 4 cores"));
	CHECK(strstr(model->source, "no source for TLBs"));
	CHECK(!strstr(model->source, "virtual"));
}

/* A64FX and ARM's small cores: the second level is the last. */
TEST(machine_host__shared_second_level)
{
	const struct model_file *file = good_host_of(
		"numa:4 l2:1(size=8388608) l1:12(size=65536) core:1 pu:1");
	const struct machine_model *model = &file->model;

	CHECK_INT(model->cores, 48);
	CHECK_INT(model->cache[1].bytes, 0);
	CHECK_INT(model->cache[2].bytes, 8388608);
	CHECK_INT(model->cache[2].cores, 12);
	CHECK_STR(model_source_of(file, "l3.size"), "hwloc");
	CHECK_STR(model_source_of(file, "l3.cores"), "hwloc");
	CHECK_STR(model_source_of(file, "l3.ways"), "typical; hwloc tells none that fit");
}

/* Clusters with a third level above: each core gets its share. */
TEST(machine_host__clusters)
{
	const struct model_file *file = good_host_of(
		"numa:1 l3:1(size=33554432) l2:2(size=4194304) l1:4(size=32768) core:1 pu:1");
	const struct machine_model *model = &file->model;

	CHECK_INT(model->cache[1].bytes, 1 << 20);
	CHECK_INT(model->cache[1].cores, 1);
	CHECK_INT(model->cache[2].cores, 8);
	CHECK_STR(model_source_of(file, "l2.size"), "a core's share of what hwloc says");
	CHECK_STR(model_source_of(file, "l2.line"), "hwloc");
}

TEST(machine_host__no_caches)
{
	const struct model_file *file = good_host_of("numa:1 core:2 pu:1");

	CHECK_INT(file->model.cache[0].bytes, 32 << 10);
	CHECK_STR(model_source_of(file, "l1.size"), "typical");
	CHECK(strstr(file->model.source, "no caches") &&
	      strstr(file->model.source, "and so are the caches"));
}

TEST(machine_host__one_core)
{
	const struct model_file *file = good_host_of("numa:1 l2:1 l1:1 core:1 pu:1");

	CHECK_INT(file->model.cores, 1);
	CHECK_INT(file->model.remote_latency, 0);
}

TEST(machine_host__too_large)
{
	const struct model_file *file = host_of("numa:2 l2:200 l1:1 core:1 pu:1");
	struct topology topology;

	CHECK_INT(file->nr_mistakes, 1);
	CHECK(strstr(file->mistakes[0].text,
		     "this machine cannot be modelled: cores is 400; 256 can be simulated"));
	CHECK_STR(describe("numa:65 core:1 pu:1", &topology),
		  "it has more NUMA nodes than can be modelled");
}

TEST(machine_host__facts_of_the_cpu)
{
	struct host_facts known = { .cpu = "",
				    .hz = 3e9,
				    .page = 65536,
				    .is_virtual = true,
				    .tlb = { { 48, 48, 0 }, { 2048, 8, 0 } } };
	struct arena *arena = arena_new();
	struct topology topology;
	const struct model_file *file;

	describe_well("numa:1 l2:4 l1:1 core:1 pu:1", &topology);
	file = model_host_of(arena, &topology, &known);
	CHECK_INT(file->nr_mistakes, 0);
	CHECK_INT(file->model.page, 65536);
	CHECK_INT(file->model.tlb[0].entries, 48);
	CHECK_INT(file->model.tlb[1].ways, 8);
	CHECK_THAT(file->model.tlb[1].latency, >, 0);
	CHECK_STR(model_source_of(file, "tlb2.entries"), "CPUID");
	CHECK_STR(model_source_of(file, "tlb2.latency"), "typical");
	CHECK(strstr(file->model.source, "TLBs by CPUID") &&
	      strstr(file->model.source, "a virtual machine may show other caches"));
	known.tlb[1].entries = 0;
	file = model_host_of(arena, &topology, &known);
	CHECK_INT(file->nr_mistakes, 0);
	CHECK_INT(file->model.tlb[1].entries, 0);
}

/* Of this machine only, and only where it can be true. */
TEST(machine_host__latency_by_the_calibration)
{
	static const struct {
		double latency;
		bool here;
		const char *source;
		uint32_t memory;
	} rows[] = {
		{ 120e-9, true, "calibration", 240 }, { 120e-9, false, "typical", 300 },
		{ 40e-9, true, "typical", 300 },      { 2100e-9, true, "typical", 300 },
		{ 0, true, "typical", 300 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct host_facts known = facts;
		struct arena *arena = arena_new();
		struct topology topology;
		const struct model_file *file;

		describe_well("numa:1 l2:4 l1:1 core:1 pu:1", &topology);
		topology.here = rows[i].here;
		known.latency = rows[i].latency;
		file = model_host_of(arena, &topology, &known);
		CHECK_INT(file->nr_mistakes, 0);
		CHECK_INT(file->model.memory_latency, rows[i].memory);
		CHECK_STR(model_source_of(file, "memory"), rows[i].source);
		arena_free(arena);
	}
}

TEST(machine_host__clock)
{
	static const char cpuinfo[] =
		"processor\t: 0\nmodel name\t: x\ncpu MHz\t\t: 2596.992\ncache size\t: 1024 KB\n";

	CHECK_NEAR(host_hz(cpuinfo, 0), 2596e6, 0);
	CHECK_NEAR(host_hz(cpuinfo, 2300000), 2.3e9, 0);
	CHECK_NEAR(host_hz("processor\t: 0\n", 0), 0, 0);
}

TEST(machine_host__ways)
{
	CHECK_INT(topology_ways(512, 8), 8);
	CHECK_INT(topology_ways(512, 0), 16);
	CHECK_INT(topology_ways(768, 0), 12);
	CHECK_INT(topology_ways(768, 12), 12);
	CHECK_INT(topology_ways(67 * 1024, 0), 0);
}

/* This machine, whatever it is. */
TEST(machine_host__here)
{
	const struct model_file *file;
	const struct figure *all;
	struct arena *arena = arena_new();
	size_t nr = figures(&all);

	need_hwloc();
	file = model_host(arena);
	/* 6 cores on 4 nodes, 300 cores: no fault of ours, but told */
	if (file->nr_mistakes) {
		CHECK(*file->mistakes[0].text);
		test_skip("%s", file->mistakes[0].text);
	}
	CHECK(!model_check(arena, &file->model));
	CHECK(file->model.cores >= 1 && file->model.page >= 4096);
	CHECK(strstr(file->model.source, "hwloc (API 2."));
	for (size_t i = 0; i < nr; i++)
		if (figure_applies(&all[i], &file->model))
			CHECK(model_source_of(file, all[i].key) != NULL);
}

/* HBM beside DRAM of the same cores; CPUs where hwloc knows no cores. */
TEST(machine_host__two_kinds_of_memory)
{
	struct topology topology;

	describe_well("pack:2 [numa] [numa] l3:1 pu:3", &topology);
	CHECK_INT(topology.cores, 6);
	CHECK_INT(topology.nodes, 2);
	CHECK_INT(topology.cache[2].cores, 3);
	CHECK(!topology.uneven);
}

/* -- an XML in a machine file */

TEST(machine_host__xml)
{
	const struct model_file *file = model_read(arena_new(), DATA "/two_sockets.machine");
	const struct machine_model *model;

	if (file->nr_mistakes)
		test_fail(__FILE__, __LINE__, "%d: %s", file->mistakes[0].line,
			  file->mistakes[0].text);
	model = &file->model;
	CHECK_INT(model->cores, 8);
	CHECK_INT(model->nodes, 2);
	CHECK_INT(model->cache[1].ways, 20);
	CHECK_INT(model->cache[2].ways, 12); /* the file's: hwloc does not know */
	CHECK_INT(model->cache[2].latency, 50);
	CHECK_INT(model->distances[0][0], 200); /* 10 and 21 by the firmware */
	CHECK_INT(model->distances[1][0], 420);
	CHECK_STR(model_source_of(file, "l2.ways"), "hwloc, two_sockets.xml");
	CHECK_STR(model_source_of(file, "l3.ways"), "hwloc does not know");
}

/* Nothing is started in a program; what can be told without the XML is. */
TEST(machine_host__xml_as_a_guest)
{
	const struct model_file *file = model_read_as_guest(arena_new(),
							    DATA "/two_sockets.machine");

	CHECK(file->names_topology);
	CHECK_INT(file->mistakes[0].line, 5);
	CHECK_STR(file->mistakes[0].text,
		  "cannot take 'two_sockets.xml': no child reads it in a user's program");
}

TEST(machine_host__what_cannot_be_read)
{
	static const char *const paths[] = { "tests/none.xml", "tests", "/dev/zero",
					     DATA "/two_sockets.machine" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct topology topology = { 0 };
		const char *why = topology_of_xml(arena_new(), paths[i], &topology);

		if (!why || !*why)
			test_fail(__FILE__, __LINE__, "%s is read", paths[i]);
		CHECK_INT(topology.cores, 0);
	}
}
