/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RUNTIME_ENTRIES_H
#define MEMSEARCH_CLONES_RUNTIME_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Entries of the OpenMP runtimes that take functions of the program to call them: bodies
 * of regions and tasks, and what copies, combines and hands out their data.
 *
 * To add one: a row in runtime_entries.c.
 */
struct runtime_entry {
	const char *name;
	uint32_t functions;      /* bit n: argument n (the first is 0) is a function, or NULL */
	bool device;             /* … by whose address the runtime finds its code for a device, if the module brought some */
};

/* NULL: no such entry. Callbacks allowed. */
const struct runtime_entry *runtime_entry(const char *name);
/* Does a module that calls this bring code for devices? */
bool runtime_entry_registers_device_code(const char *name);

#endif
