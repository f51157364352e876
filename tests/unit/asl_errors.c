/* SPDX-License-Identifier: Apache-2.0 */
/* Property texts with mistakes: each message, its place, and that nothing worse happens. */
#include "analysis/properties/asl.h"
#include "tests/unit/context.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One line each, so that columns can be counted: line 2 is the row's own. */
#define HEAD "PROPERTY P(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION;\n"
#define TAIL "\nCONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
#define CONDITION "CONDITION: 1 < 2;"

static struct property_set *load_bytes(const char *text, size_t length)
{
	struct property_set *set = property_set_new(arena_new());

	property_set_parse(set, "f.asl", text, length);
	link_set(set);
	return set;
}

static const struct {
	int row;
	const char *text; /* its second line, or all of it if it begins with '\n' */
	int line, column;
	const char *message;
} mistakes[] = {
	{ __LINE__, "CONDITION: sum(r.barier_wait) > 0;", 2, 16,
	  "unknown metric 'barier_wait'; did you mean 'barrier_wait'?" },
	{ __LINE__, "CONDITION: sum(r.time) + 1 > 0;", 2, 24, "units differ: ns and 1" },
	{ __LINE__, "CONDITION: sum(r.time) > 5 %;", 2, 24, "units differ: ns and 1" },
	{ __LINE__, "CONDITION: max(1 ns, 1 KiB) > 0;", 2, 12, "units differ: ns and bytes" },
	{ __LINE__, "CONDITION: 5 sec > 0;", 2, 14, "unknown unit 'sec'" },
	{ __LINE__, "CONDITION: 5 mss > 0;", 2, 14, "unknown unit 'mss'; did you mean 'ms'?" },
	{ __LINE__, "CONDITION: sqrt(1 ns) > 0;", 2, 12,
	  "square root of a unit that is no square" },
	{ __LINE__, "CONDITION: 5;", 2, 12, "CONDITION is a number; compare it with something" },
	{ __LINE__, "CONDITION: r.time > 0;", 2, 19,
	  "CONDITION differs from thread to thread; reduce with max(), count() …" },
	{ __LINE__, "CONDITION: r.time + p.time > 0;", 2, 19,
	  "mixes threads of different regions; reduce each with sum(), max() or mean()" },
	{ __LINE__, "CONDITION: sum(1 < 2) > 0;", 2, 12,
	  "nothing to reduce: the argument is the same for all threads" },
	{ __LINE__, "CONDITION: sum(r.time > 0) > 0;", 2, 23,
	  "a condition where a number is expected" },
	{ __LINE__, "CONDITION: 1 AND 2;", 2, 12, "a number where a condition is expected" },
	{ __LINE__, "CONDITION: 1 < 2 < 3;", 2, 18, "unexpected '<'" },
	{ __LINE__, "CONDITION: cpu > 2;", 2, 12, "unknown name 'cpu'; did you mean 'cpus'?" },
	{ __LINE__, "CONDITION: r > 2;", 2, 12,
	  "a region is no value: take a metric of it, as in r.time" },
	{ __LINE__, "CONDITION: q.time > 2;", 2, 12, "unknown region 'q'; did you mean 'r'?" },
	{ __LINE__, "CONDITION: sum(r.DOO_REGION.time) > 0;", 2, 16,
	  "unknown kind of region 'DOO_REGION'; did you mean 'DO_REGION'?" },
	{ __LINE__, "CONDITION: sum(p.DO_REGION.time) > 0;", 2, 16,
	  "subregions can be taken of the property's own region only" },
	{ __LINE__, "CONDITION: summ(r.time) > 0;", 2, 12,
	  "unknown function 'summ'; did you mean 'sum'?" },
	{ __LINE__, "CONDITION: abs(1, 2) > 0;", 2, 12, "abs() takes 1 argument" },
	{ __LINE__, "CONDITION: threads(1) > 0;", 2, 20,
	  "a region is expected, as in executions(r) or regions(r.DO_REGION)" },
	{ __LINE__, "CONDTION: 1 < 2;", 2, 1, "unexpected 'CONDTION'; did you mean 'CONDITION'?" },
	{ __LINE__, "LET x = r.time; IN " CONDITION, 2, 9,
	  "this differs from thread to thread; reduce it with sum(), max(), mean() …" },
	{ __LINE__, "LET x = 1 < 2; IN " CONDITION, 2, 11, "LET names numbers, not conditions" },
	{ __LINE__, "LET x = y; y = 1; IN " CONDITION, 2, 9, "unknown name 'y'" },
	{ __LINE__, "LET x = 1; x = 2; IN " CONDITION, 2, 12, "second 'x' in LET" },
	{ __LINE__, CONDITION " " CONDITION, 2, 19, "second CONDITION in property 'P'" },
	{ __LINE__, CONDITION " KINDS DO_REGION;", 2, 19, "second KINDS in property 'P'" },
	{ __LINE__, CONDITION " BY THREAD: sum(r.time) > 0;", 2, 42,
	  "BY THREAD must be a condition on the region's threads, as in r.time > 2 * mean(r.time)" },
	{ __LINE__, CONDITION " BY THREAD: sum(r.time) > 0 BY NODE;", 2, 46, "unexpected BY" },
	{ __LINE__, CONDITION " BY NODE: sum(r.time);", 2, 28,
	  "BY NODE must be a condition on each node, as in sum(r.time) > 2 * mean(sum(r.time) BY NODE)" },
	{ __LINE__, CONDITION " BY NODE: r.time > 0;", 2, 35,
	  "BY NODE takes one number of each node: reduce first, as in max(sum(r.time) BY NODE)" },
	{ __LINE__, CONDITION " BY NODE: sum(r.time) > 0; BY NODE: max(r.time) > 0;", 2, 45,
	  "second BY NODE in property 'P'" },
	{ __LINE__, CONDITION " BY NODES: 1 < 2;", 2, 22,
	  "unexpected 'NODES'; did you mean 'NODE'?, expected THREAD or NODE" },
	{ __LINE__, "CONDITION: max(r.time BY NODE) > 0;", 2, 16,
	  "BY NODE takes one number of each node: reduce first, as in max(sum(r.time) BY NODE)" },
	{ __LINE__, "CONDITION: max(cpus BY NODE) > 0;", 2, 16,
	  "this is the same on all nodes: BY NODE divides sum(), max(), mean() … over the region's threads" },
	{ __LINE__, "CONDITION: max(sum(p.time) BY NODE) > 0;", 2, 16,
	  "this is the same on all nodes: BY NODE divides sum(), max(), mean() … over the region's threads" },
	{ __LINE__, "CONDITION: max(sum(r.wall_time) BY NODE) > 0;", 2, 16,
	  "this is the same on all nodes: BY NODE divides sum(), max(), mean() … over the region's threads" },
	{ __LINE__, "CONDITION: max(max(sum(r.time) BY NODE) BY NODE) > 0;", 2, 16,
	  "this is the same on all nodes: BY NODE divides sum(), max(), mean() … over the region's threads" },
	{ __LINE__, "CONDITION: max(sum(r.time) BY NODE, 1 ns) > 0;", 2, 28,
	  "BY NODE differs from node to node; reduce it with sum(), max() or mean()" },
	{ __LINE__, "CONDITION: abs(sum(r.time) BY NODE) > 0;", 2, 28,
	  "BY NODE differs from node to node; reduce it with sum(), max() or mean()" },
	{ __LINE__, "CONDITION: threads(sum(r.time) BY NODE) > 0;", 2, 32,
	  "a region is expected, as in executions(r) or regions(r.DO_REGION)" },
	{ __LINE__, "CONDITION: sum(sum(r.time) > 0 BY NODE) > 0;", 2, 32,
	  "a condition where a number is expected" },
	{ __LINE__, "CONDITION: imbalance(r.DO_REGION.m BY NODE) > 0;", 2, 22,
	  "unknown metric 'm'" },
	{ __LINE__, CONDITION " VIEW thread;", 2, 24,
	  "unknown view 'thread'; did you mean 'threads'?" },
	{ __LINE__, CONDITION " HINT \"there\";", 2, 24,
	  "a hint begins with why, where or when, as in \"where threads\"" },
	{ __LINE__, CONDITION " REFINES Q;", 2, 27,
	  "REFINES names 'Q', which is not there; did you mean 'P'?; 'P' is left out" },
	{ __LINE__, CONDITION " REQUIRES Nothing;", 2, 28,
	  "REQUIRES names 'Nothing', which is not there; 'P' is left out" },
	{ __LINE__, CONDITION " REFINES P;", 1, 10,
	  "the why-axis has a cycle: P -> P; 'P' is left out" },
	{ __LINE__, CONDITION " @", 2, 19, "unexpected character '@'" },
	{ __LINE__, "\nPROPERTY P(Region r, Phase p) { ADVICE \"no end; }", 2, 40,
	  "text without closing quote" },
	{ __LINE__, CONDITION " /* no end", 2, 19, "comment without end" },
	{ __LINE__, "", 1, 10, "property 'P' has no CONDITION" },
	{ __LINE__, "\nPROPERTY P(Phase p, Region r) {}", 2, 12,
	  "parameter of type 'Phase' where Region is expected: NAME(Region r, Phase p)" },
	{ __LINE__, "\nPROPERTY P(Region r, Phase p) {", 2, 32, "unexpected end of file" },
	{ __LINE__, "\nPROPERTY", 2, 9, "unexpected end of file, expected name" },
	{ __LINE__, "\nproperty P", 2, 1, "unexpected 'property'" },
	{ __LINE__, "\nMETRIC time [ns] = 1 ns \"\";", 2, 8,
	  "'time' is a metric that a sensor measures" },
	{ __LINE__, "\nMETRIC m [ns] = 1 \"\";", 2, 8, "metric 'm' is in ns, its formula in 1" },
	{ __LINE__, "\nMETRIC m [nss] = 1 ns \"\";", 2, 8, "unknown unit 'nss' of metric 'm'" },
	{ __LINE__, "\nMETRIC m [ns] = sum(r.m) \"\";", 2, 21, "unknown metric 'm'" },
	{ __LINE__, "\nEVENTS a \"t\" { cycle = \"X\"; }", 2, 16,
	  "unknown metric 'cycle'; did you mean 'cycles'?" },
	{ __LINE__, "\nEVENTS a \"t\" { time = \"X\"; }", 2, 16,
	  "metric 'time' is not counted by hardware" },
	{ __LINE__, "\nEVENTS a \"t\" { event_1 = \"X\"; }", 2, 16,
	  "the event of metric 'event_1' is named by the user of a run" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = \"X\"; cycles = \"Y\"; }", 2, 30,
	  "second 'cycles' in EVENTS" },
	{ __LINE__, "\nEVENTS a, a \"t\" { cycles = \"X\"; }", 2, 11,
	  "second EVENTS of 'a' in one file" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = \"X\"; } EVENTS b, a \"t\" { cycles = \"X\"; }", 2,
	  42, "second EVENTS of 'a' in one file" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = \"\"; }", 2, 25, "'' is no name of an event" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = \"X Y\"; }", 2, 25,
	  "'X Y' is no name of an event" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = \"X\" + 0 * \"Y\"; }", 2, 35,
	  "the factor of event 'Y' is not from 0.001 to 1000000" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = 2; }", 2, 26, "unexpected ';', expected '*'" },
	{ __LINE__, "\nEVENTS a \"t\" { cycles = X; }", 2, 25,
	  "unexpected 'X', expected number or text in quotes" },
	{ __LINE__, "\nEVENTS a \"t\" { }", 2, 1, "EVENTS without a metric" },
	{ __LINE__, "\nEVENTS a { cycles = \"X\"; }", 2, 10,
	  "unexpected '{', expected text in quotes or ','" },
	{ __LINE__, "\nEVENTS \"t\" { cycles = \"X\"; }", 2, 8,
	  "unexpected text in quotes, expected name" },
	{ __LINE__,
	  "\nEVENTS a \"t\" { cycles = \"A\" + \"B\" + \"C\" + \"D\" + \"E\" + \"F\" + \"G\" + \"H\" + \"I\"; }",
	  2, 73, "more than 8 events in one metric" },
	{ __LINE__, "\nEVENT a \"t\" { cycles = \"X\"; }", 2, 1,
	  "unexpected 'EVENT'; did you mean 'EVENTS'?" },
	{ __LINE__, "\nMETRIC m [ns] = p.time \"\";", 2, 17,
	  "a metric must be one number, or one for each thread of r" },
};

