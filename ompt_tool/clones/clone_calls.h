/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CLONE_CALLS_H
#define MEMSEARCH_CLONES_CLONE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls from clones to functions without a clone: counts, reasons, and links to later clones. At a
 * phase boundary, on one thread.
 */

/* calls from clones to code without a clone, by static call site */
struct clone_missed {
	uintptr_t target;
	uint32_t calls;
	const char *why;
	const char *name;     /* of an import; NULL: no import */
	bool through_pointer; /* `target` is unknown */
	/*
	 * Sites that are recorded if and only if the calls are reached (control_equivalence.h); nr
	 * 0: unknown.
	 */
	uint32_t first_site, nr_sites;
};

/*
 * Returns targets of indirect calls from clones without a clone since the last call; each once, a
 * limited number.
 */
size_t clone_take_missed(uintptr_t *out, size_t room);
/*
 * Resolves such a target: an entry of a linkage table, to which function pointers refer in programs
 * that are not position-independent, gives its function; other targets are unchanged.
 */
uintptr_t clone_behind_linkage(uintptr_t target);
/*
 * From now on clones with these probes call the function, which has and gets no clone, by the rules
 * of outside.h; before that, a thread leaves its clone before it calls the function through a
 * pointer. False: no known code, no change, or no memory.
 */
bool clone_lets_call(uintptr_t function, uint32_t probes);
/*
 * From now on clones with these probes call the function's clone through the entry. False: no
 * change, no clone, or no memory.
 */
bool clone_through_linkage(uintptr_t entry, uint32_t probes);

size_t clone_missed(const struct clone_missed **out);
/*
 * Adds a function of another library that was called through a pointer and gets no clone; each
 * once.
 */
void clone_miss(uintptr_t function);

/*
 * How often threads left clones before calls of a function that uses return addresses, by number
 * below clone_nr_left; the last number is for all unknown code, with target 0.
 */
uint64_t clone_left_before(size_t number, uintptr_t *target_out);
size_t clone_nr_left(void);

#endif
