/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the system's libraries is cloned; hardly one is refused, and each for a reason
 * that is known.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/clone.h"
#include "tests/unit/machine_code.h"

struct survey {
	size_t functions, tables, callers, refused;
};

/* Other functions are cloned when it is their turn. */
static bool nothing(void *ctx, uintptr_t function)
{
	(void)ctx, (void)function;
	return false;
}

static const char *last_reason(void)
{
	const struct clone_refusal *refusals;
	size_t nr = clone_refusals(&refusals);

	CHECK(nr);
	return refusals[nr - 1].why;
}

static void clone_one(void *ctx, const struct code_bounds *bounds)
{
	static const struct clone_options options = { .probes = CLONE_ACCESSES, .follow = nothing };
	const struct clone *clone = clone_make(bounds->start, &options);
	struct survey *survey = ctx;
	const char *why;

	survey->functions++;
	if (clone) {
		CHECK(clone->start == bounds->start && clone->end > clone->start &&
		      clone->end <= bounds->end && clone->code < clone->code_end);
		return;
	}
	why = last_reason();
	if (!strcmp(why, "its CFI computes with the place of its code"))
		survey->tables++; /* the linkage table, which is many functions in one */
	else if (!strcmp(why, "it uses return addresses of its callers") ||
		 !strcmp(why, "it has restartable sequences (rseq)"))
		/* dlsym, getcontext, vfork, …; the C library registers rseq's signature */
		survey->callers++;
	else if (!strcmp(why, "frame of a signal"))
		survey->refused++;
	else
		test_fail(__FILE__, __LINE__, "%#lx is refused: %s", (long)bounds->start, why);
}

static void clone_all(const char *library, const char *symbol)
{
	struct survey survey = { 0 };

	need_machine_code();
	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	if (!each_function(library, symbol, clone_one, &survey))
		test_skip("%s is not installed", library);
	printf("%s: %zu functions, %zu refused\n", library, survey.functions, survey.refused);
	CHECK(survey.functions > 100 && survey.tables <= 3 && survey.callers <= 40);
	CHECK_THAT(1000 * survey.refused, <=, survey.functions);
}

TEST(clones_survey__libc)
{
	clone_all("libc.so.6", "qsort");
}
TEST(clones_survey__libm)
{
	clone_all("libm.so.6", "sin");
}
TEST(clones_survey__libstdcxx)
{
	clone_all("libstdc++.so.6", "_ZNSo3putEc");
}
TEST(clones_survey__libgfortran)
{
	clone_all("libgfortran.so.5", "_gfortran_st_write");
}
TEST(clones_survey__libgomp)
{
	clone_all("libgomp.so.1", "GOMP_parallel");
}
TEST(clones_survey__libblas)
{
	clone_all("libblas.so.3", "dgemm_");
}
