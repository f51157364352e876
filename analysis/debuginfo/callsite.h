/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_CALLSITE_H
#define MEMSEARCH_DEBUGINFO_CALLSITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which function a call passes to the runtime: `GOMP_parallel(X._omp_fn.0, …)` and
 * `__kmpc_fork_call(…, X.omp_outlined, …)` take the body of the construct as an
 * argument; the instructions before the call load its address. x86-64 only; other architectures
 * find nothing.
 */
struct binary;
struct symbol;

enum callsite_argument { CALLSITE_RDI = 7, CALLSITE_RDX = 2 }; /* numbers of the registers */

/*
 * The outlined function passed in that register to the call that returns to `return_address`; NULL:
 * not found. *several_out: it is one of several that share the call. `inside`: see construct.h.
 */
const struct symbol *callsite_function(const struct binary *binary, uint64_t return_address,
				       enum callsite_argument argument, uint64_t inside,
				       bool *several_out);

/*
 * Address of the call instruction before a return address, or of a jump that replaced it (tail.h);
 * 0: not recognised.
 */
uint64_t callsite_call(const struct binary *binary, uint64_t return_address);

/*
 * Runtime calls like GOMP_single_start and GOMP_loop_*_start tell whether there is
 * work, and the code branches on it. Address of the code that does the work; 0: not recognised.
 */
uint64_t callsite_work(const struct binary *binary, uint64_t return_address);

#endif
