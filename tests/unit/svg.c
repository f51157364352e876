/* SPDX-License-Identifier: Apache-2.0 */
/* The SVG writer: well-formed with any string, numbers, names cut to a width. */
#include "analysis/report/svg.h"

#include "analysis/base/arena.h"
#include "analysis/report/text.h"
#include "tests/unit/xml_text.h"

static struct text new_text(void)
{
	struct text text;

	text_init(&text, arena_new());
	return text;
}

TEST(svg__elements)
{
	static const struct svg_point points[] = { { 0, 1.5 }, { NAN, 2 }, { 2, -0.126 } };
	struct text out = new_text();

	svg_rect(&out, 1, 2.5, -3, 4.004, "base", NULL);
	svg_line(&out, 0, -0.001, 10, 1e6, "axis");
	svg_circle(&out, 1, 2, 3, "point", "here");
	svg_curve(&out, points, 3, "fit");
	svg_open(&out, 7, 8);
	svg_text(&out, 1, 2, SVG_END, "small dim", "x");
	svg_close(&out);
	CHECK_STR(
		out.bytes,
		"<rect x=\"1\" y=\"2.5\" width=\"0\" height=\"4\" class=\"base\"/>\n"
		"<line x1=\"0\" y1=\"0\" x2=\"10\" y2=\"1000000\" class=\"axis\"/>\n"
		"<circle cx=\"1\" cy=\"2\" r=\"3\" class=\"point\"><title>here</title></circle>\n"
		"<polyline points=\"0,1.5 2,-0.13\" class=\"fit\"/>\n"
		"<g transform=\"translate(7 8)\">\n<text x=\"1\" y=\"2\" text-anchor=\"end\" class=\"small dim\">x</text>\n</g>\n");
}

TEST(svg__coordinates_that_are_not_finite_draw_nothing)
{
	struct text out = new_text();

	svg_rect(&out, NAN, 0, 1, 1, "base", NULL);
	svg_line(&out, 0, 0, INFINITY, 0, "axis");
	svg_circle(&out, 0, -INFINITY, 1, "point", NULL);
	svg_text(&out, 0, NAN, SVG_START, "", "x");
	svg_name(&out, NAN, 0, 100, "name", "x");
	CHECK_STR(out.bytes, "");
}

TEST(svg__any_string_is_well_formed)
{
	static const char *const strings[] = {
		"a<b && c>\"d\"",
		"]]>",
		"\x1b[31mred",
		"a\nb\tc",
		"\xff\xc3",
		"\xef\xbf\xbe and \xef\xbf\xbf",
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"operator<< <std::string>(T&&)",
		"",
	};
	struct text out = new_text();

	svg_begin(&out, 100, 50, strings[0]);
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		svg_text(&out, 0, 0, SVG_START, "", strings[i]);
		svg_name(&out, 0, 0, 50, "name small", strings[i]);
		svg_rect(&out, 0, 0, 1, 1, "base", strings[i]);
	}
	svg_end(&out);
	xml_check(out.bytes);
	CHECK(!strncmp(out.bytes, SVG_BEGIN, strlen(SVG_BEGIN)));
	CHECK_HAS(out.bytes, "<title>a&lt;b &amp;&amp; c&gt;&quot;d&quot;</title>");
	CHECK_HAS(out.bytes, ">?[31mred<");
	CHECK_HAS(out.bytes, ">a?b?c<");
	CHECK_HAS(out.bytes, ">? and ?<");
	CHECK_HAS(out.bytes, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80<");
	CHECK_HAS_NOT(out.bytes, "<script");
	CHECK_HAS_NOT(out.bytes, "href");
	CHECK_HAS_NOT(out.bytes, "url(");
}

/* Characters, not bytes; never part of an entity. */
TEST(svg__names_are_cut)
{
	static const struct {
		int line;
		double width;
		const char *name, *shown;
	} rows[] = {
		{ __LINE__, 100, "short", "short" },
		{ __LINE__, 37, "short", "short" },
		{ __LINE__, 36, "short", "sho\xe2\x80\xa6" },
		{ __LINE__, 36, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xe2\x82\xac",
		  "\xc3\xa4\xc3\xb6\xc3\xbc\xe2\x80\xa6" },
		{ __LINE__, 36, "<&<&<", "&lt;&amp;&lt;\xe2\x80\xa6" },
		{ __LINE__, 22, "name", "na\xe2\x80\xa6" },
		{ __LINE__, 21, "name", NULL },
		{ __LINE__, -4, "name", NULL },
		{ __LINE__, 15, "u", "u" },
		{ __LINE__, 24 * 7.32, "abcdefghijklmnopqrstuvwxyz",
		  "abcdefghijklmn\xe2\x80\xa6rstuvwxyz" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text out = new_text(), want = new_text();

		svg_name(&out, 0, 0, rows[i].width, "name", rows[i].name);
		if (rows[i].shown) {
			text_add(&want, "<text x=\"0\" y=\"0\" class=\"name\">");
			text_add_bytes(&want, rows[i].shown, strlen(rows[i].shown));
			text_add(&want, "</text>\n");
		}
		if (strcmp(out.bytes, want.bytes) != 0)
			test_fail(__FILE__, rows[i].line, "%s, not %s", out.bytes, want.bytes);
	}
	CHECK_NEAR(svg_name_width("name", "\xc3\xa4"
					  "b"),
		   14.64, 1e-9);
	CHECK_NEAR(svg_name_width("name small", "ab"), 13.42, 1e-9);
}
