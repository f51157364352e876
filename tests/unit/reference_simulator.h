/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_REFERENCE_SIMULATOR_H
#define MEMSEARCH_TESTS_UNIT_REFERENCE_SIMULATOR_H

/*
 * The simulated PMU as analysis/simulator/simulator.h describes it, in the plainest code: one
 * access at a time, one function a sentence, sets searched way by way. To hold the fast one
 * against; some hundred times slower. Ends the process when memory is short.
 */
#include "analysis/simulator/sampling.h"
#include "analysis/simulator/simulator.h"

struct reference;

/* NULL: a model that neither can simulate. */
struct reference *reference_new(const struct machine_model *model, uint32_t threads,
				uint32_t slots);
void reference_free(struct reference *reference);
void reference_place(struct reference *reference, uint64_t address, uint64_t bytes, uint32_t node);
void reference_window(struct reference *reference, const struct simulator_trace *traces);
void reference_clear_counters(struct reference *reference);
void reference_mark_pages(struct reference *reference);
/* Before the first window. */
void reference_sample(struct reference *reference, const struct sampling *sampling);
/* Of all parts; of all lines that are looked at, what estimates have of it. */
void reference_estimate(struct reference *reference, uint32_t thread, uint32_t slot,
			uint32_t replicate, struct simulator_counters *out);
/* Where all lines are. */
const struct simulator_counters *reference_counters(struct reference *reference, uint32_t thread,
						    uint32_t slot);

#endif
