/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_SERIAL_H
#define MEMSEARCH_RECORDING_RECORDING_SERIAL_H

/*
 * Clones of the functions that serial stretches run in, so that events/serial_code.h can move the
 * initial thread into them: those from which the regions before and after a stretch are called, as
 * far as their calls are known, and those it was met in since. One thread at a time, at phase
 * boundaries.
 */
struct region;
struct region_table;

/* For a serial region that is asked for. */
void recording_serial_prepare(struct region_table *regions, const struct region *serial);
/* For what the stretches of the execution that ended were met in. */
void recording_serial_follow(void);

#endif
