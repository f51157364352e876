/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded, or, with -DON_LIBGOMP, to lie as libmemsearch.so beside libmemsearch-gomp.so: clones every function
 * that is handed to the OpenMP runtime, and those the initial thread's regions and barriers are called from, and
 * switches all threads into clones and back every CLONES_PERIOD regions or barriers. Writes to CLONES_OUTPUT what came
 * of it.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include <omp-tools.h>

#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/code/bounds.h"

#define FUNCTIONS_MAX 256
#define BUFFER_BYTES ((size_t)1 << 20)

static _Atomic uintptr_t functions[FUNCTIONS_MAX];       /* met, in the order of meeting */
static size_t looked_at;
static atomic_bool on;
static atomic_ulong accesses, returns, frames, back;
static unsigned int period = 3, boundaries, clones;
static struct switching_status status;
static ompt_get_task_info_t get_task_info;
static _Thread_local bool initial;
static _Thread_local unsigned int depth;                 /* of regions that the thread has begun */

static void note(uintptr_t function)
{
	for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
		uintptr_t none = 0;

		if (functions[i] == function || atomic_compare_exchange_strong(&functions[i], &none, function) || none == function)
			break;
	}
}

static uintptr_t translate(uintptr_t function, enum switching_use use)
{
	uintptr_t clone = clone_of(function);

	(void)use;
	note(function);
	return on && clone ? clone : function;
}

static void count_stretch(void *ctx, const struct record_stretch *row, const uint64_t *stretch)
{
	unsigned long *sum = ctx;

	for (uint32_t i = 0; i < row->nr_sites; i++)
		*sum += record_expand(record_site(row->first_site + i), stretch, NULL, 0);
}

static void count(void *ctx, const uint64_t *words, size_t nr)
{
	unsigned long sum = 0;

	(void)ctx;
	record_each(words, nr, count_stretch, &sum);
	atomic_fetch_add(&accesses, sum);
}

/* ------------------------------------------------------------- boundaries, on the initial thread */

/* The function that a return address is in. */
static void note_around(uintptr_t address)
{
	struct code_bounds bounds;

	if (address && code_bounds_find(clone_original(address) - 1, &bounds) == CODE_BOUNDS_FOUND)
		note(bounds.start);
}

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *ctx)
{
	(void)ctx;
	note_around(_Unwind_GetIP(context));
	return _URC_NO_REASON;
}

static bool is_programs(uintptr_t function);

static void make_clones(void)
{
	for (; looked_at < FUNCTIONS_MAX && functions[looked_at]; looked_at++) {
		struct clone_options options = { .probes = CLONE_ACCESSES, .depth = 1, .runtime_calls_it = false };

		if (is_programs(functions[looked_at]))
			clones += clone_make(functions[looked_at], &options) != NULL;
	}
}

/* Outside of regions `alone`: then frames can be changed, too. */
static void boundary(bool alone, const void *code)
{
	if (++boundaries % period)
		return;
	if (alone)
		_Unwind_Backtrace(note_frame, NULL);
	note_around((uintptr_t)code);
	make_clones();
	on = !on;
	if (alone)
		frames += switching_frames(on);
}

/* ------------------------------------------------------------- the runtime's events */

static void thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	(void)data;
	initial = type == ompt_thread_initial;
	record_thread_begin(BUFFER_BYTES, count, NULL);
}

static void thread_end(ompt_data_t *data)
{
	(void)data;
	record_thread_end();
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *team, unsigned int requested, int flags,
			   const void *code)
{
	(void)task, (void)frame, (void)team, (void)requested, (void)flags;
	if (initial && !depth++)
		boundary(true, code);
}

static void parallel_end(ompt_data_t *team, ompt_data_t *task, int flags, const void *code)
{
	(void)team, (void)task, (void)flags, (void)code;
	depth -= initial;
}

/* A barrier begins: the thread will return from it to the code in use then. */
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *team, ompt_data_t *task, const void *code)
{
	ompt_data_t *task_data, *team_data;
	ompt_frame_t *frame;
	int flags, index;
	uintptr_t *slot;

	(void)team, (void)task;
	if (endpoint != ompt_scope_begin || kind == ompt_sync_region_barrier_implicit_parallel)
		return;
	if (initial)
		boundary(false, code);
	if (!get_task_info(0, &flags, &task_data, &frame, &team_data, &index) || !frame->enter_frame.ptr)
		return;
	slot = (uintptr_t *)frame->enter_frame.ptr + 1;
	if (switching_return(slot, (uintptr_t)code, on)) {
		if (on)
			returns++;
		else
			back++;
	}
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	set_callback(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
	set_callback(ompt_callback_thread_end, (ompt_callback_t)thread_end);
	set_callback(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
	set_callback(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
	set_callback(ompt_callback_sync_region, (ompt_callback_t)sync_region);
	switching_redirect(translate, &status);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	const char *path = getenv("CLONES_OUTPUT");
	FILE *output = path ? fopen(path, "w") : NULL;
	const struct clone_refusal *refusals = NULL;
	size_t nr = clone_refusals(&refusals);

	(void)data;
	if (!output)
		return;
	fprintf(output, "clones %u refused %zu accesses %lu frames %lu returns %lu back %lu slots %u\n", clones, nr,
		accesses, frames, returns, back, status.slots);
	for (size_t i = 0; i < nr; i++)
		fprintf(output, "refused %lx at %lx: %s\n", refusals[i].function, refusals[i].at, refusals[i].why);
	fclose(output);
}

/* ------------------------------------------------------------- begin */

static struct { uintptr_t low, high; } program;

static bool is_programs(uintptr_t function)
{
	return function >= program.low && function < program.high;
}

static int look_at_program(struct dl_phdr_info *module, size_t bytes, void *ctx)
{
	(void)bytes;
	(void)ctx;
	program.low = module->dlpi_addr;
	for (int i = 0; i < module->dlpi_phnum; i++)
		if (module->dlpi_phdr[i].p_type == PT_LOAD)
			program.high = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr + module->dlpi_phdr[i].p_memsz;
	return 1;
}

static void read_environment(void)
{
	const char *number = getenv("CLONES_PERIOD");

	if (number)
		period = (unsigned int)strtoul(number, NULL, 10);
}

#ifdef ON_LIBGOMP
#define ompt_start_tool memsearch_start_tool

/* libgomp announces neither its end nor that of the initial thread. */
__attribute__((destructor)) static void at_exit(void)
{
	record_thread_end();
	finalize(NULL);
}
#endif

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version;
	(void)runtime;
	dl_iterate_phdr(look_at_program, NULL);
	read_environment();
	return &result;
}
