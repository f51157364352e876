/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: the same at a fixed address, where the heap follows the program at once. */
/* Flags: -no-pie -fno-pie */
#include "break_moves.c"
