/* SPDX-License-Identifier: Apache-2.0 */
/* Events that sample addresses, from files as /sys has them on machines of several makes. */
#define _GNU_SOURCE
#include "ompt_tool/sampling/address_source.h"
#include "ompt_tool/sampling/spe.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#include <linux/perf_event.h>
#include <sys/stat.h>

#define DEVICES "sys/bus/event_source/devices"

struct file {
	const char *name, *text;
};

static void make_folder(const char *path)
{
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		char folder[256];

		snprintf(folder, sizeof(folder), "%.*s", (int)(at - path), path);
		mkdir(folder, 0755);
	}
}

static void put_more(const struct file *files)
{
	for (; files->name; files++) {
		char path[256];

		snprintf(path, sizeof(path), DEVICES "/%s", files->name);
		make_folder(path);
		file_write(path, files->text, strlen(files->text));
	}
}

static void put(const struct file *files)
{
	scratch_enter();
	put_more(files);
}

static bool find(const char *how, struct address_source *out, char *why)
{
	*why = '\0';
	return address_source_find(how, ".", out, why);
}

/* As Ice Lake shows them. */
static const struct file icelake[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/mem-stores", "event=0xd0,umask=0x82\n" },
	{ NULL, NULL },
};

TEST(address_source__intel_loads_and_stores)
{
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put(icelake);
	CHECK(find("auto", &source, why));
	CHECK_STR(source.name, "pebs");
	CHECK(strstr(source.warning, "untested"));
	CHECK_INT(source.nr_events, 2);
	CHECK_INT(source.events[0].type, 4);
	CHECK_INT(source.events[0].config, 0x1cd);
	CHECK_INT(source.events[0].config1, 3);
	CHECK_INT(source.events[0].precise, 2);
	CHECK_INT(source.events[0].leader, 0);
	CHECK(source.events[0].data_source && source.events[0].address &&
	      !source.events[0].everywhere);
	CHECK_INT(source.events[1].config, 0x82d0);
	CHECK_INT(source.events[1].config1, 0);
	CHECK(!find("ibs", &source, why) && strstr(why, "ibs_op") && strstr(why, "untested"));
	CHECK(!find("power", &source, why));
}

/*
 * Alder Lake: two kinds of cores, each with events of its own, and on the larger ones one that must
 * come first.
 */
TEST(address_source__intel_with_two_kinds_of_cores)
{
	static const struct {
		uint32_t type;
		uint64_t config, config1, leader;
	} want[] = {
		{ 4, 0x1cd, 3, 0x8203 },
		{ 4, 0x2cd, 0, 0 },
		{ 10, 0x5d0, 3, 0 },
		{ 10, 0x6d0, 0, 0 },
	};
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	CHECK(address_source_find("auto", "tests/data/machines/alder-lake", &source, why));
	CHECK_STR(source.name, "pebs");
	CHECK_STR(source.warning, "untested on hardware");
	CHECK_INT(source.nr_events, 4);
	for (size_t i = 0; i < 4; i++) {
		CHECK_INT(source.events[i].type, want[i].type);
		CHECK_INT(source.events[i].config, want[i].config);
		CHECK_INT(source.events[i].config1, want[i].config1);
		CHECK_INT(source.events[i].leader, want[i].leader);
		CHECK_INT(source.events[i].precise, 2);
		CHECK(source.events[i].data_source && source.events[i].address &&
		      source.events[i].period);
	}
	CHECK_INT(address_source_descriptors(&source), 5);
	CHECK_INT(address_source_rings(&source), 1);
}

/*
 * Smaller cores that cannot be sampled are told of; larger ones that are alone are no kind among
 * others.
 */
