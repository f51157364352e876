/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting programs: exit codes, signals, stopping; what a file is; which runtime; why no tool
 * attached.
 */
#include "analysis/cmds/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/attach.h"
#include "analysis/cmds/program_output.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

extern char **environ;

/* Folders of a test, removed with the few files in them when it ends well. */
static char *folders[32];
static int nr_folders;

static void remove_folders(void)
{
	static const char *const names[] = { "libomp.so.5", "libgomp.so.1", "script", "text",
					     "prog",        "cut",          "changed" };

	for (int i = 0; i < nr_folders; i++) {
		char path[256];

		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++) {
			snprintf(path, sizeof(path), "%s/%s", folders[i], names[j]);
			unlink(path);
		}
		rmdir(folders[i]);
	}
}

static const char *folder(struct arena *arena)
{
	char *name = arena_strdup(arena, "/tmp/memsearch-test-XXXXXX");

	CHECK(mkdtemp(name) && nr_folders < 32);
	if (!nr_folders)
		atexit(remove_folders);
	folders[nr_folders++] = name;
	return name;
}

static const char *missing_path(struct arena *arena)
{
	return arena_printf(arena, "%s/missing", folder(arena));
}

static const char *write_file(struct arena *arena, const char *where, const char *name,
			      const void *bytes, size_t nr, mode_t mode)
{
	const char *path = arena_printf(arena, "%s/%s", where, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	CHECK_THAT(fd, >=, 0);
	CHECK_INT(write(fd, bytes, nr), nr);
	close(fd);
	return path;
}

static const char *write_script(struct arena *arena, const char *where, const char *name,
				const char *text)
{
	return write_file(arena, where, name, text, strlen(text), 0755);
}

static struct launch_end shell(const char *script, bool hidden)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct launch what = { .argv = argv, .environment = environ, .hidden = hidden };

	return launch(&what);
}

/* -- launch */

TEST(launch__exit_codes)
{
	char *missing[] = { "no-such-program-anywhere", NULL },
	     *forbidden[] = { "/etc/passwd", NULL };
	struct launch_end end = launch(&(struct launch){ .argv = missing, .environment = environ });

	CHECK_INT(end.exit_code, 127);
	CHECK_INT(end.start_error, ENOENT);
	end = launch(&(struct launch){ .argv = forbidden, .environment = environ });
	CHECK_INT(end.exit_code, 126);
	CHECK_INT(end.start_error, EACCES);
	CHECK_INT(shell("exit 0", false).exit_code, 0);
	CHECK_INT(shell("exit 77", false).exit_code, 77);
	end = shell("kill -SEGV $$", false);
	CHECK_INT(end.signal, SIGSEGV);
	CHECK_INT(end.exit_code, 128 + SIGSEGV);
}

/* In a process group of its own. */
static pid_t launch_beside(const char *script)
{
	pid_t launcher = fork();

	CHECK_THAT(launcher, >=, 0);
	if (launcher == 0) {
		setpgid(0, 0);
		_exit(shell(script, false).exit_code);
	}
	return launcher;
}

static int exit_code_of(pid_t launcher)
{
	int status;

	CHECK_INT(waitpid(launcher, &status, 0), launcher);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void wait_for_file(const char *name)
{
	const struct timespec poll = { 0, 10000000 };

	for (int i = 0; i < 1000 && access(name, F_OK); i++)
		nanosleep(&poll, NULL);
	CHECK_INT(unlink(name), 0);
}

TEST(launch__passes_signals_on)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "TERM", SIGTERM }, { "INT", SIGINT },   { "HUP", SIGHUP },
			{ "QUIT", SIGQUIT }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
			{ "IO", SIGIO },     { "PROF", SIGPROF } };

	scratch_enter();
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		char script[256];
		pid_t launcher;

		snprintf(
			script, sizeof(script),
			"trap 'exit 9' %s; : > ready; i=0; while [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done",
			signals[i].name);
		launcher = launch_beside(script);
		wait_for_file("ready");
		CHECK_INT(kill(launcher, signals[i].number), 0);
		if (exit_code_of(launcher) != 9)
			test_fail(__FILE__, __LINE__, "%s did not arrive", signals[i].name);
	}
}

