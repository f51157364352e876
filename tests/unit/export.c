/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports of invented profiles: structure by the formats' documents, numbers, names, what was not
 * measured.
 */
#include "analysis/differential/export.h"

#include "analysis/report/text.h"
#include "tests/unit/diff_profiles.h"
#include "tests/unit/json_value.h"

#define RUNS_MOST 16

struct exported {
	struct arena *arena;
	uint32_t misses, time;
	const struct profile *profiles[RUNS_MOST];
	enum match_side sides[RUNS_MOST];
	size_t nr;
	struct match match;
	struct exports exports;
	const char *why;
};

static void set(struct arena *arena, struct profile *profile, const char *name, const char *value)
{
	struct run_setting *settings = arena_alloc(arena,
						   (profile->nr_settings + 1) * sizeof(*settings));

	for (size_t i = 0; i < profile->nr_settings; i++)
		settings[i] = profile->settings[i];
	settings[profile->nr_settings++] = (struct run_setting){ name, value };
	profile->settings = settings;
}

/*
 * main -> step -> calc with u, and an inner loop; misses: 100 per thread in all, 60 of the inner
 * loop, of which 50 are of u.
 */
static struct profile *add_run(struct exported *exported, uint32_t threads, const char *repetition)
{
	struct arena *arena = exported->arena;
	struct profile *profile = diff_profile(arena, "a", threads);
	uint32_t outer = diff_place(arena, profile, "operator->\"<x>", 10, "main -> step", 0),
		 inner = diff_place(arena, profile, "calc", 12, "main -> step", 0);
	double scale = threads;

	profile->places[inner].parent = outer;
	diff_array(arena, profile, "u", 1);
	diff_value(arena, profile, 0, PROFILE_NONE, exported->misses, 100 * scale, 0);
	diff_value(arena, profile, outer, PROFILE_NONE, exported->misses, 80 * scale, 0);
	diff_value(arena, profile, inner, PROFILE_NONE, exported->misses, 60 * scale, 0);
	diff_value(arena, profile, inner, 0, exported->misses, 50 * scale, 0);
	set(arena, profile, "threads", arena_printf(arena, "%u", threads));
	set(arena, profile, "repetition", repetition);
	exported->sides[exported->nr] = MATCH_NEW;
	exported->profiles[exported->nr++] = profile;
	return profile;
}

static struct exported new_exported(void)
{
	return (struct exported){ .arena = arena_new(),
				  .misses = diff_metric("l2_misses", MS_RUNG_SIMULATED),
				  .time = diff_metric("time", MS_RUNG_TIMED) };
}

static const char *write(struct exported *exported, const char *format, size_t run)
{
	struct text out;

	CHECK(match_profiles(exported->arena, exported->profiles, exported->sides, exported->nr,
			     &exported->match));
	CHECK(exports_of(exported->arena, &exported->match, &exported->exports));
	text_init(&out, exported->arena);
	exported->why = export_format(format)->write(&out, &exported->exports, run);
	CHECK(!out.cut);
	if (!exported->why)
		CHECK(!strncmp(out.bytes, export_format(format)->begin,
			       strlen(export_format(format)->begin)));
	return out.bytes;
}

static const struct json_value *parse(const char *text)
{
	const char *error = NULL;
	const struct json_value *value = json_parse(text, &error);

	if (!value)
		test_fail(__FILE__, __LINE__, "%s in %s", error, text);
	return value;
}

static double number(const struct json_value *value)
{
	CHECK(value && value->type == JSON_NUMBER);
	return value->number;
}

/* Value of a run at a point of a series. */
static double extrap_value(const struct json_value *measurements, const char *path,
			   const char *metric, size_t point, size_t run)
{
	const struct json_value *of_path = json_member(measurements, path),
				*series = of_path ? json_member(of_path, metric) : NULL;

	if (!series)
		test_fail(__FILE__, __LINE__, "no %s of %s", metric, path);
	return number(json_element(json_member(json_element(series, point), "values"), run));
}

