/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is linked to a library with an OMPT tool of its own, which counts regions. */
/* Library: -I/usr/lib/llvm-19/lib/clang/19/include */
/* Flags: -Wl,--no-as-needed OWN_LIBRARY */
/* Compilers: clang */
/* Not: bare bare_record */
/* Does: went away */
/* Says: the program has one of its own */
#ifdef LIBRARY
#include <omp-tools.h>
#include <stddef.h>

long regions;

static void begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int threads, int flags, const void *at)
{
	(void)task, (void)frame, (void)region, (void)threads, (void)flags, (void)at;
	regions++;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device, (void)data;
	((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_parallel_begin, (ompt_callback_t)begin);
	return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return &result;
}
#else
#include "guest.h"

extern long regions;

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(regions);
}
#endif
