/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_LSDA_H
#define MEMSEARCH_CLONES_LSDA_H

#include "ompt_tool/clones/unwind.h"
#include "ompt_tool/code/bytes.h"

/*
 * A function's language-specific data area (.gcc_except_table), as __gxx_personality_v0 and
 * __gcc_personality_v0 read it, and the same for a copy:
 *
 *     header │ call sites: [begin, end) → landing pad, action │ actions │ types … 3 2 1 │ lists of
 *     types
 *                                                                                      ▲
 *                  an action's filter i > 0 is type i, i < 0 the list at -i - 1 from here ┘
 *
 * Call sites and landing pads move with the code; code in no call site ends the program when
 * something is thrown through it, and stays so. Actions and lists are kept byte for byte, types
 * become absolute.
 */
struct arena;
/* offsets from the function's start; pad 0: none; action as stored */
struct lsda_site {
	uint64_t begin, end, pad, action;
};

struct lsda {
	struct lsda_site *sites;
	size_t nr_sites, room;
	struct bytes actions, lists;    /* the parts that are used */
	const unsigned char *types_end; /* type i begins i sizes before */
	uint8_t type_encoding;
	size_t nr_types;
};

/*
 * `in`: from the area's begin to the end of its memory. Sites are copied to the arena, bytes are
 * not copied. False: unsupported, *why_out is the reason.
 */
bool lsda_read(struct arena *arena, struct bytes in, uintptr_t start, uintptr_t end,
	       struct lsda *out, const char **why_out);
/*
 * Appends at a multiple of 8 in `out`, whose memory must be aligned to 8, too. False: an address is
 * not the begin of an instruction.
 */
bool lsda_write(const struct lsda *lsda, const struct unwind_function *function,
		struct packing *out, const char **why_out);

#endif