static volatile sig_atomic_t arrived;

static void arrives(int number)
{
	(void)number;
	arrived++;
}

/* A signal to its parent arrives there, and one to its process group arrives once, as alone. */
TEST(launch__signals_that_the_program_sends)
{
	const struct sigaction count = { .sa_handler = arrives, .sa_flags = SA_RESTART };

	CHECK_INT(sigaction(SIGUSR1, &count, NULL), 0);
	CHECK_INT(exit_code_of(launch_beside("kill -USR1 $PPID; sleep 0.2; exit 3")), 3);
	CHECK_INT(arrived, 1);
	CHECK_INT(exit_code_of(launch_beside(
			  "n=0; trap 'n=$((n+1))' USR1; kill -USR1 0; sleep 0.2; exit $n")),
		  1);
	CHECK_INT(arrived, 1);
}

TEST(launch__stops_and_goes_on_with_the_program)
{
	int status;
	/* whose parent is in another group: the kernel lets it stop */
	pid_t launcher = launch_beside(
		"n=4; trap 'n=$((n+1))' CONT; kill -TSTP $$; sleep 0.2; exit $n");

	CHECK_INT(waitpid(launcher, &status, WUNTRACED), launcher);
	CHECK(WIFSTOPPED(status));
	kill(launcher, SIGCONT);
	CHECK_INT(exit_code_of(launcher), 5);
}

/* Another process than the shell continues the program, and it alone. */
TEST(launch__continues_with_the_program)
{
	CHECK_INT(
		exit_code_of(launch_beside(
			"n=4; trap 'n=$((n+1))' CONT; (sleep 0.1; kill -CONT $$) & kill -TSTP $$; sleep 0.2; exit $n")),
		5);
}

/* By SIGSTOP a program stops for another process, which continues it alone. */
TEST(launch__waits_for_a_program_that_stops_itself)
{
	CHECK_INT(shell("(sleep 0.1; kill -CONT $$) & kill -STOP $$; exit 5", false).exit_code, 5);
}

TEST(launch__program_starts_with_the_signals_we_were_started_with)
{
	char *blocked[] = { "grep", "-q", "SigBlk:.*0000000000000800", "/proc/self/status", NULL };
	char *ignored[] = { "grep", "-q", "SigIgn:.*1....$", "/proc/self/status", NULL };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction after;
	sigset_t set, mask;

	sigaction(SIGCHLD, &ignore, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	/* SIGUSR2 is 12: bit 11 of the mask, and nothing else; SIGCHLD, 17, is ignored: bit 16. */
	CHECK_INT(launch(&(struct launch){ .argv = blocked, .environment = environ }).exit_code, 0);
	CHECK_INT(launch(&(struct launch){ .argv = ignored, .environment = environ }).exit_code, 0);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigaction(SIGCHLD, NULL, &after);
	CHECK(sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGTERM));
	CHECK(after.sa_handler == SIG_IGN);
}

TEST(launch__hidden_has_no_input_and_no_output)
{
	CHECK_INT(
		shell("for i in 0 1 2; do [ $(readlink /proc/$$/fd/$i) = /dev/null ] || exit 1; done; exit 4",
		      true)
			.exit_code,
		4);
}

/* -- environment and capture */

TEST(environment__get_set_prepend)
{
	char *variables[] = { "A=1", "AB=2", "EMPTY=", NULL };
	struct environment environment;

	environment_init(&environment, arena_new(), variables);
	CHECK_STR(environment_get(&environment, "A"), "1");
	CHECK(environment_get(&environment, "B") == NULL);
	environment_set(&environment, "A", "x");
	environment_prepend(&environment, "AB", "/p");
	environment_prepend(&environment, "EMPTY", "e");
	environment_prepend(&environment, "NEW", "n");
	for (int i = 0; i < 100; i++)
		environment_set(&environment, arena_printf(environment.arena, "V%d", i), "v");
	CHECK_STR(environment_get(&environment, "A"), "x");
	CHECK_STR(environment_get(&environment, "AB"), "/p:2");
	CHECK_STR(environment_get(&environment, "EMPTY"), "e");
	CHECK_STR(environment_get(&environment, "NEW"), "n");
	CHECK_STR(environment_get(&environment, "V99"), "v");
	CHECK(environment.variables[104] == NULL && environment.variables[103]);
	CHECK_STR(variables[0], "A=1");
}