TEST(asl_errors__messages)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		const struct property_message *message;
		struct property_set *set;
		char text[1024];

		if (mistakes[i].text[0] == '\n')
			snprintf(text, sizeof(text), "%s", mistakes[i].text);
		else
			snprintf(text, sizeof(text), HEAD "%s" TAIL, mistakes[i].text);
		set = load_bytes(text, strlen(text));
		if (!set->nr_messages)
			test_fail(__FILE__, mistakes[i].row, "no message");
		message = &set->messages[0];
		if (message->line != mistakes[i].line || message->column != mistakes[i].column ||
		    strncmp(message->text, mistakes[i].message, strlen(mistakes[i].message)) != 0)
			test_fail(__FILE__, mistakes[i].row, "%s:%d:%d: %s", message->file,
				  message->line, message->column, message->text);
		if (set->nr || set->nr_formulas)
			test_fail(__FILE__, mistakes[i].row, "it was kept in spite of: %s",
				  message->text);
	}
}

TEST(asl_errors__templates)
{
	static const struct {
		int row;
		const char *advice, *message;
	} rows[] = {
		{ __LINE__, "see {hot_lin}",
		  "nothing to fill in for '{hot_lin}'; did you mean 'hot_line'?" },
		{ __LINE__, "see {x", "'{' without '}' in this text" },
		{ __LINE__, "see [x", "'[' without ']' in this text" },
		{ __LINE__, "see x]", "'[' and ']' do not match in this text" },
		{ __LINE__, "see [x[y]]", "'[' and ']' do not match in this text" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct property_set *set;
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD CONDITION
			 " CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"%s\"; }",
			 rows[i].advice);
		set = load_bytes(text, strlen(text));
		if (set->nr_messages != 1 || strcmp(set->messages[0].text, rows[i].message) != 0)
			test_fail(__FILE__, rows[i].row, "%s",
				  set->nr_messages ? set->messages[0].text : "no message");
	}
}

