/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_CODE_TEXT_H
#define MEMSEARCH_DEBUGINFO_CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Lines of source text, and what of them is code. */
enum source_language { SOURCE_C, SOURCE_FORTRAN_FREE, SOURCE_FORTRAN_FIXED };

/* The newline, or the end of the text. */
const char *code_line_end(const char *at);
/* Of line `line`, from 1; the end of the text if it has fewer. */
const char *code_line_start(const char *text, int line);
/* NULL: `at` is in the first one. */
const char *code_line_before(const char *text, const char *at);
/* Copies `nr` bytes of one line, comments and string constants as blanks. No 0 is added. */
void code_copy(char *to, const char *from, size_t nr, enum source_language language);
/* Part of a name. */
bool code_is_word_sign(char sign);

#endif
