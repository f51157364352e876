/* SPDX-License-Identifier: Apache-2.0 */
/* SVG elements, their strings and their numbers. */
#include "analysis/report/svg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/plain.h"
#include "analysis/report/text.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define LEAST_NAME 2 /* characters of a name below which it says nothing */
/* of a cut name, the part that is its end, as that has file and line … */
#define TAIL 0.4
/* … where this number of characters has room; fewer are the begin alone */
#define TAIL_LEAST 24
/*
 * width of a character of fixed pitch, part of its size: 0.602 in DejaVu Sans Mono and Menlo, less
 * in Consolas
 */
#define PITCH 0.61
#define LARGE 12 /* px, as in the style sheet */
#define SMALL 11

/*
 * Orange and blue of C. Brewer's PuOr and RdBu scales (colorbrewer2.org); strong ones carry white
 * text on white pages, dark text on dark ones. Nodes: hues of Okabe and Ito (2008), darkened so that they
 * carry white text on both.
 */
static const char styles[] =
	".memsearch text{font:12px sans-serif;fill:#222}"
	".memsearch .name{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
	".memsearch .head{font-size:15px;font-weight:bold}"
	".memsearch .small{font-size:11px}"
	".memsearch .dim{fill:#5f6368}"
	".memsearch .page{fill:#fff}"
	".memsearch .axis{stroke:#80868b;fill:none}"
	".memsearch .grid{stroke:#e4e6e8;fill:none}"
	".memsearch .base{fill:#9aa0a6}"
	".memsearch .same{fill:#e4e6e8}"
	".memsearch .more1{fill:#fee0b6}.memsearch .more2{fill:#f1a340}.memsearch .more3{fill:#b35806}"
	".memsearch .less1{fill:#d1e5f0}.memsearch .less2{fill:#67a9cf}.memsearch .less3{fill:#2166ac}"
	".memsearch .on3{fill:#fff}"
	".memsearch .unknown{fill:#fff;stroke:#9aa0a6;stroke-dasharray:3 2}"
	".memsearch .error{stroke:#222;stroke-width:1.5;fill:none}"
	".memsearch .point{fill:#2166ac}"
	".memsearch .outside{fill:#fff;stroke:#2166ac}"
	".memsearch .fit{stroke:#b35806;stroke-width:1.5;fill:none}"
	".memsearch .projected{stroke:#b35806;stroke-width:1.5;stroke-dasharray:5 3;fill:none}"
	".memsearch .band{fill:#f1a340;fill-opacity:.3}"
	".memsearch .node0{fill:#0072b2}.memsearch .node1{fill:#d55e00}"
	".memsearch .node2{fill:#00785a}.memsearch .node3{fill:#a0517f}"
	".memsearch .node4{fill:#2f6f93}.memsearch .node5{fill:#8a6000}"
	".memsearch .node6{fill:#6a6a00}.memsearch .node7{fill:#5f6368}"
	".memsearch .series{stroke-width:1.5;fill:none}"
	".memsearch .series0{stroke:#0072b2}.memsearch .series1{stroke:#d55e00}"
	".memsearch .series2{stroke:#00785a}.memsearch .series3{stroke:#a0517f}"
	".memsearch .series4{stroke:#2f6f93;stroke-dasharray:5 3}"
	".memsearch .series5{stroke:#8a6000;stroke-dasharray:5 3}"
	".memsearch .series6{stroke:#6a6a00;stroke-dasharray:5 3}"
	".memsearch .on{fill:#fff}"
	".memsearch .link1{stroke:#9aa0a6;stroke-width:1.5}"
	".memsearch .link2{stroke:#9aa0a6;stroke-width:5}"
	".memsearch .link3{stroke:#9aa0a6;stroke-width:10}"
	"@media (prefers-color-scheme:dark){"
	".memsearch text{fill:#e8eaed}"
	".memsearch .dim{fill:#9aa0a6}"
	".memsearch .page{fill:#1b1c1e}"
	".memsearch .grid{stroke:#35373a}"
	".memsearch .base{fill:#70757a}"
	".memsearch .same{fill:#3c4043}"
	".memsearch .more1{fill:#5f421c}.memsearch .more2{fill:#b8741a}.memsearch .more3{fill:#ffb85c}"
	".memsearch .less1{fill:#203f57}.memsearch .less2{fill:#33749f}.memsearch .less3{fill:#8cc8f2}"
	".memsearch .on3{fill:#111}"
	".memsearch .unknown{fill:#1b1c1e}"
	".memsearch .error{stroke:#e8eaed}"
	".memsearch .point{fill:#8cc8f2}"
	".memsearch .outside{fill:#1b1c1e;stroke:#8cc8f2}"
	".memsearch .fit,.memsearch .projected{stroke:#ffb85c}"
	"}";

