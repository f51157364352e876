/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SAMPLING_H
#define MEMSEARCH_TESTS_UNIT_SAMPLING_H

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/options/options.h"
#include "memsearch/sensor.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sensors/samples.h"
#include "tests/unit/test.h"

/*
 * For tests of the sampling sensors: a thread that enters and leaves regions, and what was found in
 * them.
 */
#define NOT_INLINED __attribute__((noinline))

static inline void configure(const struct sensor *sensor, const struct options *options,
			     struct region_table *regions)
{
	struct sensor_setting setting = { .options = options, .regions = regions };

	sensor->session.configure(&setting);
}

static inline void need_sensor(const struct sensor *sensor)
{
	struct sensor_status status;

	sensor->probe(&status);
	if (!status.works && status.why == MS_MISSING_NOT_PERMITTED)
		test_skip("%s", status.text);
	if (!status.works)
		test_fail(__FILE__, __LINE__, "%s", status.text);
}

static inline struct thread *begin_thread(const struct sensor *sensor, uint32_t index)
{
	struct thread *self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	self->index = index;
	self->summary = summary_new();
	CHECK(self->summary);
	CHECK(sensor->thread_begin(self));
	sensor->enable(self, true);
	return self;
}

static inline void enter(const struct sensor *sensor, struct thread *self, uint32_t region)
{
	struct frame *frame = &self->frames[self->depth++];

	frame->region = region;
	frame->epoch = 1;
	frame->requests = 1u << sensor->id;
	frame->executions = 1;
	sensor->region_begin(self, frame);
}

static inline void leave(const struct sensor *sensor, struct thread *self)
{
	sensor->region_end(self, &self->frames[self->depth - 1]);
	self->depth--;
}

struct wanted_row {
	uint32_t region, metric;
	struct ms_stat stat;
};

static inline void pick_row(void *ctx, const struct ms_measurement *row)
{
	struct wanted_row *wanted = ctx;

	if (row->region == wanted->region && row->metric == wanted->metric)
		wanted->stat = row->stat;
}

/*
 * What came since the last call; a fold is told once, so ask for one metric only or keep the
 * answers.
 */
static inline struct ms_stat folded(const struct thread *thread, uint32_t region,
				    enum ms_metric metric)
{
	struct wanted_row wanted = { .region = region, .metric = metric };

	summary_fold(thread->summary, thread->index, pick_row, &wanted);
	return wanted.stat;
}

struct tally {
	uint32_t region;              /* only sites of this region … */
	uintptr_t low, high;          /* … whose instruction is in [low, high) */
	uint64_t inside, all, stacks; /* samples inside, in the region; stacks inside */
	uint64_t ip, address;         /* of a site inside; lowest first address of these */
	uint64_t sites;
};

static inline void tally_site(void *ctx, const struct sample_site *site)
{
	struct tally *tally = ctx;

	if (site->region != tally->region)
		return;
	tally->all += site->count;
	if (site->ip < tally->low || site->ip >= tally->high)
		return;
	tally->inside += site->count;
	tally->stacks += site->has_stack;
	tally->ip = site->ip;
	tally->address = tally->sites && tally->address < site->address ? tally->address
									: site->address;
	tally->sites++;
}

/* This program as libdwfl sees it: a second opinion on addresses. */
static inline Dwfl *own_dwfl(void)
{
	static char *no_path;
	static const Dwfl_Callbacks dwfl_callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &no_path,
	};
	static Dwfl *dwfl;

	if (!dwfl) {
		dwfl = dwfl_begin(&dwfl_callbacks);
		CHECK(dwfl && !dwfl_linux_proc_report(dwfl, getpid()));
		CHECK(!dwfl_report_end(dwfl, NULL, NULL));
	}
	return dwfl;
}

static inline const char *function_at(uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(own_dwfl(), address);
	const char *name = module ? dwfl_module_addrname(module, address) : NULL;

	return name ? name : "?";
}

/* By walking the units: clang writes no .debug_aranges. */
static inline int line_at(uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(own_dwfl(), address);
	Dwarf_Addr bias;
	int line = 0;

	for (Dwarf_Die *unit = NULL; module && (unit = dwfl_module_nextcu(module, unit, &bias));) {
		Dwarf_Line *at = dwarf_haspc(unit, address - bias) > 0
					 ? dwarf_getsrc_die(unit, address - bias)
					 : NULL;

		if (at)
			dwarf_lineno(at, &line);
	}
	return line;
}

/* [low, high) of a function, from its symbol. */
static inline void bounds(struct tally *tally, const void *function)
{
	Dwfl_Module *module = dwfl_addrmodule(own_dwfl(), (uintptr_t)function);
	GElf_Sym symbol;
	GElf_Off offset;

	CHECK(module && dwfl_module_addrinfo(module, (uintptr_t)function, &offset, &symbol, NULL,
					     NULL, NULL));
	tally->low = (uintptr_t)function - offset;
	tally->high = tally->low + symbol.st_size;
}

/* Fresh pages of this size only; never a huge one. */
static inline char *fresh_pages(size_t pages)
{
	size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

/*
 * From now on perf_event_open fails with `error` in this process, as under a container's seccomp
 * filter.
 */
static inline void refuse_events(int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		test_skip("this kernel has no seccomp filters");
}

#endif
