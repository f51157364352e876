/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_UNROLLED_H
#define MEMSEARCH_REPORT_UNROLLED_H

/*
 * Strides of loops as they stand in the source. A compiler that unrolls a loop k times makes k copies
 * of each access; each copy has k times the stride s of the source, and the addresses of the copies
 * are s apart. Copies have the same line and column. Not here: loops that were recorded without
 * addresses, or have no debug information (report/array_facts.c).
 */
struct arena;
struct run;

/*
 * Divides the strides of such copies by their number, which `unrolled` has then: 1 where
 * instructions of the same place begin at the same address. `columns`: by access, 0: unknown. Sources
 * are resolved. A second call changes nothing.
 */
void unrolled_undo(struct run *run, const int *columns, struct arena *arena);

#endif
