/* SPDX-License-Identifier: Apache-2.0 */
/* Findings at one place of the source. */
#include "analysis/report/group.h"
#include "tests/unit/test.h"

static const struct run_region regions[] = {
	{ .kind = MS_DO_REGION, .source = { .function = "f", .file = "f.c", .line = 7 } },
	{ .kind = MS_DO_REGION, .source = { .function = "g", .file = "f.c", .line = 7 } },
	{ .kind = MS_DO_REGION, .source = { .function = "f", .file = "f.c", .line = 7 } },
	{ .kind = MS_PARALLEL_REGION, .source = { .function = "f", .file = "f.c", .line = 7 } },
	/* without a line: by the address */
	{ .kind = MS_DO_REGION, .source = { .module = "m", .offset = 16 } },
	{ .kind = MS_DO_REGION, .source = { .module = "m", .offset = 32 } },
	{ .kind = MS_DO_REGION, .source = { .module = "m", .offset = 16 } },
	/* nothing is known of them */
	{ .kind = MS_DO_REGION },
	{ .kind = MS_DO_REGION },
	/* a serial stretch is what is between two regions */
	{ .kind = MS_SERIAL_REGION, .source = { .line = 7 }, .next_source = { .line = 9 } },
	{ .kind = MS_SERIAL_REGION, .source = { .line = 7 }, .next_source = { .line = 8 } },
	{ .kind = MS_SERIAL_REGION, .source = { .line = 7 }, .next_source = { .line = 9 } },
};
#define REGIONS (sizeof(regions) / sizeof(regions[0]))

TEST(group__counts_places)
{
	const struct run_region *sorted[REGIONS];
	size_t pairs = 0;

	for (size_t i = 0; i < REGIONS; i++)
		sorted[i] = &regions[i];
	CHECK_INT(finding_places(sorted, 0), 0);
	CHECK_INT(finding_places(sorted, REGIONS), 9);
	for (size_t i = 0; i < REGIONS; i++)
		for (size_t k = 0; k < i; k++)
			pairs += finding_same_place(&regions[i], &regions[k]);
	CHECK_INT(pairs, 3);
}
