/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_FLUSH_H
#define MEMSEARCH_CLONES_X86_64_FLUSH_H

/* Entry for clones only, not callable from C: hands the full buffer over, or leads the cursor to where nobody reads. */
extern const char flush_full[];

#endif