/* Several mistakes are told at once, each at its place. */
TEST(asl_errors__goes_on_after_a_mistake)
{
	static const char text[] = HEAD "CONDITION: 1 < ;\nTITEL \"x\";\nLET a = ); b = 1; IN" TAIL
					"PROPERTY Q(Region, Phase p) { }\nPROPERTY 7";
	struct property_set *set = load_bytes(text, strlen(text));

	CHECK_THAT(set->nr_messages, >=, 5);
	CHECK_INT(set->messages[0].line, 2);
	CHECK_INT(set->messages[0].column, 16);
	CHECK_INT(set->messages[1].line, 3);
	CHECK_INT(set->messages[2].line, 4);
	CHECK_INT(set->messages[3].line, 6);
	CHECK_INT(set->messages[4].line, 7);
}

/* PREFIX, then `piece` so many times. */
static struct property_set *repeated(const char *prefix, const char *piece, size_t times,
				     const char *suffix)
{
	size_t length = strlen(prefix) + strlen(piece) * times + strlen(suffix),
	       at = strlen(prefix);
	char *text = arena_alloc(arena_new(), length + 1);

	strcpy(text, prefix);
	for (size_t i = 0; i < times; i++, at += strlen(piece))
		memcpy(text + at, piece, strlen(piece));
	strcpy(text + at, suffix);
	return load_bytes(text, length);
}

