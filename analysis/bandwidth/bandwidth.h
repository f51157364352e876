/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BANDWIDTH_H
#define MEMSEARCH_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * Attainable memory bandwidth of this machine, measured once and kept, for BandwidthBound, and the
 * latency of its memory, for its model. measure.c and latency.c (in the `memsearch` program only)
 * measure them with loops like STREAM's (McCalpin 1995) and a pointer chase like lmbench's (McVoy and
 * Staelin 1996); kept.c keeps them under $XDG_CACHE_HOME/memsearch, one file for each host, CPU
 * model, set of CPUs and of nodes. Not here: the bandwidth of programs, from counters.
 *
 * Bytes are those read from memory: 24 per step of a[i] = b[i] + s * c[i], for b, c and the line of
 * a that is read before it is written. STREAM has the same number, for it counts the write instead.
 */
struct arena;

struct bandwidth {
	/* bytes/s by one thread, and by one on each CPU; the best of the repetitions */
	double single, all;
	double single_spread, all_spread; /* (best - median) / best of the repetitions */
	uint32_t threads;                 /* those of `all` */
	uint64_t array_bytes;             /* of one of the three arrays, when all threads ran */
	/* bytes of all data caches of these CPUs, of all levels; 0: unknown */
	uint64_t caches;
	bool small; /* less than 4 times the caches, as memory was short */
	/*
	 * seconds of a load that misses all caches, without page table walks; 0: not measured, as
	 * memory was short or the kernel has no huge pages
	 */
	double latency;
	uint64_t measured; /* seconds since 1970 */
};

/* The machine, and the path of the file. Strings in the arena. */
struct bandwidth_place {
	/* CPUs and nodes this process may use, as in "0-3,8" */
	const char *host, *cpu, *cpus, *nodes;
	const char *path;           /* NULL: no folder for it, `why` says why */
	const char *uncertain_path; /* of one that is uncertain */
	const char *why;
};

/*
 * Reads /proc and the environment (XDG_CACHE_HOME, HOME). `cpus`: as in the place; NULL: those the
 * calling thread may use. Any one thread, not in callbacks.
 */
void bandwidth_find(struct arena *arena, const char *cpus, struct bandwidth_place *place_out);

/*
 * Above this spread a measurement is uncertain: what memory delivers lies somewhere between best *
 * (1 - spread) and best. It is twice the largest difference of STREAM's repetitions on an idle
 * machine.
 */
#define BANDWIDTH_SPREAD_MOST 0.15

bool bandwidth_is_uncertain(const struct bandwidth *bandwidth);

/*
 * An uncertain one is read if there is no other. MS_ERR_NOT_FOUND: none is kept; MS_ERR_FORMAT: the
 * file is damaged, or of another machine; MS_ERR_IO: see errno. Logs nothing.
 */
enum ms_status bandwidth_load(const struct bandwidth_place *place, struct bandwidth *out);

/*
 * An uncertain one gets a file of its own, and only if there is no other. Replaces the file
 * atomically; makes missing folders. MS_ERR_IO: errno says why; nothing was changed.
 */
enum ms_status bandwidth_save(struct arena *arena, const struct bandwidth_place *place,
			      const struct bandwidth *bandwidth);

/*
 * Measures for about `seconds`, at least three repetitions, on threads of its own. MS_ERR_MEMORY,
 * MS_ERR_IO (errno: threads cannot be started), MS_ERR_UNSUPPORTED: the loops computed wrong
 * values, or the clock did not advance.
 */
enum ms_status bandwidth_measure(double seconds, struct bandwidth *out);

/*
 * One try of about `seconds`: what it measured, the share of the CPUs that other programs (or the
 * host) had meanwhile, and the seconds it took. bandwidth_try_here measures; tests have functions
 * of their own.
 */
typedef enum ms_status bandwidth_try(void *ctx, double seconds, struct bandwidth *out,
				     double *others_out, double *took_out);
bandwidth_try bandwidth_try_here;

/*
 * Tries until one is certain: its repetitions differ by BANDWIDTH_SPREAD_MOST at most, and other
 * programs have no larger share of the CPUs. After four tries, or five times the seconds: combines
 * all of them into an uncertain one, whose spread is from the lowest to the highest. The status is
 * that of the last try.
 */
enum ms_status bandwidth_settle(bandwidth_try *try, void *ctx, double seconds,
				struct bandwidth *out);

/*
 * A lock: two measurements at once would get half of the bandwidth each. A descriptor, held by one
 * process of the machine (of its network namespace) until it is closed; -1: another process still
 * calibrates when the time is over (EADDRINUSE), or errno.
 */
int bandwidth_lock(double patience);

#endif
