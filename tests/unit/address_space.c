/* SPDX-License-Identifier: Apache-2.0 */
/* What `ulimit -v` leaves the program. */
#include "analysis/base/address_space.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "ompt_tool/measurements/summary.h"
#include "tests/unit/test.h"

#define MIB ((size_t)1 << 20)

/* In the test's own process. */
static void limit_to(size_t bytes)
{
	struct rlimit limit;

	CHECK(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_AS, &limit))
		test_skip("there is a limit already");
}

TEST(address_space__what_is_left_is_what_can_be_mapped)
{
	size_t before;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(RLIM_INFINITY);
	CHECK(address_space_left() == SIZE_MAX);
	limit_to(1024 * MIB);
	before = address_space_left();
	CHECK(before > 512 * MIB && before < 1024 * MIB);
	CHECK(mmap(NULL, before + MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CHECK(mmap(NULL, before - MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	CHECK(address_space_left() <= MIB);
	limit_to(4096);
	CHECK(address_space_left() == 0);
}

TEST(address_space__summaries_leave_most_of_it)
{
	size_t before;

	if (SANITIZED)
		test_skip("sanitizers take all address space");
	limit_to(256 * MIB);
	before = address_space_left();
	CHECK(summary_new() != NULL);
	CHECK(address_space_left() >= before - before / 16);
}