TEST(asl_errors__deep_nesting_is_bounded)
{
	struct property_set *set = repeated(HEAD "CONDITION: ", "(", 100000, "");

	CHECK_THAT(set->nr_messages, >, 0);
	CHECK_STR(set->messages[0].text, "nested too deeply");
	set = repeated(HEAD "CONDITION: 1", " + 1", 100000, " > 2;" TAIL);
	CHECK_INT(set->nr_messages, 1);
	CHECK_STR(set->messages[0].text, "nested too deeply");
	set = repeated(HEAD "CONDITION: ", "NOT ", 100000, "1 < 2;" TAIL);
	CHECK_STR(set->messages[0].text, "nested too deeply");
	set = repeated(HEAD "CONDITION: 1 < ", "max(", 1000, "");
	CHECK_THAT(set->nr_messages, >, 0);
	set = repeated(HEAD "CONDITION: 1", " + 1", 100, " > 2;" TAIL);
	CHECK_INT(set->nr_messages, 0);
}

TEST(asl_errors__endless_lines_and_odd_bytes)
{
	static const char nul[] = HEAD "CONDITION: 1 \0 < 2;" TAIL;
	struct property_set *set = repeated("PROPERTY ", "x", 10000000, "");

	CHECK_THAT(set->nr_messages, >, 0);
	set = repeated(HEAD "ADVICE \"", "xxxxxxxxxx", 1000000, "");
	CHECK_STR(set->messages[0].text, "text without closing quote");
	set = load_bytes(nul, sizeof(nul) - 1);
	CHECK_STR(set->messages[0].text, "unexpected character of code 0");
	CHECK_INT(set->messages[0].column, 14);
	set = load_bytes("\xff\xfe\0\x01", 4);
	CHECK_STR(set->messages[0].text, "unexpected character of code 255");
	set = repeated("", "@", 1000, "");
	CHECK_THAT(set->nr_messages, <=, 20);
}

