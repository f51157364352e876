/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_SVG_H
#define MEMSEARCH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes SVG 1.1 (W3C Recommendation, 2011): well-formed XML whatever names hold, as a document of
 * its own or as an element of an HTML page. No scripts, no links, no fonts. Lengths are px, y grows
 * downwards. Colours are classes of one style sheet with a light and a dark variant; more and less
 * are orange and blue, which people with any common colour blindness tell apart.
 *
 * `class` is text of our source: one or more classes of `styles` in svg.c, separated by blanks. An
 * element with a coordinate that is not finite is left out.
 */
struct text;

struct svg_point {
	double x, y;
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END }; /* which part of a text is at its x */

/* what every picture begins with */
#define SVG_BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"memsearch\""

/* The root element with the style sheet. `title` is what screen readers say. Ends with svg_end. */
void svg_begin(struct text *out, double width, double height, const char *title);
void svg_end(struct text *out);

/* Elements up to svg_close are moved by x, y. */
void svg_open(struct text *out, double x, double y);
void svg_close(struct text *out);

/* `tip` appears beside the pointer; NULL: nothing does. Negative widths and heights are 0. */
void svg_rect(struct text *out, double x, double y, double width, double height, const char *class,
	      const char *tip);
void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *class);
void svg_circle(struct text *out, double x, double y, double radius, const char *class,
		const char *tip);
/* Points that are not finite are left out. */
void svg_curve(struct text *out, const struct svg_point *points, size_t nr, const char *class);
void svg_area(struct text *out, const struct svg_point *points, size_t nr, const char *class);
/* On the base line y. Characters that XML does not allow become "?". */
void svg_text(struct text *out, double x, double y, enum svg_anchor anchor, const char *class,
	      const char *string);
/*
 * The same, cut to `width` where that is too narrow: an ellipsis in it, or at its end where there
 * is little room; nothing where two characters have none. `class` has "name" in it.
 */
void svg_name(struct text *out, double x, double y, double width, const char *class,
	      const char *string);
/* Its width in px without a cut. */
double svg_name_width(const char *class, const char *string);

#endif
