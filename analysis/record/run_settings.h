/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_SETTINGS_H
#define MEMSEARCH_RECORD_RUN_SETTINGS_H

#include <stdint.h>

/* The place of a run (run.h) in a sweep. */
struct run;

/*
 * One value of the matrix of a sweep that the run is of: "threads" "16", "env:OMP_PROC_BIND"
 * "spread".
 */
struct run_setting {
	const char *name, *value;
};
/* Names of others, of the matrix (analysis/sweep/settings.h). */
#define SETTING_BINARY "binary"
#define SETTING_THREADS "threads"
#define SETTING_REPETITION "repetition"
#define SETTING_ARGUMENTS "arguments"
#define SETTING_OPTIONS "options"
#define SETTING_OVERSUBSCRIBED "oversubscribed"
#define SETTING_ENVIRONMENT "env:" /* before the variable's name */
/* the modelled one: a run has a row in the store for each (analysis/store/store.h) */
#define RUN_SETTING_MACHINE "machine"

/* A variable of the program's environment that OpenMP runtimes read. */
struct run_variable {
	const char *name, *value;
};

/* What `memsearch sweep` measured around the run; all 0: it is not of a sweep. */
struct run_sweep {
	/* wall time of the same configuration without memsearch; 0: not known */
	double unprofiled_ns;
	/* wall time of this run as `memsearch run` took it, from start to end */
	double profiled_ns;
	uint32_t position; /* of the run in its sweep, from 1; 0: none */
};

/* Value of a setting; NULL: it has none of that name. */
const char *run_setting(const struct run *run, const char *name);

#endif