#define SMALL(name, links) \
	"PROPERTY " name \
	"(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION; " links CONDITION TAIL

TEST(asl_errors__cycles_are_left_out_with_all_that_need_them)
{
	static const char text[] = SMALL("A", "REFINES B;") SMALL("B", "REFINES C;")
		SMALL("C", "REQUIRES A;") SMALL("D", "REFINES C;") SMALL("E", "")
			SMALL("F", "REFINES E;") SMALL("G", "EXCLUDES F; REFINES F, E;")
				SMALL("H", "REQUIRES H;");
	struct property_set *set = load_bytes(text, strlen(text));
	const uint32_t *list;

	CHECK_INT(set->nr, 3);
	CHECK_STR(property_name(set->properties[0]), "E");
	CHECK_INT(property_children(set->properties[0], &list), 2);
	CHECK_INT(list[0], 1);
	CHECK_INT(list[1], 2);
	CHECK_INT(property_parents(set->properties[2], &list), 2);
	CHECK_INT(property_anticonditions(set->properties[2], &list), 1);
	CHECK_INT(list[0], 1);
	CHECK_INT(set->nr_messages, 5); /* A, B, C; H; D */
	CHECK_STR(set->messages[0].text,
		  "the why-axis has a cycle: C -> A -> B -> C; 'C' is left out");
}

