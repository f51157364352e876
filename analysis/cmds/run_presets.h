/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_RUN_PRESETS_H
#define MEMSEARCH_CMDS_RUN_PRESETS_H

#include <stddef.h>

/*
 * Options of `memsearch run` that stand for several. An option of a preset gives way to the same
 * option on the command line or in the environment.
 *
 * To add one: its rows in run_presets.c, and an option in run.c.
 */
struct run_preset_row {
	const char *preset, *option, *value; /* "deep", "overhead", "1000%" */
};
extern const struct run_preset_row run_preset_rows[];
extern const size_t nr_run_preset_rows;

#endif