TEST(address_source__intel_on_the_larger_cores_alone)
{
	static const struct file files[] = {
		{ "cpu_core/type", "4\n" },
		{ "cpu_core/cpus", "0-15\n" },
		{ "cpu_core/format/event", "config:0-7\n" },
		{ "cpu_core/format/umask", "config:8-15\n" },
		{ "cpu_core/format/ldlat", "config1:0-15\n" },
		{ "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82\n" },
		{ "cpu_core/events/mem-stores", "event=0xcd,umask=0x2\n" },
		{ NULL, NULL },
	};
	static const struct file smaller[] = { { "cpu_atom/type", "10\n" },
					       { "cpu_atom/cpus", "16-23\n" },
					       { "cpu_atom/format/event", "config:0-7\n" },
					       { NULL, NULL } };
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put(files);
	for (int both = 0; both < 2; both++) {
		CHECK(find("pebs", &source, why));
		CHECK_INT(source.nr_events, 2);
		CHECK_INT(source.events[0].leader, 0x8203);
		CHECK_INT(source.events[1].config, 0x2cd);
		CHECK_INT(strstr(source.warning, "some of the cores") != NULL, both);
		put_more(smaller);
	}
}

TEST(address_source__amd_with_and_without_a_filter)
{
	static const struct file old[] = { { "ibs_op/type", "11\n" },
					   { "ibs_op/format/cnt_ctl", "config:19\n" },
					   { NULL, NULL } };
	static const struct file now[] = {
		{ "ibs_op/type", "11\n" },
		{ "ibs_op/format/cnt_ctl", "config:19\n" },
		{ "ibs_op/format/swfilt", "config2:0\n" },
		{ NULL, NULL },
	};
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put(old);
	CHECK(find("auto", &source, why));
	CHECK_STR(source.name, "ibs");
	CHECK_INT(source.nr_events, 1);
	CHECK_INT(source.events[0].type, 11);
	CHECK_INT(source.events[0].config, 1 << 19);
	CHECK_INT(source.events[0].period % 16, 0);
	CHECK(source.events[0].everywhere);
	put(now);
	CHECK(find("auto", &source, why));
	CHECK_INT(source.events[0].config2, 1);
	CHECK(!source.events[0].everywhere);
}

/* As Neoverse machines do; the kernel's PMU gives what terms are for. */
#define SPE() \
	{ "arm_spe_0/type", "8\n" }, { "arm_spe_0/format/load_filter", "config:33\n" }, \
		{ "arm_spe_0/format/store_filter", "config:34\n" }, \
		{ "arm_spe_0/format/jitter", "config:16\n" }, \
		{ "arm_spe_0/format/ts_enable", "config:0\n" }, \
		{ "arm_spe_0/format/min_latency", "config2:0-11\n" }

static void put_cpu(unsigned int cpu, const char *midr)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1",
		 cpu);
	make_folder(path);
	if (midr)
		file_write(path, midr, strlen(midr));
}

TEST(address_source__arm)
{
	static const struct file files[] = { SPE(), { NULL, NULL } };
	static const struct {
		int line;
		const char *midr[3];
		int packets;
	} cpus[] = {
		{ __LINE__,
		  { "0x00000000413fd0c1\n", "0x00000000413fd0c1\n", "0x00000000413fd0c1\n" },
		  SPE_SOURCES },
		/* the second is off line */
		{ __LINE__, { "0x00000000410fd4f0\n", NULL, "0x00000000410fd401\n" }, SPE_SOURCES },
		{ __LINE__,
		  { "0x00000000413fd0c1\n", "0x00000000411fd0b0\n", "0x00000000413fd0c1\n" },
		  SPE_EVENTS },
		{ __LINE__,
		  { "0x00000000c00fac30\n", "0x00000000c00fac30\n", "0x00000000c00fac30\n" },
		  SPE_EVENTS },
		{ __LINE__, { NULL, NULL, NULL }, SPE_EVENTS },
	};
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		put(files);
		for (unsigned int cpu = 0; cpu < 3; cpu++)
			put_cpu(cpu, cpus[i].midr[cpu]);
		CHECK(find(i % 2 ? "spe" : "auto", &source, why));
		CHECK_STR(source.name, "spe");
		CHECK_STR(source.warning, "experimental, untested on hardware");
		CHECK_INT(source.nr_events, 1);
		CHECK_INT(source.events[0].type, 8);
		CHECK_INT(source.events[0].config, 1ull << 33 | 1ull << 34 | 1 << 16);
		CHECK_INT(source.events[0].config1 | source.events[0].config2, 0);
		CHECK_INT(source.events[0].period % 256, 0);
		CHECK(!source.events[0].everywhere);
		if (source.events[0].packets != cpus[i].packets)
			test_fail(__FILE__, cpus[i].line, "%d", source.events[0].packets);
	}
}

