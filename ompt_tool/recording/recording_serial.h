/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_SERIAL_H
#define MEMSEARCH_RECORDING_RECORDING_SERIAL_H

/*
 * Makes clones of the functions in which serial stretches run, so that events/serial_code.h can
 * move the initial thread into them: those that call the regions before and after a stretch, if
 * their calls are known, and those found on the stack since. One thread at a time, at phase
 * boundaries.
 */
struct region;
struct region_table;

/* Makes the clones for a requested serial region. */
void recording_serial_prepare(struct region_table *regions, const struct region *serial);
/* Makes clones of the functions found on the stack in the execution that ended. */
void recording_serial_follow(void);

#endif
