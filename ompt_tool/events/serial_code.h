/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_SERIAL_CODE_H
#define MEMSEARCH_EVENTS_SERIAL_CODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The code of serial stretches, which are begun and ended by the runtime's parallel regions: there
 * the return addresses on the initial thread's stack are exchanged, so that what runs between is
 * the clones of the program's functions.
 *
 *     main   ──┐                       ┌── clone of main ──▶ clone of f ──┐                      ┌──
 *                                                                                                original
 *                                                                                                of
 *                                                                                                f,
 *                                                                                                main
 *                                                                                                …
 *     runtime  └─ end of a region: enter                                  └─ begin of the next:
 *                                                                         leave
 *
 * Which functions are the program's, and have clones, is found at phase boundaries
 * (recording_serial.h): what was not seen there is remembered here, for the next one. Initial
 * thread only, outside of parallel regions.
 */

/*
 * Moves all frames of the program into clones. False: for some of them there is none, or it cannot
 * be moved; then none is. In callbacks: takes the locks of the unwinder, if it has one, and of the
 * dynamic linker (clone_is_current); no malloc.
 */
bool serial_code_enter(void);
/* False: serial_code_enter moves none from now on. At phase boundaries. */
void serial_code_allow(bool allow);
/* Moves all frames of the program back. False: one was no clone. Callbacks allowed, as before. */
bool serial_code_leave(void);

/* Code in [low, high) is not the program's; it runs as it is. At phase boundaries. */
void serial_code_foreign(uint64_t low, uint64_t high);
/* Takes the addresses met on the stack that had no clone, at most `room`. At phase boundaries. */
uint32_t serial_code_unknown(uint64_t *out, uint32_t room);

#endif
