/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated PMU against cachegrind: small programs whose accesses valgrind's lackey lists run
 * through both, with cachegrind's geometry (D1 is L1, LL is L3), and must miss alike within 0.1 %.
 * What is not the same: LL of cachegrind also takes the programs' few lines of code, and both lines
 * of an access across two where D1 misses one. SIMULATOR_LONG=1: ten times as long, on caches of
 * usual size (bench/simulator_cachegrind.sh).
 */
#include "tests/unit/simulated.h"

#include <ctype.h>
#include <inttypes.h>
#include <unistd.h>

#include "tests/host/scratch.h"

#define TOLERANCE 1e-3

struct geometry {
	uint64_t d1, ll; /* bytes */
	uint32_t d1_ways, ll_ways, line;
};

static const struct geometry short_run = {
	.d1 = 4096, .d1_ways = 4, .ll = 65536, .ll_ways = 16, .line = 64
};
static const struct geometry long_run = {
	.d1 = 32768, .d1_ways = 8, .ll = 131072, .ll_ways = 16, .line = 64
};

struct counts {
	uint64_t accesses, d1_misses, ll_misses;
};

static void shell(const char *command)
{
	int status = system(command);

	if (status)
		test_fail(__FILE__, __LINE__, "'%s' ended with status %d", command, status);
}

/* The program ./kernel in a folder of its own. */
static void build(int kernel, int size)
{
	const char *compiler = getenv("CC");
	char root[4096], command[10000];

	CHECK(getcwd(root, sizeof(root)) != NULL);
	scratch_enter();
	snprintf(
		command, sizeof(command),
		"%s -O1 -g -ffreestanding -fno-stack-protector -fno-pie -static -nostdlib -DKERNEL=%d -DSIZE=%d '%s/tests/unit/simulator/kernels.c' -o kernel",
		compiler ? compiler : "cc", kernel, size, root);
	shell(command);
}

static FILE *valgrind(const char *options)
{
	char command[1000];
	FILE *lines;

	snprintf(command, sizeof(command), "valgrind --log-fd=1 %s ./kernel 2>/dev/null", options);
	lines = popen(command, "r");
	CHECK(lines != NULL);
	return lines;
}

/* -- cachegrind's counts: "D1  misses:  6,692  ( 6,540 rd + 152 wr)" behind "==PID== " */

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	while (isspace((unsigned char)*text))
		text++;
	for (; isdigit((unsigned char)*text) || *text == ','; text++)
		if (*text != ',')
			value = 10 * value + (uint64_t)(*text - '0');
	return value;
}

static void read_count(const char *line, const char *what, uint64_t *out)
{
	const char *at = strstr(line, what);

	if (at)
		*out = number(at + strlen(what));
}

static struct counts of_cachegrind(const struct geometry *geometry)
{
	struct counts counts = { 0, 0, 0 };
	char options[500], line[1000];
	FILE *lines;

	snprintf(options, sizeof(options),
		 "--tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null --D1=%" PRIu64
		 ",%u,%u --LL=%" PRIu64 ",%u,%u",
		 geometry->d1, geometry->d1_ways, geometry->line, geometry->ll, geometry->ll_ways,
		 geometry->line);
	lines = valgrind(options);
	while (fgets(line, sizeof(line), lines)) {
		read_count(line, "D   refs:", &counts.accesses);
		read_count(line, "D1  misses:", &counts.d1_misses);
		read_count(line, "LLd misses:", &counts.ll_misses);
	}
	CHECK_INT(pclose(lines), 0);
	return counts;
}

/*
 * -- the same accesses: " L 1fff000640,8", S for stores, M for both in one instruction; "I
 * 004014f0,2" for code
 */

struct accesses {
	struct stride_run *runs;
	size_t nr, room;
};

static void add(struct accesses *accesses, uint64_t address, uint32_t bytes, bool write)
{
	if (accesses->nr == accesses->room) {
		accesses->room = accesses->room ? 2 * accesses->room : 65536;
		accesses->runs = realloc(accesses->runs, accesses->room * sizeof(*accesses->runs));
		CHECK(accesses->runs != NULL);
	}
	accesses->runs[accesses->nr++] = (struct stride_run){
		.address = address, .times = 1, .bytes = bytes, .group = 1, .write = write
	};
}

