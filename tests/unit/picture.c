/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of invented comparisons: well-formed, and lengths as the values are. */
#define diff_place add_place /* print.h has functions of these names */
#define diff_array add_array
#include "tests/unit/diff_profiles.h"
#undef diff_place
#undef diff_array

#include "analysis/differential/picture.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "tests/unit/xml_text.h"

#define RUNS_MOST 16
#define PICTURES_ALL ((1u << PICTURES) - 1)

struct drawing {
	struct arena *arena;
	uint32_t metric;
	const struct profile *profiles[RUNS_MOST];
	enum match_side sides[RUNS_MOST];
	size_t nr;
	double loads[RUNS_MOST]; /* of a sweep */
	size_t nr_columns;       /* 0: there is none */
	struct diff_page page;
};

static struct drawing new_drawing(const char *metric, enum ms_rung rung)
{
	return (struct drawing){ .arena = arena_new(), .metric = diff_metric(metric, rung) };
}

static struct profile *add_run(struct drawing *drawing, enum match_side side, uint32_t threads)
{
	struct profile *profile = diff_profile(drawing->arena, "a", threads);

	drawing->profiles[drawing->nr] = profile;
	drawing->sides[drawing->nr++] = side;
	return profile;
}

/* The value of a region, and so of the phase. */
static void set(const struct drawing *drawing, struct profile *profile, uint32_t place,
		double value)
{
	diff_value(drawing->arena, profile, place, PROFILE_NONE, drawing->metric, value, 0);
	diff_value(drawing->arena, profile, 0, PROFILE_NONE, drawing->metric, value, 0);
}

static const char *draw(struct drawing *drawing, unsigned int chosen)
{
	static const struct compare_options options = { .work = { 1, 1 },
							.function = COMBINE_WEIGHTED,
							.bound = NAN,
							.level = 0.05,
							.cut_off = 0.001 };
	struct match *match = arena_alloc(drawing->arena, sizeof(*match)),
		     *loads = arena_alloc(drawing->arena, sizeof(*loads));
	struct comparison *comparison = arena_alloc(drawing->arena, sizeof(*comparison));
	struct growths *growths = arena_alloc(drawing->arena, sizeof(*growths));
	size_t *columns = arena_alloc(drawing->arena, drawing->nr * sizeof(*columns));
	struct text out;
	size_t compared = 0;

	while (compared < drawing->nr && drawing->sides[compared] != MATCH_SIDES)
		compared++;
	CHECK(match_profiles(drawing->arena, drawing->profiles, drawing->sides, compared, match));
	for (size_t i = compared; i < drawing->nr; i++)
		drawing->sides[i] = MATCH_BASE;
	CHECK(match_profiles(drawing->arena, drawing->profiles, drawing->sides, drawing->nr,
			     loads));
	CHECK(compare(drawing->arena, match, &options, comparison));
	comparison_rank(drawing->arena, comparison, drawing->metric);
	for (size_t i = 0; i < drawing->nr; i++)
		for (size_t k = 0; k < drawing->nr_columns; k++)
			if (drawing->loads[k] == drawing->profiles[i]->threads)
				columns[i] = k;
	*growths = (struct growths){ .nr_columns = drawing->nr_columns, .works = drawing->loads };
	drawing->page.comparison = comparison;
	drawing->page.growths = growths;
	drawing->page.growth_match = loads;
	drawing->page.growth_columns = columns;
	drawing->page.load = "threads";
	drawing->page.metric = drawing->metric;
	drawing->page.title = "a & b";
	drawing->page.names[MATCH_BASE] = "old <1>";
	drawing->page.names[MATCH_NEW] = "new";
	text_init(&out, drawing->arena);
	diff_svg(&out, &drawing->page, chosen);
	CHECK(!out.cut);
	xml_check(out.bytes);
	return out.bytes;
}

/* One region in each function; the base's value of each is 1000. */
static void add_sides(struct drawing *drawing, const char *const *functions, const double *values,
		      size_t nr)
{
	struct profile *base = add_run(drawing, MATCH_BASE, 2),
		       *new = add_run(drawing, MATCH_NEW, 2);

	for (size_t i = 0; i < nr; i++) {
		uint32_t place = add_place(drawing->arena, base, functions[i], 10 * (int)i + 10,
					   arena_printf(drawing->arena, "main -> %s", functions[i]),
					   0);

		set(drawing, base, place, 1000);
		add_place(drawing->arena, new, functions[i], 10 * (int)i + 10,
			  arena_printf(drawing->arena, "main -> %s", functions[i]), 0);
		set(drawing, new, place, values[i]);
	}
	drawing->page.by = DIFF_BY_REGION;
}

