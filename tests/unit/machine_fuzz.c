/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of machine files over its corpus and mutations of it: fixed seed. */
#include "tests/fuzz/machine.c"

#include <string.h>

#include "tests/unit/corpus.h"

/* Some bytes of one input changed, and a part of another put into it or something taken out. */
static size_t mutate(const struct corpus_input *inputs, size_t nr, uint8_t *out)
{
	static const char interesting[] = "=\"\n. /0129KMGB\0\xff lb";
	const struct corpus_input *a = &inputs[pick(nr)], *b = &inputs[pick(nr)];
	size_t length = a->length, at = pick(length + 1),
	       more = pick(b->length < 100 ? b->length : 100);

	memcpy(out, a->bytes, length);
	for (size_t i = pick(4); i > 0 && length; i--)
		out[pick(length)] = (uint8_t)interesting[pick(sizeof(interesting) - 1)];
	if (pick(3) == 0) {
		memmove(out + at + more, out + at, length - at);
		memcpy(out + at, b->bytes + pick(b->length - more), more);
		return length + more;
	}
	more = more < length - at ? more : length - at;
	if (pick(2)) {
		memmove(out + at, out + at + more, length - at - more);
		length -= more;
	}
	return length;
}

TEST(machine_fuzz__corpus_and_mutations)
{
	static const char *const patterns[] = { "tests/fuzz/machine/*",
						"properties/machines/*.machine", NULL };

	corpus_run(patterns, mutate, 3000, 8, "mutated machine files");
}
