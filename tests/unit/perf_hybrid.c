/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back end perf over an invented kernel: machines with two kinds of core and with few counters,
 * which the machine of the tests has not. The back end's source is included, so that its system
 * calls are the ones below.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long kernel_call(long number, ...);
static int kernel_ioctl(int fd, unsigned long request, void *out);
static int kernel_fcntl(int fd, int command, ...);
static int kernel_close(int fd);
static int kernel_move_up(int fd);
static bool kernel_is(int fd, uint64_t id);
static void *kernel_mmap(void *address, size_t bytes, int protection, int flags, int fd,
			 off_t offset);

#define syscall kernel_call
#define ioctl(fd, request, out) kernel_ioctl(fd, request, out)
#define fcntl kernel_fcntl
#define close kernel_close
#define mmap kernel_mmap
#define kernel_event_move_up kernel_move_up_fake
#define kernel_event_is kernel_is_fake
#include "ompt_tool/sampling/kernel_event.h"
#undef kernel_event_move_up
#undef kernel_event_is
#define kernel_event_move_up kernel_move_up
#define kernel_event_is kernel_is
#include "ompt_tool/counters/perf.c"
#undef syscall
#undef ioctl
#undef fcntl
#undef close
#undef mmap

#include "tests/unit/test.h"

#define FIRST_FD 200
#define FILES 32

struct file {
	struct perf_event_attr attr;
	bool open, on;
	int leader, mark; /* index of its group's leader */
	uint64_t value, enabled_ns, running_ns;
};

static struct {
	struct file files[FILES];
	int nr;
	uint64_t now_ns, read_ns; /* how long a read takes */
	uint32_t core;            /* type of the kind of core the thread runs on */
	/* that are free; that the kernel lets one group ask for */
	int counters, counters_in_group;
} kernel;

static uint32_t pmu_of(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ? (uint32_t)(attr->config >> 32) : attr->type;
}

static int members(int leader)
{
	int nr = 0;

	for (int i = 0; i < kernel.nr; i++)
		nr += kernel.files[i].open && kernel.files[i].leader == leader &&
		      kernel.files[i].attr.type != PERF_TYPE_SOFTWARE;
	return nr;
}

static int kernel_open(const struct perf_event_attr *attr, int leader_fd)
{
	struct file *file = &kernel.files[kernel.nr];
	int leader = leader_fd < 0 ? kernel.nr : leader_fd - FIRST_FD;

	CHECK_THAT(kernel.nr, <, FILES);
	CHECK_INT(attr->disabled, leader_fd < 0);
	if (leader_fd >= 0 && attr->type != PERF_TYPE_SOFTWARE &&
	    (pmu_of(attr) != pmu_of(&kernel.files[leader].attr) ||
	     members(leader) == kernel.counters_in_group)) {
		errno = EINVAL;
		return -1;
	}
	*file = (struct file){
		.attr = *attr, .open = true, .on = !attr->disabled, .leader = leader
	};
	return FIRST_FD + kernel.nr++;
}

/*
 * A group runs whole or not at all, while there are counters, on its kind of core (type 0: on any).
 */
static void run_for(uint64_t ns)
{
	int left = kernel.counters;

	kernel.now_ns += ns;
	for (int i = 0; i < kernel.nr; i++) {
		const struct file *leader = &kernel.files[kernel.files[i].leader];
		uint32_t pmu = pmu_of(&leader->attr);
		int wanted = members(kernel.files[i].leader);

		if (!kernel.files[i].open || kernel.files[i].leader != i || !kernel.files[i].on)
			continue;
		kernel.files[i].enabled_ns += ns;
		if ((leader->attr.type != PERF_TYPE_SOFTWARE && pmu && pmu != kernel.core) ||
		    wanted > left)
			continue;
		left -= wanted;
		for (int k = i; k < kernel.nr; k++)
			if (kernel.files[k].leader == i) {
				kernel.files[k].running_ns += ns;
				kernel.files[k].value += ns *
							 (1 + (kernel.files[k].attr.config & 0xff));
			}
	}
}

static long kernel_read(int fd, uint64_t *out)
{
	int leader = fd - FIRST_FD;
	uint64_t nr = 0;

	for (int i = 0; i < FILES; i++) {
		const struct file *file = &kernel.files[i];

		if (!file->open || file->leader != leader)
			continue;
		out[3 + 2 * nr] = file->value;
		out[4 + 2 * nr++] = 1000 + (uint64_t)i;
	}
	out[0] = nr;
	out[1] = kernel.files[leader].enabled_ns;
	out[2] = kernel.files[leader].running_ns;
	run_for(kernel.read_ns);
	return (long)(3 + 2 * nr) * 8;
}