/* Directly, and by what is required; not what only an excluded property requires. */
TEST(asl_errors__contradictions_are_left_out)
{
	static const char text[] = SMALL("A", "") SMALL("B", "REQUIRES A;")
		SMALL("C", "REQUIRES A; EXCLUDES A;") SMALL("D", "REQUIRES B; EXCLUDES A;")
			SMALL("E", "REFINES D;") SMALL("F", "REQUIRES A; EXCLUDES B;");
	struct property_set *set = load_bytes(text, strlen(text));

	CHECK_INT(set->nr, 3);
	CHECK_STR(property_name(set->properties[2]), "F");
	CHECK_INT(set->nr_messages, 3);
	CHECK_STR(set->messages[0].text, "'C' excludes 'A', which it requires; 'C' is left out");
	CHECK_STR(set->messages[1].text, "'D' excludes 'A', which it requires; 'D' is left out");
	CHECK_STR(set->messages[2].text,
		  "REFINES names 'D', which is not there; did you mean 'A'?; 'E' is left out");
}

TEST(asl_errors__aliases_are_unique)
{
	static const char text[] = SMALL("A", "ALIASES X, Y;") SMALL("B", "ALIASES X, A, Z;");
	struct property_set *set = load_bytes(text, strlen(text));
	const char *const *aliases;

	CHECK_INT(set->nr, 2);
	CHECK_INT(set->nr_messages, 2);
	CHECK_THAT(property_set_find(set, "X"), ==, set->properties[0]);
	CHECK_THAT(property_set_find(set, "Z"), ==, set->properties[1]);
	CHECK(property_set_find(set, "x") == NULL);
	CHECK_INT(property_aliases(set->properties[1], &aliases), 1);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

TEST(asl_errors__files_and_folders)
{
	char folder[] = "/tmp/asl-test-XXXXXX", path[128], extra[256];
	struct property_set *set;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/b.asl", folder);
	write_file(path, SMALL("B", "REFINES A;"));
	snprintf(path, sizeof(path), "%s/a.asl", folder);
	write_file(path, SMALL("A", ""));
	snprintf(path, sizeof(path), "%s/bad.asl", folder);
	write_file(path, SMALL("Good", "") SMALL("Bad", "REFINES"));
	snprintf(path, sizeof(path), "%s/fifo.asl", folder);
	CHECK_THAT(mkfifo(path, 0600), ==, 0);
	snprintf(path, sizeof(path), "%s/.hidden.asl", folder);
	write_file(path, SMALL("Hidden", ""));
	snprintf(extra, sizeof(extra), "%s/missing.asl:%s::", folder, folder);

	set = property_set_load(arena_new(), "properties", extra);
	CHECK(property_set_find(set, "LoadImbalance") && property_set_find(set, "A") &&
	      property_set_find(set, "B"));
	CHECK(!property_set_find(set, "Good") && !property_set_find(set, "Hidden"));
	CHECK_INT(set->nr_messages, 3);
	CHECK_STR(set->messages[0].text, "cannot read: No such file or directory");
	CHECK_INT(set->messages[1].line, 3);
	CHECK_STR(set->messages[2].text, "not a file");

	snprintf(path, sizeof(path), "%s/missing", folder);
	set = property_set_load(arena_new(), path, NULL);
	CHECK_INT(set->nr, 0);
	CHECK_INT(set->nr_messages, 1);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	CHECK_THAT(system(path), ==, 0);
}

/* Each metric names the one before: evaluation goes through all of them. */
TEST(asl_errors__depth_counts_through_metrics)
{
	struct arena *arena = arena_new();
	char *text = arena_printf(arena, "METRIC m0 [ns] = r.time \"x\";\n");
	struct property_set *set;

	for (int nr = 1; nr < 500; nr++) {
		text = arena_printf(arena, "%sMETRIC m%d [ns] = r.m%d + 1 ns \"x\";\n", text, nr,
				    nr - 1);
		if (nr == 100)
			CHECK_INT(load_bytes(text, strlen(text))->nr_messages, 0);
	}
	set = load_bytes(text, strlen(text));
	CHECK_INT(set->nr_messages, 1);
	CHECK_STR(set->messages[0].text, "nested too deeply with the metrics named here");
	arena_free(arena);
}