TEST(picture__bars_are_as_long_as_values)
{
	static const char *const functions[] = { "calc", "copy", "same" };
	static const double values[] = { 2000, 500, 1000 };
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);
	const char *svg;
	double most;

	add_sides(&drawing, functions, values, 3);
	svg = draw(&drawing, 1u << PICTURE_BARS);
	most = xml_number(svg, "more2", 1, "width"); /* the first is in the legend */
	CHECK_THAT(most, >, 100);
	CHECK_NEAR(xml_number(svg, "base", 1, "width"), most / 2, 0.01);
	CHECK_NEAR(xml_number(svg, "less2", 1, "width"), most / 4, 0.01);
	CHECK_INT(xml_count(svg, "class=\"base\""), 3);
	CHECK_HAS(svg, "ratio 0.5<");
	CHECK_HAS(svg, "old &lt;1&gt;");
	CHECK_HAS(svg, "<title>a &amp; b</title>");
	CHECK_HAS_NOT(svg, "loop in same");
	arena_free(drawing.arena);
}

/* Times of five runs on each side: the interval of the ratio is drawn on the bar. */
TEST(picture__bars_have_intervals)
{
	struct drawing drawing = new_drawing("time", MS_RUNG_TIMED);
	const char *svg;
	double scale;

	for (int i = 0; i < 10; i++) {
		struct profile *run = add_run(&drawing, i % 2 ? MATCH_NEW : MATCH_BASE, 2);
		uint32_t place = add_place(drawing.arena, run, "calc", 10, "main -> calc", 0);
		double value = (i % 2 ? 1.5e6 : 1e6) + 1e4 * (i / 2);

		diff_value(drawing.arena, run, place, PROFILE_NONE, drawing.metric, value, value);
		diff_value(drawing.arena, run, 0, PROFILE_NONE, drawing.metric, value, value);
	}
	drawing.page.by = DIFF_BY_REGION;
	svg = draw(&drawing, 1u << PICTURE_BARS);
	scale = xml_number(svg, "base", 1, "width") / 1.02e6;
	CHECK_NEAR(xml_number(svg, "more2", 1, "width"), 1.52e6 * scale, 0.1);
	CHECK_THAT(xml_number(svg, "error", 0, "x1"), <,
		   xml_number(svg, "more2", 1, "x") + 1.51e6 * scale);
	CHECK_THAT(xml_number(svg, "error", 0, "x2"), >,
		   xml_number(svg, "more2", 1, "x") + 1.53e6 * scale);
	CHECK_HAS(svg, "ratio 1.49 [1.4");
	CHECK_HAS(svg, "95 % interval");
	arena_free(drawing.arena);
}

TEST(picture__bars_without_a_difference)
{
	static const char *const functions[] = { "calc" };
	static const double values[] = { 1000 };
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);

	add_sides(&drawing, functions, values, 1);
	CHECK_HAS(draw(&drawing, 1u << PICTURE_BARS), "No bucket has a difference");
	arena_free(drawing.arena);
}

TEST(picture__nothing_was_measured_on_both_sides)
{
	static const char *const functions[] = { "calc" };
	static const double values[] = { 1000 };
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);

	add_sides(&drawing, functions, values, 1);
	drawing.metric = COMPARED_NONE;
	CHECK_HAS(draw(&drawing, PICTURES_ALL), "There is nothing to draw");
	arena_free(drawing.arena);
}

/*
 * The list's length holds for each of both lists, without three buckets that are small; long names
 * are cut, with all of them beside the pointer.
 */
TEST(picture__many_buckets_with_long_names)
{
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);
	const char *functions[50];
	double values[50];
	const char *svg;

	for (int i = 0; i < 50; i++) {
		functions[i] = arena_printf(
			drawing.arena,
			"std::vector<std::pair<long, my::very_long_name_%d>>::operator[](unsigned long) const",
			i);
		values[i] = 1000 + (i % 2 ? -10 : 30) * (i + 1);
	}
	add_sides(&drawing, functions, values, 50);
	drawing.page.most = 10;
	svg = draw(&drawing, 1u << PICTURE_BARS);
	CHECK_INT(xml_count(svg, "class=\"more2\""), 11);
	CHECK_INT(xml_count(svg, "class=\"less2\""), 11);
	CHECK_HAS(svg, "27 more buckets");
	CHECK_HAS(svg, "loop in std::vector&lt;std::pai\xe2\x80\xa6 const (swim.c:490)<");
	CHECK_HAS(
		svg,
		"my::very_long_name_48&gt;&gt;::operator[](unsigned long) const (swim.c:490): 1000 -&gt; 2470");
	drawing.page.most = 0;
	CHECK_HAS_NOT(draw(&drawing, 1u << PICTURE_BARS), "more buckets");
	arena_free(drawing.arena);
}

