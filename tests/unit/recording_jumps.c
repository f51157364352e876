/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps at functions that recorded code hands on: which get one, when they are taken away, and what is said of the others. */
#define _GNU_SOURCE
#include "ompt_tool/recording_jumps.h"

#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/entry_bytes.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/recorded_code.h"
#include "ompt_tool/recording.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/sensors/sensor.h"
#include "ompt_tool/thread.h"
#include "tests/host/scratch.h"
#include "tests/unit/assembly.h"
#include "tests/unit/test.h"

#ifdef __x86_64__

typedef int function_of_one(int);
function_of_one fits, fits_too, too_short, hands_on;

__asm__(".pushsection .text, \"ax\", @progbits\n"
	BEGIN(fits) "	push %rbx\n	mov %edi, %ebx\n	lea 1(%rbx), %eax\n	pop %rbx\n	ret\n" END(fits)
	BEGIN(fits_too) "	push %rbx\n	mov %edi, %ebx\n	lea 2(%rbx), %eax\n	pop %rbx\n	ret\n" END(fits_too)
	BEGIN(too_short) "	mov %edi, %eax\n	ret\n" END(too_short)
	BEGIN(hands_on) "	lea fits(%rip), %rax\n	lea fits_too(%rip), %rcx\n	ret\n" END(hands_on)
	BEGIN(hands_short_on) "	lea too_short(%rip), %rax\n	nop\n	ret\n" END(hands_short_on)
	".popsection\n");
function_of_one hands_short_on;

static struct arena *arena;
static struct region_table *regions;
static struct thread *self;
static struct jumps_refused refused;

static struct region *region(enum ms_region_kind kind, uint64_t construct)
{
	return region_table_at(regions, region_table_get(regions, kind, construct, MS_REGION_USER, &(bool){ false }));
}

static void start(function_of_one *function)
{
	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	arena = arena_new();
	regions = arena_alloc(arena, region_table_bytes());
	self = thread_new();
	CHECK(arena && regions && self && !self->index);
	region_table_init(regions);
	CHECK(recorded_code_clone((uintptr_t)function, CLONE_ACCESSES, false));
}

/* ThreadSanitizer's own thread runs now and then. */
#define TRIES (__has_feature(thread_sanitizer) ? 5000 : 1)

static bool turn(bool on)
{
	bool done = false;

	for (int i = 0; i < TRIES && !done; i++)
		done = recording_jumps(arena, regions, on, &refused);
	return done;
}

#define JUMP 0xe9

static bool jumps_away(function_of_one *function)
{
	return *(const volatile unsigned char *)function == JUMP;
}

TEST(recording_jumps__on_and_off)
{
	start(hands_on);
	CHECK(turn(false) && !jumps_away(fits));
	CHECK(turn(true) && !refused.why);
	CHECK(jumps_away(fits) && jumps_away(fits_too));
	CHECK_INT(fits(3), 4);
	CHECK(turn(false) && !refused.why);
	CHECK(!jumps_away(fits) && !jumps_away(fits_too));
	CHECK_INT(fits(3), 4);
}

/* A region may begin, and its body be handed to the runtime, after it was taken for a function that libraries call. */
TEST(recording_jumps__none_at_bodies)
{
	start(hands_on);
	region_note_body(region(MS_PARALLEL_REGION, 0x1000), (uintptr_t)fits_too);
	CHECK(turn(true) && !refused.why);
	CHECK(jumps_away(fits) && !jumps_away(fits_too));
	region_note_body(region(MS_TASK_REGION, 0x2000), (uintptr_t)fits);
	CHECK(turn(true) && !refused.why);
	CHECK(!jumps_away(fits));
}

static void handle(function_of_one *function)
{
	struct sigaction action = { .sa_handler = (void (*)(int))(uintptr_t)function };

	CHECK(!sigaction(SIGUSR1, &action, NULL));
}

TEST(recording_jumps__none_at_signal_handlers)
{
	start(hands_on);
	handle(fits);
	CHECK(turn(true));
	CHECK_STR(refused.why, "a signal handler may run between any two instructions of recorded code");
	CHECK(!jumps_away(fits) && jumps_away(fits_too));
	handle(fits_too);
	CHECK(turn(true) && refused.why);
	CHECK(!jumps_away(fits_too));
}

/* It is not asked again. */
TEST(recording_jumps__none_without_room)
{
	start(hands_short_on);
	for (int i = 0; i < 2; i++) {
		CHECK(turn(true));
		CHECK_STR(refused.why, "it is too short for a jump to its copy");
		CHECK(refused.function == (uintptr_t)too_short);
		CHECK(!jumps_away(too_short));
	}
	CHECK(turn(false) && !refused.why);
}

static void be_inside(bool inside)
{
	self->depth = inside;
	self->frames[0].type = FRAME_PARALLEL;
}

