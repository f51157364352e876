/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_OWNERS_H
#define MEMSEARCH_ARRAYS_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whose code an address is in, to find the place in the program that an allocation belongs to. The
 * program's files also hold code that is not its own: flang's run-time library, and what C++ makes
 * of the standard library's templates; known by their symbols' names, as are the program's
 * allocation wrappers.
 */
enum owner {
	/* also what is in no file: code that the program makes itself */
	OWNER_PROGRAM,
	/* the program's, a function with "alloc" in its name: who called it matters, too */
	OWNER_WRAPPER,
	OWNER_LIBRARY, /* its caller's affair */
	/* OpenMP's: its own storage, unless it was asked to allocate */
	OWNER_RUNTIME,
	/* ours, the dynamic linker's, the unwinder's, an allocator's: no array */
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
 * Any thread; not in signal handlers: an unknown address makes it ask the dynamic linker for new
 * files, under its lock.
 */
enum owner owners_of(uintptr_t address);

#endif
