/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded, or opened by the OpenMP runtime as a tool: has all functions that a program hands to its OpenMP runtime pass by, and writes to the file
 * TRANSLATE_OUTPUT the tables' entries replaced, those refused, why none, and the functions seen,
 * by their addresses in their file. TRANSLATE_EXCHANGE: two such addresses in the program, whose functions run in
 * place of each other.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <omp-tools.h>

#include "ompt_tool/clones/switching.h"

#define FUNCTIONS_MAX 1024

static _Atomic uintptr_t functions[FUNCTIONS_MAX];
static atomic_ulong calls;
static uintptr_t exchanged[2];

static uintptr_t note(uintptr_t function, enum switching_use use)
{
	(void)use;
	atomic_fetch_add(&calls, 1);
	for (size_t i = 0; i < FUNCTIONS_MAX; i++) {
		uintptr_t none = 0;

		if (functions[i] == function || atomic_compare_exchange_strong(&functions[i], &none, function) || none == function)
			break;
	}
	return function == exchanged[0] ? exchanged[1] : function == exchanged[1] ? exchanged[0] : function;
}

static int read_exchange(struct dl_phdr_info *program, size_t bytes, void *ctx)
{
	const char *text = getenv("TRANSLATE_EXCHANGE");

	(void)bytes;
	(void)ctx;
	if (text && sscanf(text, "%lx %lx", &exchanged[0], &exchanged[1]) == 2) {
		exchanged[0] += program->dlpi_addr;
		exchanged[1] += program->dlpi_addr;
	}
	return 1;
}

static struct switching_status status;

/* For programs that open libraries. */
__attribute__((visibility("default"))) void translate_again(void)
{
	switching_redirect(note, &status);
}

__attribute__((visibility("default"))) void translate_back(void)
{
	switching_restore();
}

__attribute__((constructor)) static void begin(void)
{
	dl_iterate_phdr(read_exchange, NULL);
	translate_again();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)lookup;
	(void)device;
	(void)data;
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

/* So that the runtime keeps it open. */
__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version;
	(void)runtime;
	return &result;
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
