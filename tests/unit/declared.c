/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared variables: programs compiled here by all compilers and options, against tables written
 * by hand.
 */
#define _GNU_SOURCE
#include "analysis/debuginfo/declared.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/data_symbols.h"
#include "tests/host/scratch.h"

/* What a row of a table is for. */
enum which {
	ALL = 0,
	GCC = 1,
	CLANG = 2,
	FLANG = CLANG,
	PLAIN = 4 /* -O0 only */,
	HAS_MANY = 8 /* more rows of that name */
};

struct row {
	const char *name;
	enum array_kind kind;
	const char *type, *bounds; /* "lower:extent,…" */
	uint64_t element_bytes, bytes;
	int line;          /* 0: of no file */
	const char *flags; /* p pointer, d descriptor, t thread-private, m member */
	unsigned int which;
};

static const struct row in_c[] = {
	{ "grid", ARRAY_STATIC, "double", "0:100,0:102", 8, 81600, 11, "", ALL },
	{ "hidden", ARRAY_STATIC, "float", "0:33", 4, 132, 12, "", ALL },
	{ "plain", ARRAY_STATIC, "real_t", "0:10", 8, 80, 13, "", ALL },
	{ "cloud", ARRAY_STATIC, "struct particle", "0:50", 32, 1600, 14, "", ALL },
	{ "quads", ARRAY_STATIC, "vec4", "0:7", 32, 224, 15, "", ALL },
	{ "counter", ARRAY_STATIC, "unsigned long", "", 8, 8, 16, "", ALL },
	{ "heap", ARRAY_STATIC, "double", "0:0", 8, 8, 17, "p", ALL },
	{ "rows", ARRAY_STATIC, "double", "0:0,0:100", 8, 8, 18, "p", ALL },
	{ "table", ARRAY_STATIC, "double", "0:4", 8, 32, 19, "", ALL },
	{ "texts", ARRAY_STATIC, "char *", "0:3", 8, 24, 20, "", ALL },
	{ "bundle", ARRAY_STATIC, "struct", "", 32, 32, 21, "", ALL },
	{ "bundle.p", ARRAY_STATIC, "double", "0:0", 8, 8, 21, "pm", ALL },
	{ "bundle.q", ARRAY_STATIC, "double", "0:0", 8, 8, 21, "pm", ALL },
	{ "bundle.inner.cloud", ARRAY_STATIC, "struct particle", "0:0", 32, 8, 21, "pm", ALL },
	{ "mix", ARRAY_STATIC, "union mix", "", 40, 40, 22, "", ALL },
	{ "colors", ARRAY_STATIC, "enum color", "0:6", 4, 24, 23, "", ALL },
	{ "elsewhere", ARRAY_STATIC, "double", "0:12", 8, 96, 25, "", ALL },
	{ "buffer", ARRAY_STATIC, "char", "0:1048576", 1, 1048576, 26, "", ALL },
	{ "flags", ARRAY_STATIC, "unsigned long", "", 8, 8, 27, "", ALL },
	{ "points", ARRAY_STATIC, "complex double", "0:3", 16, 48, 28, "", ALL },
	{ "tls", ARRAY_THREAD_PRIVATE, "double", "0:5", 8, 40, 29, "t", ALL },
	{ "tp", ARRAY_THREAD_PRIVATE, "double", "0:8", 8, 64, 30, "t", ALL },
	{ "callback", ARRAY_STATIC, "function *", "", 8, 8, 32, "", ALL },
	{ "matrices", ARRAY_STATIC, "double", "0:2,0:3,0:5", 8, 240, 33, "", ALL },
	{ "list", ARRAY_STATIC, "double *", "0:16", 8, 128, 34, "", ALL },
	{ "handles", ARRAY_STATIC, "void *", "0:0", 8, 8, 35, "p", ALL },
	{ "shared_field", ARRAY_STATIC, "double", "0:64", 8, 512, 36, "", GCC },
	{ "shared_count", ARRAY_STATIC, "int", "", 4, 4, 37, "", GCC },
	/* describes no "extern" */
	{ "shared_field", ARRAY_STATIC, "", "", 0, 512, 0, "", CLANG },
	{ "shared_count", ARRAY_STATIC, "", "", 0, 4, 0, "", CLANG },
	{ "work::kept", ARRAY_STATIC, "double", "0:77", 8, 616, 41, "", ALL },
	{ "work::calls", ARRAY_STATIC, "int", "", 4, 4, 42, "", ALL },
	{ "work::inner", ARRAY_STATIC, "short", "0:9", 2, 18, 44, "", ALL },
	{ "main::last", ARRAY_STATIC, "long", "0:4", 8, 32, 74, "", ALL },
};

