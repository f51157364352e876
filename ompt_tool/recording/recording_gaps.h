/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_GAPS_H
#define MEMSEARCH_RECORDING_RECORDING_GAPS_H

struct arena;
struct run;

/*
 * Adds to the run at its end, after its modules are known: functions whose code could not be
 * copied, and calls from recorded code to code that was not recorded, by name if known. Counts call
 * instructions, not executions, and not those in code that was not executed while it was recorded.
 */
void recording_gaps(struct run *run, struct arena *arena);

#endif
