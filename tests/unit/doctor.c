/* SPDX-License-Identifier: Apache-2.0 */
/* How set-ups are judged, commands quoted, machines' files read, and sensors told. */
#include "analysis/cmds/doctor.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/cmds/doctor_files.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/cmds/setups.h"
#include "analysis/report/text.h"
#include "memsearch/probe.h"
#include "tests/unit/test.h"

/*
 * What is refused says why and what to do; what works says so with `memsearch run` where it does
 * not without.
 */
TEST(setups__every_refused_one_explains_itself)
{
	for (size_t i = 0; i < nr_setups; i++) {
		const struct setup *setup = &setups[i];

		if (!setup->what || (setup->run == SETUP_NO && setup->bare != SETUP_NO))
			test_fail(__FILE__, __LINE__, "row %zu", i);
		if (setup->run == SETUP_NO && (!setup->applies || !setup->why || !setup->advice))
			test_fail(__FILE__, __LINE__, "'%s' does not explain itself", setup->what);
		if (setup->applies && !setup->why)
			test_fail(__FILE__, __LINE__, "'%s' has nothing to say", setup->what);
	}
}

/* The names of all that apply, in one text. */
static const char *names_of(struct arena *arena, const struct setup_case *about)
{
	struct doctor doctor = { .arena = arena };
	const char *names = "";

	doctor_add_setups(&doctor, about, "./a", NULL);
	for (size_t i = 0; i < doctor.nr; i++)
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
				     doctor.rows[i].name);
	return names;
}

static const struct launch_file with_tools = { .path = "/no/lib/llvm-19/lib/libomp.so.5",
					       .elf = true,
					       .has_tools = true };
static const struct launch_file old_libomp = { .path = "/no/lib/llvm-14/lib/libomp.so.5",
					       .elf = true,
					       .has_tools = true };
static const struct launch_file without_tools = { .path = "/opt/libomp.so", .elf = true };
static const char *two_needed[] = { "libc.so.6", "libomp.so.5" };
static const struct {
	int line;
	struct launch_file file;
	struct launch_runtime runtime;
	const struct launch_file *library;
	const char *names;
} programs[] = {
	{ __LINE__, { .elf = true }, { .libomp = "x" }, &with_tools, "libomp, libomp 19" },
	{ __LINE__, { .elf = true }, { .libomp = "x" }, &old_libomp, "libomp, libomp 14" },
	{ __LINE__,
	  { .elf = true, .flang = true },
	  { .libomp = "x" },
	  &with_tools,
	  "libomp, libomp 19, flang" },
	{ __LINE__, { .elf = true }, { .libomp = "x" }, &without_tools, "libomp, no tools" },
	{ __LINE__,
	  { .elf = true, .rpath = "/opt" },
	  { .libomp = "x" },
	  &without_tools,
	  "libomp, RPATH" },
	{ __LINE__,
	  { .elf = true },
	  { .libomp = "x", .first_missing = "__kmpc_new" },
	  &with_tools,
	  "libomp, libomp 19, old libomp" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .libomp = "y", .swap = LAUNCH_SWAP_LINK },
	  &with_tools,
	  "libgomp swapped, gcc loops, libomp 19" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_KEPT },
	  NULL,
	  "libgomp, gcc loops" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .libomp = "y", .swap = LAUNCH_SWAP_KEPT },
	  &with_tools,
	  "libgomp, two runtimes, gcc loops, libomp 19" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .libomp = "y" },
	  &with_tools,
	  "libomp, libomp 19" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_NO_LIBOMP },
	  NULL,
	  "no libomp" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_REFUSED },
	  NULL,
	  "libgomp only" },
	{ __LINE__, { .elf = true }, { .libiomp = "x" }, &with_tools, "libomp 19, libiomp5" },
	{ __LINE__, { .elf = true }, { .libiomp = "x" }, &without_tools, "libiomp5, no tools" },
	{ __LINE__,
	  { .elf = true, .set_id = true },
	  { .libomp = "x" },
	  &with_tools,
	  "libomp, libomp 19, setuid" },
	{ __LINE__,
	  { .elf = true, .capabilities = true },
	  { .libomp = "x" },
	  &with_tools,
	  "libomp, libomp 19, setuid" },
	{ __LINE__, { .elf = true, .foreign = true }, { 0 }, NULL, "processor" },
	{ __LINE__, { .interpreter = "/bin/sh" }, { 0 }, NULL, "script" },
	{ __LINE__,
	  { .elf = true, .is_static = true, .contains_libgomp = true },
	  { 0 },
	  NULL,
	  "static libgomp, static" },
	{ __LINE__,
	  { .elf = true, .contains_libomp = true, .has_tools = true },
	  { 0 },
	  NULL,
	  "static libomp" },
	{ __LINE__, { .elf = true, .contains_libomp = true }, { 0 }, NULL, "static libomp" },
	{ __LINE__, { .elf = true }, { 0 }, NULL, "no OpenMP" },
	{ __LINE__,
	  { .elf = true, .needed = two_needed, .nr_needed = 2 },
	  { 0 },
	  NULL,
	  "not found" },
};

TEST(setups__programs)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct setup_case about = { .file = &programs[i].file,
						  .runtime = &programs[i].runtime,
						  .library = programs[i].library };
		const char *names = names_of(arena_new(), &about);

		if (strcmp(names, programs[i].names) != 0)
			test_fail(__FILE__, programs[i].line, "%s", names);
	}
}

