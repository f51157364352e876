/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_FUZZ_DIFFERENCES_H
#define MEMSEARCH_TESTS_FUZZ_DIFFERENCES_H

/*
 * Everything that `memsearch diff` makes of two runs: profiles of each kind, limits, findings, and
 * all formats, which must be plain text.
 */
#include <math.h>

#include "analysis/differential/growth.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/print.h"
#include "analysis/differential/resources.h"
#include "tests/fuzz/commands.h"

static const char *const differences_limits[] = {
	"accesses>+5%",    "l2_misses:*>+1%", "stall_cycles:calc2/unew>+10%",
	"bytes:/unew>+0%", "time>1000",       "l3_misses:swim.c:354>+2%",
};

static inline struct limits differences_all_limits(struct arena *arena)
{
	struct limits limits = { 0 };

	for (size_t i = 0; i < sizeof(differences_limits) / sizeof(differences_limits[0]); i++)
		CHECK(!limit_parse(arena, &limits, differences_limits[i],
				   i % 2 ? LIMIT_WARN : LIMIT_FAIL, "--fail-on"));
	return limits;
}

static inline void differences_print(struct arena *arena, struct diff_page *page)
{
	static const char *const formats[] = {
		"text", "json", "csv", "markdown", "github", "sarif"
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct text out;

		text_init(&out, arena);
		diff_format(formats[i])(&out, page);
		check_plain(&out);
	}
}

static inline void differences_of(struct arena *arena, const struct profile *const *profiles,
				  enum diff_by by, bool all)
{
	static const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };
	static const size_t columns[] = { 0, 1 };
	static const double works[] = { 2, 4 };
	static const char *const names[] = { "a", "b" };
	const struct compare_options options = { .work = { 1, 1 },
						 .load = { 1, 2 },
						 .function = (enum combine)(by % COMBINE_FUNCTIONS),
						 .bound = 1e6,
						 .level = 0.05,
						 .cut_off = 0.001 };
	struct limits limits = differences_all_limits(arena);
	struct comparison comparison;
	struct property_diff properties;
	struct resources resources;
	struct warnings warnings;
	struct growths growths;
	struct match match;
	struct diff_page page = {
		.comparison = &comparison,
		.properties = &properties,
		.columns = names,
		.growths = &growths,
		.resources = &resources,
		.growth_match = &match,
		.growth_columns = columns,
		.load = "threads",
		.warnings = &warnings,
		.nr_limits = limits.nr,
		.by = by,
		.names = { "a", "b" },
		.title = "a -> b",
		.function_why = "a function",
		.most = 10,
		.all = all,
	};
	struct growths_how how = { .of_arrays = true, .bound = 1e6 };

	CHECK(match_profiles(arena, profiles, sides, 2, &match) &&
	      compare(arena, &match, &options, &comparison));
	how.metric = page.metric = comparison_metric(&comparison, NULL, false);
	comparison_rank(arena, &comparison, page.metric);
	CHECK(page.metric == COMPARED_NONE ||
	      growths_of(arena, &match, columns, works, 2, &how, &growths));
	if (page.metric == COMPARED_NONE)
		growths = (struct growths){ 0 };
	resources = resources_of(arena, &match, columns, works, 2);
	properties = property_diff(arena, &match, &comparison, columns, 2, by == DIFF_BY_CAUSE);
	warnings = warnings_of(arena, &match);
	page.limits = limits_check(arena, &limits, &comparison);
	CHECK(page.limits != NULL);
	differences_print(arena, &page);
}

/*
 * `run` as the one side and `other` as the other, both complete (show_complete): by one kind of
 * bucket, which any number chooses.
 */
static inline void write_differences(struct arena *arena, const struct run *run,
				     const struct run *other, uint64_t number)
{
	static const struct {
		enum profile_by profile;
		enum diff_by by;
	} kinds[] = {
		{ PROFILE_BY_ARRAY, DIFF_BY_ARRAY },
		{ PROFILE_BY_ARRAY, DIFF_BY_REGION },
		{ PROFILE_BY_LINE, DIFF_BY_LINE },
		{ PROFILE_BY_INSTRUCTION, DIFF_BY_INSTRUCTION },
		{ PROFILE_BY_THREAD, DIFF_BY_THREAD },
		{ PROFILE_BY_CALLER, DIFF_BY_CALLER },
		{ PROFILE_BY_ARRAY, DIFF_BY_CAUSE },
	};
	size_t nr = sizeof(kinds) / sizeof(kinds[0]), kind = number % nr;
	bool first = number / nr % 2, all = number / nr / 2 % 2;
	const struct profile *profiles[2] = {
		profile_of(arena, first ? run : other, kinds[kind].profile),
		profile_of(arena, first ? other : run, kinds[kind].profile)
	};

	CHECK(profiles[0] && profiles[1]);
	differences_of(arena, profiles, kinds[kind].by, all);
}

#endif