TEST(capture__both_streams_and_failures)
{
	struct arena *arena = arena_new();
	char *argv[] = { "/bin/sh", "-c", "echo out; echo err >&2; read x || echo end", NULL },
	     *missing[] = { "/no/such", NULL };

	CHECK_STR(capture(arena, argv, environ), "out\nerr\nend\n");
	CHECK(capture(arena, missing, environ) == NULL);
}

/* -- files */

TEST(launch_elf__kinds_of_files)
{
	struct arena *arena = arena_new();
	const char *where = folder(arena);
	struct launch_file file;

	launch_examine(arena, "sh", &file);
	CHECK(file.elf && !file.error && !file.is_static && !file.foreign && file.loader &&
	      access(file.loader, X_OK) == 0);
	CHECK(!file.contains_libomp && !file.contains_libgomp && !file.set_id);
	launch_examine(arena, write_script(arena, where, "script", "#! /usr/bin/env  sh\nexit\n"),
		       &file);
	CHECK(!file.elf && !file.error);
	CHECK_STR(file.interpreter, "/usr/bin/env");
	launch_examine(arena, write_file(arena, where, "text", "hello", 5, 0644), &file);
	CHECK_INT(file.error, EACCES);
	launch_examine(arena, where, &file);
	CHECK_INT(file.error, EACCES);
	launch_examine(arena, "no-such-program-anywhere", &file);
	CHECK(file.error == ENOENT && !file.path);
	launch_examine(arena, "", &file);
	CHECK_THAT(file.error, !=, 0);
}

TEST(launch_elf__path_is_searched_in_order)
{
	struct arena *arena = arena_new();
	const char *first = folder(arena), *second = folder(arena);
	struct launch_file file;

	write_file(arena, first, "prog", "x", 1, 0644);
	write_script(arena, second, "prog", "#!/bin/sh\n");
	setenv("PATH", arena_printf(arena, "/no/such:%s:%s", first, second), 1);
	launch_examine(arena, "prog", &file);
	CHECK_STR(file.path, arena_printf(arena, "%s/prog", second));
	CHECK_INT(file.error, 0);
	setenv("PATH", first, 1);
	launch_examine(arena, "prog", &file);
	CHECK_INT(file.error, EACCES);
}

/*
 * A copy of this program, cut anywhere or with any byte of its headers changed, is looked at
 * without harm.
 */
TEST(launch_elf__damaged_files)
{
	static unsigned char bytes[1 << 16], changed[1 << 16];
	struct arena *arena = arena_new();
	const char *where = folder(arena);
	int fd = open("/proc/self/exe", O_RDONLY);
	ssize_t nr = read(fd, bytes, sizeof(bytes));
	struct launch_file file;

	CHECK_THAT(nr, >, 4096);
	for (size_t length = 0; length < 1200; length += length < 200 ? 1 : 37)
		launch_examine(arena, write_file(arena, where, "cut", bytes, length, 0755), &file);
	for (size_t i = 4; i < 64 + 56 * 10; i++) {
		memcpy(changed, bytes, (size_t)nr);
		changed[i] ^= 0xff;
		launch_examine(arena,
			       write_file(arena, where, "changed", changed, (size_t)nr, 0755),
			       &file);
		CHECK(file.elf);
	}
}

/* -- the runtime */

