/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calibration: what is kept is read, on this machine only; a damaged file is none; the loops
 * measure something; when it is due.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/bandwidth/sizes.h"
#include "analysis/base/arena.h"
#include "analysis/cmds/calibrate.h"
#include "analysis/record/run_machine.h"
#include "memsearch/sensor.h"
#include "ompt_tool/process/this_machine.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

static const struct bandwidth SAMPLE = { .single = 12345678901,
					 .all = 23456789012,
					 .single_spread = 0.0125,
					 .all_spread = 0.031,
					 .threads = 2,
					 .array_bytes = 134217728,
					 .caches = 34603008,
					 .latency = 104.25e-9,
					 .measured = 1763622000 };

/* A cache folder of the test's own, which does not exist yet. */
static struct bandwidth_place place_here(struct arena *arena)
{
	struct bandwidth_place place;
	char folder[4096];

	scratch_enter();
	CHECK(getcwd(folder, sizeof(folder) - 16) != NULL);
	strcat(folder, "/cache");
	CHECK_INT(setenv("XDG_CACHE_HOME", folder, 1), 0);
	bandwidth_find(arena, NULL, &place);
	CHECK(place.path != NULL && strstr(place.path, "/cache/memsearch/bandwidth-") != NULL);
	return place;
}

static struct bandwidth_place kept_here(struct arena *arena)
{
	struct bandwidth_place place = place_here(arena);

	CHECK_INT(bandwidth_save(arena, &place, &SAMPLE), MS_OK);
	return place;
}

TEST(bandwidth__what_is_kept_is_read)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = place_here(arena);
	struct bandwidth read;

	CHECK_INT(bandwidth_load(&place, &read), MS_ERR_NOT_FOUND);
	CHECK_INT(bandwidth_save(arena, &place, &SAMPLE), MS_OK);
	CHECK_INT(bandwidth_save(arena, &place, &SAMPLE), MS_OK); /* over the first */
	CHECK_INT(bandwidth_load(&place, &read), MS_OK);
	CHECK_NEAR(read.single, SAMPLE.single, 0);
	CHECK_NEAR(read.all, SAMPLE.all, 0);
	CHECK_NEAR(read.single_spread, SAMPLE.single_spread, 1e-12);
	CHECK_NEAR(read.all_spread, SAMPLE.all_spread, 1e-12);
	CHECK_INT(read.threads, 2);
	CHECK_INT(read.array_bytes, SAMPLE.array_bytes);
	CHECK_INT(read.caches, SAMPLE.caches);
	CHECK_INT(read.measured, SAMPLE.measured);
	CHECK_NEAR(read.latency, SAMPLE.latency, 1e-12);
	CHECK(!read.small);
	/* nothing is left over */
	CHECK_INT(system("test $(ls cache/memsearch | wc -l) = 1"), 0);
}

static size_t read_bytes(const char *path, char *bytes, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t nr = read(fd, bytes, room);

	CHECK(fd >= 0 && nr > 0);
	close(fd);
	return (size_t)nr;
}

static void write_bytes(const char *path, const char *bytes, size_t nr)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, bytes, nr) == (ssize_t)nr);
	close(fd);
}

/* Each byte changed, and each length: never a figure that was not measured. */
TEST(bandwidth__a_damaged_file_is_none)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = kept_here(arena);
	struct bandwidth read;
	char bytes[4096];
	size_t nr = read_bytes(place.path, bytes, sizeof(bytes) - 1);

	for (size_t i = 0; i < nr; i++) {
		bytes[i] ^= 1;
		write_bytes(place.path, bytes, nr);
		/* another version's is none */
		if (bandwidth_load(&place, &read) == MS_OK || read.all > 0 || read.single > 0)
			test_fail(__FILE__, __LINE__, "byte %zu changed: %g", i, read.all);
		bytes[i] ^= 1;
		write_bytes(place.path, bytes, i);
		if (bandwidth_load(&place, &read) != MS_ERR_FORMAT)
			test_fail(__FILE__, __LINE__, "cut at %zu: %g", i, read.all);
	}
	bytes[nr] = 'x';
	write_bytes(place.path, bytes, nr + 1);
	CHECK_INT(bandwidth_load(&place, &read), MS_ERR_FORMAT);
	write_bytes(place.path, bytes, nr);
	CHECK_INT(bandwidth_load(&place, &read), MS_OK);
	CHECK_INT(unlink(place.path), 0);
	CHECK_INT(mkdir(place.path, 0700), 0); /* no file at all */
	CHECK_INT(bandwidth_load(&place, &read), MS_ERR_IO);
}

/* Other CPUs have another file; and one that was copied from another machine is not believed. */
TEST(bandwidth__of_this_machine_and_these_cpus)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = kept_here(arena), other = place;
	struct bandwidth read;
	cpu_set_t all, one;

	other.host = "another";
	CHECK_INT(bandwidth_load(&other, &read), MS_ERR_FORMAT);
	other = place;
	other.nodes = "0-7";
	CHECK_INT(bandwidth_load(&other, &read), MS_ERR_FORMAT);
	CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
	if (CPU_COUNT(&all) < 2)
		test_skip("one CPU only");
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	bandwidth_find(arena, NULL, &other);
	CHECK(strcmp(other.path, place.path) != 0);
	CHECK_INT(bandwidth_load(&other, &read), MS_ERR_NOT_FOUND);
}

