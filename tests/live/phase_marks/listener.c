/* SPDX-License-Identifier: Apache-2.0 */
/* An OMPT tool that prints what omp_control_tool is told, on stderr: "COMMAND MODIFIER" a line. */
#include <omp-tools.h>
#include <stdio.h>

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra)
{
	(void)arg;
	(void)codeptr_ra;
	fprintf(stderr, "%d %d\n", (int)command, (int)modifier);
	return 0;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
{
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)initial_device_num;
	(void)tool_data;
	set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)omp_version;
	(void)runtime_version;
	return &result;
}
