/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_BUFFER_H
#define MEMSEARCH_CLONES_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Access of clones to their thread's buffer. A buffer ends 16 MiB above a multiple of 4 GiB and has
 * slack after it, so that byte 3 of the cursor is not 0 when it is full: no second operand, and by
 * movzx and jrcxz no flags are needed.
 *
 *     n · 4 GiB                             n · 4 GiB + 16 MiB
 *         │       thread │ words … ◀cursor … │ slack │
 *         └──────── byte 3 is 0 ─────────────┴─ 1 ───┘
 *
 * The values below replace the cursor when it must not be written through. Their byte 3 is not 0,
 * so the next check detects them.
 */
#define BUFFER_NOWHERE (-0x1000000) /* the thread has no buffer */
/* a loop holds the cursor in a register: only a signal handler can read this */
#define BUFFER_LENT (-0x2000000)
#define BUFFER_BUSY (-0x3000000) /* the buffer is being flushed: likewise */

#define BUFFER_FULL_BYTE 3
#define BUFFER_SLACK 65536 /* bytes */
/* words at most between two checks; far less than the slack */
enum { BUFFER_UNCHECKED = 4096 };

struct buffer_thread;
/* 32 bytes of initial-exec TLS; flush.c knows the offsets */
struct buffer_self {
	uint64_t cursor;
	uint64_t bound; /* where it is full; 0: no buffer */
	void *state;    /* vector state during a flush; aligned to 64 */
	struct buffer_thread *thread;
};
extern _Thread_local struct buffer_self buffer_self __attribute__((tls_model("initial-exec")));

/* From now on full buffers are dropped, without system calls. Any thread. */
void buffer_stop(void);

/*
 * A sink for threads without a buffer, and for signal handlers during use of the buffer; never
 * read. False: no memory.
 */
bool buffer_prepare(void);
extern uint64_t buffer_nowhere;

/*
 * Called by flush.c with the thread's state saved and the cursor busy; `end`: the cursor. Returns
 * the new cursor, and the offset after the call where the clone continues: BUFFER_LEAVE, the path
 * to the original, or 0.
 */
struct buffer_flushed {
	uint64_t cursor, skip;
};
struct buffer_flushed buffer_flush(uint64_t end);
enum { BUFFER_LEAVE = 2 }; /* bytes of the short jump over that path */

/*
 * Bytes that the CPU's whole register state takes (XSAVE), aligned to 64; 0: it cannot be saved.
 * The architecture's.
 */
size_t buffer_state_bytes(void);

#endif
