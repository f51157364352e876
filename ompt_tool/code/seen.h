/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SEEN_H
#define MEMSEARCH_CODE_SEEN_H

#include "ompt_tool/code/decode.h"

/*
 * decode_instruction with a memory: in compiled code three of four instructions are, byte for byte,
 * ones that were decoded before, and decoding is half of what making a clone costs. No instruction
 * is the begin of another one, so its bytes alone tell it. Any thread; those but the first to come
 * decode without the memory.
 */
void seen_decode(const unsigned char *bytes, size_t room, uintptr_t address, struct decoded *out);

#endif
