/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_UNRECORDED_DATA_H
#define MEMSEARCH_SIMULATION_UNRECORDED_DATA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Data that the program accesses between two recorded parts: bursts, or begins of executions. Where
 * a part stands for three times as many accesses, three times as much data passes through the
 * caches between a line's uses in two executions. Without it the lines of a part that fits into a
 * cache would all be found there.
 *
 *     add    for each array, while the caches are filled: lines from memory, and what they stand for
 *     play   before each part that counts: each thread accesses lines of its own, as many as the
 *            largest cache holds that does not hold all data
 *
 * One thread at a time.
 */
struct arena;
struct machine_model;
struct run;
struct simulation;
struct trace_streams;
struct unrecorded_data;

/*
 * `cores`: of the model, by thread; NULL: thread i runs on core i. The caller keeps all arguments.
 * NULL: no memory.
 */
struct unrecorded_data *unrecorded_data_new(struct arena *arena, const struct run *run,
					    const struct machine_model *model,
					    const uint32_t *cores);
/*
 * Lines of an array that a part got from memory; `times`: what the part stands for; `written`: it
 * writes to the array. Data is bounded by the array's size; `array` without a row in the run: not
 * bounded.
 */
void unrecorded_data_add(struct unrecorded_data *data, uint32_t array, double lines, double times,
			 bool written);
/*
 * Writes accesses into the empty streams, for simulation_run and simulation_clear; false: all data
 * fits into the caches, or no memory. `nr_pages_out`: pages of 4 KiB.
 */
bool unrecorded_data_play(struct unrecorded_data *data, struct trace_streams *streams,
			  uint64_t *nr_pages_out);

#endif
