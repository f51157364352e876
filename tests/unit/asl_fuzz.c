/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of the property language over its corpus and mutations of it: fixed seed. */
#include "tests/fuzz/asl.c"

#include <string.h>

#include "tests/unit/corpus.h"

/* parts of the shipped files: small inputs are mutated more often */
#define MUTATED_MOST 4096

/* A part of one input, some bytes of it changed, and a part of another put into it. */
static size_t mutate(const struct corpus_input *inputs, size_t nr, uint8_t *out)
{
	static const char interesting[] = "(){};:.,\"[]<>=%*/+-#\0\xff\\0 9erp";
	const struct corpus_input *a = &inputs[pick(nr)], *b = &inputs[pick(nr)];
	size_t from = pick(a->length), length = pick(a->length - from), at, more;

	if (length > MUTATED_MOST)
		length = MUTATED_MOST;
	memcpy(out, a->bytes + from, length);
	for (size_t i = pick(8); i > 0 && length; i--)
		out[pick(length)] = (uint8_t)interesting[pick(sizeof(interesting) - 1)];
	at = pick(length + 1);
	more = pick(b->length < 200 ? b->length : 200);
	memmove(out + at + more, out + at, length - at);
	memcpy(out + at, b->bytes + pick(b->length - more), more);
	return length + more;
}

TEST(asl_fuzz__corpus_and_mutations)
{
	static const char *const patterns[] = { "tests/fuzz/asl/*", "properties/*.asl",
						"properties/metrics/*.metrics",
						"properties/metrics/*.events", NULL };

	corpus_run(patterns, mutate, 4000, 6, "mutated property, metric and event files");
}
