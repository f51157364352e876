/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "analysis/debuginfo/code_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *code_line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

const char *code_line_start(const char *text, int line)
{
	while (*text && --line > 0) {
		text = code_line_end(text);
		text += *text == '\n';
	}
	return text;
}

const char *code_line_before(const char *text, const char *at)
{
	if (at == text)
		return NULL;
	at--;
	while (at > text && at[-1] != '\n')
		at--;
	return at;
}

void code_copy(char *to, const char *from, size_t nr, enum source_language language)
{
	char quote = 0;
	bool comment = language == SOURCE_FORTRAN_FIXED && nr && strchr("cC*!", *from);

	for (size_t i = 0; i < nr; i++) {
		bool slashes = language == SOURCE_C && from[i] == '/' && i + 1 < nr;

		if (!quote &&
		    ((slashes && from[i + 1] == '/') || (language != SOURCE_C && from[i] == '!')))
			comment = true;
		if (slashes && !quote && from[i + 1] == '*') {
			const char *end = memmem(from + i + 2, nr - i - 2, "*/", 2);
			size_t skip = end ? (size_t)(end - from) + 2 - i : nr - i;

			memset(to + i, ' ', skip);
			i += skip - 1;
			continue;
		}
		if (!comment && (quote ? from[i] == quote : from[i] == '"' || from[i] == '\''))
			quote = quote ? 0 : from[i];
		to[i] = comment || quote || strchr("\"'\t\r", from[i]) ? ' ' : from[i];
	}
}

bool code_is_word_sign(char sign)
{
	return isalnum((unsigned char)sign) || sign == '_' || sign == '$';
}