TEST(export__extrap)
{
	static const char loop[] =
		"the whole phase->main->step->loop in operator- >\"<x> (swim.c:10)";
	struct exported exported = new_exported();
	const struct json_value *root, *points;

	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		diff_value(exported.arena, add_run(&exported, threads, "1"), 0, PROFILE_NONE,
			   exported.time, 5e6, 5e6);
		diff_value(exported.arena, add_run(&exported, threads, "2"), 0, PROFILE_NONE,
			   exported.time, 6e6, 6e6);
	}
	root = parse(write(&exported, "extrap", 0));
	CHECK_INT(json_count(json_member(root, "parameters")), 1);
	CHECK_STR(json_element(json_member(root, "parameters"), 0)->string, "threads");
	root = json_member(root, "measurements");
	CHECK_NEAR(extrap_value(root, "the whole phase", "l2_misses [simulated]", 2, 1), 80, 1e-9);
	CHECK_NEAR(extrap_value(root, "the whole phase", "l2_misses [simulated] (inc)", 2, 1), 400,
		   1e-9);
	CHECK_NEAR(extrap_value(root, "the whole phase", "time", 0, 0), 5e6, 1e-3);
	CHECK_NEAR(extrap_value(root, "the whole phase", "time", 0, 1), 6e6, 1e-3);
	CHECK_NEAR(extrap_value(root, "the whole phase->main", "l2_misses [simulated] (inc)", 1, 0),
		   160, 1e-9);
	CHECK_NEAR(extrap_value(root, loop, "l2_misses [simulated]", 1, 0), 40, 1e-9);
	CHECK_NEAR(extrap_value(root,
				arena_printf(exported.arena, "%s->loop in calc (swim.c:12)", loop),
				"l2_misses [simulated]", 1, 0),
		   20, 1e-9);
	CHECK_NEAR(
		extrap_value(root,
			     arena_printf(exported.arena, "%s->loop in calc (swim.c:12)->u", loop),
			     "l2_misses [simulated]", 1, 0),
		100, 1e-9);
	points = json_member(json_member(root, loop), "l2_misses [simulated]");
	CHECK_INT(json_count(points), 3);
	CHECK_INT(json_count(json_member(json_element(points, 1), "values")), 2);
	CHECK_INT(json_count(json_member(json_element(points, 1), "point")), 1);
	CHECK_NEAR(number(json_element(json_member(json_element(points, 1), "point"), 0)), 2, 0);
	CHECK_INT(exported.exports.left_out, 0);
	arena_free(exported.arena);
}

/* Extra-P refuses files with a series that lacks a point; a repetition may lack. */
TEST(export__extrap_leaves_out_series_without_a_point)
{
	struct exported exported = new_exported();
	const struct json_value *root;

	diff_value(exported.arena, add_run(&exported, 1, "1"), 0, PROFILE_NONE, exported.time, 5e6,
		   5e6);
	add_run(&exported, 1, "2");
	add_run(&exported, 2, "1");
	root = json_member(parse(write(&exported, "extrap", 0)), "measurements");
	CHECK(!json_member(json_member(root, "the whole phase"), "time"));
	CHECK_INT(exported.exports.left_out, 2); /* alone and with all below */
	exported.profiles[0] = exported.profiles[2];
	exported.nr--;
	diff_value(exported.arena, (struct profile *)exported.profiles[0], 0, PROFILE_NONE,
		   exported.time, 7e6, 7e6);
	diff_value(exported.arena, add_run(&exported, 1, "3"), 0, PROFILE_NONE, exported.time, 5e6,
		   5e6);
	root = json_member(parse(write(&exported, "extrap", 0)), "measurements");
	CHECK_INT(
		json_count(json_member(
			json_element(json_member(json_member(root, "the whole phase"), "time"), 1),
			"values")),
		1);
	CHECK_INT(exported.exports.left_out, 0);
	arena_free(exported.arena);
}

/*
 * Words of arguments and variables that are numbers are parameters as threads are; what is no
 * number cannot be one.
 */
