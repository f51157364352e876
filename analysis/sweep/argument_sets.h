/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_ARGUMENT_SETS_H
#define MEMSEARCH_SWEEP_ARGUMENT_SETS_H

#include <stddef.h>

/*
 * Files of argument sets: one line each, of words as a shell has them, without anything that it
 * would expand:
 *
 *     # grid, steps 512 100 --title 'two words' "and \"these\"" a\ b
 *
 * Blank lines and lines that begin with # are skipped.
 */
struct arena;
struct sweep_plan;

#define SWEEP_ARGUMENTS_BYTES (1 << 20) /* of a file */

/*
 * Adds the file's sets, each behind `words`, to the plan. NULL, or what is wrong in words with the
 * file's name and line, in the arena.
 */
const char *arguments_read(struct arena *arena, struct sweep_plan *plan, const char *path,
			   char *const *words, size_t nr_words);
/* The same of a text that is there already. */
const char *arguments_parse(struct arena *arena, struct sweep_plan *plan, const char *path,
			    const char *text, size_t length, char *const *words, size_t nr_words);
/* One set of these words alone. */
const char *arguments_of(struct arena *arena, struct sweep_plan *plan, char *const *words,
			 size_t nr_words);

#endif
