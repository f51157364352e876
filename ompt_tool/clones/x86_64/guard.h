/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_GUARD_H
#define MEMSEARCH_CLONES_X86_64_GUARD_H

/*
 * Entry for clones only. rdx: address of the return address if the clone is about to jump, 0 if it
 * continues in its original before a call. Changes rax, rcx, rdx and the flags only.
 */
extern const char guard_entry[];

#endif
