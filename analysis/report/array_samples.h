/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_ARRAY_SAMPLES_H
#define MEMSEARCH_REPORT_ARRAY_SAMPLES_H

#include "analysis/record/run.h"

/*
 * What samples of data addresses say of each data structure, all regions, threads and executions
 * together, with the sampling error.
 */
struct arena;
struct json;
struct text;

struct array_samples {
	double samples; /* taken; 0: none */
	/* Estimates over the executions that were sampled. */
	double loads, stores;
	double missed[3]; /* by level */
	double local, remote, modified, walks;
	double cycles;
};

struct array_sampling {
	const char *source; /* as the sensor says it; NULL: not known */
	double samples;     /* of the whole program; 0: none was taken */
	double lost;
	/* the PMU reports lines that another cache had modified */
	bool tells_transfers;
	/*
	 * samples have loads, stores and misses; else they are page faults, each of which is
	 * counted
	 */
	bool by_pmu;
	const struct array_samples *arrays; /* [run->nr_arrays] */
};

/* The bounds of a share by Wilson's score (95 %), `part` of `whole` samples. */
struct sampled_share {
	double share, low, high;
};
struct sampled_share array_samples_share(double part, double whole);

/* In the arena; `arrays` NULL: no memory. */
struct array_sampling array_samples(struct arena *arena, const struct run *run);
/*
 * "12 % (11 to 13 %) of the samples; 30 % (…) of its accesses beyond L1 …"; NULL: there are none.
 */
const char *array_samples_words(struct arena *arena, const struct array_sampling *sampling,
				uint32_t array);
/* How the samples were taken; NULL: nothing was sampled. */
const char *array_samples_basis(struct arena *arena, const struct array_sampling *sampling);
void array_samples_json(struct json *json, const struct array_sampling *sampling, uint32_t array);

#endif