TEST(launch_runtime__reads_what_the_loader_says)
{
	struct launch_runtime runtime;

	launch_runtime_read(
		arena_new(),
		"\tlinux-vdso.so.1 (0x1)\n\tlibomp.so.5 => /a/libomp.so.5 (0x2)\n\tlibiomp5.so => not found\n"
		"undefined symbol: GOMP_teams4, version X\t(./x)\nundefined symbol: other (./x)\n"
		"\t/lib64/ld-linux-x86-64.so.2 (0x7)",
		&runtime);
	CHECK_STR(runtime.libomp, "/a/libomp.so.5");
	CHECK(!runtime.libgomp && !runtime.libiomp && !runtime.libgomp_first);
	CHECK_STR(runtime.first_missing, "GOMP_teams4");
	CHECK_INT(runtime.nr_missing, 1);
	launch_runtime_read(
		arena_new(),
		"\tlibomp.so.5 => /home/J D (0x)/libomp.so.5 (0x2)\n\tlibgomp.so.1 => /a b/libgomp.so.1\n",
		&runtime);
	CHECK_STR(runtime.libomp, "/home/J D (0x)/libomp.so.5");
	CHECK_STR(runtime.libgomp, "/a b/libgomp.so.1");
	CHECK(!runtime.libgomp_first);
	launch_runtime_read(arena_new(),
			    "./x: /t/libgomp.so.1: version `GOMP_5.1' not found (required by ./x)\n"
			    "\tlibgomp.so.1 => /t/libgomp.so.1 (0x1)\n",
			    &runtime);
	CHECK_STR(runtime.first_missing, "GOMP_5.1");
	CHECK_STR(runtime.libgomp, "/t/libgomp.so.1");
	CHECK(runtime.libgomp_first);
	launch_runtime_read(
		arena_new(),
		"\tlibgomp.so.1 => /a/libgomp.so.1\n\tlibomp.so.5 => /b/libomp.so.5 (0x2)\n",
		&runtime);
	CHECK(runtime.libgomp_first && runtime.libomp);
}

TEST(launch_runtime__libgomp_stays_where_its_events_can_be_had)
{
	static const char *sanitizer[] = { "libasan.so.8" };
	const char *here = "/proc/self/exe", *missing;
	static const struct {
		int line;
		struct launch_file file;
		struct launch_runtime runtime;
		bool keeps;
		enum launch_swap swap;
	} rows[] = {
		{ __LINE__,
		  { .elf = true },
		  { .libgomp = "x", .libgomp_first = true },
		  true,
		  LAUNCH_SWAP_KEPT },
		{ __LINE__,
		  { .elf = true },
		  { .libgomp = "x", .libgomp_first = true, .libomp = "y" },
		  true,
		  LAUNCH_SWAP_KEPT },
		{ __LINE__,
		  { .elf = true },
		  { .libgomp = "x", .libomp = "y" },
		  true,
		  LAUNCH_SWAP_NOT_NEEDED },
		{ __LINE__, { .elf = true }, { .libomp = "y" }, false, LAUNCH_SWAP_NOT_NEEDED },
		{ __LINE__,
		  { .elf = true, .needed = sanitizer, .nr_needed = 1 },
		  { .libgomp = "x", .libgomp_first = true },
		  false,
		  LAUNCH_SWAP_NOT_NEEDED },
	};

	missing = missing_path(arena_new());
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct launch_runtime runtime = rows[i].runtime;

		if (launch_runtime_keep(arena_new(), &rows[i].file, here, &runtime) !=
			    rows[i].keeps ||
		    runtime.swap != rows[i].swap)
			test_fail(__FILE__, rows[i].line, "swap %d", (int)runtime.swap);
		runtime = rows[i].runtime;
		CHECK(!launch_runtime_keep(arena_new(), &rows[i].file, NULL, &runtime));
		CHECK(!launch_runtime_keep(arena_new(), &rows[i].file, missing, &runtime));
		CHECK_INT(runtime.swap, LAUNCH_SWAP_NOT_NEEDED);
	}
	CHECK(launch_runtime_can_preload("/a/b.so") && !launch_runtime_can_preload("/a b.so") &&
	      !launch_runtime_can_preload("/a:b.so"));
}

