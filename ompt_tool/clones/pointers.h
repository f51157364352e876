/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_POINTERS_H
#define MEMSEARCH_CLONES_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Function pointers in a module's data: tables of virtual functions, of callbacks, of drivers.
 * Analyses in advance whether their functions use return addresses (clone_lets_call), as threads
 * leave a clone before they call an unknown one. One thread at a time, at phase boundaries, after
 * callee_look.
 */

/*
 * After a call through a pointer into the module (callee_module of `address`): once per module and
 * set of probes. Takes at most some 15 ms; the rest stays unknown.
 */
void pointers_learn(uintptr_t address, uint32_t probes);

#endif
