/* SPDX-License-Identifier: Apache-2.0 */
/* The OMPT start of OpenMP runtimes: the first one starts the tool, further ones join it. */
#include "ompt_tool/session/core.h"

#include <stdio.h>
#include <string.h>

#include "ompt_tool/events/events.h"

static int initialize(const char *version, ompt_function_lookup_t lookup)
{
	return core_claim() ? core_begin(lookup, version) : core_add_runtime(lookup, version);
}

/*
 * If one of two runtimes ends first (libomp by omp_pause_resource_all), it does not end the
 * measurement of the other.
 */
static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
	if (events_runtimes() < 2)
		core_end();
}

/*
 * One row per runtime, as initialize has no argument for it. A runtime that calls twice has one
 * row.
 */
enum { RUNTIMES = 2 };
static struct {
	int taken;
	char version[128];
} rows[RUNTIMES];

static int initialize_first(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device, (void)data;
	return initialize(rows[0].version, lookup);
}

static int initialize_second(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device, (void)data;
	return initialize(rows[1].version, lookup);
}

ompt_start_tool_result_t *core_start(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t results[RUNTIMES] = {
		{ initialize_first, finalize, { 0 } }, { initialize_second, finalize, { 0 } }
	};
	char version[sizeof(rows[0].version)];

	(void)omp_version;
	snprintf(version, sizeof(version), "%s", runtime_version ? runtime_version : "");
	for (int i = 0; i < RUNTIMES; i++) {
		int none = 0;

		if (__atomic_compare_exchange_n(&rows[i].taken, &none, 1, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			memcpy(rows[i].version, version, sizeof(version));
		if (!strcmp(rows[i].version, version))
			return &results[i];
	}
	return NULL;
}
