/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MODEL_CHECK_H
#define MEMSEARCH_MACHINE_MODEL_CHECK_H

/*
 * Whether a modelled machine can be simulated. NULL: yes. Else the first thing that is impossible, and why: a sentence that begins
 * with the key of a figure (figure.h), "l1.size is 512 KiB, more than the 256 KiB of l2.size". The indexing of L1, L2 and the TLBs takes bits
 * of the address, so that their sets must be a power of two; a shared L3 is spread over slices, and may have any number of them.
 */
struct arena;
struct machine_model;

const char *model_check(struct arena *arena, const struct machine_model *model);

#endif
