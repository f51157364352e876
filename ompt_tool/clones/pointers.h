/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_POINTERS_H
#define MEMSEARCH_CLONES_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Functions that a module's data point to: tables of virtual functions, of callbacks, of drivers. Code calls them through pointers, so that it is
 * worth knowing in advance which of them use return addresses (clone_lets_call): a clone is left before a call of one that is not known.
 * One thread at a time, at phase boundaries, after callee_look.
 */

/*
 * When a call through a pointer was met that leads into the module (callee_module of `address`): once for each module and set of probes. At most
 * some 15 ms: the rest stays unknown.
 */
void pointers_learn(uintptr_t address, uint32_t probes);

#endif