static const struct row in_cxx[] = {
	{ "phys::field", ARRAY_STATIC, "double", "0:40", 8, 320, 7, "", ALL },
	{ "phys::anonymous", ARRAY_STATIC, "int", "0:6", 4, 24, 8, "", ALL },
	{ "phys::versioned", ARRAY_STATIC, "float", "0:3", 4, 12, 9, "", ALL },
	{ "phys::state::shared", ARRAY_STATIC, "double", "0:11", 8, 88, 16, "", GCC },
	{ "phys::state::shared", ARRAY_STATIC, "double", "0:11", 8, 88, 11, "", CLANG },
	{ "phys::state::nested::deep", ARRAY_STATIC, "long", "0:2", 8, 16, 17, "", GCC },
	{ "phys::state::nested::deep", ARRAY_STATIC, "long", "0:2", 8, 16, 12, "", CLANG },
	{ "phys::now", ARRAY_STATIC, "phys::state", "", 16, 16, 18, "", ALL },
	{ "phys::now.data", ARRAY_STATIC, "double", "0:0", 8, 8, 18, "pm", ALL },
	{ "box<double>::slots", ARRAY_STATIC, "double", "0:9", 8, 72, 21, "", GCC },
	{ "box<double>::slots", ARRAY_STATIC, "double", "0:9", 8, 72, 20, "", CLANG },
	{ "values", ARRAY_STATIC, "std::vector<double>", "", 24, 24, 22, "", ALL | HAS_MANY },
	{ "values", ARRAY_STATIC, "double", "0:0", 8, 8, 22, "pm", ALL | HAS_MANY },
	{ "head", ARRAY_STATIC, "phys::state", "0:0", 16, 8, 23, "p", PLAIN },
	{ "object", ARRAY_STATIC, "derived", "", 16, 16, 25, "", ALL },
	{ "object.own", ARRAY_STATIC, "double", "0:0", 8, 8, 25, "pm", ALL },
	{ "reference", ARRAY_STATIC, "double", "0:40", 8, 8, 26, "p", ALL },
	{ "grid_object", ARRAY_STATIC, "grid_t", "", 72, 72, 32, "", ALL },
	{ "grid_object.p", ARRAY_STATIC, "double", "0:0", 8, 8, 32, "pm", ALL },
	{ "grid_object.inner", ARRAY_STATIC, "int", "0:0", 4, 8, 32, "pm", ALL },
	{ "per_thread", ARRAY_THREAD_PRIVATE, "int", "0:3", 4, 12, 33, "t", ALL },
	{ "work::kept", ARRAY_STATIC, "double", "0:8", 8, 64, 37, "", ALL },
	{ "work::lambda::in_lambda", ARRAY_STATIC, "int", "0:5", 4, 20, 38, "", ALL },
};

/*
 * flang 19: counts elements without their lower bounds, has no derived types, no COMMON members, no
 * TLS for threadprivate.
 */
static const struct row in_fortran[] = {
	{ "fields::grid", ARRAY_MODULE, "real(8)", "1:20,0:22", 8, 3520, 14, "", GCC },
	{ "fields::grid", ARRAY_MODULE, "real(8)", "1:20,1:22", 8, 3520, 14, "", FLANG },
	{ "fields::work", ARRAY_MODULE, "real(4)", "1:0,1:0", 4, 88, 15, "d", GCC },
	{ "fields::work", ARRAY_MODULE, "real(4)", "1:0,1:0", 4, 72, 15, "d", FLANG },
	{ "fields::view", ARRAY_MODULE, "real(8)", "1:0", 8, 64, 16, "d", GCC },
	{ "fields::view", ARRAY_MODULE, "real(8)", "1:0", 8, 48, 16, "d", FLANG },
	{ "fields::cloud", ARRAY_MODULE, "type(particle)", "1:100", 32, 3200, 17, "", GCC },
	{ "fields::cloud", ARRAY_MODULE, "", "1:100", 32, 3200, 17, "", FLANG },
	{ "fields::root", ARRAY_MODULE, "type(block)", "", 96, 96, 18, "", GCC },
	{ "fields::root", ARRAY_MODULE, "", "", 80, 80, 18, "", FLANG },
	{ "fields::root%cells", ARRAY_MODULE, "real(8)", "1:0,1:0", 8, 88, 18, "dm", GCC },
	{ "fields::z", ARRAY_MODULE, "complex(8)", "1:5", 16, 80, 19, "", ALL },
	{ "fields::counter", ARRAY_MODULE, "integer(4)", "", 4, 4, 20, "", ALL },
	{ "fields::mask", ARRAY_MODULE, "logical(4)", "-2:5", 4, 20, 21, "", GCC },
	{ "fields::mask", ARRAY_MODULE, "logical(4)", "1:5", 4, 20, 21, "", FLANG },
	{ "fields::labels", ARRAY_MODULE, "character(12)", "1:4", 12, 48, 22, "", ALL },
	{ "fields::tls", ARRAY_THREAD_PRIVATE, "real(8)", "1:7", 8, 56, 23, "t", GCC },
	{ "fields::tls", ARRAY_MODULE, "real(8)", "1:7", 8, 56, 23, "", FLANG },
	{ "fields::n", ARRAY_MODULE, "", "", 0, 4, 0, "", FLANG },
	{ "fields::relax::kept", ARRAY_MODULE, "real(8)", "1:33", 8, 264, 28, "", ALL },
	{ "flow/u", ARRAY_COMMON, "real(8)", "1:10,1:20", 8, 1600, 41, "", GCC },
	{ "flow/v", ARRAY_COMMON, "real(8)", "1:30", 8, 240, 41, "", GCC },
	{ "flow/flag", ARRAY_COMMON, "integer(4)", "", 4, 4, 42, "", GCC },
	{ "//b", ARRAY_COMMON, "real(4)", "1:100", 4, 400, 44, "", GCC },
	{ "flow", ARRAY_COMMON, "", "", 0, 1844, 0, "", FLANG },
	{ "//", ARRAY_COMMON, "", "", 0, 400, 0, "", FLANG },
	{ "saved", ARRAY_STATIC, "real(8)", "1:9", 8, 72, 53, "", ALL },
};

