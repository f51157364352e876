/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_RANDOM_RUN_H
#define MEMSEARCH_TESTS_HOST_RANDOM_RUN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Invented runs: every field of struct run filled from a seed, indices sound, all the values
 * that break encodings among them (NULL, "", NAN, UINT64_MAX …). The same seed gives the same run.
 */
struct arena;
struct run;

uint64_t random_next(uint64_t *state); /* state must not be 0 */
void random_run(struct arena *arena, uint64_t seed, size_t rows, struct run *run);
/* What happens between two updates: some rows change, some are added, none is removed. */
void random_change(struct arena *arena, uint64_t seed, struct run *run);

/*
 * NULL, or the name of what differs, in a static buffer. NAN equals NAN; an array of none equals
 * NULL.
 */
const char *run_difference(const struct run *a, const struct run *b);

#endif
