/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many candidates a search over a record judges in a second: each property at each region of a kind that it is about, after each replayed execution.
 * All that the record has is requested. `first`: one evaluation, as all candidates get that the values at hand rule out or leave open; `whole`: with the
 * batches, as a verdict gets. Prints candidates, their verdicts, and candidates a second of processor time, the median of ROUNDS rounds of each; then the
 * time of one replayed execution.        judge RECORD PROPERTIES ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/judge.h"
#include "analysis/search/record_replay.h"

#define ROUNDS_MOST 1000

struct bench {
	struct arena *arena;
	struct run run;
	struct record_replay *replay;
	struct database *db;
	const struct property_set *properties;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, int nr)
{
	sort(values, (size_t)nr, sizeof(*values), ascending);
	return values[nr / 2];
}

static bool prepare(struct bench *bench, const char *record, const char *properties)
{
	struct ms_request *requests = arena_alloc(bench->arena, MS_METRICS * sizeof(*requests));
	uint64_t ignored;

	bench->db = database_new(bench->arena);
	bench->properties = property_set_load(bench->arena, properties, NULL);
	if (!requests || !bench->db || !bench->properties || record_read(bench->arena, record, &bench->run, &ignored) != MS_OK ||
	    record_replay_new(bench->arena, &bench->run, &bench->replay) != MS_OK || record_replay_prepare(bench->replay, bench->db) != MS_OK)
		return false;
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		requests[metric] = (struct ms_request){ .region = MS_REGION_USER,
							.thread = MS_REQUEST_ALL_THREADS,
							.metric = metric,
							.flags = MS_REQUEST_SUBREGIONS };
	return record_replay_requests(bench->replay, bench->db, requests, MS_METRICS) == MS_OK;
}

static size_t judge_all(const struct bench *bench, bool whole, size_t verdicts[3])
{
	const struct judge judge = { bench->properties, bench->db, 0.05 };
	size_t nr = 0;

	for (uint32_t region = 0; region < bench->run.nr_regions; region++)
		for (uint32_t property = 0; property < bench->properties->nr; property++) {
			const struct ms_candidate candidate = { .property = property,
								.region = region,
								.thread = MS_REQUEST_ALL_THREADS,
								.parent = MS_NODE_NONE };
			const struct judge_question question = { .candidate = &candidate,
								 .executions = database_executions(bench->db),
								 .false_too = whole };
			struct ms_verdict verdict;
			double agreement;

			if (!property_applies(bench->properties->properties[property], bench->run.regions[region].kind) ||
			    judge_evaluate(&judge, &question, &verdict, &agreement) != MS_OK)
				continue;
			verdicts[verdict.truth == MS_TRUE ? 0 : verdict.truth == MS_FALSE ? 1 : 2]++;
			nr++;
		}
	return nr;
}

/* Candidates a second of one round. */
static double judged(const struct bench *bench, bool whole, size_t verdicts[3], double *replayed_out)
{
	struct engine_cost cost = { 0 };
	double begin = seconds(), end;
	size_t nr;

	record_replay_execution(bench->replay, bench->db, &cost);
	*replayed_out = seconds() - begin;
	begin = seconds();
	nr = judge_all(bench, whole, verdicts);
	end = seconds();
	return (double)nr / (end - begin);
}

int main(int argc, char **argv)
{
	static double rates[ROUNDS_MOST], replayed[ROUNDS_MOST];
	struct bench bench = { .arena = arena_new() };
	int rounds = argc == 4 ? atoi(argv[3]) : 0;

	if (rounds < 1 || rounds > ROUNDS_MOST || !prepare(&bench, argv[1], argv[2]))
		return 1;
	for (int whole = 0; whole <= 1; whole++) {
		size_t verdicts[3] = { 0 }, nr;

		for (int round = 0; round < rounds; round++)
			rates[round] = judged(&bench, whole, verdicts, &replayed[round]);
		nr = (verdicts[0] + verdicts[1] + verdicts[2]) / (size_t)rounds;
		printf("%s %zu %zu %zu %zu %.0f %.3g\n", whole ? "whole" : "first", nr, verdicts[0] / (size_t)rounds, verdicts[1] / (size_t)rounds,
		       verdicts[2] / (size_t)rounds, median(rates, rounds), median(replayed, rounds));
	}
	return 0;
}
