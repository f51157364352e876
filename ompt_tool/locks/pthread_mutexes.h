/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOCKS_PTHREAD_MUTEXES_H
#define MEMSEARCH_LOCKS_PTHREAD_MUTEXES_H

/*
 * Mutexes of the thread library, as std::mutex, are locks like those of OpenMP: calls by the program
 * and its own libraries are redirected through their tables of addresses:
 *
 *     program ─call *slot─▶ wrapper ─▶ acquire │ libc's function │ acquired, if it is locked
 *
 * Calls by system libraries (libc++'s std::mutex::lock) and runtimes are not redirected. A wait for a
 * condition releases its mutex inside libc: from then on the mutex is not held, as far as is measured.
 * Results and errno are libc's.
 *
 * To add a function: its wrapper, and its row in MUTEX_FUNCTIONS or
 * CONDITION_FUNCTIONS (pthread_mutexes.c).
 */
/* In the tool's initialize, once; no effect without glibc's functions. */
void pthread_mutexes_lead(void);
/* As lock_releases_follow. */
void pthread_mutexes_follow(void);

#endif
