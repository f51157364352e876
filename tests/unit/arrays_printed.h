/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_ARRAYS_PRINTED_H
#define MEMSEARCH_TESTS_UNIT_ARRAYS_PRINTED_H

#include "analysis/report/arrays.h"
#include "analysis/report/text.h"
#include "tests/unit/test.h"

typedef void arrays_writer(struct text *out, const struct run *const *runs, size_t nr_runs,
			   const struct arrays_options *options);

/* What `memsearch arrays` says of one run. */
static inline const char *arrays_printed(struct arena *arena, const struct run *run,
					 arrays_writer *write, const struct arrays_options *options)
{
	struct text out;

	text_init(&out, arena);
	write(&out, &run, 1, options);
	CHECK(!out.cut && out.length > 0);
	return out.bytes;
}

#endif
