/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_SEEN_H
#define MEMSEARCH_CODE_SEEN_H

#include "analysis/code/decode.h"

/*
 * decode_instruction with a cache: in compiled code three of four instructions have the same bytes
 * as an earlier one, and decoding is half of the cost of a clone. No instruction is a prefix of
 * another one, so the bytes alone identify it. Any thread; only the first thread that calls uses
 * the cache.
 */
void seen_decode(const unsigned char *bytes, size_t room, uintptr_t address, struct decoded *out);

#endif
