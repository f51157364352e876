/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_LOOP_ROWS_H
#define MEMSEARCH_CLONES_LOOP_ROWS_H

#include <stdint.h>

/* Number of the new loop (clone_loop), from 1; 0: no memory. One thread at a time. */
struct clone_loop;
uint32_t record_rows_add_loop(const struct clone_loop *loop);

#endif
