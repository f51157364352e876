/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the record of a large run, for bench/page.sh.        page FILE REGIONS THREADS ARRAYS */
#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"
#include "tests/unit/large_run.h"

int main(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct record *record = argc == 5 ? record_replace(arena, argv[1], NULL) : NULL;
	struct run run;

	if (!record)
		return 1;
	large_run(arena, &run, (uint32_t)atol(argv[2]), (uint32_t)atol(argv[3]),
		  (uint32_t)atol(argv[4]));
	return record_close(record, &run) != MS_OK;
}
