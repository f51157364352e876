/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_FRAME_EXPRESSION_H
#define MEMSEARCH_CLONES_FRAME_EXPRESSION_H

#include "ompt_tool/code/bytes.h"

/*
 * Whether a DWARF expression in call frame information (DWARF 5, 2.5) means the same in a copy of
 * the function: it neither names an address nor reads the instruction pointer (as that of a PLT
 * does), and each of its operations is one that libgcc's unwinder runs.
 */
bool frame_expression_is_movable(struct bytes expression);

#endif
