/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PLACEMENT_NUMA_LIBRARY_H
#define MEMSEARCH_PLACEMENT_NUMA_LIBRARY_H

/*
 * libnuma, opened by dlopen (RTLD_LOCAL) when nodes are queried first, like libpfm4, and not
 * linked: on machines with one node it is never loaded. Its constructor reads /proc and /sys, calls
 * get_mempolicy and sched_getaffinity, and allocates some 100 bytes by malloc: never in callbacks.
 */

/* move_pages(2): with `nodes` NULL it returns the nodes of pages. 0, or -1 and errno. */
typedef long numa_move_pages(int pid, unsigned long nr, void **pages, const int *nodes, int *status,
			     int flags);

/*
 * NULL: libnuma cannot be used, and *why_out says why (static). Once; at phase boundaries, one
 * thread at a time.
 */
numa_move_pages *numa_library_move_pages(const char **why_out);

#endif
