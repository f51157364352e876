/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/cmds/run_presets.h"

const struct run_preset_row run_preset_rows[] = {
	/* all that the search asks for, from the first step on */
	{ "deep", "overhead", "1000%" },
	{ "deep", "trace-limit", "4096" },
	/* whole steps, at the same addresses in each run */
	{ "ci", "overhead", "1000%" },
	{ "ci", "same-addresses", "1" },
	{ "ci", "no-calibrate", "1" },
};
const size_t nr_run_preset_rows = sizeof(run_preset_rows) / sizeof(run_preset_rows[0]);
