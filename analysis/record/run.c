/* SPDX-License-Identifier: Apache-2.0 */
/* Names of phase methods, settings, and what was not measured. */
#include "analysis/record/run.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"

static const struct {
	const char *name, *text;
} phase_methods[PHASE_METHODS] = {
#define X(id, name, text) { name, text },
	PHASE_METHOD_LIST(X)
#undef X
};

const char *phase_method_name(unsigned int method)
{
	return method < PHASE_METHODS ? phase_methods[method].name : "unknown";
}

const char *phase_method_text(unsigned int method)
{
	return method < PHASE_METHODS ? phase_methods[method].text : "unknown";
}

uint32_t run_phase_here(const struct run *run)
{
	for (size_t i = 0; i < run->nr_phases; i++)
		if (run->phases[i].here)
			return run->phases[i].number;
	return 0;
}

const struct run_interval *run_interval(const struct run *run, uint32_t number)
{
	return number && number <= run->nr_intervals ? &run->intervals[number - 1] : NULL;
}

uint32_t run_outermost(const struct run *run, uint32_t region)
{
	/* a parent that is not in the run is none */
	while (region < run->nr_regions && run->regions[region].parent != MS_REGION_USER &&
	       run->regions[region].parent < run->nr_regions &&
	       run->regions[region].parent != region)
		region = run->regions[region].parent;
	return region;
}

double run_array_sum(const struct run *run, uint32_t array, uint32_t metric)
{
	double sum = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->metric == metric && row->region < run->nr_regions &&
		    run_region_array(&run->regions[row->region]) == array)
			sum += row->stat.sum;
	}
	return sum;
}

double run_touched_part(const struct run *run, uint32_t array)
{
	const struct run_array *of = array < run->nr_arrays ? &run->arrays[array] : NULL;
	double seen = 0, whole = 0;

	if (!of || of->blocks != 1)
		return 1;
	for (size_t i = 0; i < run->nr_touches; i++)
		seen += run->touches[i].array == array ? (double)run->touches[i].bytes : 0;
	whole = (double)(of->resident_why == MS_PRESENT ? of->resident_bytes : of->bytes);
	return seen < whole ? seen / whole : 1;
}

uint32_t run_construct(const struct run *run, uint32_t region)
{
	while (region < run->nr_regions && ms_region_kind_is_part(run->regions[region].kind))
		region = run->regions[region].parent;
	return region;
}

bool run_is_inside(const struct run *run, uint32_t region, uint32_t outer)
{
	while (region != outer && region < run->nr_regions && run->regions[region].parent != region)
		region = run->regions[region].parent;
	return region == outer;
}

const char *run_setting(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->nr_settings; i++)
		if (!strcmp(run->settings[i].name, name))
			return run->settings[i].value;
	return NULL;
}

void run_note_dropped(struct run *run, struct arena *arena, struct run_dropped dropped)
{
	if (ARENA_GROW(arena, run->dropped, run->nr_dropped, run->room_dropped))
		run->dropped[run->nr_dropped++] = dropped;
}

void run_note_count(struct run *run, struct arena *arena, const char *what, const char *why,
		    uint64_t count)
{
	if (count)
		run_note_dropped(run, arena,
				 (struct run_dropped){ .what = what, .why = why, .count = count });
}

void run_forget_dropped(struct run *run, const char *why)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_dropped; i++)
		if (!run->dropped[i].why || strcmp(run->dropped[i].why, why) != 0)
			run->dropped[kept++] = run->dropped[i];
	run->nr_dropped = kept;
}