TEST(bandwidth__no_place_is_said)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = place_here(arena);

	/* a folder in the scratch folder that does not exist */
	CHECK_INT(setenv("HOME", getenv("XDG_CACHE_HOME"), 1), 0);
	CHECK_INT(setenv("XDG_CACHE_HOME", "relative", 1), 0);
	bandwidth_find(arena, NULL, &place);
	CHECK(!place.path);
	CHECK_STR(place.why, "the folder that HOME names does not exist");
	/* where nobody can make a folder */
	CHECK_INT(setenv("HOME", "/proc", 1), 0);
	bandwidth_find(arena, NULL, &place);
	CHECK(!strncmp(place.path, "/proc/.cache/memsearch/", 23));
	CHECK_INT(bandwidth_save(arena, &place, &SAMPLE), MS_ERR_IO);
	CHECK_THAT(errno, !=, 0);
	CHECK_INT(unsetenv("HOME"), 0);
	bandwidth_find(arena, NULL, &place);
	CHECK(!place.path);
	CHECK_STR(place.why, "neither XDG_CACHE_HOME nor HOME names a folder");
	CHECK_INT(bandwidth_load(&place, &(struct bandwidth){ 0 }), MS_ERR_NOT_FOUND);
}

/*
 * Arrays beyond the caches, on as many threads as there are CPUs: between a slow disk and a fast
 * cache.
 */
TEST(bandwidth__the_loops_measure_something)
{
	struct bandwidth_sizes sizes;
	struct bandwidth measured;
	cpu_set_t before, after;

	CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
	CHECK_INT(bandwidth_sizes_find(&sizes), MS_OK);
	CHECK_INT(bandwidth_measure(0.02, &measured), MS_OK);
	CHECK_INT(measured.threads, sizes.nr_cpus);
	CHECK_INT(measured.caches, sizes.all_levels);
	/* the last level's and more */
	CHECK(!sizes.all_levels || sizes.all_levels > sizes.caches);
	CHECK(measured.small || measured.array_bytes >= 4 * sizes.caches);
	CHECK_THAT(measured.array_bytes * 3, <=,
		   sizes.memory + 3 * ((uint64_t)sizes.nr_cpus << 21));
	CHECK(measured.single > 1e8 && measured.single < 1e12);
	CHECK(measured.all > 1e8 && measured.all < 1e14);
	CHECK(measured.all_spread >= 0 && measured.all_spread < 1 && measured.single_spread >= 0 &&
	      measured.single_spread < 1);
	CHECK_THAT(measured.measured, >, 1700000000);
	/* 0: memory is short, or the kernel has no huge pages */
	CHECK(measured.latency == 0 || (measured.latency > 20e-9 && measured.latency < 20e-6));
	CHECK_INT(sched_getaffinity(0, sizeof(after), &after), 0);
	/* the caller is where it was */
	CHECK(CPU_EQUAL(&before, &after));
	bandwidth_sizes_release(&sizes);
}

/* Two seconds of a user's time only where they are of use, and last. */
TEST(bandwidth__when_it_is_due)
{
	const struct bandwidth_place place = { .path = "x" }, nowhere = { .why = "y" };
	static const enum ms_status none[] = { MS_ERR_NOT_FOUND, MS_ERR_FORMAT, MS_ERR_IO };

	CHECK_INT(calibration_judge(&place, MS_OK, true), CALIBRATION_KEPT);
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(calibration_judge(&place, none[i], true), CALIBRATION_DUE);
		CHECK_INT(calibration_judge(&place, none[i], false), CALIBRATION_NO_USE);
		CHECK_INT(calibration_judge(&nowhere, none[i], true), CALIBRATION_NO_PLACE);
	}
}

/* What the tool takes from it, and the run carries. */
TEST(bandwidth__of_a_run)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = kept_here(arena);
	struct machine machine = { 0 };

	machine_calibration(arena, NULL, &machine);
	CHECK_NEAR(machine.attainable_bandwidth, SAMPLE.all, 0);
	CHECK_NEAR(machine.single_bandwidth, SAMPLE.single, 0);
	CHECK_NEAR(machine.bandwidth_spread, SAMPLE.all_spread, 1e-12);
	CHECK_INT(machine.bandwidth_measured, SAMPLE.measured);
	CHECK_INT(machine.cache_bytes, SAMPLE.caches);
	CHECK_INT(unlink(place.path), 0);
	machine = (struct machine){ 0 };
	machine_calibration(arena, NULL, &machine);
	CHECK_NEAR(machine.attainable_bandwidth, 0, 0);
	CHECK_INT((long)machine_line_bytes() % 32, 0);
	CHECK(machine_line_bytes() >= 32 && machine_line_bytes() <= 512);
	CHECK_THAT(machine_page_fault_ns(), >, 10);
	CHECK_NEAR(machine_page_fault_ns(), machine_page_fault_ns(), 0);
	CHECK_THAT(machine_cycle_ns(), >, 0.1);
	CHECK_THAT(machine_cycle_ns(), <, 20);
}

