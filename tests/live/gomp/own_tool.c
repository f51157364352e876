/* SPDX-License-Identifier: Apache-2.0 */
/* A library with an OMPT tool, which libgomp never starts. */
#include <stdio.h>

void *ompt_start_tool(unsigned int version, const char *runtime);
void *ompt_start_tool(unsigned int version, const char *runtime)
{
	printf("asked by %s, %u\n", runtime, version);
	return NULL;
}
