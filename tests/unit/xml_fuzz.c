/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of hwloc's XML over mutations of its corpus: fixed seed. */
#include "tests/fuzz/xml.c"

#include <string.h>

#include "tests/unit/corpus.h"

/*
 * Numbers, sets and names of attributes become others; a part of the text is taken out, or put in
 * once more.
 */
static size_t mutate(const struct corpus_input *inputs, size_t nr, uint8_t *out)
{
	static const char interesting[] = "<>=\"/ ,0x9fF-\0\xff";
	const struct corpus_input *a = &inputs[pick(nr)];
	size_t length = a->length, at, more;

	memcpy(out, a->bytes, length);
	for (size_t i = pick(6); i > 0; i--)
		out[pick(length)] = (uint8_t)interesting[pick(sizeof(interesting) - 1)];
	for (size_t i = pick(40); i > 0; i--) {
		at = pick(length);
		if (out[at] >= '0' && out[at] <= '9')
			out[at] = (uint8_t)('0' + pick(10));
	}
	at = pick(length);
	more = pick(length - at < 600 ? length - at : 600);
	if (pick(2)) {
		memmove(out + at, out + at + more, length - at - more);
		return length - more;
	}
	memmove(out + at + more, out + at, length - at);
	return length + more;
}

TEST(xml_fuzz__corpus_and_mutations)
{
	static const char *const patterns[] = { "tests/data/modelled/*.xml", NULL };

	corpus_run(patterns, mutate, 400, 1, "mutated machine XML files");
}
