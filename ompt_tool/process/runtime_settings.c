/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a runtime behave as without memsearch: no additional warnings, and libgomp's rounding for
 * programs built for it.
 */
#define _GNU_SOURCE
#include "ompt_tool/process/runtime_settings.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/log.h"
#include "analysis/options/options.h"
#include "memsearch/gomp_tool.h"

/* limit of the search in programs; flang's run-time library is some 1 MB of one */
#define SEARCHED_BYTES_MAX ((size_t)64 << 20)

/*
 * A message in the start-up code of flang's library, linked into every main program: symbols may be
 * stripped.
 */
static const char mark[] = "Fortran runtime: NO_STOP_MESSAGE=";
_Static_assert(sizeof(mark) <= UINT8_MAX, "steps are bytes");

/*
 * memmem that address sanitizers do not check: their red zones lie between the program's objects.
 * Horspool's algorithm: the last byte compared gives the distance of the next comparison.
 */
__attribute__((no_sanitize("address"))) static bool contains(const char *bytes, size_t nr,
							     const char *text, size_t length)
{
	uint8_t step[UINT8_MAX + 1];

	for (size_t i = 0; i <= UINT8_MAX; i++)
		step[i] = (uint8_t)length;
	for (size_t i = 0; i + 1 < length; i++)
		step[(unsigned char)text[i]] = (uint8_t)(length - 1 - i);
	for (size_t at = 0; at + length <= nr; at += step[(unsigned char)bytes[at + length - 1]]) {
		size_t same = 0;

		while (same < length && bytes[at + same] == text[same])
			same++;
		if (same == length)
			return true;
	}
	return false;
}

static int has_mark(struct dl_phdr_info *program, size_t size, void *found)
{
	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
		size_t bytes = segment->p_filesz < SEARCHED_BYTES_MAX ? segment->p_filesz
								      : SEARCHED_BYTES_MAX;

		if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W)) == PF_R &&
		    contains((const char *)(program->dlpi_addr + segment->p_vaddr), bytes, mark,
			     sizeof(mark) - 1))
			*(bool *)found = true;
	}
	return 1; /* only the first module, the program */
}

static bool is_flang_program(void)
{
	bool found = dlsym(RTLD_DEFAULT, "_FortranAProgramStart") != NULL;

	if (!found)
		dl_iterate_phdr(has_mark, &found);
	return found;
}

/* A function of the runtime that called the tool: programs may have loaded it with RTLD_LOCAL. */
static void *runtime_function(ompt_function_lookup_t lookup, const char *name)
{
	void *runtime, *function = NULL;
	Dl_info info;

	if (!dladdr((const void *)lookup, &info) || !info.dli_fname)
		return NULL;
	runtime = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (runtime) {
		function = dlsym(runtime, name);
		dlclose(runtime);
	}
	return function;
}

static void silence(ompt_function_lookup_t lookup)
{
	void (*warnings_off)(void) = (void (*)(void))runtime_function(lookup,
								      "kmp_set_warnings_off");

	if (!warnings_off)
		log_debug("the OpenMP runtime has no kmp_set_warnings_off");
	else if (!secure_getenv("KMP_WARNINGS") &&
		 (secure_getenv(OPTIONS_RUNTIME_SWAPPED) || is_flang_program()))
		warnings_off();
}

/* Not with KMP_SETTINGS, because libomp would print the settings again. */
static void keep_rounding(ompt_function_lookup_t lookup)
{
	void (*set_defaults)(const char *settings);

	if (!secure_getenv(OPTIONS_RUNTIME_SWAPPED) || secure_getenv("KMP_INHERIT_FP_CONTROL") ||
	    secure_getenv("KMP_SETTINGS"))
		return;
	set_defaults = (void (*)(const char *))runtime_function(lookup, "kmp_set_defaults");
	if (set_defaults)
		set_defaults("KMP_INHERIT_FP_CONTROL=false");
	else
		log_debug(
			"threads may round as the initial thread does: the OpenMP runtime has no kmp_set_defaults");
}

static gomp_set_num_threads *set_threads;

/* memsearch's own producer has libgomp's function among its entry points (ompt_tool/gomp). */
static void find_set_threads(ompt_function_lookup_t lookup)
{
	if (set_threads || !secure_getenv(OPTIONS_VARIED_THREADS))
		return;
	set_threads = (gomp_set_num_threads *)lookup(GOMP_SET_NUM_THREADS);
	if (!set_threads)
		set_threads = (gomp_set_num_threads *)runtime_function(lookup,
								       "omp_set_num_threads");
}

bool runtime_settings_set_threads(uint32_t threads)
{
	if (set_threads)
		set_threads((int)threads);
	return set_threads;
}

void runtime_settings_adapt(ompt_function_lookup_t lookup)
{
	silence(lookup);
	keep_rounding(lookup);
	find_set_threads(lookup);
}

double runtime_settings_chunk_ns(const char *names)
{
	return strstr(names, "libgomp") ? 10 : 100;
}
