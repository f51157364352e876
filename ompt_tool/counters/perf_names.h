/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PERF_NAMES_H
#define MEMSEARCH_COUNTERS_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * Translates event names to the arguments of perf_event_open. The kernel's own events (software
 * events, cycles, instructions) are listed here; all others come from libpfm4. Its headers and
 * <linux/perf_event.h> cannot be included in one file, so only perf_names.c includes them, and
 * returns encodings as plain numbers. The library is opened when it is first needed, because that
 * takes 2 ms, which a short program on a machine without counters should not pay. Initial thread
 * only.
 */
struct perf_encoding {
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest, exclude_host;
};

/* Opens libpfm4. False: `why` (160 bytes) says why not. */
bool perf_names_start(char *why);
/* libpfm4's tables of this machine's cores, at most `room`; call perf_names_start before. */
size_t perf_names_tables(const char **out, size_t room);
/*
 * `table` NULL: any of this machine. MS_ERR_NOT_FOUND: `why` (160 bytes) has the nearest name.
 * MS_ERR_UNSUPPORTED: no libpfm4.
 */
enum ms_status perf_names_encode(const char *table, const char *name, struct perf_encoding *out,
				 char *why);

#endif