/* ------------------------------------------------------------------ strings and numbers */

/* Two decimals at most, without zeros at their end: a hundredth of a pixel is not seen. */
static void add_number(struct text *out, double value)
{
	double rounded = round(value * 100) / 100;

	text_printf(out, "%.*f",
		    rounded == round(rounded)             ? 0
		    : rounded * 10 == round(rounded * 10) ? 1
							  : 2,
		    rounded == 0 ? 0 : rounded);
}

static void add_attribute(struct text *out, const char *name, double value)
{
	text_printf(out, " %s=\"", name);
	add_number(out, value);
	text_add(out, "\"");
}

/* U+FFFE and U+FFFF are characters, but none of XML (XML 1.0, production 2). */
static bool is_of_xml(const char *at, size_t length)
{
	return length != 3 || memcmp(at, "\xef\xbf", 2) != 0 || (unsigned char)at[2] < 0xbe;
}

static void add_character(struct text *out, const char *at, size_t length)
{
	if (!length || !is_of_xml(at, length))
		text_add(out, "?");
	else if (*at == '&')
		text_add(out, "&amp;");
	else if (*at == '<')
		text_add(out, "&lt;");
	else if (*at == '>')
		text_add(out, "&gt;");
	else if (*at == '"')
		text_add(out, "&quot;");
	else
		text_add_bytes(out, at, length);
}

/* The first `most` characters. */
static void add_escaped(struct text *out, const char *string, size_t most)
{
	const char *end = string ? string + strlen(string) : NULL;

	out->cut |= !string;
	for (; string < end && most > 0; most--) {
		size_t length = plain_length(string, (size_t)(end - string));

		add_character(out, string, length);
		string += length ? length : 1;
	}
}

static const char *skip(const char *string, size_t characters)
{
	const char *end = string + strlen(string);

	while (characters-- > 0 && string < end) {
		size_t length = plain_length(string, (size_t)(end - string));

		string += length ? length : 1;
	}
	return string;
}

static size_t characters_of(const char *string)
{
	size_t count = 0;

	for (; *string; count++)
		string = skip(string, 1);
	return count;
}

/* ------------------------------------------------------------------ elements */

static void end_element(struct text *out, const char *element, const char *class, const char *tip)
{
	text_printf(out, " class=\"%s\"", class);
	if (tip) {
		text_add(out, "><title>");
		add_escaped(out, tip, SIZE_MAX);
		text_printf(out, "</title></%s>\n", element);
	} else {
		text_add(out, "/>\n");
	}
}

void svg_begin(struct text *out, double width, double height, const char *title)
{
	text_add(out, SVG_BEGIN " role=\"img\"");
	add_attribute(out, "width", width);
	add_attribute(out, "height", height);
	text_add(out, " viewBox=\"0 0 ");
	add_number(out, width);
	text_add(out, " ");
	add_number(out, height);
	text_add(out, "\">\n<title>");
	add_escaped(out, title, SIZE_MAX);
	text_add(out, "</title>\n<style>");
	text_add_bytes(out, styles, sizeof(styles) - 1);
	text_add(out, "</style>\n");
	svg_rect(out, 0, 0, width, height, "page", NULL);
}

void svg_end(struct text *out)
{
	text_add(out, "</svg>\n");
}

