/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_DESCRIPTOR_H
#define MEMSEARCH_BASE_DESCRIPTOR_H

/*
 * File descriptors of memsearch's own in the user's program, which must find the numbers, and as many, as it would alone. They are
 * closed by exec. -1: not possible, `fd` is as it was; else it is closed. errno is kept. Any thread; takes a spin lock. Who has
 * one must check before each use that the number is still its own: the program may close it.
 */
/* To a number that the program cannot get: at or beyond its soft limit (RLIMIT_NOFILE), which is raised towards the hard one for some microseconds. */
int descriptor_beyond_limit(int fd);
/* There, else to `lowest` or above. */
int descriptor_move_away(int fd, int lowest);

#endif
