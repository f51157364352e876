/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_TRANSLATE_H
#define MEMSEARCH_CLONES_X86_64_TRANSLATE_H

#include <stdint.h>

#include "ompt_tool/clones/entry_table.h"

struct encoder;

/*
 * Entry for clones only. rax: address in an original; replaced by the entry of its clone with the
 * probes in edx, if it has one, or of its guard. rcx: 1 if the resulting address may be called,
 * including an unchanged one; 0 if the target is unknown. Changes rdx and the flags.
 */
extern const char translate_entry[];

/*
 * The jumps with which each text begins, as flush_full, guard_entry and translate_entry may be far
 * away.
 */
enum {
	FLUSH_IN_TEXT = 0,
	GUARD_IN_TEXT = 16,
	TRANSLATE_FIRST = 32,
	TRANSLATE_BYTES = 32,
	TEXT_HEAD_BYTES = TRANSLATE_FIRST + ENTRIES_PROBES * TRANSLATE_BYTES
};
static inline uint32_t translate_in_text(uint32_t probes)
{
	return TRANSLATE_FIRST + probes * TRANSLATE_BYTES;
}
void translate_write_head(struct encoder *out);

#endif