static char root[4096]; /* of the project */

static void enter(void)
{
	CHECK(getcwd(root, sizeof(root)) != NULL);
	scratch_enter();
}

/* "$SOURCES" stands for the folder of the programs. */
static void run(const char *command)
{
	char text[10000];
	int status;

	snprintf(text, sizeof(text), "SOURCES=%s/tests/unit/declared; LC_ALL=C; export LC_ALL; %s",
		 root, command);
	status = system(text);
	if (status)
		test_fail(__FILE__, __LINE__, "'%s' ended with status %d", command, status);
}

static struct arena *arena;

static struct declared_list read_program(const char *path)
{
	struct declared_list list;
	struct binary binary;

	if (!arena)
		arena = arena_new();
	CHECK(arena != NULL);
	CHECK_INT(binary_open(&binary, arena, path, ""), MS_OK);
	list = declared_read(arena, &binary);
	binary_close(&binary);
	return list;
}

static const char *bounds_of(const struct array *array)
{
	static char text[500];
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < array->nr_dimensions; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%lld:%llu", i ? "," : "",
				       (long long)array->lower[i],
				       (unsigned long long)array->extent[i]);
	return text;
}

static const char *flags_of(const struct declared *declared)
{
	static char text[5];

	snprintf(text, sizeof(text), "%s%s%s%s", declared->pointer ? "p" : "",
		 declared->descriptor ? "d" : "", declared->thread_private ? "t" : "",
		 declared->member ? "m" : "");
	return text;
}

static const struct declared *find(const struct declared_list *list, const struct row *row)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].array.name, row->name) &&
		    (!(row->which & HAS_MANY) || list->items[i].declared_bytes == row->bytes))
			return &list->items[i];
	return NULL;
}

static bool is_named(const struct declared_list *list, const char *name, uint64_t bytes)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].array.name, name) &&
		    list->items[i].declared_bytes == bytes)
			return true;
	return false;
}

static void compare(const struct declared *have, const struct row *row, const char *file,
		    const char *what)
{
	const struct array *array = &have->array;
	bool fortran = strstr(file, ".f90") != NULL;

	if (strcmp(array->type, row->type) || strcmp(bounds_of(array), row->bounds) ||
	    have->declared_bytes != row->bytes || array->line != row->line ||
	    strcmp(flags_of(have), row->flags) || array->kind != row->kind ||
	    array->element_bytes != row->element_bytes)
		test_fail(__FILE__, __LINE__,
			  "%s: %s is kind %d \"%s\" [%s] of %u, %llu bytes, line %d, \"%s\"", what,
			  row->name, array->kind, array->type, bounds_of(array),
			  array->element_bytes, (unsigned long long)have->declared_bytes,
			  array->line, flags_of(have));
	CHECK_STR(array->file, row->line ? file : "");
	CHECK_INT(array->column_major, fortran && row->bounds[0]);
	CHECK_INT(array->bytes, row->bytes);
	CHECK(strstr(array->module, "program") != NULL);
}

static void check_order(const struct declared_list *list)
{
	for (size_t i = 1; i < list->nr; i++) {
		const struct declared *one = &list->items[i - 1], *next = &list->items[i];

		CHECK_THAT(one->thread_private, <=, next->thread_private);
		CHECK(one->thread_private < next->thread_private || one->address <= next->address);
		CHECK(next->member || one->member || one->thread_private < next->thread_private ||
		      one->address + one->declared_bytes <= next->address);
	}
}

/* Each row is found, and nothing else. */
static void check_rows(const struct row *rows, size_t nr, unsigned int compiler, bool plain,
		       const char *file, const char *what)
{
	struct declared_list list = read_program("./program");
	size_t expected = 0;

	CHECK_STR(list.why, "");
	check_order(&list);
	for (size_t i = 0; i < nr; i++) {
		unsigned int which = rows[i].which & (GCC | CLANG);
		const struct declared *have;

		if ((which && which != compiler) || (rows[i].which & PLAIN && !plain))
			continue;
		have = find(&list, &rows[i]);
		if (!have)
			test_fail(__FILE__, __LINE__, "%s: no %s", what, rows[i].name);
		compare(have, &rows[i], file, what);
		expected++;
	}
	for (size_t i = 0; list.nr > expected && i < list.nr; i++)
		printf("%s: there is %s\n", what, list.items[i].array.name);
	CHECK_INT(list.nr, expected);
}

