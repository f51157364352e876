/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_ROWS_H
#define MEMSEARCH_CLONES_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/clones/record.h"

/*
 * The rows behind record_stretch, record_site and clone_loop, as clones are made. They are in blocks that never move, so that any
 * thread reads them without a lock. One thread at a time writes.
 */

/* Number of the new stretch, from 1; 0: no memory. Its sites are those added just before. */
uint32_t rows_stretch(const struct record_stretch *stretch);
/* Number of the new site; UINT32_MAX: no memory. */
uint32_t rows_site(const struct record_site *site);
/* Number of the new counted loop; UINT32_MAX: no memory. */
uint32_t rows_counted(const struct record_counted *counted);
/* Number of the new loop, from 1; 0: no memory. */
struct clone_loop;
uint32_t rows_loop(const struct clone_loop *loop);

#endif