TEST(launch_runtime__the_real_loader_answers)
{
	struct arena *arena = arena_new();
	struct environment environment;
	struct launch_runtime runtime;
	struct launch_file file;

	environment_init(&environment, arena, environ);
	launch_examine(arena, "sh", &file);
	CHECK(launch_runtime_look(arena, &file, &environment, true, &runtime));
	CHECK(launch_runtime_look(arena, &file, &environment, false, &runtime));
	CHECK(!runtime.libgomp && !runtime.libomp && !runtime.nr_missing);
	CHECK(environment_get(&environment, "LD_TRACE_LOADED_OBJECTS") == NULL);
	file.set_id = true;
	CHECK(!launch_runtime_look(arena, &file, &environment, true, &runtime));
}

TEST(launch_runtime__knows_its_own_loader)
{
	struct arena *arena = arena_new();
	struct launch_file self;

	CHECK(launch_read(arena, "/proc/self/exe", &self) && self.loader);
	CHECK(launch_runtime_is_own_loader(arena, self.loader));
	CHECK(!launch_runtime_is_own_loader(arena, "/bin/sh"));
	CHECK(!launch_runtime_is_own_loader(arena, missing_path(arena)));
	CHECK(!launch_runtime_is_own_loader(arena, NULL));
	CHECK(!launch_runtime_same_file(NULL, NULL));
}

/*
 * Stand-ins for the loader. libgomp comes from the first folder of LD_LIBRARY_PATH, unless a
 * DT_RPATH is obeyed.
 */
static const char *complaint = "";

static bool answer(struct arena *arena, const char *where, struct launch_runtime *runtime)
{
	launch_runtime_read(arena,
			    arena_printf(arena, "\tlibgomp.so.1 => %.*s/libgomp.so.1 (0x1)\n%s\n",
					 (int)strcspn(where, ":"), where,
					 strstr(where, "/memsearch-test-") ? complaint : ""),
			    runtime);
	return true;
}

static bool look_plain(struct arena *arena, const struct launch_file *file,
		       const struct environment *environment, bool rpath,
		       struct launch_runtime *runtime)
{
	(void)file;
	(void)rpath;
	return answer(arena, environment_get(environment, "LD_LIBRARY_PATH"), runtime);
}

static bool look_rpath(struct arena *arena, const struct launch_file *file,
		       const struct environment *environment, bool rpath,
		       struct launch_runtime *runtime)
{
	(void)file;
	return answer(arena, rpath ? "/usr/lib" : environment_get(environment, "LD_LIBRARY_PATH"),
		      runtime);
}

/* An environment whose LD_LIBRARY_PATH has a libomp, and the installation's link to it. */
static void with_libomp(struct environment *environment, struct arena *arena, const char *where,
			const char *installed)
{
	const char *libomp = write_file(arena, where, "libomp.so.5", "", 0, 0644);

	CHECK_INT(symlink(libomp, arena_printf(arena, "%s/libgomp.so.1", installed)), 0);
	environment_init(environment, arena, environ);
	environment_set(environment, "LD_LIBRARY_PATH", where);
}

static void swap(struct arena *arena, const struct launch_file *file, const char *installed,
		 launch_runtime_looker *look, struct environment *environment,
		 struct launch_runtime *runtime)
{
	look(arena, file, environment, true, runtime);
	launch_runtime_swap(arena, file, installed, look, environment, runtime);
}

TEST(launch_runtime__link_takes_the_place_of_libgomp)
{
	struct arena *arena = arena_new();
	const char *where = folder(arena), *private = folder(arena);
	struct launch_file file = { .elf = true };
	struct environment environment;
	struct launch_runtime runtime;

	with_libomp(&environment, arena, where, private);
	swap(arena, &file, private, look_plain, &environment, &runtime);
	CHECK_INT(runtime.swap, LAUNCH_SWAP_LINK);
	CHECK_STR(environment_get(&environment, "LD_LIBRARY_PATH"),
		  arena_printf(arena, "%s:%s", private, where));
	CHECK(environment_get(&environment, "LD_PRELOAD") == NULL);
}