#define ROWS(table) (table), sizeof(table) / sizeof((table)[0])

static const char *const optimizations[] = { "-O0", "-O2", "-O3 -march=native" };

static void check_level(const char *command, size_t level, const struct row *rows, size_t nr,
			unsigned int compiler, const char *file)
{
	char text[1000];

	snprintf(text, sizeof(text), "%s -g %s \"$SOURCES\"/%s -o program", command,
		 optimizations[level], file);
	if (!strcmp(file, "globals.c"))
		strncat(text, " -Wl,-rpath,. ./libshared.so", sizeof(text) - strlen(text) - 1);
	run(text);
	check_rows(rows, nr, compiler, level == 0, file, text);
}

static void check_language(const char *command, const struct row *rows, size_t nr,
			   unsigned int compiler, const char *file)
{
	for (size_t level = 0; level < 3; level++)
		check_level(command, level, rows, nr, compiler, file);
}

/*
 * Another form of what check_language() looks at: what optimisation does to it is known from there,
 * so that one level tells most.
 */
static void check_form(const char *command, const struct row *rows, size_t nr,
		       unsigned int compiler, const char *file)
{
	if (test_sample(0, 1))
		check_language(command, rows, nr, compiler, file);
	else
		check_level(command, 1, rows, nr, compiler, file);
}

#define SHARED "gcc-12 -shared -fPIC \"$SOURCES\"/shared.c -o libshared.so; "

TEST(declared__c_by_gcc)
{
	enter();
	run(SHARED);
	check_language("gcc-12 -fopenmp -fno-pie -no-pie", ROWS(in_c), GCC, "globals.c");
}

TEST(declared__c_by_clang)
{
	enter();
	run(SHARED);
	check_language("clang-19 -fopenmp -fno-pie -no-pie", ROWS(in_c), CLANG, "globals.c");
}

TEST(declared__c_in_older_dwarf)
{
	enter();
	run(SHARED);
	check_form("clang-19 -gdwarf-4 -fopenmp -fno-pie -no-pie", ROWS(in_c), CLANG, "globals.c");
	check_form("gcc-12 -gdwarf-3 -fopenmp -fno-pie -no-pie", ROWS(in_c), GCC, "globals.c");
	check_form("gcc-12 -gdwarf-2 -fopenmp -fno-pie -no-pie", ROWS(in_c), GCC, "globals.c");
}

TEST(declared__c_in_split_dwarf)
{
	enter();
	run(SHARED);
	check_form("clang-19 -gsplit-dwarf -fopenmp -fno-pie -no-pie", ROWS(in_c), CLANG,
		   "globals.c");
}

TEST(declared__cxx_by_gcc)
{
	enter();
	check_language("g++-12", ROWS(in_cxx), GCC, "objects.cpp");
}

TEST(declared__cxx_by_clang)
{
	enter();
	check_language("clang++-19", ROWS(in_cxx), CLANG, "objects.cpp");
}

/* In files and units of their own. */
TEST(declared__cxx_in_other_forms)
{
	enter();
	check_form("g++-12 -gsplit-dwarf", ROWS(in_cxx), GCC, "objects.cpp");
	check_form("g++-12 -gsplit-dwarf -gdwarf-4", ROWS(in_cxx), GCC, "objects.cpp");
	check_form("clang++-19 -gsplit-dwarf", ROWS(in_cxx), CLANG, "objects.cpp");
	check_form("g++-12 -fdebug-types-section", ROWS(in_cxx), GCC, "objects.cpp");
}

TEST(declared__c_with_link_time_optimization)
{
	enter();
	run(SHARED);
	check_language("gcc-12 -flto -fopenmp -fno-pie -no-pie", ROWS(in_c), GCC, "globals.c");
}

TEST(declared__split_part_is_missing)
{
	struct declared_list list;

	enter();
	run("clang++-19 -g -gsplit-dwarf \"$SOURCES\"/objects.cpp -o program && rm *.dwo");
	list = read_program("./program");
	CHECK_STR(
		list.why,
		"split debug information (.dwo) is missing: names and sizes are from the symbol table there");
	CHECK(is_named(&list, "phys::field", 320));
}

TEST(declared__fortran_by_gfortran)
{
	enter();
	check_language("gfortran -fopenmp", ROWS(in_fortran), GCC, "fields.f90");
}

TEST(declared__fortran_with_link_time_optimization)
{
	enter();
	check_language("gfortran -flto -fopenmp", ROWS(in_fortran), GCC, "fields.f90");
}

/*
 * All uses are inlined: the compiler leaves out the members' locations. Their sizes give them, if
 * they fit.
 */
