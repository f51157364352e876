/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes machine files: any bytes must become a model that can be simulated, or mistakes. What is
 * read is printed again, and must mean the same. Corpus: tests/fuzz/machine and
 * properties/machines.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/machine.c, or the unit test
 *     machine_fuzz
 */
#include "analysis/base/arena.h"
#include "analysis/machine/figure.h"
#include "analysis/machine/model_check.h"
#include "analysis/machine/model_text.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void fuzz_mistakes(struct arena *arena, const struct model_file *file)
{
	if (file->nr_mistakes > MODEL_MISTAKES_MAX)
		__builtin_trap();
	for (size_t i = 0; i < file->nr_mistakes; i++)
		if (file->mistakes[i].line < 0 || !*file->mistakes[i].text ||
		    !*model_mistake_line(arena, file, &file->mistakes[i]))
			__builtin_trap();
}

static void fuzz_figures(struct arena *arena, const struct model_file *file)
{
	struct machine_model copy = file->model;
	const struct figure *all;
	size_t nr = figures(&all);

	for (size_t i = 0; i < nr; i++) {
		uint64_t value = figure_get(&all[i], &file->model);

		if (figure_applies(&all[i], &file->model) && value &&
		    !figure_text(arena, &all[i], &file->model))
			__builtin_trap();
		if (!figure_set(&all[i], &copy, value) || figure_get(&all[i], &copy) != value)
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_new();
	const struct model_file *file = model_parse(arena, "tests/fuzz/machine/fuzz.machine",
						    (const char *)bytes, length);

	if (!file)
		__builtin_trap();
	fuzz_mistakes(arena, file);
	fuzz_figures(arena, file);
	if (!file->nr_mistakes && (model_check(arena, &file->model) || !*file->model.source))
		__builtin_trap();
	for (size_t i = 0; i < file->nr_notes; i++)
		if (file->notes[i].line < 0 || !file->notes[i].source)
			__builtin_trap();
	arena_free(arena);
	return 0;
}
