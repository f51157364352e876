/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_FUNCTION_SAMPLES_H
#define MEMSEARCH_SESSION_FUNCTION_SAMPLES_H

#include <stdint.h>

#include "memsearch/status.h"

/*
 * CPU-clock samples of functions that are called in constructs, at the end of the run: by the
 * function's own instructions, and those of libraries that it calls. A function with
 * FUNCTION_SAMPLES_LEAST samples in a construct is a region of kind SUB_REGION below it, and has on
 * each thread its part of the construct's samples in one execution of the phase. There is no time
 * of it, and no samples of the functions that it calls: stacks are not followed in the program.
 *
 *     function_samples_add for each site; function_samples_put when the run has its measurements
 */
struct arena;
struct function_samples;
struct region_table;
struct run;

/* With fewer a share has a relative error of more than a third, 1/sqrt(10). */
#define FUNCTION_SAMPLES_LEAST 10

struct function_samples *function_samples_new(struct arena *arena); /* NULL: no memory */
/* struct sensor_record.sampled; `ctx`: the struct function_samples, or NULL. */
void function_samples_add(void *ctx, uint32_t region, uint32_t thread, uint64_t instruction,
			  uint64_t count);
/* Adds regions and measurements to the run. MS_ERR_MEMORY: some are left out. */
enum ms_status function_samples_put(struct function_samples *samples, struct run *run,
				    struct arena *arena, struct region_table *regions);

#endif