static struct accesses of_lackey(void)
{
	struct accesses accesses = { NULL, 0, 0 };
	FILE *lines = valgrind("--tool=lackey --trace-mem=yes");
	char line[1000];

	while (fgets(line, sizeof(line), lines)) {
		char *end, kind = line[0] == ' ' ? line[1] : 0;
		uint64_t address;

		if (kind != 'L' && kind != 'S' && kind != 'M')
			continue;
		address = strtoull(line + 3, &end, 16);
		CHECK_THAT(*end, ==, ',');
		add(&accesses, address, (uint32_t)strtoul(end + 1, NULL, 10), kind == 'S');
	}
	CHECK_INT(pclose(lines), 0);
	return accesses;
}

/* -- our counts */

static struct machine_model machine_of(const struct geometry *geometry)
{
	struct machine_model model = {
		.name = "cachegrind", .cores = 1, .nodes = 1, .page = 4096, .memory_latency = 200
	};

	model.cache[0] = (struct model_cache){ .bytes = geometry->d1,
					       .ways = geometry->d1_ways,
					       .line = geometry->line,
					       .cores = 1,
					       .latency = 4 };
	model.cache[2] = (struct model_cache){ .bytes = geometry->ll,
					       .ways = geometry->ll_ways,
					       .line = geometry->line,
					       .cores = 1,
					       .latency = 40 };
	return model;
}

static struct counts of_simulator(const struct geometry *geometry)
{
	struct machine_model model = machine_of(geometry);
	struct accesses accesses = of_lackey();
	struct script script = { .runs = accesses.runs, .nr = accesses.nr };
	struct simulator_counters counted;
	struct both both;

	CHECK(both_init(&both, &model, 1, 1, ALL_PARTS));
	both_window(&both, &script);
	counted = both_counters(&both, 0, 0);
	both_release(&both);
	free(accesses.runs);
	return (struct counts){
		.accesses = counted.reads + counted.writes,
		.d1_misses = counted.read_misses[0] + counted.write_misses[0],
		.ll_misses = counted.read_misses[2] + counted.write_misses[2],
	};
}

static void compare(int kernel)
{
	const struct geometry *geometry = getenv("SIMULATOR_LONG") ? &long_run : &short_run;
	struct counts theirs, ours;

#if !defined(__x86_64__)
	test_skip("the programs are x86-64's");
#endif
	if (system("valgrind --version > /dev/null 2>&1"))
		test_skip("no valgrind");
	build(kernel, geometry == &long_run ? 10 : 1);
	theirs = of_cachegrind(geometry);
	ours = of_simulator(geometry);
	printf("%" PRIu64 " accesses; cachegrind: D1 misses %" PRIu64 ", LLd misses %" PRIu64
	       "; the simulator: %" PRIu64 " and %" PRIu64 "\n",
	       ours.accesses, theirs.d1_misses, theirs.ll_misses, ours.d1_misses, ours.ll_misses);
	CHECK_THAT(theirs.accesses, >, 40000);
	CHECK_THAT(theirs.d1_misses, >, 1000);
	CHECK_THAT(theirs.ll_misses, >, 100);
	CHECK_INT(ours.accesses, theirs.accesses);
	CHECK_NEAR((double)ours.d1_misses / (double)theirs.d1_misses, 1, TOLERANCE);
	CHECK_NEAR((double)ours.ll_misses / (double)theirs.ll_misses, 1, TOLERANCE);
}

TEST(simulator_cachegrind__stream)
{
	compare(0);
}
TEST(simulator_cachegrind__columns)
{
	compare(1);
}
TEST(simulator_cachegrind__random)
{
	compare(2);
}
TEST(simulator_cachegrind__stencil)
{
	compare(3);
}
TEST(simulator_cachegrind__across_lines)
{
	compare(4);
}
