/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RUNTIME_ENTRIES_H
#define MEMSEARCH_CLONES_RUNTIME_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Functions that are called through trampolines (trampoline.h). In runtime_entries.c: entries of
 * the OpenMP runtimes that take functions of the program: bodies of regions and tasks, and
 * functions that copy, reduce and distribute their data. In outside.c: functions of other
 * libraries.
 *
 * To add an entry of a runtime: a row in runtime_entries.c.
 */
enum runtime_entry_leaves {
	LEAVES_NOTHING,
	/*
	 * if the return address is a clone's, it becomes the original's, and so do all on the stack:
	 * the original may call directly what walks along frame pointers
	 */
	LEAVES_CALL,
	LEAVES_STACK, /* all return addresses on the stack, wherever the call is */
};

/*
 * A system call, by its number in argument 0 of syscall(2), and only where another argument has one
 * of these bits; 0 bits: always.
 */
struct runtime_entry_call {
	long number;
	uint32_t if_argument;
	uint64_t if_bits;
};

struct runtime_entry {
	const char *name;
	/* bit n: argument n (the first is 0) is the body of a parallel region, or NULL */
	uint32_t bodies;
	uint32_t tasks; /* … the code of a task */
	/* … a function that copies, reduces or distributes data, or runs on a device */
	uint32_t others;
	uint32_t callbacks; /* … a function that is called back before the call returns */
	enum runtime_entry_leaves leaves;
	enum switching_stops stops;
	uint32_t if_argument;
	/* only where the argument has one of these bits; 0: always */
	uint64_t if_bits;
	/* only for these system calls, which number 0 ends; NULL: always */
	const struct runtime_entry_call *if_calls;
	bool as_it_is; /* not redirected, although the function uses its return address */
	/* … the runtime finds device code by its address, if the module has some */
	bool device;
};

/* Arguments that are replaced by their clones. */
static inline uint32_t runtime_entry_functions(const struct runtime_entry *entry)
{
	return entry->bodies | entry->tasks | entry->others;
}
/* The use of such an argument. */
static inline enum switching_use runtime_entry_use(const struct runtime_entry *entry,
						   unsigned int argument)
{
	if (entry->bodies >> argument & 1)
		return SWITCHING_BODY;
	return entry->tasks >> argument & 1 ? SWITCHING_TASK : SWITCHING_OTHER;
}

/* NULL: no such entry. Callbacks allowed. */
const struct runtime_entry *runtime_entry(const char *name);
/* Whether a file of that name (without folders) is an OpenMP runtime. */
bool runtime_entry_is_in(const char *file);
/* Whether the file at `path` is neither a runtime nor memsearch's: its calls are the program's. */
bool runtime_entry_is_outside(const char *path);
/* Whether a module that calls this function has device code. */
bool runtime_entry_registers_device_code(const char *name);

#endif
