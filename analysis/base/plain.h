/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_PLAIN_H
#define MEMSEARCH_BASE_PLAIN_H

#include <stddef.h>

/*
 * Text from a program or a file that goes to a terminal. Names may hold escape sequences and
 * newlines: no control sequence passes. All that print use this (log.h, analysis/report/text.h,
 * csv.h, json.h), their callers need not. No malloc, any thread.
 */

/*
 * Bytes of the character that `bytes` begin with, which are `nr` > 0; 0: a control character (also
 * of C1, U+0080 … U+009F), or no UTF-8.
 */
size_t plain_length(const char *bytes, size_t nr);
/* Makes every byte that is not of a plain character "?". */
void plain_bytes(char *bytes, size_t nr);

#endif