static long kernel_call(long number, ...)
{
	va_list arguments;
	long result;

	va_start(arguments, number);
	if (number == SYS_perf_event_open) {
		const struct perf_event_attr *attr = va_arg(arguments,
							    const struct perf_event_attr *);

		CHECK_INT(va_arg(arguments, int), 0);
		CHECK_INT(va_arg(arguments, int), -1);
		result = kernel_open(attr, va_arg(arguments, int));
	} else {
		int fd = va_arg(arguments, int);

		CHECK_INT(number, SYS_read);
		result = kernel_read(fd, va_arg(arguments, uint64_t *));
	}
	va_end(arguments);
	return result;
}

static int kernel_ioctl(int fd, unsigned long request, void *out)
{
	struct file *file = &kernel.files[fd - FIRST_FD];

	CHECK(file->open);
	switch (request) {
	case PERF_EVENT_IOC_ENABLE: file->on = true; break;
	case PERF_EVENT_IOC_DISABLE: file->on = false; break;
	default:
		CHECK_INT(request, PERF_EVENT_IOC_ID);
		*(uint64_t *)out = 1000 + (uint64_t)(fd - FIRST_FD);
	}
	return 0;
}

static int kernel_fcntl(int fd, int command, ...)
{
	va_list arguments;

	if (command == F_GETSIG)
		return kernel.files[fd - FIRST_FD].mark;
	va_start(arguments, command);
	kernel.files[fd - FIRST_FD].mark = va_arg(arguments, int);
	va_end(arguments);
	return 0;
}

static int kernel_close(int fd)
{
	kernel.files[fd - FIRST_FD].open = false;
	return 0;
}

static int kernel_move_up(int fd)
{
	return fd;
}

static bool kernel_is(int fd, uint64_t id)
{
	uint64_t own;

	return !kernel_ioctl(fd, PERF_EVENT_IOC_ID, &own) && own == id;
}

/* No pages: these events are read by system calls. */
static void *kernel_mmap(void *address, size_t bytes, int protection, int flags, int fd,
			 off_t offset)
{
	(void)address, (void)bytes, (void)protection, (void)flags, (void)fd, (void)offset;
	return MAP_FAILED;
}

/* ------------------------------------------------------------------------- */

#define MS 1000000ull
#define BIG 4 /* types of the kinds of core, as on Alder Lake */
#define SMALL 10

static struct counter_event event_of(uint32_t type, uint64_t config)
{
	struct perf_encoding encoding = { .type = type, .config = config, .exclude_kernel = true };
	struct counter_event event = { 0 };

	fill_event(&event, &encoding);
	return event;
}

static void set_up(bool hybrid)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.counters = kernel.counters_in_group = 4;
	kernel.core = BIG;
	counted_together = 0;
	perf_machine_read(&machine, hybrid ? "tests/data/machines/alder-lake"
					   : "tests/data/machines/cascade-lake");
}

static uint64_t missed(const struct counter_reading *before, const struct counter_reading *after)
{
	return (after->enabled_ns - before->enabled_ns) - (after->running_ns - before->running_ns);
}

TEST(perf_hybrid__a_generic_event_is_opened_for_each_kind_of_core)
{
	struct counter_group group;
	struct counter_event cycles, *wanted[1] = { &cycles };
	struct counter_reading before, after;

	set_up(true);
	cycles = event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	CHECK(open_group(&group, wanted, 1));
	CHECK_INT(kernel.nr, 2);
	CHECK_INT(kernel.files[0].attr.config >> 32, BIG);
	CHECK_INT(kernel.files[1].attr.config >> 32, SMALL);
	CHECK_INT(kernel.files[1].leader, 1);
	run_for(MS);
	CHECK(read_group(&group, &before));
	run_for(3 * MS);
	kernel.core = SMALL;
	run_for(5 * MS);
	CHECK(read_group(&group, &after));
	CHECK_INT(after.values[0] - before.values[0], 8 * MS);
	CHECK_INT(missed(&before, &after), 0);
	kernel.core = 99; /* for 2 ms somebody else has the counters */
	run_for(2 * MS);
	CHECK(read_group(&group, &before));
	CHECK_INT(missed(&after, &before), 2 * MS);
}

/* adl_glc::X + adl_grt::X and another such metric: two groups of two, one a kind. */
TEST(perf_hybrid__events_of_one_kind_share_a_group)
{
	struct counter_group group;
	struct counter_event all[5], *wanted[5];
	struct counter_reading before, after;

	set_up(true);
	all[0] = event_of(PERF_TYPE_RAW, 1); /* cpu_core's type is 4, PERF_TYPE_RAW */
	all[1] = event_of(SMALL, 2);
	all[2] = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	all[3] = event_of(PERF_TYPE_RAW, 3);
	all[4] = event_of(SMALL, 4);
	for (int i = 0; i < 5; i++)
		wanted[i] = &all[i];
	CHECK(open_group(&group, wanted, 5));
	CHECK(kernel.files[0].leader == 0 && kernel.files[1].leader == 0);
	CHECK(kernel.files[2].leader == 2 && kernel.files[3].leader == 2);
	CHECK_INT(kernel.files[4].leader, 4); /* the software event counts on both kinds */
	CHECK(read_group(&group, &before));
	run_for(MS);
	kernel.core = SMALL;
	run_for(2 * MS);
	CHECK(read_group(&group, &after));
	CHECK_INT(after.values[0] - before.values[0], 2 * MS);
	CHECK_INT(after.values[1] - before.values[1], 3 * 2 * MS);
	CHECK_INT(after.values[2] - before.values[2], 3 * 3 * MS);
	CHECK_INT(after.values[3] - before.values[3], 4 * MS);
	CHECK_INT(after.values[4] - before.values[4], 5 * 2 * MS);
	CHECK_INT(missed(&before, &after), 0);
	close_group(&group);
	for (int i = 0; i < 5; i++)
		CHECK(!kernel.files[i].open);
}