TEST(declared__common_without_locations)
{
	static const struct {
		const char *name;
		uint64_t offset, bytes;
	} members[] = {
		{ "c/i", 0, 4 },   { "c/x", 8, 80 },  { "c/s", 88, 3 },
		{ "c/z", 96, 32 }, { "c/k", 128, 4 },
	};
	struct declared_list list;

	enter();
	run("printf '      subroutine a(n)\n      integer i, k, n\n      real*8 x\n      character*3 s\n      complex*16 z\n"
	    "      common /c/ i, x(10), s, z(2), k\n      x(n) = x(n) + i\n      z(1) = x(n)\n      k = n\n      s(n:n) = char(n+64)\n      end\n"
	    "      program p\n      call a(iargc() + 1)\n      end\n' > c.f && gfortran -w -g -flto -O3 c.f -o program && "
	    "nm program | grep -q ' c_$'");
	list = read_program("./program");
	CHECK_INT(list.nr, 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_STR(list.items[i].array.name, members[i].name);
		CHECK_INT(list.items[i].declared_bytes, members[i].bytes);
		CHECK_INT(list.items[i].address - list.items[0].address, members[i].offset);
	}
}

TEST(declared__fortran_by_flang)
{
	enter();
	check_language("flang-new-19 -fopenmp", ROWS(in_fortran), FLANG, "fields.f90");
}

/* By symbols alone; gcc's have no function in them (`plain_names`). */
static void check_names(const struct declared_list *list, const struct row *rows, size_t nr,
			unsigned int compiler, bool plain_names)
{
	for (size_t i = 0; i < nr; i++) {
		unsigned int which = rows[i].which & (GCC | CLANG);
		const char *colon = strstr(rows[i].name, "::");

		if ((which && which != compiler) || strchr(rows[i].flags, 'm') ||
		    rows[i].which & PLAIN)
			continue;
		if (!is_named(list, plain_names && colon ? colon + 2 : rows[i].name, rows[i].bytes))
			test_fail(__FILE__, __LINE__, "no %s of %llu bytes", rows[i].name,
				  (unsigned long long)rows[i].bytes);
	}
}

#define NO_DWARF "no debug information (-g): names and sizes are from the symbol table"

static struct declared_list check_without(const char *command)
{
	struct declared_list list;

	run(command);
	list = read_program("./program");
	CHECK_STR(list.why, NO_DWARF);
	check_order(&list);
	for (size_t i = 0; i < list.nr; i++) {
		CHECK_STR(list.items[i].array.type, "");
		CHECK_INT(list.items[i].array.line, 0);
	}
	return list;
}

TEST(declared__symbols_of_c)
{
	struct declared_list list;

	enter();
	run(SHARED);
	list = check_without(
		"gcc-12 -O2 -fopenmp -fno-pie -no-pie \"$SOURCES\"/globals.c -o program -Wl,-rpath,. ./libshared.so");
	check_names(&list, ROWS(in_c), GCC, true);
	CHECK_INT(list.nr, 29); /* without the three pointers in "bundle" */
	list = check_without(
		"clang-19 -O0 -fopenmp -fno-pie -no-pie \"$SOURCES\"/globals.c -o program -Wl,-rpath,. ./libshared.so");
	check_names(&list, ROWS(in_c), CLANG, false);
	CHECK_INT(list.nr, 29);
}

TEST(declared__symbols_of_cxx)
{
	struct declared_list list;

	enter();
	list = check_without("clang++-19 -O2 \"$SOURCES\"/objects.cpp -o program");
	CHECK(is_named(&list, "phys::field", 320));
	CHECK(is_named(&list, "phys::anonymous", 24));
	CHECK(is_named(&list, "phys::state::nested::deep", 16));
	CHECK(is_named(&list, "box<double>::slots", 72));
	CHECK(is_named(&list, "work::kept", 64));
	CHECK(is_named(&list, "work::lambda::in_lambda", 20));
	CHECK(!is_named(&list, "vtable for base", 32));
	for (size_t i = 0; i < list.nr; i++)
		CHECK(strncmp(list.items[i].array.name, "vtable", 6) &&
		      strncmp(list.items[i].array.name, "typeinfo", 8) &&
		      strncmp(list.items[i].array.name, "guard", 5) &&
		      list.items[i].array.name[0] != '_');
}

TEST(declared__symbols_of_fortran)
{
	struct declared_list list;

	enter();
	list = check_without("gfortran -O2 -fopenmp \"$SOURCES\"/fields.f90 -o program");
	CHECK(is_named(&list, "fields::grid", 3520) && is_named(&list, "fields::tls", 56) &&
	      is_named(&list, "kept", 264));
	CHECK(is_named(&list, "flow", 1848) || is_named(&list, "flow", 1844));
	CHECK(is_named(&list, "//", 400));
	list = check_without("flang-new-19 -O2 -fopenmp \"$SOURCES\"/fields.f90 -o program");
	CHECK(is_named(&list, "fields::grid", 3520) &&
	      is_named(&list, "fields::relax::kept", 264) && is_named(&list, "saved", 72));
	CHECK(is_named(&list, "flow", 1844) && is_named(&list, "//", 400));
	CHECK_THAT(list.nr, <, 30); /* the run-time library, linked in, has dozens */
}

