/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_SERIAL_CODE_H
#define MEMSEARCH_EVENTS_SERIAL_CODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Runs the code of serial stretches in clones. A stretch begins and ends in the runtime's calls for
 * parallel regions: there the return addresses on the initial thread's stack are replaced, so that
 * the clones of the program's functions run in between.
 *
 *     main   ──┐                         ┌─ clone of main ▶ clone of f ─┐
 *     runtime  └─ end of a region: enter ┘                              └ begin of the next: leave
 *
 * Which functions are the program's, and have clones, is determined at phase boundaries
 * (recording_serial.h): addresses that were unknown are stored for the next boundary. Initial
 * thread only, outside of parallel regions.
 */

/*
 * Moves all frames of the program into clones. False: for some of them there is none, or it cannot
 * be moved; then none is. In callbacks: takes the locks of the unwinder, if it has one, and of the
 * dynamic linker (clone_is_current); no malloc.
 */
bool serial_code_enter(void);
/* false: serial_code_enter moves no frames from now on. At phase boundaries. */
void serial_code_allow(bool allow);
/* Moves all frames of the program back. False: one was no clone. Callbacks allowed, as before. */
bool serial_code_leave(void);

/* Code in [low, high) is not the program's and runs unchanged. At phase boundaries. */
void serial_code_foreign(uint64_t low, uint64_t high);
/*
 * Returns and clears the addresses found on the stack that had no clone, at most `room`. At phase
 * boundaries.
 */
uint32_t serial_code_unknown(uint64_t *out, uint32_t room);

#endif
