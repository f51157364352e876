/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties over samples of data addresses: a data structure that waits in ways that must be
 * found, and in others that must not.
 */
#include "tests/unit/context.h"

#define MS 1e6 /* ns */

enum { PHASE, PARALLEL, DATA };

/* What each of four threads does, in thousands; a cycle is 0.4 ns, the loop half of 100 ms. */
struct use {
	double samples, accesses, l1, l3, local, remote, cycles;
};

static void set(struct table *table, uint32_t region, uint32_t thread, const struct use *use)
{
	const struct {
		enum ms_metric metric;
		double value;
	} values[] = {
		{ MS_METRIC_ADDRESS_SAMPLES, use->samples },
		{ MS_METRIC_SAMPLED_LOADS, use->accesses },
		{ MS_METRIC_SAMPLED_STORES, 0 },
		{ MS_METRIC_SAMPLED_L1D_MISSES, use->l1 },
		{ MS_METRIC_SAMPLED_L2D_MISSES, use->l1 },
		{ MS_METRIC_SAMPLED_L3D_MISSES, use->l3 },
		{ MS_METRIC_SAMPLED_DRAM_LOCAL, use->local },
		{ MS_METRIC_SAMPLED_DRAM_REMOTE, use->remote },
		{ MS_METRIC_SAMPLED_WAIT_CYCLES, use->cycles },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		table_set(table, region, thread, values[i].metric, 1e3 * values[i].value);
}

static struct table *program(const struct use *use, double nodes)
{
	struct table *table = table_new(4, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 1);
	table_region(table, PARALLEL, MS_DATA_STRUCTURE, 1);
	table->nodes = nodes;
	for (uint32_t thread = 0; thread < 4; thread++) {
		table_set(table, PARALLEL, thread, MS_METRIC_TIME, 50 * MS);
		for (uint32_t region = PHASE; region <= DATA; region++)
			set(table, region, thread, use);
	}
	return table;
}

/*
 * 50 million cycles a thread are 20 ms: a fifth of the time if nothing overlaps, a sixteenth of
 * that at least.
 */
#define MISSING .samples = 10, .accesses = 1000, .l1 = 500, .l3 = 250, .cycles = 50000
#define SHARE 0.2

static const struct {
	int line;
	struct use use;
	double nodes;
	const char *property;
	uint32_t region;
	bool proven;
	double least, most;
} cases[] = {
	{ __LINE__, { MISSING }, 1, "SampledWaits", PHASE, true, 0, 0 },
	{ __LINE__,
	  { .samples = 10, .accesses = 1000, .cycles = 1000 },
	  1,
	  "SampledWaits",
	  PHASE,
	  false,
	  0,
	  0 },
	{ __LINE__, { MISSING }, 1, "SampledWaitsHere", PARALLEL, true, 0, 0 },
	{ __LINE__,
	  { .samples = 10, .accesses = 1000, .cycles = 1000 },
	  1,
	  "SampledWaitsHere",
	  PARALLEL,
	  false,
	  0,
	  0 },
	{ __LINE__, { MISSING }, 1, "SampledDataMisses", DATA, true, SHARE / 16, SHARE },
	/* no more than the time of the loop */
	{ __LINE__,
	  { .samples = 10, .accesses = 1000, .l1 = 1000, .cycles = 1250000 },
	  1,
	  "SampledDataMisses",
	  DATA,
	  true,
	  0.5 / 1.6,
	  0.5 },
	{ __LINE__,
	  { .samples = 10, .accesses = 1000, .l1 = 10, .cycles = 1000 },
	  1,
	  "SampledDataMisses",
	  DATA,
	  false,
	  0,
	  0 },
	/* half of what misses goes to memory, and four fifths of that to the other node */
	{ __LINE__,
	  { MISSING, .local = 50, .remote = 200 },
	  2,
	  "SampledRemoteData",
	  DATA,
	  true,
	  0.4 * SHARE / 16,
	  0.4 * SHARE },
	{ __LINE__,
	  { MISSING, .local = 230, .remote = 20 },
	  2,
	  "SampledRemoteData",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__,
	  { MISSING, .local = 50, .remote = 200 },
	  1,
	  "SampledRemoteData",
	  DATA,
	  false,
	  0,
	  0 },
	{ __LINE__, { MISSING }, 2, "SampledRemoteData", DATA, false, 0, 0 },
};

TEST(sampled_properties__as_computed_by_hand)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ms_verdict verdict = table_ask(program(&cases[i].use, cases[i].nodes), set,
						      cases[i].property, cases[i].region);

		if (verdict.truth != (cases[i].proven ? MS_TRUE : MS_FALSE))
			test_fail(__FILE__, cases[i].line, "%s is %d (%s)", cases[i].property,
				  verdict.truth, ms_missing_text(verdict.missing));
		if (!cases[i].proven)
			continue;
		CHECK_NEAR(verdict.severity, cases[i].least, 1e-6);
		CHECK_NEAR(verdict.severity_of_model ? verdict.severity_high : verdict.severity,
			   cases[i].most, 1e-6);
	}
}

/* Page faults say no more than where they are: nothing is known of caches, and nothing is 0. */
TEST(sampled_properties__page_faults_prove_nothing)
{
	static const char *const names[] = { "SampledDataMisses", "SampledRemoteData" };
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < 2; i++) {
		struct table *table = program(&(struct use){ MISSING, .remote = 200 }, 2);
		struct ms_verdict verdict;

		for (enum ms_metric metric = MS_METRIC_SAMPLED_LOADS;
		     metric <= MS_METRIC_SAMPLED_WAIT_CYCLES; metric++)
			table_missing(table, DATA, metric, MS_MISSING_NOT_SUPPORTED);
		verdict = table_ask(table, set, names[i], DATA);
		CHECK_INT(verdict.truth, MS_UNKNOWN);
		CHECK_INT(verdict.missing, MS_MISSING_NOT_SUPPORTED);
	}
}

TEST(sampled_properties__each_is_proven_by_a_case)
{
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < set->nr; i++) {
		bool found = !is_sampled(set->properties[i]);

		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
			found |= cases[k].proven &&
				 !strcmp(cases[k].property, property_name(set->properties[i]));
		if (!found)
			test_fail(__FILE__, __LINE__, "no case proves %s",
				  property_name(set->properties[i]));
	}
}
