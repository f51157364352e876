/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/* The program's errno and floating-point environment: held, and given back as they were. */
#include "analysis/base/guest_state.h"
#include "tests/unit/test.h"

#include <fenv.h>

static volatile double zero, one = 1, three = 3;

TEST(guest_state__own_work_raises_nothing)
{
	struct guest_state state;
	volatile double result;

	feclearexcept(FE_ALL_EXCEPT);
	errno = 5;
	guest_state_hold(&state);
	errno = 7;
	result = one / three + one / zero;
	guest_state_give_back(&state);
	CHECK_THAT(result, >, 0);
	CHECK_THAT(errno, ==, 5);
	CHECK(!fetestexcept(FE_ALL_EXCEPT));
}

TEST(guest_state__keeps_what_the_program_raised)
{
	struct guest_state state;
	volatile double result;

	feclearexcept(FE_ALL_EXCEPT);
	result = one / zero;
	guest_state_hold(&state);
	CHECK(!fetestexcept(FE_ALL_EXCEPT));
	guest_state_give_back(&state);
	CHECK_THAT(result, >, 0);
	CHECK_THAT(fetestexcept(FE_ALL_EXCEPT), ==, FE_DIVBYZERO);
}

TEST(guest_state__rounding_and_traps)
{
	struct guest_state state;
	volatile double result;

	feclearexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
#ifdef __x86_64__
	feenableexcept(FE_DIVBYZERO | FE_INVALID);
#endif
	guest_state_hold(&state);
	CHECK_THAT(fegetround(), ==, FE_TONEAREST);
	result = one / zero; /* no SIGFPE */
	CHECK_THAT(result, >, 0);
	guest_state_give_back(&state);
	CHECK_THAT(fegetround(), ==, FE_UPWARD);
#ifdef __x86_64__
	CHECK_THAT(fegetexcept(), ==, (FE_DIVBYZERO | FE_INVALID));
#endif
}

TEST(guest_state__flags_on_hot_paths)
{
	volatile double result;
	uint64_t flags;

	feclearexcept(FE_ALL_EXCEPT);
	result = one / zero;
	flags = float_flags();
	result = one / three;
	float_flags_put_back(flags);
	CHECK_THAT(result, <, 1);
#if defined(__x86_64__) || defined(__aarch64__)
	CHECK_THAT(fetestexcept(FE_ALL_EXCEPT), ==, FE_DIVBYZERO);
#endif
}