TEST(export__extrap_parameters)
{
	struct exported exported = new_exported();
	const struct json_value *root, *point;

	for (int i = 0; i < 4; i++) {
		struct profile *run = add_run(&exported, 2, "1");

		run->arguments = i % 2 ? "512  0.5 x" : "256  0.5 x";
		set(exported.arena, run, "arguments", run->arguments);
		set(exported.arena, run, "env:CHUNK", i / 2 ? "8" : "4");
		set(exported.arena, run, "machine", "altix-bx2");
	}
	root = parse(write(&exported, "extrap", 0));
	CHECK_INT(json_count(json_member(root, "parameters")), 2);
	CHECK_STR(json_element(json_member(root, "parameters"), 0)->string, "CHUNK");
	CHECK_STR(json_element(json_member(root, "parameters"), 1)->string, "argument 1");
	point = json_member(json_element(json_member(json_member(json_member(root, "measurements"),
								 "the whole phase"),
						     "l2_misses [simulated]"),
					 3),
			    "point");
	CHECK_NEAR(number(json_element(point, 0)), 8, 0);
	CHECK_NEAR(number(json_element(point, 1)), 512, 0);
	set(exported.arena, add_run(&exported, 2, "1"), "machine", "xeon-2s");
	write(&exported, "extrap", 0);
	CHECK_HAS(exported.why, "the runs differ in");
	exported.nr = 1;
	write(&exported, "extrap", 0);
	CHECK_HAS(exported.why, "Extra-P needs runs that differ in a number");
	arena_free(exported.arena);
}

static size_t column(const struct json_value *root, const char *name)
{
	const struct json_value *columns = json_member(root, "columns");

	for (size_t i = 0; i < json_count(columns); i++)
		if (!strcmp(json_element(columns, i)->string, name))
			return i;
	test_fail(__FILE__, __LINE__, "no column %s", name);
}

static size_t node_named(const struct json_value *root, const char *name)
{
	const struct json_value *nodes = json_member(root, "nodes");

	for (size_t i = 0; i < json_count(nodes); i++)
		if (!strcmp(json_member(json_element(nodes, i), "label")->string, name))
			return i;
	test_fail(__FILE__, __LINE__, "no node %s", name);
}

static const struct json_value *cell(const struct json_value *root, const char *node,
				     const char *name)
{
	const struct json_value *data = json_member(root, "data");
	size_t wanted = node_named(root, node);

	for (size_t i = 0; i < json_count(data); i++)
		if (number(json_element(json_element(data, i), 0)) == (double)wanted)
			return json_element(json_element(data, i), column(root, name));
	test_fail(__FILE__, __LINE__, "no row of %s", node);
}

/*
 * What the readers of Caliper's split JSON rely on: columns and their metadata as wide as rows,
 * parents before children, numbers of nodes in the first column.
 */
TEST(export__hatchet)
{
	struct exported exported = new_exported();
	const struct json_value *root, *nodes;
	size_t width, tree = 0;

	diff_value(exported.arena, add_run(&exported, 1, "1"), 1, PROFILE_NONE, exported.time, 5e6,
		   5e6);
	add_run(&exported, 2, "1");
	diff_place(exported.arena, (struct profile *)exported.profiles[0], "empty", 77,
		   "main -> step", 0);
	root = parse(write(&exported, "hatchet", 0));
	width = json_count(json_member(root, "columns"));
	nodes = json_member(root, "nodes");
	CHECK_INT(width, 6);
	CHECK_INT(json_count(json_member(root, "column_metadata")), width);
	for (size_t i = 0; i < json_count(nodes); i++) {
		const struct json_value *node = json_element(nodes, i),
					*parent = json_member(node, "parent");

		CHECK(!parent ||
		      (parent->number < (double)i &&
		       !strcmp(json_member(json_element(nodes, (size_t)parent->number), "column")
				       ->string,
			       "path")));
		tree += !strcmp(json_member(node, "column")->string, "path");
	}
	CHECK_INT(tree, 6);
	CHECK_INT(json_count(json_member(root, "data")), tree);
	for (size_t i = 0; i < tree; i++)
		CHECK_INT(json_count(json_element(json_member(root, "data"), i)), width);
	CHECK_NEAR(number(cell(root, "loop in calc (swim.c:12)", "l2_misses [simulated]")), 10,
		   1e-9);
	CHECK_NEAR(number(cell(root, "loop in calc (swim.c:12)", "l2_misses [simulated] (inc)")),
		   60, 1e-9);
	CHECK_NEAR(number(cell(root, "main", "l2_misses [simulated] (inc)")), 80, 1e-9);
	CHECK_INT(cell(root, "main", "l2_misses [simulated]")->type, JSON_NULL);
	CHECK_INT(cell(root, "loop in calc (swim.c:12)", "time")->type, JSON_NULL);
	CHECK_NEAR(number(cell(root, "loop in operator->\"<x> (swim.c:10)", "time")), 5e6, 1e-3);
	CHECK_STR(json_member(json_element(nodes, (size_t)number(cell(root, "u", "kind"))), "label")
			  ->string,
		  "data structure");
	CHECK_NEAR(number(json_member(root, "threads")), 1, 0);
	CHECK_STR(json_member(root, "machine")->string, "altix-bx2");
	CHECK_STR(json_member(
			  json_element(json_member(root, "column_metadata"), column(root, "time")),
			  "attribute.unit")
			  ->string,
		  "ns");
	root = parse(write(&exported, "hatchet", 1));
	/* without time, which that run has not */
	CHECK_INT(json_count(json_member(root, "columns")), 4);
	CHECK_NEAR(number(cell(root, "main", "l2_misses [simulated] (inc)")), 160, 1e-9);
	arena_free(exported.arena);
}