TEST(perf_hybrid__an_event_of_one_kind_misses_the_other)
{
	struct counter_group group;
	struct counter_event big, *wanted[1] = { &big };
	struct counter_reading before, after;

	set_up(true);
	big = event_of(PERF_TYPE_RAW, 1);
	CHECK(open_group(&group, wanted, 1));
	CHECK(read_group(&group, &before));
	kernel.core = SMALL;
	run_for(50000);
	CHECK(read_group(&group, &after));
	CHECK_INT(missed(&before, &after), 50000);
}

TEST(perf_hybrid__software_events_join_the_hardwares_group)
{
	struct counter_group group;
	struct counter_event all[3], *wanted[3] = { &all[0], &all[1], &all[2] };
	struct counter_reading before, after;

	set_up(false);
	all[0] = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	all[1] = event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	all[2] = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	CHECK(open_group(&group, wanted, 3));
	CHECK_INT(kernel.files[0].attr.type, PERF_TYPE_HARDWARE);
	CHECK_INT(kernel.files[1].leader, 0);
	CHECK_INT(kernel.files[2].leader, 2); /* a clock would be stale as a member */
	CHECK(read_group(&group, &before));
	run_for(MS);
	CHECK(read_group(&group, &after));
	CHECK_INT(after.values[0] - before.values[0], 3 * MS);
	CHECK_INT(after.values[1] - before.values[1], 2 * MS);
	CHECK_INT(after.values[2] - before.values[2], 2 * MS);
}

TEST(perf_hybrid__what_one_group_cannot_hold_is_split)
{
	struct counter_group group;
	struct counter_event all[6], *wanted[6];
	struct counter_reading before, after;

	set_up(false);
	kernel.counters = 8;
	for (int i = 0; i < 6; i++) {
		all[i] = event_of(PERF_TYPE_RAW, (uint64_t)i);
		wanted[i] = &all[i];
	}
	CHECK(open_group(&group, wanted, 6));
	CHECK_INT(kernel.files[3].leader, 0);
	CHECK_INT(kernel.files[4].leader, 4);
	CHECK_INT(kernel.files[5].leader, 4);
	CHECK(read_group(&group, &before));
	run_for(MS);
	CHECK(read_group(&group, &after));
	for (uint64_t i = 0; i < 6; i++)
		CHECK_INT(after.values[i] - before.values[i], (i + 1) * MS);
	CHECK_INT(missed(&before, &after), 0);
	kernel.counters = 5; /* the second group gets none now */
	run_for(MS);
	CHECK(read_group(&group, &before));
	CHECK_INT(missed(&after, &before), MS);
}

/*
 * The NMI watchdog has one of four counters, which the kernel does not reckon with when it opens a
 * group of four.
 */
TEST(perf_hybrid__a_counter_held_by_the_watchdog_shows_when_it_is_tried)
{
	struct counter_event all[4], *wanted[4];
	struct counter_group group;
	struct counter_reading before, after;

	set_up(false);
	for (int i = 0; i < 4; i++) {
		all[i] = event_of(PERF_TYPE_RAW, (uint64_t)i);
		wanted[i] = &all[i];
	}
	kernel.counters = 3;
	CHECK(open_group(&group, wanted, 4));
	CHECK(read_group(&group, &before));
	run_for(MS);
	CHECK(read_group(&group, &after));
	CHECK_INT(missed(&before, &after), MS);
	close_group(&group);
	kernel.read_ns = 1000;
	CHECK(!fits(wanted, 4));
	CHECK(fits(wanted, 3));
}

TEST(perf_hybrid__what_fits_is_asked_of_both_kinds_together)
{
	struct counter_event all[4], *wanted[4];

	set_up(true);
	kernel.read_ns = 1000;
	for (int i = 0; i < 4; i++) {
		all[i] = event_of(i % 2 ? SMALL : PERF_TYPE_RAW, (uint64_t)i);
		wanted[i] = &all[i];
	}
	CHECK(fits(wanted, 4));
	kernel.counters = 1;
	CHECK(!fits(wanted, 4));
}
