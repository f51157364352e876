/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_LOOPS_H
#define MEMSEARCH_RECORDING_LOOPS_H

/*
 * Maps natural loops of recorded code to loops of the source, and determines their lines. One
 * thread at a time, at phase boundaries: opens files.
 *
 * Loops with the same parent are joined if they are at the same line of the same function, or if
 * one of them is at a line of the other and has no line of its own (lines of the enclosing loop do
 * not count): clang gives vectorised loops the line of their body, and remainder loops that of the
 * `for`.
 */
struct arena;
struct loops;
struct run;

/* Modules are added to `run` as they are met. NULL: no memory. */
struct loops *loops_new(struct arena *arena, struct run *run);
/*
 * Joins the loops of clones made since the last call, by clone_loop_join. Files it reads stay open
 * for the next call, as reading them again takes longer than all else (16 ms for a C++ program of
 * 3 MB), until loops_rest, or the second loops_rest_unused without a call between. Files of more
 * than 32 MiB together do not stay open.
 */
void loops_update(struct loops *loops);
void loops_rest(struct loops *loops);
void loops_rest_unused(struct loops *loops);
/* Fills in the source of the run's loop regions; the strings stay valid. */
void loops_resolve(const struct loops *loops);

#endif