TEST(export__csv)
{
	struct exported exported = new_exported();
	const char *csv, *line;
	size_t lines = 0;

	diff_value(exported.arena, add_run(&exported, 1, "1"), 1, PROFILE_NONE, exported.time,
		   5.25e6, 5e6);
	add_run(&exported, 2, "1");
	csv = write(&exported, "csv", 0);
	for (line = csv; *line; line = strchr(line, '\n') + 1)
		lines++;
	CHECK_INT(lines, 1 + 5 + 4);
	CHECK_HAS(
		csv,
		"run,program,threads,repetition,path,region,data_structure,metric,rung,unit,value\n");
	CHECK_HAS(
		csv,
		"1,swim,1,1,main -> step,\"loop in operator->\"\"<x> (swim.c:10)\",,time,timed,ns,5250000\n");
	CHECK_HAS(csv,
		  "2,swim,2,1,main -> step,loop in calc (swim.c:12),u,l2_misses,simulated,1,100\n");
	CHECK_HAS(csv, "2,swim,2,1,,the whole phase,,l2_misses,simulated,1,200\n");
	arena_free(exported.arena);
}

/* Copies of a loop have one name, but keys of JSON differ. */
TEST(export__names_of_siblings_differ)
{
	struct exported exported = new_exported();
	struct profile *run = add_run(&exported, 1, "1");
	const struct json_value *root;

	for (int i = 0; i < 2; i++) {
		uint32_t copy = diff_place(exported.arena, run, "copied", 50, "main -> step", 0);

		run->places[copy].offset = 100 + (uint64_t)i;
		run->places[copy].line = 50 + i;
		run->places[copy].words = "loop in copied";
		diff_value(exported.arena, run, copy, PROFILE_NONE, exported.misses, 7 + i, 0);
	}
	root = parse(write(&exported, "hatchet", 0));
	CHECK_NEAR(number(cell(root, "loop in copied", "l2_misses [simulated]")), 7, 1e-9);
	CHECK_NEAR(number(cell(root, "loop in copied #2", "l2_misses [simulated]")), 8, 1e-9);
	arena_free(exported.arena);
}

TEST(export__unknown_format)
{
	CHECK(export_format("cube") == NULL);
}

/* Values of a thread follow those of all threads, as profile_of makes them. */
static void thread_time(struct exported *exported, const struct profile *of, uint32_t place,
			uint32_t thread, double ns)
{
	struct profile *profile = (struct profile *)of;

	diff_value(exported->arena, profile, place, PROFILE_NONE, exported->time, ns, 0);
	profile->values[profile->nr_values - 1].part = thread;
}

/* A run in which thread 0 works in all places, thread 1 in the outer one, thread 2 nowhere. */
static struct exported timed_by_thread(void)
{
	struct exported exported = new_exported();
	struct profile *run = add_run(&exported, 2, "1");
	uint32_t second = diff_place(exported.arena, run, "second", 20, "main -> step", 0);

	diff_value(exported.arena, run, 1, PROFILE_NONE, exported.time, 11e6, 0);
	thread_time(&exported, run, 1, 0, 5e6);
	thread_time(&exported, run, 1, 1, 6e6);
	thread_time(&exported, run, 2, 0, 3e6);
	thread_time(&exported, run, second, 0, 2e6);
	thread_time(&exported, run, second, 3, 1e6);
	thread_time(&exported, run, second, UINT32_MAX - 1, 1e6); /* a damaged record */
	return exported;
}

