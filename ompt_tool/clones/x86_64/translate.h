/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_TRANSLATE_H
#define MEMSEARCH_CLONES_X86_64_TRANSLATE_H

struct encoder;

/*
 * Entry for clones only. rax: address in an original; becomes the entry of its clone, if it has one, and
 * rcx 1, else rcx 0. Changes rdx and the flags.
 */
extern const char translate_entry[];

/* The jumps with which each text begins, as flush_full and translate_entry may be far away. */
enum { FLUSH_IN_TEXT = 0, TRANSLATE_IN_TEXT = 16, TEXT_HEAD_BYTES = 64 };
void translate_write_head(struct encoder *out);

#endif
