/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_RECORDED_LEFT_H
#define MEMSEARCH_REPORT_RECORDED_LEFT_H

#include <stdbool.h>

struct arena;
struct run;

/*
 * [run->nr_regions]: whether the code that takes the time of the outermost region around was not
 * recorded, because recording ended at calls of it: less than an access per microsecond was
 * recorded, and clock samples are in other code. In the arena; NULL: no memory.
 */
const bool *recorded_left(struct arena *arena, const struct run *run);

#endif