TEST(declared__stripped)
{
	struct declared_list list;

	enter();
	run(SHARED
	    "gcc-12 -g -O2 -fopenmp -rdynamic -no-pie \"$SOURCES\"/globals.c -o program -Wl,-rpath,. ./libshared.so && strip program");
	list = read_program("./program");
	CHECK_STR(
		list.why,
		"no debug information (-g) and no symbol table: only what the file exports is known");
	CHECK(is_named(&list, "grid", 81600) && is_named(&list, "tls", 40) &&
	      is_named(&list, "shared_field", 512));
	CHECK(!is_named(&list, "hidden", 132));
	run("strip libshared.so");
	list = read_program("./libshared.so");
	CHECK_INT(list.nr, 2);
	CHECK(is_named(&list, "shared_field", 512) && is_named(&list, "shared_count", 4));
}

TEST(declared__separate_debug_file)
{
	enter();
	run(SHARED
	    "gcc-12 -g -O2 -fopenmp -fno-pie -no-pie \"$SOURCES\"/globals.c -o program -Wl,--build-id -Wl,-rpath,. ./libshared.so");
	run("objcopy --only-keep-debug program program.debug && strip program && objcopy --add-gnu-debuglink=program.debug program");
	CHECK_INT(read_program("./program").nr, 32);
	check_rows(ROWS(in_c), GCC, false, "globals.c", "separate debug file");
}

/* Only some objects have debug information: the rest is named by symbols. */
TEST(declared__partly_described)
{
	struct declared_list list;

	enter();
	run(SHARED
	    "gcc-12 -O2 -c \"$SOURCES\"/shared.c && gcc-12 -g -O2 -fopenmp -c \"$SOURCES\"/globals.c && "
	    "sed 's/shared_/other_/' \"$SOURCES\"/shared.c > other.c && gcc-12 -c other.c && "
	    "gcc-12 -fopenmp -o program globals.o shared.o other.o");
	list = read_program("./program");
	CHECK_STR(list.why, "");
	CHECK(is_named(&list, "other_field", 512) && is_named(&list, "shared_field", 512) &&
	      is_named(&list, "grid", 81600));
	CHECK_INT(list.nr, 34);
}

/* Functions and data that nobody uses are dropped by the linker, their descriptions are not. */
TEST(declared__dropped_sections)
{
	struct declared_list list;

	enter();
	run("printf 'double used[10], unused[20];\\nint main(void) { return (int)used[1]; }\\n' > dropped.c && "
	    "gcc-12 -g -fdata-sections -Wl,--gc-sections dropped.c -o program");
	list = read_program("./program");
	CHECK_INT(list.nr, 1);
	CHECK_STR(list.items[0].array.name, "used");
}

/* One block with other members in each routine, and an alias of a variable. */
TEST(declared__overlapping)
{
	struct declared_list list;

	enter();
	run("printf '      subroutine a\\n      common /c/ u(10), v(10)\\n      u(1) = v(1)\\n      end\\n"
	    "      subroutine b\\n      common /c/ w(20)\\n      w(1) = w(2)\\n      end\\n      end\\n' > c.f && "
	    "gfortran -g c.f -o program");
	list = read_program("./program");
	CHECK_INT(list.nr, 1);
	CHECK_STR(list.items[0].array.name, "c/w");
	CHECK_INT(list.items[0].declared_bytes, 80);
	run("printf 'double one[10]; extern double two[10] __attribute__((alias(\"one\")));\\nint main(void) { return (int)two[1]; }\\n' > a.c && "
	    "gcc-12 -g a.c -o program");
	list = read_program("./program");
	CHECK_INT(list.nr, 1);
	CHECK_STR(list.items[0].array.name, "one");
}

TEST(declared__sizes_from_the_linker)
{
	struct declared_list list;

	enter();
	run("printf 'struct list { int n; double values[]; } list = { 3, { 1, 2, 3 } };\\nextern double far[];\\n"
	    "double *use(void) { return far; }\\n' > a.c && printf 'double far[7] = { 1 };\\nint main(void) { return 0; }\\n' > b.c && "
	    "gcc-12 -g -c a.c && gcc-12 -c b.c && gcc-12 a.o b.o -o program");
	list = read_program("./program");
	CHECK_INT(list.nr, 2);
	CHECK(is_named(&list, "list", 32) && is_named(&list, "far", 56));
	for (size_t i = 0; i < 2; i++)
		CHECK_STR(bounds_of(&list.items[i].array),
			  strcmp(list.items[i].array.name, "far") ? "" : "0:7");
}

/* Each of 4 KiB or more is one; what is between them has the structure's name. */
TEST(declared__arrays_of_a_structure)
{
	static const struct {
		const char *name, *bounds;
		uint64_t bytes;
	} rows[] = { { "s", "", 8 },
		     { "s.x", "0:1000", 8000 },
		     { "s.in.y", "0:2,0:1000", 16000 },
		     { "s", "", 16 },
		     { "overlap", "", 12000 } };
	struct declared_list list;

	enter();
	run("printf 'struct s { int n; double x[1000]; struct { double y[2][1000]; } in; int end[4]; } s;\n"
	    "union { double a[1000]; float b[3000]; } overlap;\n' > a.c && "
	    "printf 'extern struct s s;\nvoid *use(void) { return &s; }\nint main(void) { return 0; }\n' > b.c && "
	    "gcc-12 -g -fno-common -c a.c && gcc-12 -g -c b.c && gcc-12 b.o a.o -o program");
	list = read_program("./program");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool found = false;

		for (size_t j = 0; j < list.nr; j++)
			found |= !strcmp(list.items[j].array.name, rows[i].name) &&
				 list.items[j].declared_bytes == rows[i].bytes &&
				 !strcmp(bounds_of(&list.items[j].array), rows[i].bounds);
		CHECK_STR(found ? "" : rows[i].name, "");
	}
	CHECK_INT(list.nr, sizeof(rows) / sizeof(rows[0]));
}

