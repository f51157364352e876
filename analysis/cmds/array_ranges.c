/* SPDX-License-Identifier: Apache-2.0 */
/* From --range to parts of arrays. */
#include "analysis/cmds/array_ranges.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/show.h"
#include "analysis/counting/ranges.h"
#include "analysis/report/array_names.h"
#include "analysis/trace/trace_reader.h"
#include "memsearch/metric.h"
#include "memsearch/metric_set.h"

#define ERROR_BYTES 160 /* of command_option.check */

struct dividing {
	struct arena *arena;
	struct run *run;
	struct trace_reader *reader;
	uint32_t nr_arrays; /* that the run came with */
	struct array_part *parts;
	size_t nr, room;
};

bool array_ranges_check(const char *name, const char *list, char *error)
{
	const char *wrong, *behind;
	struct range range;

	(void)name;
	for (const char *at = list; *at || at == list; at = behind) {
		wrong = range_read(at, &range, &behind);
		if (!wrong)
			continue;
		snprintf(error, ERROR_BYTES, "'%.40s' %s", at, wrong);
		return false;
	}
	return true;
}

static const char *name_of(const struct dividing *dividing, uint32_t array)
{
	return arrays_name(dividing->arena, dividing->run, &dividing->run->arrays[array]);
}

/* By all of its name, or by what stands behind the module, namespace or COMMON block in it. */
static bool is_named(const struct dividing *dividing, const struct range *range, uint32_t array)
{
	const char *name = name_of(dividing, array);
	size_t nr = strlen(name), nr_before = nr > range->nr_name ? nr - range->nr_name : 0;

	if (nr < range->nr_name || memcmp(name + nr_before, range->text, range->nr_name))
		return false;
	return !nr_before || name[nr_before - 1] == ':' || name[nr_before - 1] == '/';
}

static const struct array_part *overlapped(const struct dividing *dividing, uint32_t array,
					   uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < dividing->nr; i++)
		if (dividing->parts[i].array == array && low < dividing->parts[i].high &&
		    dividing->parts[i].low < high)
			return &dividing->parts[i];
	return NULL;
}

static uint64_t bytes_of(const struct run_array *array, uint64_t low, uint64_t high)
{
	uint64_t bytes = (high - low) * (array->blocks ? array->blocks : 1);

	return bytes < array->bytes ? bytes : array->bytes;
}

/* False: no memory. */
static bool add_part(struct dividing *dividing, const struct range *range, uint32_t array,
		     uint64_t low, uint64_t high)
{
	struct run *run = dividing->run;
	struct run_array part = run->arrays[array];

	if (!ARENA_GROW(dividing->arena, run->arrays, run->nr_arrays, run->room_arrays) ||
	    !ARENA_GROW(dividing->arena, dividing->parts, dividing->nr, dividing->room))
		return false;
	part.id = (uint32_t)run->nr_arrays;
	part.name = arena_printf(dividing->arena, "%s%.*s", name_of(dividing, array),
				 (int)(range->nr - range->nr_name), range->text + range->nr_name);
	part.shape = range_shape(dividing->arena, range, &part);
	part.bytes = bytes_of(&part, low, high);
	part.resident_why = MS_MISSING_NOT_REQUESTED;
	part.whole = array + 1;
	dividing->parts[dividing->nr++] = (struct array_part){
		.array = array, .part = part.id, .low = low, .high = high
	};
	run->arrays[run->nr_arrays++] = part;
	return part.name && part.shape;
}

/* Returns what is wrong; NULL: nothing. */
static const char *divide(struct dividing *dividing, const struct range *range, uint32_t array)
{
	uint64_t low, high;
	const char *wrong = range_bytes(dividing->arena, range, &dividing->run->arrays[array],
					trace_reader_block_bytes(dividing->reader, array), &low,
					&high);
	const struct array_part *other = wrong ? NULL : overlapped(dividing, array, low, high);

	if (other)
		return arena_printf(dividing->arena, "overlaps %s",
				    dividing->run->arrays[other->part].name);
	return wrong                                         ? wrong
	       : add_part(dividing, range, array, low, high) ? NULL
							     : "finds no memory";
}

/*
 * Two pairs of brackets are read as the range of an array that has one in its name, as blocks have
 * it that pointers in an array lead to.
 */
static int tell_unknown(const struct command *command, const struct dividing *dividing,
			const struct range *range)
{
	const char *name = arena_strndup(dividing->arena, range->text, range->nr_name);

	if (!name)
		return COMMAND_BAD_DATA;
	if (!strpbrk(name, "[("))
		return show_unknown_array(command, dividing->arena, dividing->run, name);
	log_warning(
		"--range '%.*s': no array is called '%s'; a range is of one dimension: the first, as u[0:9], or in Fortran the last, as u(:,1:10)",
		(int)range->nr, range->text, name);
	return COMMAND_USAGE;
}

static int divide_all(const struct command *command, struct dividing *dividing,
		      const struct range *range)
{
	const char *wrong = NULL;
	size_t before = dividing->nr;
	bool any = false;

	for (uint32_t array = 0; array < dividing->nr_arrays; array++) {
		const char *here;

		if (!is_named(dividing, range, array))
			continue;
		any = true;
		here = divide(dividing, range, array);
		wrong = wrong ? wrong : here;
	}
	if (!any)
		return tell_unknown(command, dividing, range);
	if (dividing->nr > before)
		return COMMAND_GO_ON;
	log_warning("--range '%.*s' %s", (int)range->nr, range->text, wrong);
	return COMMAND_USAGE;
}

int array_ranges_divide(const struct command *command, struct arena *arena, const char *list,
			struct run *run, struct trace_reader *reader)
{
	struct dividing dividing = {
		.arena = arena, .run = run, .reader = reader, .nr_arrays = (uint32_t)run->nr_arrays
	};
	int code = COMMAND_GO_ON;

	for (const char *at = list; *at && code == COMMAND_GO_ON;) {
		struct range range;

		if (range_read(at, &range, &at))
			return COMMAND_USAGE; /* checked as options were read */
		code = divide_all(command, &dividing, &range);
	}
	trace_reader_divide(reader, &(struct array_parts){ dividing.parts, dividing.nr });
	return code;
}

static bool is_divisible(uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_SIMULATED ||
	       (sensor == MS_SENSOR_ACCESSES && metric != MS_METRIC_FIRST_TOUCHED);
}

static struct ms_metric_set known_of_arrays(const struct run *run)
{
	struct ms_metric_set set = { 0 };

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->region < run->nr_regions &&
		    run->regions[row->region].kind == MS_DATA_STRUCTURE &&
		    !is_divisible(row->metric))
			ms_metric_set_add(&set, row->metric);
	}
	return set;
}

bool array_ranges_mark_missing(struct arena *arena, struct run *run)
{
	struct ms_metric_set set = known_of_arrays(run);

	for (uint32_t region = 0; region < run->nr_regions; region++) {
		uint32_t array = run_region_array(&run->regions[region]);

		if (array >= run->nr_arrays ||
		    (!run->arrays[array].whole &&
		     !run_array_is_divided(run->arrays, run->nr_arrays, array)))
			continue;
		for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
			if (!ms_metric_set_has(&set, metric))
				continue;
			if (!ARENA_GROW(arena, run->missing, run->nr_missing, run->room_missing))
				return false;
			run->missing[run->nr_missing++] = (struct run_missing){
				.region = region, .metric = metric, .why = MS_MISSING_NO_RANGE
			};
		}
	}
	return true;
}