static const char *frame_name(const struct json_value *root, const struct json_value *event)
{
	return json_member(json_element(json_member(json_member(root, "shared"), "frames"),
					(size_t)number(json_member(event, "frame"))),
			   "name")
		->string;
}

/* What speedscope demands of evented profiles: times do not decrease, each C ends the last open O. */
static void check_balance(const struct json_value *profile)
{
	const struct json_value *events = json_member(profile, "events");
	double open[16], last = 0;
	size_t depth = 0;

	for (size_t i = 0; i < json_count(events); i++) {
		const struct json_value *event = json_element(events, i);
		double frame = number(json_member(event, "frame")),
		       at = number(json_member(event, "at"));

		CHECK_THAT(at, >=, last);
		last = at;
		if (!strcmp(json_member(event, "type")->string, "O"))
			open[depth++] = frame;
		else
			CHECK_NEAR(open[--depth], frame, 0);
	}
	CHECK_INT(depth, 0);
	CHECK_NEAR(number(json_member(profile, "endValue")), last, 0);
}

TEST(export__speedscope)
{
	struct exported exported = timed_by_thread();
	const struct json_value *root = parse(write(&exported, "speedscope", 0)),
				*profiles = json_member(root, "profiles"), *events;
	bool exclusive = compared_is_exclusive(MS_METRIC_TIME);

	CHECK_INT(json_count(profiles), 4); /* of threads that have times */
	for (size_t i = 0; i < json_count(profiles); i++)
		check_balance(json_element(profiles, i));
	/* the phase, main, step, the outer loop, the inner one, and the second loop behind it */
	events = json_member(json_element(profiles, 0), "events");
	CHECK_INT(json_count(events), 12);
	CHECK_STR(frame_name(root, json_element(events, 3)), "loop in operator->\"<x> (swim.c:10)");
	CHECK_STR(frame_name(root, json_element(events, 4)), "loop in calc (swim.c:12)");
	CHECK_NEAR(number(json_member(json_element(events, 5), "at")), 3e6, 1e-3);
	CHECK_STR(frame_name(root, json_element(events, 7)), "loop in second (swim.c:20)");
	CHECK_NEAR(number(json_member(json_element(events, 7), "at")), exclusive ? 8e6 : 5e6, 1e-3);
	CHECK_NEAR(number(json_member(json_element(profiles, 0), "endValue")),
		   exclusive ? 10e6 : 7e6, 1e-3);
	CHECK_NEAR(number(json_member(json_element(profiles, 1), "endValue")), 6e6, 1e-3);
	CHECK_STR(json_member(json_element(profiles, 2), "name")->string, "thread 3");
	CHECK_STR(json_member(json_element(profiles, 3), "name")->string, "thread 4294967294");
	arena_free(exported.arena);
}

TEST(export__perfetto)
{
	struct exported exported = timed_by_thread();
	const struct json_value *events = json_member(parse(write(&exported, "perfetto", 0)),
						      "traceEvents");
	double begin = 0, end = 0;
	size_t names = 0;

	for (size_t i = 0; i < json_count(events); i++) {
		const struct json_value *event = json_element(events, i);
		const char *kind = json_member(event, "ph")->string;

		begin += !strcmp(kind, "B");
		end += !strcmp(kind, "E");
		names += !strcmp(kind, "M");
	}
	CHECK_INT(names, 5); /* the program, four threads with times */
	CHECK_NEAR(begin, end, 0);
	CHECK_NEAR(begin, 6 + 4 + 4 + 4, 0);
	/* the end of the last thread, in us */
	CHECK_NEAR(number(json_member(json_element(events, json_count(events) - 1), "ts")), 1e3,
		   1e-6);
	arena_free(exported.arena);
}

TEST(export__by_thread_without_times)
{
	struct exported exported = new_exported();

	diff_value(exported.arena, add_run(&exported, 2, "1"), 1, PROFILE_NONE, exported.time, 5e6,
		   0);
	write(&exported, "speedscope", 0);
	CHECK_STR(exported.why, EXPORT_NO_TIMES);
	write(&exported, "perfetto", 0);
	CHECK_STR(exported.why, EXPORT_NO_TIMES);
	arena_free(exported.arena);
}