/* The user's folders are in /tmp, where others may take their place once they are gone. */
TEST(launch_runtime__needs_a_folder_that_nobody_else_can_change)
{
	struct arena *arena = arena_new();
	const char *where = folder(arena), *installed = folder(arena), *cache = folder(arena);
	struct launch_file file = { .elf = true };
	struct environment environment;
	struct launch_runtime runtime;

	with_libomp(&environment, arena, where, installed);
	CHECK_INT(setenv("XDG_CACHE_HOME", cache, 1) | setenv("XDG_RUNTIME_DIR", cache, 1), 0);
	swap(arena, &file, NULL, look_plain, &environment, &runtime);
	CHECK_INT(runtime.swap, LAUNCH_SWAP_NO_FOLDER);
	CHECK_STR(environment_get(&environment, "LD_LIBRARY_PATH"), where);
	rmdir(arena_printf(arena, "%s/memsearch/gomp", cache));
}

TEST(launch_runtime__a_run_path_in_the_program_calls_for_a_preload)
{
	struct arena *arena = arena_new();
	const char *where = folder(arena), *private = folder(arena);
	struct launch_file file = { .elf = true };
	struct environment environment;
	struct launch_runtime runtime;

	with_libomp(&environment, arena, where, private);
	environment_set(&environment, "LD_PRELOAD", "/x.so");
	swap(arena, &file, private, look_rpath, &environment, &runtime);
	CHECK_INT(runtime.swap, LAUNCH_SWAP_PRELOAD);
	CHECK_STR(environment_get(&environment, "LD_PRELOAD"),
		  arena_printf(arena, "%s/libomp.so.5:/x.so", where));
	CHECK_STR(environment_get(&environment, "LD_LIBRARY_PATH"), where);
}

TEST(launch_runtime__refuses_what_would_end_or_mix_runtimes)
{
	static const struct {
		int line;
		const char *complaint;
		launch_runtime_looker *look;
		enum launch_swap swap;
	} rows[] = {
		{ __LINE__, "undefined symbol: GOMP_teams4 (x)", look_plain, LAUNCH_SWAP_REFUSED },
		{ __LINE__, "undefined symbol: GOMP_teams4 (x)", look_rpath, LAUNCH_SWAP_REFUSED },
		{ __LINE__, "version `OMP_5.0' not found", look_plain, LAUNCH_SWAP_REFUSED },
		{ __LINE__, "undefined symbol: somewhere_else (x)", look_plain, LAUNCH_SWAP_LINK },
		{ __LINE__, "", look_rpath, LAUNCH_SWAP_PRELOAD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena *arena = arena_new();
		const char *where = folder(arena), *private = folder(arena);
		struct launch_file file = { .elf = true };
		struct environment environment;
		struct launch_runtime runtime;

		with_libomp(&environment, arena, where, private);
		complaint = rows[i].complaint;
		swap(arena, &file, private, rows[i].look, &environment, &runtime);
		if (runtime.swap != rows[i].swap)
			test_fail(__FILE__, rows[i].line, "swap is %d, not %d", runtime.swap,
				  rows[i].swap);
		if (rows[i].swap == LAUNCH_SWAP_REFUSED)
			CHECK_STR(environment_get(&environment, "LD_LIBRARY_PATH"), where);
	}
}

static bool look_llvm(struct arena *arena, const struct launch_file *file,
		      const struct environment *environment, bool rpath,
		      struct launch_runtime *runtime)
{
	(void)file;
	(void)environment;
	(void)rpath;
	launch_runtime_read(arena, "\tlibomp.so.5 => /lib/libomp.so.5 (0x1)\n", runtime);
	return true;
}

TEST(launch_runtime__leaves_others_alone)
{
	struct arena *arena = arena_new();
	const char *private = folder(arena);
	struct launch_file file = { .elf = true };
	struct environment environment;
	struct launch_runtime runtime;

	environment_init(&environment, arena, environ);
	swap(arena, &file, private, look_llvm, &environment, &runtime);
	CHECK_INT(runtime.swap, LAUNCH_SWAP_NOT_NEEDED);
	CHECK_STR(runtime.libomp, "/lib/libomp.so.5");
}

/* -- why no tool attached */

static const struct {
	int line;
	struct launch_file file;
	struct launch_runtime runtime;
	int signal;
	const char *omp_tool, *why;
} attach_rows[] = {
	{ __LINE__, { .elf = true }, { .libomp = "x" }, 0, "disabled", "OMP_TOOL=disabled" },
	{ __LINE__, { .elf = true, .set_id = true }, { .libomp = "x" }, 0, NULL, "setuid" },
	{ __LINE__, { .elf = true, .foreign = true }, { 0 }, 0, NULL, "32-bit" },
	{ __LINE__, { .interpreter = "/bin/sh" }, { 0 }, 0, NULL, "a script" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_NO_LIBOMP },
	  0,
	  NULL,
	  "there is none here" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_NO_FOLDER },
	  0,
	  NULL,
	  "only you can write to" },
	{ __LINE__,
	  { .elf = true },
	  { .libgomp = "x", .swap = LAUNCH_SWAP_REFUSED },
	  0,
	  NULL,
	  "lacks functions" },
	{ __LINE__,
	  { .elf = true, .is_static = true, .contains_libgomp = true },
	  { 0 },
	  0,
	  NULL,
	  "(libgomp) is linked into" },
	{ __LINE__, { .elf = true, .is_static = true }, { 0 }, 0, NULL, "linked statically" },
	{ __LINE__,
	  { .elf = true, .contains_libomp = true },
	  { 0 },
	  0,
	  NULL,
	  "LLVM's OpenMP runtime is linked into" },
	{ __LINE__, { .elf = true }, { 0 }, SIGSEGV, NULL, "does not load an OpenMP runtime" },
	{ __LINE__, { .elf = true }, { .libomp = "x" }, SIGSEGV, "enabled", "died before" },
	{ __LINE__,
	  { .elf = true },
	  { .libomp = "x" },
	  0,
	  NULL,
	  "no parallel region was executed" },
};

