/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SEARCH_PICTURE_H
#define MEMSEARCH_CMDS_SEARCH_PICTURE_H

#include <stddef.h>

#include "analysis/cmds/search_compare.h"

/*
 * Search profiles (Roth and Miller, EuroPar 2002, figure 5) as SVG, for `memsearch search --compare
 * --svg`: a diagram for each program, a curve for each strategy: the part of the known findings over
 * the executions of the phase until it was found, as mean over the program's records, with a bar
 * from the least to the most. A curve ends at the part that was not reached in every record.
 */
void search_picture(struct text *out, const struct compared_run *runs, size_t nr);

#endif
