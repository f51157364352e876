/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_SWEEP_TABLE_H
#define MEMSEARCH_CMDS_SWEEP_TABLE_H

#include <stdint.h>

/*
 * What `memsearch sweep` prints: the order of its runs, or what it has of each configuration and
 * machine. `format`: as table_print (analysis/report/table.h).
 */
struct results;
struct text;

/* Every step in order, and whether it is to be run. */
void sweep_table_steps(struct text *out, const struct results *results, const char *format);
/* `cpus`: those that the program may use. */
void sweep_table_results(struct text *out, const struct results *results, uint32_t cpus,
			 const char *format);

#endif
