/* SPDX-License-Identifier: Apache-2.0 */
/* Further loops of steps of the program: how long they took, and where their results are. */
#include "analysis/report/other_phases.h"

#include <inttypes.h>

#include "analysis/record/run.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

static void one_text(struct text *out, const struct run *run, const struct run_phase_found *phase,
		     int width)
{
	double all_ns = run->cost.before_ns + run->cost.program_wall_ns;
	uint32_t here = run_phase_here(run);
	struct text line;

	text_init(&line, out->arena);
	text_add_plain(&line, !here                  ? "Part of it: "
			      : phase->number < here ? "Before these steps: "
						     : "After these steps: ");
	text_printf(&line, "%" PRIu64 " other steps of ", phase->executions);
	units_time(&line, phase->wall_ns / (double)phase->executions);
	if (phase->region != MS_REGION_NONE)
		text_printf(&line, ", each from the %s on",
			    finding_place(out->arena, run, phase->region));
	if (all_ns > 0) {
		text_add(&line, ", ");
		units_share(&line, phase->wall_ns / all_ns);
		text_add(&line, " of the run");
	}
	text_printf(&line, ": memsearch report --phase %" PRIu32 ".", phase->number);
	text_wrap(out, line.bytes, 0, width);
	text_add(out, "\n");
}

void other_phases_text(struct text *out, const struct run *run, int width)
{
	for (size_t i = 0; i < run->nr_phases; i++)
		if (!run->phases[i].here && run->phases[i].executions)
			one_text(out, run, &run->phases[i], width);
}

void other_phases_json(struct json *json, const struct run *run)
{
	if (!run->nr_phases)
		return;
	json_open(json, "other_phases", '[');
	for (size_t i = 0; i < run->nr_phases; i++) {
		const struct run_phase_found *phase = &run->phases[i];

		if (phase->here)
			continue;
		json_open(json, NULL, '{');
		json_unsigned(json, "number", phase->number);
		json_unsigned(json, "executions", phase->executions);
		json_number(json, "wall_ns", phase->wall_ns);
		if (phase->region != MS_REGION_NONE)
			json_unsigned(json, "region", phase->region);
		json_string(json, "detected", phase_method_name(phase->method));
		json_close(json);
	}
	json_close(json);
}

double other_phases_ns(const struct run *run)
{
	double ns = 0;

	for (size_t i = 0; i < run->nr_phases; i++)
		ns += run->phases[i].here ? 0 : run->phases[i].wall_ns;
	return ns;
}
