/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make LIBRARY: clones every function of a library that its unwind information names. One line: functions, refused, KB of
 * code, times the code grew, microseconds of processor time per KB, of the slowest function and its KB.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompt_tool/clones/clone.h"

struct functions { const char *library; uintptr_t *starts; size_t nr; };

/* .eh_frame_hdr with a sorted table of 32-bit offsets from its begin, as linkers write it: LSB Core 5.0, 10.6.2. */
static int list(struct dl_phdr_info *module, size_t size, void *ctx)
{
	struct functions *out = ctx;

	(void)size;
	for (int i = 0; strstr(module->dlpi_name, out->library) && i < module->dlpi_phnum; i++) {
		const int32_t *header = (const int32_t *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);

		if (module->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME)
			continue;
		out->starts = calloc((size_t)header[2], sizeof(out->starts[0]));
		for (int32_t row = 0; out->starts && row < header[2]; row++)
			out->starts[out->nr++] = (uintptr_t)header + (uintptr_t)(intptr_t)header[3 + 2 * row];
	}
	return out->nr > 0;
}

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

int main(int argc, char **argv)
{
	struct clone_options options = { .probes = CLONE_ACCESSES };
	struct functions functions = { .library = argc == 2 ? argv[1] : "" };
	double start, bytes = 0, grown = 0, slowest = 0, slowest_bytes = 0;
	const struct clone_refusal *refusals;
	size_t nr = 0;

	if (argc != 2 || !dlopen(argv[1], RTLD_NOW) || !dl_iterate_phdr(list, &functions) || clone_unsupported())
		return 1;
	clone_make(functions.starts[functions.nr / 2], &options);
	start = now_us();
	for (size_t i = 0; i < functions.nr; i++) {
		double before = now_us(), took;
		const struct clone *clone = clone_make(functions.starts[i], &options);

		if (!clone)
			continue;
		took = now_us() - before;
		nr++;
		bytes += (double)(clone->end - clone->start);
		grown += (double)(clone->code_end - clone->code);
		if (took > slowest)
			slowest = took, slowest_bytes = (double)(clone->end - clone->start);
	}
	printf("%zu functions cloned, %zu refused, %.0f KB, times %.1f, %.0f us/KB, slowest %.0f us for %.1f KB\n", nr, clone_refusals(&refusals),
	       bytes / 1024, grown / bytes, (now_us() - start) / bytes * 1024, slowest, slowest_bytes / 1024);
	return nr == 0;
}
