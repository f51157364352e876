/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RUNTIME_ENTRIES_H
#define MEMSEARCH_CLONES_RUNTIME_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Entries of the OpenMP runtimes that take functions of the program to call them: bodies
 * of regions and tasks, and what copies, combines and hands out their data.
 *
 * To add one: a row in runtime_entries.c.
 */
struct runtime_entry {
	const char *name;
	uint32_t bodies;         /* bit n: argument n (the first is 0) is the body of a parallel region, or NULL */
	uint32_t tasks;          /* … the code of a task */
	uint32_t others;         /* … what copies, combines or hands out their data, or runs on a device */
	bool device;             /* … by whose address the runtime finds its code for a device, if the module brought some */
};

static inline uint32_t runtime_entry_functions(const struct runtime_entry *entry)
{
	return entry->bodies | entry->tasks | entry->others;
}
/* What it takes that argument for, which is one of these. */
static inline enum switching_use runtime_entry_use(const struct runtime_entry *entry, unsigned int argument)
{
	if (entry->bodies >> argument & 1)
		return SWITCHING_BODY;
	return entry->tasks >> argument & 1 ? SWITCHING_TASK : SWITCHING_OTHER;
}

/* NULL: no such entry. Callbacks allowed. */
const struct runtime_entry *runtime_entry(const char *name);
/* Does a module that calls this bring code for devices? */
bool runtime_entry_registers_device_code(const char *name);

#endif