/* The same in a frame, where other arrays have names from two elements on, and scalars. */
TEST(declared__arrays_of_a_structure_in_a_frame)
{
	struct declared_list list;

	enter();
	run("printf 'void use(void *);\nint main(void) { struct { int n; double x[1000], y[1000]; } s; double two[2], one[1]; int n = 0; "
	    "use(&s); use(two); use(one); use(&n); return 0; }\n"
	    "void use(void *s) { (void)s; }\n' > a.c && clang-19 -g a.c -o program");
	list = read_program("./program");
	CHECK_INT(list.nr_automatic, 4);
	CHECK_STR(list.automatic[3].array.name, "n");
	CHECK_STR(list.automatic[2].array.name, "two");
	CHECK_STR(list.automatic[0].array.name, "s.x");
	CHECK_STR(list.automatic[1].array.name, "s.y");
	CHECK_INT(list.automatic[1].offset - list.automatic[0].offset, 8000);
}

static const char *const swim_arrays[] = { "u",    "v",    "p",  "unew", "vnew", "pnew", "uold",
					   "vold", "pold", "cu", "cv",   "z",    "h",    "psi" };
#define SWIM_ARRAYS (sizeof(swim_arrays) / sizeof(swim_arrays[0]))

static void check_swim(const char *compiler, const char *file, const char *prefix, const char *type,
		       uint64_t bytes)
{
	for (size_t i = 0; i < 3; i++) {
		char command[1000];
		struct declared_list list;

		snprintf(command, sizeof(command),
			 "%s -g %s -fopenmp \"$SOURCES\"/../../../bench/swim/%s -o program -lm",
			 compiler, optimizations[i], file);
		run(command);
		list = read_program("./program");
		CHECK_STR(list.why, "");
		for (size_t j = 0; j < SWIM_ARRAYS; j++) {
			char name[100];
			struct row row = { .name = name };
			const struct declared *have;

			snprintf(name, sizeof(name), "%s%s", prefix, swim_arrays[j]);
			have = find(&list, &row);
			if (!have)
				test_fail(__FILE__, __LINE__, "%s: no %s", command, name);
			CHECK_STR(have->array.type, type);
			CHECK_INT(have->array.nr_dimensions, 2);
			CHECK_INT(have->declared_bytes, bytes);
		}
	}
}

TEST(declared__swim)
{
	const uint64_t points = 1336; /* a row, in both languages */
	struct declared_list list;

	enter();
	check_swim("gcc-12", "swim.c", "", "double", points * points * 8);
	check_swim("clang-19", "swim.c", "", "double", points * points * 8);
	check_swim("gfortran", "swim.f", "//", "real(8)", points * points * 8);
	check_swim("gfortran -flto", "swim.f", "//", "real(8)", points * points * 8);
	run("flang-new-19 -g -O3 -fopenmp \"$SOURCES\"/../../../bench/swim/swim.f -o program");
	list = read_program("./program");
	CHECK(is_named(&list, "//", SWIM_ARRAYS * points * points * 8));
	CHECK(is_named(&list, "cons", 48));
}

