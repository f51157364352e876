/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_GOMP_CALLS_H
#define MEMSEARCH_PROCESS_GOMP_CALLS_H

/*
 * Visits the entries of libgomp that the loaded modules can call and that libmemsearch-gomp.so
 * lacks: those of a newer GCC than gomp/entries.h. Their calls go to libgomp itself, and have no
 * events. `visit`: once per name, valid during the call. Not in callbacks: takes the dynamic
 * linker's lock.
 */
void gomp_calls_unknown(void (*visit)(void *ctx, const char *name), void *ctx);

/*
 * Visits the loaded modules whose calls of GOMP_parallel and similar entries are bound to libgomp
 * itself, bypassing libmemsearch-gomp.so (RTLD_DEEPBIND): they have no events. `visit`: once per
 * module, by its file name, valid during the call. Not in callbacks.
 */
void gomp_calls_unseen(void (*visit)(void *ctx, const char *module), void *ctx);

#endif
