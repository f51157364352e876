/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_OWNERS_H
#define MEMSEARCH_ARRAYS_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Classifies code by owner, to find the place in the program that an allocation belongs to. The
 * program's modules also contain code that is not its own: flang's run-time library, and instances
 * of the C++ standard library's templates; recognised by symbol names, as are the program's
 * allocation wrappers.
 */
enum owner {
	/* also code outside of all files, which the program generates */
	OWNER_PROGRAM,
	/* a function of the program with "alloc" in its name: its caller is part of the site */
	OWNER_WRAPPER,
	OWNER_LIBRARY, /* its caller owns the allocation */
	/* OpenMP's: its own storage, except in its allocation routines */
	OWNER_RUNTIME,
	/* memsearch's, the dynamic linker's, the unwinder's, an allocator's: no array */
	OWNER_CLOSED,
};

/*
 * `allocator`: a function of the malloc in use. Opens the program's files; in the tool's
 * initialize. False: no memory.
 */
bool owners_start(const void *allocator);
/* The same for files loaded since; phase boundary. Returns whether there were any. */
bool owners_update(void);
/*
 * Any thread; not in signal handlers: for an unknown address it queries the dynamic linker for new
 * modules, under its lock.
 */
enum owner owners_of(uintptr_t address);

#endif