TEST(recording_jumps__not_inside_of_a_region)
{
	start(hands_on);
	be_inside(true);
	CHECK(!turn(true) && !jumps_away(fits));
	CHECK_STR(refused.why, "the phase's executions end inside of a parallel region or a task");
	CHECK(!refused.function);
	be_inside(false);
	CHECK(turn(true) && jumps_away(fits));
	be_inside(true);
	CHECK(turn(true) && !refused.why);
	CHECK(!turn(false) && !refused.why && jumps_away(fits));
	be_inside(false);
	CHECK(turn(false) && !jumps_away(fits));
}

/* Where there is nothing to put, nothing is missing. */
TEST(recording_jumps__nothing_handed_on)
{
	start(fits);
	be_inside(true);
	CHECK(turn(true) && !refused.why);
}

TEST(recording_jumps__a_forks_child_has_none)
{
	int status = 0;
	pid_t child;

	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer has a thread of its own, in a fork's child, too, which may run in the midst of it");
	start(hands_on);
	CHECK(turn(true) && jumps_away(fits));
	child = fork();
	if (!child) {
		recording_jumps_forget();
		_exit(jumps_away(fits) || jumps_away(fits_too) || fits(3) != 4);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(jumps_away(fits) && jumps_away(fits_too));
}

/* ------------------------------------------------------------------ the search */

/* This program calls no OpenMP runtime. */
bool switching_hand_over(switching_translate *translate, struct switching_status *out)
{
	(void)translate;
	*out = (struct switching_status){ .slots = 1 };
	return true;
}

/*
 * Nothing is asked for any more, so that only ends of executions are left to take them away: the next one, and where that does not do, the second
 * and the fourth behind it, as each try looks at all threads of the process.
 */
TEST(recording_jumps__taken_away_after_the_last_request)
{
	struct ms_region_info user = { .parent = MS_REGION_NONE, .kind = MS_USER_REGION };
	struct sensor_status status[MS_SENSORS];
	struct recording *recording;
	struct database *db;
	static struct run run;

	start(hands_on);
	sensors_probe(status);
	db = database_new(arena);
	recording = recording_new(arena, regions, &run);
	CHECK(db && recording && database_region(db, &user) == MS_OK);
	recording_prepare(recording);
	for (int i = 0; i < TRIES && !jumps_away(fits); i++)
		recording_select(recording, true);
	CHECK(jumps_away(fits) && !run.nr_dropped);
	be_inside(true);
	recording_select(recording, false);
	recording_settling(recording, db);
	CHECK(jumps_away(fits));
	be_inside(false);
	recording_settling(recording, db);
	CHECK(jumps_away(fits));
	be_inside(true);
	for (int i = 0; i < 3; i++)
		recording_settling(recording, db);
	be_inside(false);
	recording_settling(recording, db);
	CHECK(jumps_away(fits));
	for (int i = 0; i < TRIES && jumps_away(fits_too); i++)
		recording_settling(recording, db);
	CHECK(!jumps_away(fits) && !jumps_away(fits_too) && !run.nr_dropped);
}

/* ------------------------------------------------------------------ libraries that go */

static const char source[] =
	"static __attribute__((noinline, noclone, used)) int by(int n) { volatile int sum = n; for (int i = 0; i < n; i++) sum += i * ADD; return sum; }\n"
	"typedef int function(int);\n"
	"function *hands_it_on(void) { return by; }\n";

static void compile(char *name, char *how)
{
	char *arguments[] = { "cc", "-O1", "-w", how, "-shared", "-fPIC", "-o", name, "library.c", NULL };
	pid_t child;
	int status = 0;
	extern char **environ;

	if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ))
		test_skip("no %s", arguments[0]);
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		test_skip("no %s", arguments[0]);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

static function_of_one *load(const char *name, void **library_out)
{
	function_of_one *(*hands_it_on)(void);

	*library_out = dlopen(name, RTLD_NOW);
	CHECK(*library_out);
	hands_it_on = (function_of_one *(*)(void))dlsym(*library_out, "hands_it_on");
	CHECK(hands_it_on);
	CHECK(recorded_code_clone((uintptr_t)hands_it_on, CLONE_ACCESSES, false));
	return hands_it_on();
}

static void try_one(const char *name, int expected)
{
	void *library;
	function_of_one *by = load(name, &library);

	CHECK(!jumps_away(by));
	CHECK(turn(true) && !refused.why && jumps_away(by));
	CHECK_INT(by(4), expected);
	CHECK(!dlclose(library));
}

/* The next one mostly comes to the same place. */
TEST(recording_jumps__in_libraries_that_are_unloaded)
{
	function_of_one *by;
	void *library;

	start(fits);
	scratch_enter();
	file_write("library.c", source, sizeof(source) - 1);
	compile("./one.so", "-DADD=1");
	compile("./two.so", "-DADD=2");
	for (int i = 0; i < 3; i++) {
		try_one("./one.so", 10);
		try_one("./one.so", 10);
		try_one("./two.so", 16);
	}
	CHECK(turn(false) && !refused.why);
	by = load("./two.so", &library);
	CHECK(turn(true) && !refused.why && jumps_away(by));
	CHECK(turn(false) && !refused.why && !jumps_away(by));
	CHECK_INT(by(4), 16);
}

#else

TEST(recording_jumps__none_here)
{
	test_skip("functions are not copied on this architecture");
}

#endif
