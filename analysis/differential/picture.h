/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PICTURE_H
#define MEMSEARCH_DIFFERENTIAL_PICTURE_H

#include "analysis/differential/print.h"

/*
 * Pictures of a comparison, of the metric that its buckets are ranked by.
 *
 * To add one: picture_NAME.c with a picture_writer, its name in enum picture, its row in `pictures`
 * (picture.c).
 */
struct text;

enum picture { PICTURE_BARS, PICTURE_LOADS, PICTURE_TREE, PICTURES };

#define PICTURE_WIDTH 920.0 /* px */

/*
 * Draws at 0, 0. Returns the height in px, 0 where there is nothing to show and nothing was drawn.
 */
typedef double picture_writer(struct text *out, const struct diff_page *page);
picture_writer picture_bars, picture_loads, picture_tree;

/*
 * An entry of a legend on the base line y: a square of `class` and its meaning. Returns where the
 * next one begins.
 */
double picture_key(struct text *out, double x, double y, const char *class, const char *words);

/*
 * One SVG element with all `chosen` pictures (1 << PICTURE_BARS | …) one below the other: a
 * document, or part of an HTML page. It says so where there is nothing to show.
 */
void diff_svg(struct text *out, const struct diff_page *page, unsigned int chosen);

#endif
