/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_GOMP_CALLS_H
#define MEMSEARCH_PROCESS_GOMP_CALLS_H

/*
 * Entries of libgomp that the loaded modules can call and that libmemsearch-gomp.so does not know:
 * of a newer GCC than gomp/entries.h. They go to libgomp itself, and what they do has no events.
 * `visit`: once a name, which lives during the call. Not in callbacks: takes the dynamic linker's
 * lock.
 */
void gomp_calls_unknown(void (*visit)(void *ctx, const char *name), void *ctx);

/*
 * Loaded modules whose calls of GOMP_parallel and the like have been bound to libgomp itself, past
 * libmemsearch-gomp.so (RTLD_DEEPBIND): what they do has no events. `visit`: once a module, by its
 * file name, which lives during the call. The same.
 */
void gomp_calls_unseen(void (*visit)(void *ctx, const char *module), void *ctx);

#endif
