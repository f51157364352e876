/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_NUMA_PICTURE_H
#define MEMSEARCH_NUMA_PICTURE_H

/*
 * The ranking as a picture (report/svg.h): lines between nodes as links and as a matrix, and for each
 * array the nodes of its pages and the nodes that use them. Where there is no ranking: why. Below, the
 * pages that the phase wrote (picture_writes.h).
 */
struct numa_options;
struct numa_ranking;
struct text;

void numa_svg(struct text *out, const struct numa_ranking *ranking,
	      const struct numa_options *options);
/* The links, or the matrix, alone: two narrow pictures for an HTML page. There is a ranking. */
void numa_svg_links(struct text *out, const struct numa_ranking *ranking,
		    const struct numa_options *options);
void numa_svg_matrix(struct text *out, const struct numa_ranking *ranking,
		     const struct numa_options *options);

#endif
