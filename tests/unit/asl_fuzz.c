/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fuzz target of the property language over its corpus and mutations of it: fixed seed, a few seconds. */
#include "tests/fuzz/asl.c"

#include "tests/unit/test.h"

#include <glob.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS 3
#define SIZE_MAX_MUTATED 4096    /* parts of the shipped files: small inputs are mutated more often */

struct input {
	uint8_t *bytes;
	size_t length;
};

static uint64_t state = 20251120;        /* xorshift64: the same inputs in every run, as far as the time allows */

static size_t pick(size_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? state % below : 0;
}

static struct input read_input(const char *path)
{
	struct input input = { malloc(1 << 20), 0 };
	FILE *file = fopen(path, "r");

	CHECK(input.bytes && file);
	input.length = fread(input.bytes, 1, 1 << 20, file);
	fclose(file);
	return input;
}

static size_t read_corpus(struct input *inputs, size_t room)
{
	static const char *const patterns[] = { "tests/fuzz/asl/*", "properties/*.asl", "properties/metrics/*.metrics",
		"properties/metrics/*.events" };
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		glob_t found;

		CHECK(glob(patterns[i], 0, NULL, &found) == 0);
		for (size_t j = 0; j < found.gl_pathc && nr < room; j++)
			inputs[nr++] = read_input(found.gl_pathv[j]);
		globfree(&found);
	}
	return nr;
}

/* A part of one input, some bytes of it changed, and a part of another put into it. */
static size_t mutate(const struct input *inputs, size_t nr, uint8_t *out)
{
	static const char interesting[] = "(){};:.,\"[]<>=%*/+-#\0\xff\\0 9erp";
	const struct input *a = &inputs[pick(nr)], *b = &inputs[pick(nr)];
	size_t from = pick(a->length), length = pick(a->length - from), at, more;

	if (length > SIZE_MAX_MUTATED)
		length = SIZE_MAX_MUTATED;
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
	static uint8_t mutated[SIZE_MAX_MUTATED + 256];
	struct input inputs[128];
	size_t nr = read_corpus(inputs, 128), runs = 0;
	time_t end = time(NULL) + SECONDS;

	CHECK(nr > 5);
	for (size_t i = 0; i < nr; i++)
		LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].length);
	for (; time(NULL) < end; runs++)
		LLVMFuzzerTestOneInput(mutated, mutate(inputs, nr, mutated));
	CHECK(runs > 100);
	for (size_t i = 0; i < nr; i++)
		free(inputs[i].bytes);
}
