/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_MODULES_H
#define MEMSEARCH_DEBUGINFO_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * The files loaded into a process, and addresses in them that other processes understand. Not from
 * callbacks.
 */
struct arena;

/* One loaded module as the process saw it. */
struct module {
	const char *path;     /* of the file; "[vdso]"; "" unknown */
	const char *build_id; /* hex, or "" where the file has none */
	uint64_t low, high;   /* addresses [low, high) of the process */
	uint64_t bias;        /* process address - bias = address in the file */
};

struct code_address {
	uint32_t module; /* index into the list of modules, or UINT32_MAX: unknown */
	uint64_t offset; /* address in the file (process address - bias) */
};

/*
 * The modules of this process, from dl_iterate_phdr, strings in `arena`.
 * Cheap enough for a phase boundary, not for a callback.
 */
enum ms_status modules_of_process(struct arena *arena, struct module **modules_out, size_t *nr_out);
/* Files loaded and unloaded so far: as long as neither changes, the modules are the same. */
struct modules_count {
	unsigned long long loaded, unloaded;
};
struct modules_count modules_count(void);

/*
 * A system library (libc, the compilers' run-time libraries, this tool), whose costs are reported
 * at the caller. By the file's name, without its version; also what is no file ("[vdso]").
 */
bool module_is_foreign(const char *path);

/* Position of a process address in the list. */
struct code_address modules_find(const struct module *modules, size_t nr_modules, uint64_t address);

#endif
