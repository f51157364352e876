/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded: has all functions that a program hands to its OpenMP runtime pass by, and writes to the file
 * TRANSLATE_OUTPUT the tables' entries replaced, those refused, why none, and the functions seen,
 * by their addresses in their file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompt_tool/clones/switching.h"

#define FUNCTIONS_MAX 1024

static _Atomic uintptr_t functions[FUNCTIONS_MAX];
static atomic_ulong calls;

static uintptr_t note(uintptr_t function)
{
	atomic_fetch_add(&calls, 1);
	for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
		uintptr_t none = 0;

		if (functions[i] == function || atomic_compare_exchange_strong(&functions[i], &none, function) || none == function)
			break;
	}
	return function;
}

static struct switching_status status;

/* For programs that open libraries. */
__attribute__((visibility("default"))) void translate_again(void)
{
	switching_hand_over(note, &status);
}

__attribute__((visibility("default"))) void translate_back(void)
{
	switching_hand_back();
}

__attribute__((constructor)) static void begin(void)
{
	translate_again();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("TRANSLATE_OUTPUT");
	FILE *output = path ? fopen(path, "w") : NULL;

	if (!output)
		return;
	fprintf(output, "slots %u refused %u calls %lu why %s\n", status.slots, status.refused, calls, status.why ? status.why : "-");
	for (size_t i = 0; i < FUNCTIONS_MAX && functions[i]; i++) {
		struct link_map *map = NULL;
		Dl_info info;

		if (dladdr1((void *)functions[i], &info, (void **)&map, RTLD_DL_LINKMAP))
			fprintf(output, "function %lx %s\n", functions[i] - map->l_addr, info.dli_fname);
	}
	fclose(output);
}
