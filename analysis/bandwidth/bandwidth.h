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
	const char *why;
};

/* Reads /proc and the environment (XDG_CACHE_HOME, HOME). Any one thread, not in callbacks. */
void bandwidth_find(struct arena *arena, struct bandwidth_place *place_out);

/* MS_ERR_NOT_FOUND: none is kept; MS_ERR_FORMAT: the file is damaged, or of another machine; MS_ERR_IO: see errno. Logs nothing. */
enum ms_status bandwidth_load(const struct bandwidth_place *place, struct bandwidth *out);

/* Replaces the file at once or not at all, making folders on the way. MS_ERR_IO: errno says why; nothing was changed. */
enum ms_status bandwidth_save(struct arena *arena, const struct bandwidth_place *place, const struct bandwidth *bandwidth);

/*
 * Measures for about `seconds`, at least three repetitions, on threads of its own. MS_ERR_MEMORY, MS_ERR_IO (errno: threads
 * cannot be started), MS_ERR_UNSUPPORTED: what the loops left in memory is not what they compute, or the clock stood still.
 */
enum ms_status bandwidth_measure(double seconds, struct bandwidth *out);

#endif