TEST(declared__names_of_symbols)
{
	static const struct {
		int line;
		const char *symbol;
		bool fortran;
		const char *name;
		bool common, in_module;
	} rows[] = {
		{ __LINE__, "u", false, "u", false, false },
		{ __LINE__, "kept.2", false, "kept", false, false },
		{ __LINE__, "work.kept", false, "work::kept", false, false },
		{ __LINE__, "work.kept.3", false, "work::kept", false, false },
		{ __LINE__, "texts.rel", false, "texts", false, false },
		{ __LINE__, "field.llvm.17", false, "field", false, false },
		{ __LINE__, "flow_", false, "flow_", false, false },
		{ __LINE__, "flow_", true, "flow", true, false },
		{ __LINE__, "__BLNK__", true, "//", true, false },
		{ __LINE__, "__fields_MOD_grid", true, "fields::grid", false, true },
		{ __LINE__, "_QMfieldsEgrid", true, "fields::grid", false, true },
		{ __LINE__, "_QMfieldsFrelaxEkept", true, "fields::relax::kept", false, true },
		{ __LINE__, "_QFElocal", true, "local", false, false },
		{ __LINE__, "_QMfieldsECn", true, "fields::n", false, true },
		{ __LINE__, "_ZN4phys5fieldE", false, "phys::field", false, false },
		{ __LINE__, "_ZL4head", false, "head", false, false },
		{ __LINE__, ".L.str", false, NULL, false, false },
		{ __LINE__, "_ZTV4base", false, NULL, false, false },
		{ __LINE__, "_ZGVZ4workiE4lazy", false, NULL, false, false },
		{ __LINE__, "_QMfieldsE.n.x", true, NULL, false, false },
		{ __LINE__, "_QMfieldsEtls.cache", true, NULL, false, false },
		{ __LINE__, "_QQclX78", true, NULL, false, false },
		{ __LINE__, "__fields_MOD___vtab_fields_Particle", true, NULL, false, false },
		{ __LINE__, ".gomp_critical_user_.var", false, NULL, false, false },
		{ __LINE__, ".omp.reduction.var", false, NULL, false, false },
		{ __LINE__, "options.10.0", true, NULL, false, false },
		{ __LINE__, "__compound_literal.1", false, NULL, false, false },
		{ __LINE__, "_IO_stdin_used", false, NULL, false, false },
		{ __LINE__, "completed.0", false, NULL, false, false },
		{ __LINE__, "DW.ref.__gxx_personality_v0", false, NULL, false, false },
	};

	arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool common, in_module;
		const char *name = data_symbol_name(arena, rows[i].symbol, rows[i].fortran, &common,
						    &in_module);

		if (!name != !rows[i].name || (name && strcmp(name, rows[i].name)) ||
		    (name && (common != rows[i].common || in_module != rows[i].in_module)))
			test_fail(__FILE__, rows[i].line, "%s is \"%s\"", rows[i].symbol,
				  name ? name : "(none)");
	}
}

/* One byte, or four copied from elsewhere, so that references lead to other places of the tree. */
static void mutate(uint8_t *bytes, size_t nr)
{
	size_t at = pick(nr - 4),
	       from = at < 2000 ? pick(nr - 4) : at - 1000 + pick(nr - at < 2000 ? 1000 : 2000);

	if (pick(2))
		memcpy(bytes + at, bytes + (from > nr - 4 ? nr - 4 : from), 4);
	else
		bytes[at] = (uint8_t)pick(256);
}

/* 1: opened; the process survives, whatever the list holds. */
static int read_mutation(const uint8_t *bytes, size_t nr, size_t *found)
{
	struct arena *own = arena_new();
	int fd = memfd_create("mutation", MFD_CLOEXEC), opened = 0;
	struct binary binary;
	char path[64];

	CHECK(fd >= 0 && write(fd, bytes, nr) == (ssize_t)nr);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (binary_open(&binary, own, path, "") == MS_OK) {
		struct declared_list list = declared_read(own, &binary);

		for (size_t i = 0; i < list.nr; i++)
			*found += strlen(list.items[i].array.name) > 0 &&
				  list.items[i].array.nr_dimensions <= ARRAY_DIMENSIONS;
		CHECK(list.why != NULL);
		opened = 1;
		binary_close(&binary);
	}
	close(fd);
	arena_free(own);
	return opened;
}

static void fuzz(const char *command)
{
	size_t nr, runs = test_sample(300, 10000), opened = 0, found = 0;
	uint8_t *bytes, *changed;

	run(command);
	bytes = file_read("program", &nr);
	CHECK(bytes && (changed = malloc(nr)));
	for (size_t i = 0; i < runs; i++) {
		size_t cut = pick(8) ? nr : pick(nr);

		memcpy(changed, bytes, nr);
		for (size_t places = 1 + pick(20); places > 0; places--)
			mutate(changed, nr);
		opened += (size_t)read_mutation(changed, cut, &found);
	}
	CHECK_THAT(opened, >, runs / 2);
	CHECK_THAT(found, >, opened);
	free(bytes);
	free(changed);
}

TEST(declared__fuzz_c)
{
	enter();
	fuzz("gcc-12 -g -nostdlib -shared -fPIC -fopenmp \"$SOURCES\"/globals.c -o program 2> /dev/null");
}

TEST(declared__fuzz_dwarf_5_of_clang)
{
	enter();
	fuzz("clang-19 -g -nostdlib -shared -fPIC \"$SOURCES\"/globals.c -o program 2> /dev/null");
}

TEST(declared__fuzz_fortran)
{
	enter();
	fuzz("gfortran -g -nostdlib -shared -fPIC \"$SOURCES\"/fields.f90 -o program 2> /dev/null");
}

TEST(declared__fuzz_cxx)
{
	enter();
	fuzz("g++-12 -g -shared -fPIC \"$SOURCES\"/objects.cpp -o program 2> /dev/null");
}

/* What a typical program costs, for the record. */
TEST(declared__time)
{
	struct timespec begin, end;
	size_t nr = 0;

	enter();
	run("g++-12 -g -O2 \"$SOURCES\"/objects.cpp -o program");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 10; i++)
		nr += read_program("./program").nr;
	clock_gettime(CLOCK_MONOTONIC, &end);
	CHECK_INT(nr, 190);
	printf("%.1f ms to open and read a C++ program\n",
	       ((double)(end.tv_sec - begin.tv_sec) * 1e3 +
		(double)(end.tv_nsec - begin.tv_nsec) / 1e6) /
		       10);
}