/*
 * ------------------------------------------------------------------ what can be believed, by
 * injected measurements
 */

struct injected {
	double all[8], spread[8], others, took;
	unsigned int tries;
};

static enum ms_status inject(void *ctx, double seconds, struct bandwidth *out, double *others_out,
			     double *took_out)
{
	struct injected *injected = ctx;
	unsigned int i = injected->tries++;

	*out = SAMPLE;
	out->all = injected->all[i];
	out->single = injected->all[i] / 2;
	out->all_spread = out->single_spread = injected->spread[i];
	*others_out = injected->others;
	*took_out = injected->took * seconds;
	return injected->all[i] > 0 ? MS_OK : MS_ERR_UNSUPPORTED;
}

static unsigned int settle(struct injected injected, struct bandwidth *out, enum ms_status expected)
{
	CHECK_INT(bandwidth_settle(inject, &injected, 2, out), expected);
	return injected.tries;
}

TEST(bandwidth__tries_until_one_is_certain)
{
	struct bandwidth out;

	CHECK_INT(settle((struct injected){ .all = { 30e9 }, .spread = { 0.15 } }, &out, MS_OK), 1);
	CHECK(!bandwidth_is_uncertain(&out));
	CHECK_INT(settle((struct injected){ .all = { 90e9, 80e9, 30e9 },
					    .spread = { 0.4, 0.16, 0.02 } },
			 &out, MS_OK),
		  3);
	CHECK(!bandwidth_is_uncertain(&out));
	CHECK_NEAR(out.all, 30e9, 1);
	CHECK_NEAR(out.all_spread, 0.02, 1e-12);
	CHECK_INT(settle((struct injected){ .all = { 30e9, 0 }, .spread = { 0.2 } }, &out,
			 MS_ERR_UNSUPPORTED),
		  2);
}

TEST(bandwidth__what_stays_uncertain_has_all_that_was_seen)
{
	struct bandwidth out;

	CHECK_INT(settle((struct injected){ .all = { 30e9, 20e9, 40e9, 35e9, 35e9 },
					    .spread = { 0.2, 0.5, 0.25, 0.2, 0 } },
			 &out, MS_OK),
		  4);
	CHECK(bandwidth_is_uncertain(&out));
	CHECK_NEAR(out.all, 40e9, 1);
	CHECK_NEAR(out.all * (1 - out.all_spread), 10e9, 1);
	CHECK_NEAR(out.single * (1 - out.single_spread), 5e9, 1);
	CHECK_INT(settle((struct injected){ .all = { 30e9, 30e9, 30e9 },
					    .spread = { 0.2, 0.2, 0.2 },
					    .took = 3 },
			 &out, MS_OK),
		  2);
	CHECK(bandwidth_is_uncertain(&out));
}

TEST(bandwidth__a_busy_machine_is_doubt)
{
	struct bandwidth out;
	const struct injected alike = { .all = { 30e9, 30e9, 30e9, 30e9 },
					.spread = { 0.01, 0.01, 0.01, 0.01 },
					.others = 0.6 };
	struct injected calm = alike;

	CHECK_INT(settle(alike, &out, MS_OK), 4);
	CHECK(bandwidth_is_uncertain(&out));
	CHECK_NEAR(out.all_spread, 0.6, 1e-9);
	calm.others = 0.1;
	CHECK_INT(settle(calm, &out, MS_OK), 1);
	CHECK(!bandwidth_is_uncertain(&out));
}

TEST(bandwidth__uncertain_ones_never_replace_others)
{
	struct arena *arena = arena_new();
	struct bandwidth_place place = place_here(arena);
	struct bandwidth doubtful = SAMPLE, read;

	doubtful.all_spread = 0.3;
	CHECK_INT(bandwidth_save(arena, &place, &doubtful), MS_OK);
	CHECK_THAT(access(place.path, F_OK), !=, 0);
	CHECK_INT(bandwidth_load(&place, &read), MS_OK);
	CHECK(bandwidth_is_uncertain(&read));
	CHECK_INT(bandwidth_save(arena, &place, &SAMPLE), MS_OK);
	CHECK_INT(system("test $(ls cache/memsearch | wc -l) = 1"), 0);
	CHECK_INT(bandwidth_save(arena, &place, &doubtful), MS_OK);
	CHECK_INT(bandwidth_load(&place, &read), MS_OK);
	CHECK(!bandwidth_is_uncertain(&read));
	CHECK_NEAR(BANDWIDTH_SPREAD_MOST, RUN_CALIBRATION_SPREAD_MOST, 0);
}

TEST(bandwidth__one_calibration_at_a_time)
{
	int lock = bandwidth_lock(10);

	if (lock < 0)
		test_skip("another one is under way");
	CHECK_INT(bandwidth_lock(0.1), -1);
	CHECK_INT(errno, EADDRINUSE);
	close(lock);
	lock = bandwidth_lock(10);
	CHECK_THAT(lock, >=, 0);
	close(lock);
}
