/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PICTURE_WRITES_H
#define MEMSEARCH_NUMA_PICTURE_WRITES_H

/*
 * Pages that the phase wrote as a picture (report/svg.h): for each array the threads of the first
 * writes, from the first watched page to the last, and, with several nodes, their nodes. `writes`
 * NULL: they were not requested; nothing is drawn.
 */
struct numa_options;
struct numa_writes;
struct text;

/* As a part of a picture of NUMA_WIDTH (strip.h), from `y` on. */
double numa_writes_height(const struct numa_writes *writes, const struct numa_options *options);
void numa_writes_put(struct text *out, const struct numa_writes *writes,
		     const struct numa_options *options, double y);
/* As a picture of its own, for an HTML page. */
void numa_svg_writes(struct text *out, const struct numa_writes *writes,
		     const struct numa_options *options);

#endif
