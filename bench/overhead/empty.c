/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that registers the callbacks memsearch registers and does nothing in them: what memsearch is compared with. */
#include <omp-tools.h>

#include "ompt_tool/events/events.h"

/* Arguments are in registers or on the caller's stack, so one function serves every event. */
static int nothing(void)
{
	return 0;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
#define X(event) set_callback(ompt_callback_##event, (ompt_callback_t)nothing);
	CALLBACK_LIST(X)
#undef X
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)omp_version, (void)runtime_version;
	return &result;
}
