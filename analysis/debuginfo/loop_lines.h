/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_LOOP_LINES_H
#define MEMSEARCH_DEBUGINFO_LOOP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/debuginfo/lines.h"
#include "analysis/debuginfo/source.h"

/*
 * The line of a natural loop. Compilers move code into loops and out of them, give none to what
 * they make themselves (vectorised loops, work-shared ones), and the line table's rows go on from
 * block to block. So only rows count that begin in the loop's own code, first those of the
 * instructions that control it:
 *
 *     52 │   for (j = 0; j < n; j++)          L:  movsd (%rax), %xmm0     ← 53
 *     53 │           s += a[j];                   addsd …
 *                                                 cmp   %rcx, %rax        ← 52
 *                                                 jne   L                   `last`
 */
#define LOOP_FRAMES_MAX 32

/* Innermost frame first; returns how many. */
typedef size_t loop_frames_of(void *ctx, const struct place *place,
			      struct source out[LOOP_FRAMES_MAX]);

/* Fills `at` and `lines`. False: no line is known, `at` stays as it was. */
bool loop_lines(struct binary *binary, const struct loop_code *code, size_t nr,
		loop_frames_of *frames, void *ctx, struct arena *arena, struct loop_source *out);

#endif
