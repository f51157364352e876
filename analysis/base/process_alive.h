/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_PROCESS_ALIVE_H
#define MEMSEARCH_BASE_PROCESS_ALIVE_H

#include <stdbool.h>

/*
 * Whether there is a process of this number that has not ended, by its state in /proc (proc(5)); a
 * zombie has ended. Without /proc, as after chroot, it is taken for alive. Not by kill(2), which a
 * seccomp filter of the user's program may forbid. errno is kept; any thread; no malloc.
 */
bool process_is_alive(int process);

#endif