TEST(setups__machines)
{
	static const struct doctor_machine good = {
		.architecture = "x86-64",
		.has_perf = true,
		.paranoid = 2,
		.pmus_known = true,
		.core_pmu = "cpu",
		.cpus_allowed = 4,
		.threads_with_descriptors = 4,
		.threads_with_rings = 4,
	};
	struct doctor_machine machine = good;
	const struct setup_case about = { .machine = &machine };
	struct arena *arena = arena_new();

	CHECK_STR(names_of(arena, &about), "");
	machine.paranoid = 3;
	CHECK_STR(names_of(arena, &about), "perf");
	machine.capabilities = 1ull << 38; /* CAP_PERFMON */
	CHECK_STR(names_of(arena, &about), "");
	machine = good;
	machine.seccomp = 2;
	CHECK_STR(names_of(arena, &about), "perf");
	machine.perf_opens = DOCTOR_YES; /* the filter lets it through */
	CHECK_STR(names_of(arena, &about), "");
	machine = good;
	machine.core_pmu = NULL;
	CHECK_STR(names_of(arena, &about), "counters");
	machine.pmus_known = false;
	CHECK_STR(names_of(arena, &about), "");
	machine = good;
	machine.cpus_allowed = 5;
	CHECK_STR(names_of(arena, &about), "descriptors, locked memory");
}

TEST(setups__commands_are_quoted_for_a_shell)
{
	struct arena *arena = arena_new();

	CHECK_STR(setup_command(arena, "memsearch run -- PROGRAM", "./a.out", NULL),
		  "memsearch run -- ./a.out");
	CHECK_STR(setup_command(arena, "X=LIBOMP PROGRAM", "a b", "/l;i"), "X='/l;i' 'a b'");
	CHECK_STR(setup_command(arena, "chmod +x PROGRAM", "it's", NULL), "chmod +x 'it'\\''s'");
	CHECK_STR(setup_command(arena, "chmod +x PROGRAM", "", NULL), "chmod +x ''");
	CHECK(setup_command(arena, "X=LIBOMP PROGRAM", "a", NULL) == NULL);
}

TEST(doctor_files__values_and_lists)
{
	struct arena *arena = arena_new();
	const char *text = "cpu\t\t: POWER9\nmodel\t\t: 106\nmodel name\t: Xeon\nempty:\nlast: x";

	CHECK_STR(system_text_value(arena, text, "model name"), "Xeon");
	CHECK_STR(system_text_value(arena, text, "model\t"), "106");
	CHECK_STR(system_text_value(arena, text, "empty"), "");
	CHECK_STR(system_text_value(arena, text, "last"), "x");
	CHECK(!system_text_value(arena, text, "none") && !system_text_value(arena, NULL, "last"));
	CHECK_INT(system_text_count("0-3,8"), 5);
	CHECK_INT(system_text_count("0,8"), 2);
	CHECK_INT(system_text_count(NULL), 0);
	CHECK_INT(system_text_count("3-1"), 0);
	CHECK_INT(system_text_count("0-99999999999,1"), 0);
	CHECK_INT(system_text_count("x"), 0);
}

static const struct doctor_row *row_of(const struct doctor *doctor, enum doctor_topic topic,
				       const char *name)
{
	for (size_t i = 0; i < doctor->nr; i++)
		if (doctor->rows[i].topic == topic && !strcmp(doctor->rows[i].name, name))
			return &doctor->rows[i];
	test_fail(__FILE__, __LINE__, "no row '%s'", name);
	return NULL;
}

/*
 * An invented machine: one sensor refused, one limited, one metric that a working sensor has no
 * event for.
 */
static void invent(struct ms_probe *probe)
{
	const struct sensor_status refused = { .why = MS_MISSING_NOT_PERMITTED,
					       .text = "refused",
					       .mend = "do this" };

	for (unsigned int id = 0; id < MS_SENSORS; id++)
		probe->sensors[id].works = true;
	for (unsigned int metric = 0; metric < MS_METRICS; metric++)
		probe->metrics[metric].works = true;
	probe->sensors[MS_SENSOR_SAMPLES] = probe->metrics[MS_METRIC_SAMPLES] = refused;
	snprintf(probe->sensors[MS_SENSOR_FAULTS].text,
		 sizeof(probe->sensors[MS_SENSOR_FAULTS].text), "no stacks");
	probe->metrics[MS_METRIC_MIGRATIONS] = (struct sensor_status){
		.why = MS_MISSING_NOT_SUPPORTED
	};
}

TEST(doctor__sensors_and_metrics)
{
	struct doctor doctor = { .arena = arena_new(), .subject = "machine", .answer = "x" };
	static struct ms_probe probe;
	struct text out;

	invent(&probe);
	doctor_add_sensors(&doctor, &probe);
	CHECK_INT(row_of(&doctor, DOCTOR_SENSOR, "clock")->state, DOCTOR_WORKS);
	CHECK_INT(row_of(&doctor, DOCTOR_SENSOR, "samples")->state, DOCTOR_FAILS);
	CHECK_STR(row_of(&doctor, DOCTOR_SENSOR, "samples")->command, "do this");
	CHECK_INT(row_of(&doctor, DOCTOR_SENSOR, "faults")->state, DOCTOR_LIMITED);
	CHECK_STR(row_of(&doctor, DOCTOR_METRIC, "migrations")->text,
		  ms_missing_text(MS_MISSING_NOT_SUPPORTED));
	text_init(&out, doctor.arena);
	doctor_print(&out, &doctor, "text");
	CHECK(strstr(out.bytes, "  samples         refused\n                  $ do this\n"));
	CHECK(strstr(out.bytes, "  migrations      not supported by this machine or kernel\n"));
	CHECK(strstr(out.bytes, "  faults          no stacks\n") &&
	      strstr(out.bytes, "  faults          limited, see above\n"));
	CHECK(strstr(out.bytes, "  do not work     migrations, samples\n"));
}
