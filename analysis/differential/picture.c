/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a comparison in one SVG element. */
#include "analysis/differential/picture.h"

#include "analysis/differential/metrics.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"

#define MARGIN 20.0
#define GAP 36.0  /* between pictures */
#define HEAD 30.0 /* of the title */
#define KEY 12.0  /* square of a legend */

static picture_writer *const pictures[PICTURES] = { [PICTURE_BARS] = picture_bars,
						    [PICTURE_LOADS] = picture_loads,
						    [PICTURE_TREE] = picture_tree };

double picture_key(struct text *out, double x, double y, const char *class, const char *words)
{
	svg_rect(out, x, y - KEY + 2, KEY, KEY, class, NULL);
	svg_name(out, x + KEY + 5, y, PICTURE_WIDTH, "name small", words);
	return x + KEY + 5 + svg_name_width("name small", words) + KEY;
}

void diff_svg(struct text *out, const struct diff_page *page, unsigned int chosen)
{
	double y = MARGIN + HEAD;
	struct text body;

	text_init(&body, out->arena);
	for (int i = 0; i < PICTURES; i++) {
		struct text one;
		double height;

		text_init(&one, out->arena);
		height = (chosen & 1u << i) && page->metric != COMPARED_NONE
				 ? pictures[i](&one, page)
				 : 0;
		out->cut |= one.cut;
		if (!(height > 0))
			continue;
		svg_open(&body, MARGIN, y);
		text_add_bytes(&body, one.bytes, one.length);
		svg_close(&body);
		y += height + GAP;
	}
	if (!body.length) {
		svg_text(
			&body, MARGIN, y, SVG_START, "dim",
			"There is nothing to draw: no metric by which buckets are ranked was measured on both sides.");
		y += GAP;
	}
	svg_begin(out, PICTURE_WIDTH + 2 * MARGIN, y, page->title);
	svg_name(out, MARGIN, MARGIN + 6, PICTURE_WIDTH, "name dim", page->title);
	text_add_bytes(out, body.bytes, body.length);
	svg_end(out);
	out->cut |= body.cut;
}
