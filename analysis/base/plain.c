/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are characters that a terminal shows. */
#include "analysis/base/plain.h"

/* RFC 3629, table of section 4, without control characters. */
static const struct form {
	unsigned char first_low, first_high, second_low, second_high;
	size_t length;
} forms[] = {
	{ 0x20, 0x7e, 0x00, 0xff, 1 }, { 0xc2, 0xc2, 0xa0, 0xbf, 2 }, { 0xc3, 0xdf, 0x80, 0xbf, 2 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static const struct form *form_of(unsigned char first)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (first >= forms[i].first_low && first <= forms[i].first_high)
			return &forms[i];
	return NULL;
}

size_t plain_length(const char *bytes, size_t nr)
{
	const unsigned char *at = (const unsigned char *)bytes;
	const struct form *form = form_of(at[0]);

	if (!form || nr < form->length)
		return 0;
	if (form->length > 1 && (at[1] < form->second_low || at[1] > form->second_high))
		return 0;
	for (size_t i = 2; i < form->length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return form->length;
}

void plain_bytes(char *bytes, size_t nr)
{
	for (size_t at = 0; at < nr;) {
		size_t length = plain_length(bytes + at, nr - at);

		if (!length)
			bytes[at++] = '?';
		at += length;
	}
}