/* Widths are parts of the new side, functions as wide as what is in them; what is gone has none. */
TEST(picture__tree)
{
	static const char *const functions[] = { "calc", "copy", "same" };
	static const double values[] = { 2000, 500, 1000 };
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base, *new;
	uint32_t gone, added;
	const char *svg;

	add_sides(&drawing, functions, values, 3);
	base = (struct profile *)drawing.profiles[0];
	new = (struct profile *)drawing.profiles[1];
	gone = add_place(drawing.arena, base, "old", 90, "main", 5);
	set(&drawing, base, gone, 400);
	add_array(drawing.arena, new, "u", 1);
	added = add_place(drawing.arena, new, "fresh", 95, "fresh", 6);
	add_place(drawing.arena, new, "fresh_too", 96, "fresh", 7);
	set(&drawing, new, added, 500);
	diff_value(drawing.arena, new, added, 0, drawing.metric, 200, 0);
	svg = draw(&drawing, 1u << PICTURE_TREE);
	/* calc, and its loop: twice as many */
	CHECK_NEAR(xml_number(svg, "more3", 1, "width"), PICTURE_WIDTH / 2 - 1, 0.01);
	CHECK_NEAR(xml_number(svg, "same", 1, "width"), PICTURE_WIDTH / 4 - 1, 0.01);
	CHECK_NEAR(xml_number(svg, "less3", 1, "width"), PICTURE_WIDTH / 8 - 1, 0.01);
	CHECK_HAS(svg, "main: 3400 -&gt; 3500");
	CHECK_HAS(svg, ">new: loop in");
	CHECK_HAS(svg, "u: none -&gt; 200");
	CHECK_HAS(svg, "gone: loop in old (swim.c:90), 400 in old &lt;1&gt; (12 % of all)");
	arena_free(drawing.arena);
}

/*
 * Twelve runs of a sweep: the region's value is 100 per thread, a line; that of one thread is no
 * part of it.
 */
TEST(picture__loads)
{
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);
	static const uint32_t threads[] = { 2, 32, 1, 4, 8, 16 };
	const char *svg;

	for (size_t i = 0; i < 12; i++) {
		uint32_t of = threads[i / 2];
		struct profile *run = add_run(&drawing,
					      of == 2    ? MATCH_BASE
					      : of == 32 ? MATCH_NEW
							 : MATCH_SIDES,
					      of);

		set(&drawing, run, add_place(drawing.arena, run, "calc", 10, "main -> calc", 0),
		    of == 1 ? 900 : 100.0 * of + (i % 2 ? 2 : -2));
	}
	CHECK_HAS_NOT(draw(&drawing, PICTURES_ALL), "How it grows");
	for (size_t i = 4; i < 12; i++)
		drawing.sides[i] = MATCH_SIDES;
	for (int i = 0; i < 6; i++)
		drawing.loads[drawing.nr_columns++] = 1 << i;
	svg = draw(&drawing, 1u << PICTURE_LOADS);
	CHECK_INT(xml_count(svg, "class=\"point\""), 2 * 5);
	CHECK_INT(xml_count(svg, "class=\"outside\""), 2);
	CHECK_INT(xml_count(svg, "class=\"band\""), 2);
	CHECK_INT(xml_count(svg, "class=\"projected\""), 2);
	CHECK_HAS(svg, "linear; at 64: 6400");
	CHECK_HAS(svg, "threads 8: 800; 2 runs, 798 to 802");
	arena_free(drawing.arena);
}

/* Two loads are no curve. */
TEST(picture__loads_without_a_curve)
{
	struct drawing drawing = new_drawing("l2_misses", MS_RUNG_SIMULATED);
	static const uint32_t threads[] = { 2, 4, 1 };
	const char *svg;

	for (size_t i = 0; i < 3; i++) {
		struct profile *run = add_run(&drawing,
					      i == 0   ? MATCH_BASE
					      : i == 1 ? MATCH_NEW
						       : MATCH_SIDES,
					      threads[i]);

		set(&drawing, run, add_place(drawing.arena, run, "calc", 10, "main -> calc", 0),
		    100.0 * threads[i]);
	}
	for (int i = 0; i < 3; i++)
		drawing.loads[drawing.nr_columns++] = 1 << i;
	svg = draw(&drawing, 1u << PICTURE_LOADS);
	CHECK_HAS(svg, "a curve needs three loads");
	CHECK_INT(xml_count(svg, "class=\"band\""), 0);
	arena_free(drawing.arena);
}
