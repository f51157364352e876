/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_GAPS_H
#define MEMSEARCH_RECORDING_RECORDING_GAPS_H

struct arena;
struct run;

/*
 * Into the run at its end, after its modules are known: functions whose code could not be copied,
 * and calls that lead out of what was recorded, by name as far as one is known. Calls are counted
 * where they stand in the code, not how often they were made, and not those in code that was not
 * executed while it was recorded.
 */
void recording_gaps(struct run *run, struct arena *arena);

#endif
