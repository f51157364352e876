/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of machine files over its corpus and mutations of it: fixed seed, two seconds. */
#include "tests/fuzz/machine.c"

#include "tests/unit/test.h"

#include <glob.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS 2
#define INPUTS 32
#define INPUT_BYTES 16384

struct input {
	uint8_t bytes[INPUT_BYTES];
	size_t length;
};

static uint64_t state = 20261120;        /* xorshift64: the same inputs in every run, as far as the time allows */

static size_t pick(size_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? state % below : 0;
}

static size_t read_corpus(struct input *inputs)
{
	static const char *const patterns[] = { "tests/fuzz/machine/*", "properties/machines/*.machine" };
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		glob_t found;

		CHECK(glob(patterns[i], 0, NULL, &found) == 0);
		for (size_t j = 0; j < found.gl_pathc && nr < INPUTS; j++, nr++) {
			FILE *file = fopen(found.gl_pathv[j], "r");

			CHECK(file);
			inputs[nr].length = fread(inputs[nr].bytes, 1, INPUT_BYTES, file);
			fclose(file);
		}
		globfree(&found);
	}
	return nr;
}

/* Some bytes of one input changed, and a part of another put into it or something taken out. */
static size_t mutate(const struct input *inputs, size_t nr, uint8_t *out)
{
	static const char interesting[] = "=\"\n. /0129KMGB\0\xff lb";
	const struct input *a = &inputs[pick(nr)], *b = &inputs[pick(nr)];
	size_t length = a->length, at = pick(length + 1), more = pick(b->length < 100 ? b->length : 100);

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
	static struct input inputs[INPUTS];
	static uint8_t mutated[INPUT_BYTES + 128];
	size_t nr = read_corpus(inputs), runs = 0;
	time_t end = time(NULL) + SECONDS;

	CHECK(nr >= 8);
	for (size_t i = 0; i < nr; i++)
		LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].length);
	for (; time(NULL) < end; runs++)
		LLVMFuzzerTestOneInput(mutated, mutate(inputs, nr, mutated));
	CHECK(runs > 100);
}