void svg_open(struct text *out, double x, double y)
{
	text_add(out, "<g transform=\"translate(");
	add_number(out, x);
	text_add(out, " ");
	add_number(out, y);
	text_add(out, ")\">\n");
}

void svg_close(struct text *out)
{
	text_add(out, "</g>\n");
}

void svg_rect(struct text *out, double x, double y, double width, double height, const char *class,
	      const char *tip)
{
	if (!isfinite(x + y + width + height))
		return;
	text_add(out, "<rect");
	add_attribute(out, "x", x);
	add_attribute(out, "y", y);
	add_attribute(out, "width", fmax(width, 0));
	add_attribute(out, "height", fmax(height, 0));
	end_element(out, "rect", class, tip);
}

void svg_line(struct text *out, double x1, double y1, double x2, double y2, const char *class)
{
	if (!isfinite(x1 + y1 + x2 + y2))
		return;
	text_add(out, "<line");
	add_attribute(out, "x1", x1);
	add_attribute(out, "y1", y1);
	add_attribute(out, "x2", x2);
	add_attribute(out, "y2", y2);
	end_element(out, "line", class, NULL);
}

void svg_circle(struct text *out, double x, double y, double radius, const char *class,
		const char *tip)
{
	if (!isfinite(x + y + radius))
		return;
	text_add(out, "<circle");
	add_attribute(out, "cx", x);
	add_attribute(out, "cy", y);
	add_attribute(out, "r", radius);
	end_element(out, "circle", class, tip);
}

static void add_points(struct text *out, const char *element, const struct svg_point *points,
		       size_t nr, const char *class)
{
	const char *blank = "";

	text_printf(out, "<%s points=\"", element);
	for (size_t i = 0; i < nr; i++) {
		if (!isfinite(points[i].x + points[i].y))
			continue;
		text_add_plain(out, blank);
		add_number(out, points[i].x);
		text_add(out, ",");
		add_number(out, points[i].y);
		blank = " ";
	}
	text_add(out, "\"");
	end_element(out, element, class, NULL);
}

void svg_curve(struct text *out, const struct svg_point *points, size_t nr, const char *class)
{
	add_points(out, "polyline", points, nr, class);
}

void svg_area(struct text *out, const struct svg_point *points, size_t nr, const char *class)
{
	add_points(out, "polygon", points, nr, class);
}

static void begin_text(struct text *out, double x, double y, enum svg_anchor anchor,
		       const char *class)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
					       " text-anchor=\"end\"" };

	text_add(out, "<text");
	add_attribute(out, "x", x);
	add_attribute(out, "y", y);
	text_add_plain(out, anchors[anchor]);
	if (*class)
		text_printf(out, " class=\"%s\"", class);
	text_add(out, ">");
}

void svg_text(struct text *out, double x, double y, enum svg_anchor anchor, const char *class,
	      const char *string)
{
	if (!isfinite(x + y))
		return;
	begin_text(out, x, y, anchor, class);
	add_escaped(out, string, SIZE_MAX);
	text_add(out, "</text>\n");
}

static double pitch_of(const char *class)
{
	return PITCH * (strstr(class, "small") ? SMALL : LARGE);
}

double svg_name_width(const char *class, const char *string)
{
	return string ? pitch_of(class) * (double)characters_of(string) : 0;
}

void svg_name(struct text *out, double x, double y, double width, const char *class,
	      const char *string)
{
	size_t nr = string ? characters_of(string) : 0,
	       room = width > 0 ? (size_t)(width / pitch_of(class)) : 0, tail;

	out->cut |= !string;
	if (!isfinite(x + y) || !string || (room < nr && room < LEAST_NAME + 1))
		return;
	begin_text(out, x, y, SVG_START, class);
	tail = room < nr && room >= TAIL_LEAST ? (size_t)(TAIL * (double)room) : 0;
	add_escaped(out, string, room < nr ? room - 1 - tail : nr);
	if (room < nr)
		text_add(out, ELLIPSIS);
	if (room < nr)
		add_escaped(out, skip(string, nr - tail), tail);
	text_add(out, "</text>\n");
}
