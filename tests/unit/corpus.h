/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CORPUS_H
#define MEMSEARCH_TESTS_UNIT_CORPUS_H

/*
 * Fuzz targets of texts, run over their corpus and mutations of it: the same inputs in every run
 * (fuzz.h). A file includes its target (tests/fuzz) and this.
 */
#include <glob.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "tests/unit/fuzz.h"
#include "tests/unit/test.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { CORPUS_INPUTS = 128, CORPUS_BYTES = 64 << 10 };

struct corpus_input {
	uint8_t bytes[CORPUS_BYTES];
	size_t length;
};

/*
 * Writes what is made of some of the inputs, none longer than half of CORPUS_BYTES, to `out`, which
 * has all of them; returns its length.
 */
typedef size_t corpus_mutate(const struct corpus_input *inputs, size_t nr, uint8_t *out);

static inline size_t corpus_read(const char *const *patterns, struct corpus_input *inputs)
{
	size_t nr = 0;

	for (; *patterns; patterns++) {
		glob_t found;

		CHECK_INT(glob(*patterns, 0, NULL, &found), 0);
		for (size_t j = 0; j < found.gl_pathc; j++, nr++) {
			FILE *file = fopen(found.gl_pathv[j], "r");

			CHECK(file && nr < CORPUS_INPUTS);
			inputs[nr].length = fread(inputs[nr].bytes, 1, CORPUS_BYTES, file);
			CHECK_THAT(inputs[nr].length, <, CORPUS_BYTES / 2);
			fclose(file);
		}
		globfree(&found);
	}
	return nr;
}

/*
 * `patterns`: of the inputs' files, up to NULL; `at_least`: their least number. `sample`: mutations
 * in `make test`.
 */
static inline void corpus_run(const char *const *patterns, corpus_mutate *mutate,
			      unsigned long sample, size_t at_least, const char *what)
{
	static struct corpus_input inputs[CORPUS_INPUTS];
	static uint8_t mutated[CORPUS_BYTES];
	size_t nr = corpus_read(patterns, inputs);

	CHECK_THAT(nr, >=, at_least);
	fuzz_quiet();
	for (size_t i = 0; i < nr; i++)
		LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].length);
	FUZZ_EACH(sample)
	LLVMFuzzerTestOneInput(mutated, mutate(inputs, nr, mutated));
	fuzz_tell(what);
}

#endif
