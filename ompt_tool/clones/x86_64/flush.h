/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_FLUSH_H
#define MEMSEARCH_CLONES_X86_64_FLUSH_H

/*
 * Entry for clones only, not callable from C: flushes the full buffer, or points the cursor to the
 * sink.
 */
extern const char flush_full[];

#endif
