/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_DESCRIPTOR_H
#define MEMSEARCH_BASE_DESCRIPTOR_H

/*
 * File descriptors of memsearch in the user's program, which must get the same numbers, and as
 * many, as without memsearch. They are closed by exec. -1: not possible, `fd` stays open; else it
 * is closed. errno is kept. Any thread; takes a spin lock. The holder must check before each use
 * that the number is still its own: the program may close it.
 */
/*
 * To a number that the program cannot get: at or beyond its soft limit (RLIMIT_NOFILE), which is
 * raised towards the hard one for some microseconds.
 */
int descriptor_beyond_limit(int fd);
/* The same; if that is impossible, to `lowest` or above. */
int descriptor_move_away(int fd, int lowest);

#endif