TEST(attach__one_cause_is_named)
{
	for (size_t i = 0; i < sizeof(attach_rows) / sizeof(*attach_rows); i++) {
		struct attach_case about = { .file = &attach_rows[i].file,
					     .runtime = &attach_rows[i].runtime,
					     .end = { .signal = attach_rows[i].signal } };
		char *variables[] = { "A=1", NULL };
		struct environment environment;
		struct attach_advice advice;

		environment_init(&environment, arena_new(), variables);
		if (attach_rows[i].omp_tool)
			environment_set(&environment, "OMP_TOOL", attach_rows[i].omp_tool);
		about.environment = &environment;
		advice = attach_explain(&about);
		if (!strstr(advice.why, attach_rows[i].why) || !*advice.what_to_do)
			test_fail(__FILE__, attach_rows[i].line, "%s", advice.why);
	}
}

static size_t bytes_on_stack(char *const *strings)
{
	size_t bytes = 0;

	for (; *strings; strings++)
		bytes += strlen(*strings) + 1 + sizeof(*strings);
	return bytes;
}

/*
 * Whatever is in the environment, and also when it has changed since, the program's stack begins at
 * the same place of a page.
 */
TEST(environment__is_filled_up_to_pages)
{
	char *const argv[] = { "./program", "1000", NULL };
	struct arena *arena = arena_new();
	struct environment environment;

	environment_init(&environment, arena, (char *[]){ "HOME=/root", NULL });
	for (int i = 0; i < 20; i++) {
		const char *path = arena_printf(arena, "/%0*d/program", 1 + i, 0);

		environment_set(&environment, arena_printf(arena, "V%d", i / 2),
				arena_printf(arena, "%0*d", 1 + i * 29, 0));
		environment_fill_pages(&environment, argv, path, "FILLING");
		CHECK_INT((strlen(path) + 1 + bytes_on_stack(argv) +
			   bytes_on_stack(environment.variables)) %
				  (size_t)sysconf(_SC_PAGESIZE),
			  0);
		CHECK_INT(environment.nr % 2, 0);
		CHECK_STR(environment_get(&environment, "HOME"), "/root");
	}
	arena_free(arena);
}
