/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that others have written since: where there is room for all of them they are compared with
 * the plain simulator (simulator_random.c).
 */
#include "analysis/simulator/remote_writes.h"

#include "analysis/simulator/simulator.h"
#include "tests/unit/test.h"

#define LINE_SHIFT 6
#define HISTORY ((size_t)64 << 20)

static struct remote_writes writes;

static void begin(void)
{
	size_t budget = HISTORY;

	remote_writes_init(&writes, LINE_SHIFT, 2, &budget);
	CHECK_THAT(budget, <, HISTORY);
}

static bool is_remotely_written(uint32_t core, uint64_t address)
{
	struct stride_run run = { .bytes = 8, .times = 1 };

	return remote_writes_access(&writes, core, &run, address, true);
}

static bool is_free(uint32_t core, bool write, uint64_t stride, uint64_t times)
{
	struct stride_run run = {
		.bytes = 8, .stride = (int64_t)stride, .times = times, .write = write
	};

	return remote_writes_none(&writes, core, &run, 0, times, true);
}

TEST(remote_writes__blocks_for_which_there_is_no_room)
{
	begin();
	CHECK(is_free(0, true, 4096, 100000));
	CHECK(!writes.overflowed);
	CHECK(!is_remotely_written(0, 0));
	CHECK(is_remotely_written(1, 0));
	CHECK(!is_remotely_written(1, 0));
	is_free(0, true, 4096, 1000000);
	CHECK(writes.overflowed);
	CHECK_THAT(remote_writes_bytes(&writes), <, HISTORY / 4);
	remote_writes_release(&writes);
}

TEST(remote_writes__lines_for_which_there_is_no_room)
{
	uint64_t written = 0;

	begin();
	CHECK(is_free(0, true, 64, 2000000));
	CHECK(!writes.overflowed);
	CHECK(!is_free(1, false, 64, 2000000));
	for (uint64_t line = 0; line < 2000000 && !writes.overflowed; line++)
		written += is_remotely_written(1, line * 64);
	CHECK(writes.overflowed);
	CHECK_THAT(written, >, 100000);
	CHECK_THAT(remote_writes_bytes(&writes), <, HISTORY / 4);
	remote_writes_release(&writes);
}
