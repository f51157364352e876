/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BENCH_CLONES_LOAD_H
#define MEMSEARCH_BENCH_CLONES_LOAD_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "bench/clones/kernels.h"
#include "ompt_tool/arrays/array.h"

/* CPU time of the calling thread. */
static inline double load_now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* A library of kernels, prepared, its data known as arrays. NULL: there is none. */
static inline const struct kernel *load_kernels(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	const struct kernel *kernels_there = library ? dlsym(library, "kernels") : NULL;
	const struct kernel_data *data = library ? dlsym(library, "kernel_data") : NULL;

	if (!kernels_there || !data)
		return NULL;
	((void (*)(void))dlsym(library, "prepare"))();
	for (uint32_t i = 0; data[i].start; i++)
		array_block_add(array_of_site(1 + i), (uintptr_t)data[i].start, data[i].bytes);
	return kernels_there;
}

#endif
