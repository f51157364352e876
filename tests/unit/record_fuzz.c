/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/record.c over its corpus and mutations of it: fixed seed. */
#include "tests/fuzz/record.c"

#include <dirent.h>
#include <stdio.h>

#include "tests/host/scratch.h"
#include "tests/unit/fuzz.h"

#define CORPUS "tests/fuzz/record"
#define INPUTS_MAX 16

struct input {
	uint8_t *bytes;
	size_t nr;
};

static size_t corpus(struct input *inputs)
{
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	char path[512];
	size_t nr = 0;

	if (!folder)
		test_fail(__FILE__, __LINE__,
			  "no " CORPUS ": run the tests from the source folder");
	while ((entry = readdir(folder)) && nr < INPUTS_MAX) {
		snprintf(path, sizeof(path), CORPUS "/%.200s", entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		inputs[nr].bytes = file_read(path, &inputs[nr].nr);
		nr += inputs[nr].bytes != NULL;
	}
	closedir(folder);
	return nr;
}

/*
 * Some bytes become others, or a stretch is left out or doubled. `bytes` has room for twice the
 * input.
 */
static size_t mutate(const struct input *input, uint8_t *bytes)
{
	size_t nr = input->nr, from, length;

	memcpy(bytes, input->bytes, nr);
	for (uint64_t changes = 1 + pick(4); changes && nr; changes--) {
		from = pick(nr);
		length = pick(16) % (nr - from + 1);
		switch (pick(5)) {
		case 0:
			memmove(bytes + from, bytes + from + length, nr - from - length);
			nr -= length;
			break;
		case 1:
			if (nr + length <= 2 * input->nr) {
				memmove(bytes + from + length, bytes + from, nr - from);
				nr += length;
			}
			break;
		case 2: bytes[from] = (uint8_t)(pick(2) ? 0xff : 0); break;
		default: bytes[from] ^= (uint8_t)(1 << pick(8));
		}
	}
	return nr;
}

TEST(record_fuzz__corpus_and_mutations)
{
	struct input inputs[INPUTS_MAX];
	size_t nr = corpus(inputs);

	CHECK_THAT(nr, >=, 4);
	fuzz_quiet();
	for (size_t i = 0; i < nr; i++)
		LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].nr);
	FUZZ_EACH(4000)
	{
		const struct input *input = &inputs[pick(nr)];
		uint8_t *bytes = malloc(2 * input->nr + 1);

		LLVMFuzzerTestOneInput(bytes, mutate(input, bytes));
		free(bytes);
	}
	for (size_t i = 0; i < nr; i++)
		free(inputs[i].bytes);
	fuzz_tell("records with other bytes");
}
