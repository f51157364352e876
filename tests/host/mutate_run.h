/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_MUTATE_RUN_H
#define MEMSEARCH_TESTS_HOST_MUTATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Changes values and rows of a run by the tables of its fields (analysis/record/fields.h), so that
 * what is written of it has right checksums and wrong contents: missing and odd texts, numbers at
 * the ends of their ranges, rows that name each other, lists of other lengths.
 */
struct arena;
struct run;

/*
 * `next`: a random number below its argument. `sound`: what run_check() refuses is taken back. New
 * strings and lists live in the arena.
 */
void mutate_run(struct arena *arena, struct run *run, uint64_t (*next)(uint64_t below), bool sound);

#endif
