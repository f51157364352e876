/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_UNLIKE_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_UNLIKE_H

#include <stdbool.h>

#include "tests/differential/places.h"

/*
 * What valgrind 3.19 lists otherwise than the CPU accesses it: known instruction by instruction,
 * and taken into account without any tolerance. All that is not named here must be listed as it is
 * recorded.
 *
 *     instructions                       listed                                        compared
 *     locked ones, xchg                  read twice (a load, then compare and swap)    all, reads
 *                                                                                      doubled
 *     fused multiply-add, conversions,
 *       rounding, halves permuted        element by element                            all but how
 *                                                                                      many reads
 *     shifts by a vector in memory       8 bytes of 16                                 reads, and
 *                                                                                      that half's
 *                                                                                      bytes and
 *                                                                                      addresses
 *     vmovddup of 32 bytes               8 bytes of each 16                            the same
 *     AVX2 gathers                       a read at the stack pointer for each lane
 *                                        that is masked                                all, these
 *                                                                                      left out
 *     bt, bts, btr, btc of a register    the register, written to the stack and read   nothing is
 *                                                                                      recorded
 *     maskmovdqu                         all 16 bytes, read and written                nothing
 *     xsave, fxsave and their like       (recorded without how many bytes)             nothing
 *
 * The same in both: push, pop, call, return (CLONE_STACK), string instructions element by element,
 * masked loads and stores lane by lane, prefetches (no accesses). In neither: code that is not
 * cloned, libc's above all; memcpy and its like are recorded as ranges, which single steps check
 * (steps.h). And valgrind cannot do AVX-512, and cmps without rep; does rep lods once only;
 * computes long double with 64 bits.
 */
bool unlike_same(uintptr_t at, struct place recorded, struct place listed);

/* Where the instruction is and what, for messages. One thread; until called again. */
const char *unlike_name(uintptr_t at);

#endif