TEST(address_source__arm_without_what_is_needed)
{
	static const struct file no_filters[] = { { "arm_spe_0/type", "8\n" },
						  { "arm_spe_0/format/jitter", "config:16\n" },
						  { NULL, NULL } };
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put(no_filters);
	CHECK(!find("spe", &source, why) && strstr(why, "arm_spe_0") &&
	      strstr(why, "untested on hardware"));
	CHECK(!find("auto", &source, why) && strstr(why, "Arm SPE") &&
	      strstr(why, "untested on hardware"));
	put((const struct file[]){ { NULL, NULL } });
	CHECK(!find("spe", &source, why) && strstr(why, "arm_spe_0"));
}

/*
 * As POWER9 does: bits of a term in several places are possible, and this source must be asked for.
 */
TEST(address_source__power_is_experimental)
{
	static const struct file files[] = {
		{ "cpu/type", "4\n" },
		{ "cpu/format/event", "config:0-7,16-19\n" },
		{ "cpu/events/mem-loads", "event=0xf4321\n" },
		{ "cpu/events/mem-stores", "event=0x21\n" },
		{ NULL, NULL },
	};
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put(files);
	CHECK(!find("auto", &source, why));
	CHECK(strstr(why, "untested on hardware"));
	CHECK(find("power", &source, why));
	CHECK(strstr(source.warning, "experimental"));
	CHECK_INT(source.nr_events, 2);
	CHECK_INT(source.events[0].config, 0x30021); /* the bits above have no place */
	CHECK_INT(source.events[1].config, 0x21);
}

TEST(address_source__page_faults_are_everywhere)
{
	struct address_source source;
	char why[ADDRESS_SOURCE_WHY];

	put((const struct file[]){ { NULL, NULL } });
	CHECK(find("faults", &source, why));
	CHECK_INT(source.events[0].type, 0);
	CHECK_INT(source.events[0].config, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	CHECK_INT(source.events[0].period, 1);
	CHECK(!source.events[0].data_source);
}

TEST(address_source__what_cannot_be_had_says_why)
{
	static const struct {
		int line;
		const char *how, *format, *event, *why;
	} cases[] = {
		{ __LINE__, "none", "config:0-7\n", "event=0xcd\n", "switched off" },
		{ __LINE__, "peps", "config:0-7\n", "event=0xcd\n", "there is no source 'peps'" },
		{ __LINE__, "pebs", "config:0-7\n", "event=0xcd,no_such_term=1\n", "mem-loads" },
		{ __LINE__, "pebs", "config:7-0\n", "event=0xcd\n", "mem-loads" },
		{ __LINE__, "pebs", "config:0-64\n", "event=0xcd\n", "mem-loads" },
		{ __LINE__, "pebs", "config:\n", "event=0xcd,umask\n", "mem-loads" },
		{ __LINE__, "pebs", "config9:0-7\n", "event=0xcd\n", "mem-loads" },
		{ __LINE__, "pebs", "\n", "\n", "mem-loads" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct file files[] = {
			{ "cpu/type", "4\n" },
			{ "cpu/format/event", cases[i].format },
			{ "cpu/format/ldlat", "config1:0-15\n" },
			{ "cpu/events/mem-loads", cases[i].event },
			{ NULL, NULL },
		};
		struct address_source source;
		char why[ADDRESS_SOURCE_WHY];

		put(files);
		if (find(cases[i].how, &source, why) || !strstr(why, cases[i].why))
			test_fail(__FILE__, cases[i].line, "%s: \"%s\"", cases[i].how, why);
	}
}
