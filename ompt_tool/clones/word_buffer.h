/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_WORD_BUFFER_H
#define MEMSEARCH_CLONES_WORD_BUFFER_H

#include "analysis/trace/stretches.h"

/*
 * The buffer of each thread into which clones record (analysis/trace/stretches.h); accessed through
 * initial-exec TLS. It is full when its cursor passes a bound, which clones check at function
 * entry, after calls, and on every path back to an earlier stretch. `consume` then gets all of it,
 * on the thread itself, in the middle of the program's code: it must not allocate, lock, call the
 * program or use more than 16 KiB of stack. All registers, vector state and errno are preserved
 * around it. Never writes outside of the buffer, even if a signal handler runs a clone between two
 * words.
 */

/* [words, words + nr): whole stretches. On the recording thread. */
typedef void record_consume(void *ctx, const uint64_t *words, size_t nr);

/*
 * The calling thread records from now on into a buffer of `bytes` (a power of two, 64 KiB … 4 MiB)
 * that is passed to `consume` when full. False: no memory, or an invalid size (errno); the thread
 * then runs clones without recording.
 */
bool record_thread_begin(size_t bytes, record_consume *consume, void *ctx);
void record_thread_end(void); /* flushes the rest */
/* the same, and continues: at a phase boundary, before memory is released */
void record_flush(void);

/*
 * The calling thread leaves its clones: at the next buffer check each activation of a clone
 * continues in the original, with the same registers and stack; nothing is recorded until
 * record_resume. Allowed in `consume`; both owner only.
 */
void record_leave(void);
void record_resume(void);

#endif
