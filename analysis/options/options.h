/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_OPTIONS_H
#define MEMSEARCH_OPTIONS_H

#include <stdbool.h>

/*
 * The options of a measured run. Each is one row: `memsearch run --x-y V` and
 * the environment's MEMSEARCH_X_Y=V are the same option, in the same table.
 * Used inside the program (environment) and by `memsearch run` (command line, help,
 * man page check, completion).
 *
 * To add an option: a row here.
 */
/*  X(field, C type, parser, "command-line-name", "metavariable", "default", "help") */
/* clang-format off */
#define OPTION_LIST(X) \
	X(output, const char *, string, "output", "FILE", "", \
	  "write the record to FILE (default: memsearch-PROGRAM-YYYYMMDD-HHMMSS.ms, in UTC)") \
	X(overhead, double, fraction, "overhead", "LIMIT", "5%", \
	  "let measuring cost at most this share of the program's time") \
	X(strategy, const char *, string, "strategy", "NAME|FILE", "property_refine", \
	  "search strategy, see `memsearch list strategies`, or a shared object with one, FILE.so") \
	X(deep_threshold, double, fraction, "deep-threshold", "PART", "20%", \
	  "with deep_start: test first the deepest regions with this part of the CPU-clock samples or more") \
	X(properties, const char *, string, "properties", "FILES", "", \
	  "more property files or folders, separated by colons") \
	X(quiet, bool, boolean, "quiet", "", "0", \
	  "print neither the findings nor the progress line") \
	X(brief, bool, boolean, "brief", "", "0", \
	  "leave times, ids, paths and host names out of what is printed") \
	X(measure, const char *, string, "measure", "WHAT", "search", \
	  "search: what the search requests; time: times of all regions; all: all metrics of all regions; none: nothing") \
	X(sampling_rate, double, number, "sampling-rate", "HZ", "1000", \
	  "CPU-clock samples per second and thread, at most 4000") \
	X(counters, const char *, string, "counters", "HOW", "auto", \
	  "hardware counters: perf: by the kernel's perf events; papi: by PAPI; auto: by the one that works; none") \
	X(counters_at_once, double, number, "counters-at-once", "N", "0", \
	  "schedule at most N counter metrics together, and multiplex the rest over repetitions of the phase; 0: as many as fit") \
	X(addresses, const char *, string, "addresses", "HOW", "auto", \
	  "sample data addresses: auto: where the CPU can; pebs, ibs, spe and power (experimental); faults: page faults instead of accesses; none") \
	X(event, const char *, list, "event", "NAME", "", \
	  "also count this event in every region; up to 8, separated by commas or by further options") \
	X(interval, const char *, list, "interval", "TRIGGER", "", \
	  "also search in this part of the run: from:FUNCTION, from its first execution on; METRIC>NUMBER, the executions of the phase in which it is above; up to 8, separated by commas or by further options") \
	X(follow, const char *, list, "follow", "LIBRARY", "", \
	  "also record accesses of code in this library, which is not one of the program's own; up to 8, separated by commas or by further options") \
	X(machine, const char *, string, "machine", "NAME", "", \
	  "simulate what was recorded on this machine when the program has ended: host, a name of `memsearch machine --list`, or a file") \
	X(same_addresses, bool, boolean, "same-addresses", "", "0", \
	  "start the program without address randomisation, and its stack at the same offset in a page, so that every run simulates the same addresses") \
	X(trace_limit, double, number, "trace-limit", "MIB", "256", \
	  "keep at most MIB MiB of recorded accesses in the record, to simulate them later; beyond that only accesses to a sample of the cache lines; 0: none") \
	X(no_bursts, bool, boolean, "no-bursts", "", "0", \
	  "record accesses only after a repeating phase is found") \
	X(quick, bool, boolean, "quick", "", "0", \
	  "do not simulate what was recorded") \
	X(jobs, double, number, "jobs", "N", "0", \
	  "simulate with N threads; 0: one for each CPU") \
	X(try_here, bool, boolean, "try", "", "0", \
	  "on a machine with several NUMA nodes: move pages of arrays between steps of the program, measure what that gains, and move them back") \
	X(page_writes, bool, boolean, "page-writes", "", "0", \
	  "watch pages of arrays in one step of the program: which are written, and by which thread first") \
	X(agent, const char *, string, "agent", "WHEN", "no", \
	  "let `memsearch agent --attach` search from another process: allow: whenever one attaches; wait: the program waits for it at its start; no") \
	X(agent_wait, double, number, "agent-wait", "S", "60", \
	  "with --agent wait: wait S seconds at most, then search without an agent") \
	X(runtime, const char *, string, "runtime", "WHICH", "own", \
	  "OpenMP runtime of gcc and gfortran programs: own: their own, libgomp; libomp: LLVM's in its place") \
	X(restarts, double, number, "restarts", "N", "0", \
	  "run a program without a repeating phase up to N more times for further experiments") \
	X(no_calibrate, bool, boolean, "no-calibrate", "", "0", \
	  "do not measure bandwidth and latency of memory before the program is run (2 seconds, if counters need them and none are stored)") \
	X(debug, bool, boolean, "debug", "", "0", \
	  "print on stderr what memsearch does")
/* clang-format on */

/* What `memsearch run` tells the tool beside the options (and channel.h); not warned about. */
#define OPTIONS_RUNTIME_SWAPPED "MEMSEARCH_RUNTIME_SWAPPED"
#define OPTIONS_FILLING "MEMSEARCH_FILLING"
/* `memsearch sweep --online`: "4,2,1", numbers of threads of executions of the phase */
#define OPTIONS_VARIED_THREADS "MEMSEARCH_VARIED_THREADS"

struct options {
#define X(field, type, parser, name, metavariable, value, help) type field;
	OPTION_LIST(X)
#undef X
};

/*
 * Defaults, then MEMSEARCH_*. An unknown MEMSEARCH_ variable or a bad value is one warning, with
 * the nearest name.
 */
void options_from_environment(struct options *options, char *const *environment);
/* Parses one value; false: `error` (160 bytes) says why. `name` without dashes. */
bool options_set(struct options *options, const char *name, const char *value, char *error);

/* As in the table; "" where there is no such option. */
const char *options_default(const char *name);

struct option_row {
	const char *name, *metavariable, *value, *help;
	bool flag;
};
extern const struct option_row option_rows[];
extern const unsigned int nr_option_rows;

#endif
