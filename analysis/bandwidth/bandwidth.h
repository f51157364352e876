/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BANDWIDTH_BANDWIDTH_H
#define MEMSEARCH_BANDWIDTH_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * What this machine's memory can deliver, measured once and kept: the other side of BandwidthBound.
 * measure.c (in the `memsearch` program only) makes it with loops like STREAM's (McCalpin 1995), kept.c keeps
 * it under $XDG_CACHE_HOME/memsearch, one file for each host, CPU model, set of CPUs and of nodes. Not here: what programs
 * achieve, which counters tell.
 *
 * Bytes are those that are read from memory: of a[i] = b[i] + s * c[i] 24 a step, b, c and the line of a that is
 * read to be written. That is STREAM's number, too, though it counts the writing instead.
 */
struct arena;

struct bandwidth {
	double single, all;                  /* bytes/s by one thread, and by one on each CPU; the best of the repetitions */
	double single_spread, all_spread;    /* (best - median) / best of the repetitions */
	uint32_t threads;                    /* those of `all` */
	uint64_t array_bytes;                /* of one of the three arrays, when all threads ran */
	uint64_t caches;                     /* bytes of all data caches of these CPUs, of all levels; 0: the kernel does not tell */
	bool small;                          /* less than 4 times the caches, for want of memory */
	uint64_t measured;                   /* seconds since 1970 */
};

/* For which machine, and where the file is. Strings in the arena. */
struct bandwidth_place {
	const char *host, *cpu, *cpus, *nodes;       /* CPUs and nodes this process may use, as in "0-3,8" */
	const char *path;                    /* NULL: there is no place for it, `why` says why */
	const char *uncertain_path;          /* of one that is uncertain */
	const char *why;
};

/* Reads /proc and the environment (XDG_CACHE_HOME, HOME). `cpus`: as in the place; NULL: those the calling thread may use. Any one thread, not in callbacks. */
void bandwidth_find(struct arena *arena, const char *cpus, struct bandwidth_place *place_out);

/*
 * Above this spread a measurement is uncertain: what memory delivers lies somewhere between best * (1 - spread) and best. It is the
 * most that STREAM's repetitions differ by on an idle machine, twice over.
 */
#define BANDWIDTH_SPREAD_MOST 0.15

bool bandwidth_is_uncertain(const struct bandwidth *bandwidth);

/* One that is uncertain is read where there is no other. MS_ERR_NOT_FOUND: none is kept; MS_ERR_FORMAT: the file is damaged, or of another machine; MS_ERR_IO: see errno. Logs nothing. */
enum ms_status bandwidth_load(const struct bandwidth_place *place, struct bandwidth *out);

/* What is uncertain gets a file of its own, and only where there is no other one. Replaces the file at once or not at all, making folders on the way. MS_ERR_IO: errno says why; nothing was changed. */
enum ms_status bandwidth_save(struct arena *arena, const struct bandwidth_place *place, const struct bandwidth *bandwidth);

/*
 * Measures for about `seconds`, at least three repetitions, on threads of its own. MS_ERR_MEMORY, MS_ERR_IO (errno: threads
 * cannot be started), MS_ERR_UNSUPPORTED: what the loops left in memory is not what they compute, or the clock stood still.
 */
enum ms_status bandwidth_measure(double seconds, struct bandwidth *out);

/*
 * One try of about `seconds`: what it measured, the share of the CPUs that other programs (or the host) had meanwhile, and the seconds it took.
 * bandwidth_try_here measures; tests give what they like.
 */
typedef enum ms_status bandwidth_try(void *ctx, double seconds, struct bandwidth *out, double *others_out, double *took_out);
bandwidth_try bandwidth_try_here;

/*
 * Tries until one is certain: its repetitions differ by BANDWIDTH_SPREAD_MOST at most, and others have no more of the CPUs than that.
 * After four tries, or five times the seconds: all of them in one, which is uncertain, its spread from the lowest to the highest of them.
 * The status is that of the last try.
 */
enum ms_status bandwidth_settle(bandwidth_try *try, void *ctx, double seconds, struct bandwidth *out);

/*
 * Two that measure at once get half each. A descriptor, held by one process of the machine (of its network namespace) until it is closed;
 * -1: another process still calibrates when the time is over (EADDRINUSE), or errno.
 */
int bandwidth_lock(double patience);

#endif
