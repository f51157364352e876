/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_BODY_CLONES_H
#define MEMSEARCH_RECORDING_BODY_CLONES_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/clones/clone.h"

/*
 * Bodies of parallel regions and tasks that run as recording clones: the runtime's entries are
 * redirected, so that each thread that passes such a body to the runtime passes its clone.
 *
 * Any thread reads the set at every region; changes at phase boundaries, one thread at a time.
 */
/* the first event of a task's clone is its entry, which identifies it, see accesses.c */
#define PROBES_OF_TASKS (CLONE_ACCESSES | CLONE_FUNCTION)

/*
 * Redirects the entries; call again for modules loaded by dlopen. `make` is called on a stack of
 * the tool's own before a body whose first execution is recorded is passed to the runtime; its
 * argument is the address of the variable with the body's address. Returns why nothing is
 * redirected; NULL: something is.
 */
const char *body_clones_redirect(void (*make)(void *function));
void body_clones_redirect_new(void);

bool body_clones_has(uint64_t function);
/* Makes the clone, if there is none. False: it cannot be made, or the set has no room for it. */
bool body_clones_make(uint64_t function, uint32_t probes);
/* From now on threads pass the clone that body_clones_make made. */
void body_clones_add(uint64_t function);
void body_clones_clear(void); /* all run as originals */
uint32_t body_clones_count(void);
/*
 * Whether the calling thread passed its last body as a clone where it would now pass the original,
 * or vice versa.
 */
bool body_clones_differ_from_passed(void);

#endif
