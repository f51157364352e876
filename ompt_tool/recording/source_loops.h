/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_LOOPS_H
#define MEMSEARCH_RECORDING_LOOPS_H

/*
 * Which natural loops of recorded code are one loop of the source, and which line that is. One
 * thread at a time, at phase boundaries: it opens files.
 *
 * Joined are loops beside each other with the same loop around that are at the same line of the
 * same function, or of which one is at a line of the other and has no line of its own (lines of the
 * enclosing loop do not count): clang gives vectorised loops their body's line, and what they leave
 * over that of the `for`.
 */
struct arena;
struct loops;
struct run;

/* Modules are added to `run` as they are met. NULL: no memory. */
struct loops *loops_new(struct arena *arena, struct run *run);
/*
 * Tells what was cloned since the last call, by clone_loop_join. The files it reads stay open for
 * the next call, until loops_rest.
 */
void loops_update(struct loops *loops);
void loops_rest(struct loops *loops);
/* Fills in the source of the run's regions that are loops; it is kept. */
void loops_resolve(const struct loops *loops);

#endif
