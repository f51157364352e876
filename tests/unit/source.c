/* SPDX-License-Identifier: Apache-2.0 */
/* Code addresses of this very program back to function, file and line; names; damaged files. */
#define _GNU_SOURCE
#include "analysis/debuginfo/source.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/debuginfo/pragma.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"
#include "tests/host/scratch.h"

#define SLOWDOWN (SANITIZED ? 10.0 : 1.0)

struct fixture {
	struct arena *arena;
	struct sources *sources;
	struct module *modules;
	size_t nr;
};

static struct fixture setup(void)
{
	struct fixture fixture = { .arena = arena_new() };

	CHECK(fixture.arena != NULL);
	fixture.sources = sources_new(fixture.arena);
	CHECK(fixture.sources != NULL);
	CHECK_INT(modules_of_process(fixture.arena, &fixture.modules, &fixture.nr), MS_OK);
	return fixture;
}

static void teardown(struct fixture *fixture)
{
	sources_free(fixture->sources);
	arena_free(fixture->arena);
}

static size_t resolve(struct fixture *fixture, const void *address, bool return_address,
		      struct source *out, size_t room)
{
	struct code_address found = modules_find(fixture->modules, fixture->nr, (uint64_t)address);

	return sources_instruction(fixture->sources, fixture->modules, fixture->nr, found,
				   return_address, out, room);
}

static __attribute__((noinline)) const void *here(void)
{
	return __builtin_return_address(0);
}

static int inner_line;

static inline __attribute__((always_inline)) const void *inlined_inner(void)
{
	inner_line = __LINE__ + 1;
	return here();
}

static inline __attribute__((always_inline)) const void *inlined_outer(int *line)
{
	*line = __LINE__ + 1;
	const void *address = inlined_inner();
	__asm__ volatile("");
	return address;
}

TEST(modules__this_program_and_libc)
{
	struct fixture fixture = setup();
	char path[4096] = "";
	struct code_address own = modules_find(fixture.modules, fixture.nr, (uint64_t)setup);
	struct code_address libc = modules_find(fixture.modules, fixture.nr, (uint64_t)getenv);

	CHECK_THAT(readlink("/proc/self/exe", path, sizeof(path) - 1), >, 0);
	CHECK_INT(own.module, 0);
	CHECK_STR(fixture.modules[0].path, path);
	CHECK_THAT(fixture.modules[0].bias + own.offset, ==, (uint64_t)setup);
	CHECK_THAT(libc.module, !=, UINT32_MAX);
	CHECK_INT(modules_find(fixture.modules, fixture.nr, 16).module, UINT32_MAX);
	for (size_t i = 0; i < fixture.nr; i++)
		CHECK(fixture.modules[i].low < fixture.modules[i].high &&
		      fixture.modules[i].build_id);
	teardown(&fixture);
}

/* `memsearch run` makes such a link; the kernel's own piece of code has no file. */
TEST(modules__behind_a_link_and_without_a_file)
{
	char program[4096] = "", library[4200], link[4200];
	struct code_address symbol, vdso;
	struct fixture fixture;
	void *loaded;

	CHECK_THAT(readlink("/proc/self/exe", program, sizeof(program) - 1), >, 0);
	*strrchr(program, '/') = '\0';
	snprintf(library, sizeof(library), "%s/../../lib/memsearch/strategies/property_refine.so",
		 program);
	snprintf(link, sizeof(link), "%s/libgomp.so.1", scratch_enter());
	CHECK_THAT(symlink(library, link), ==, 0);
	loaded = dlopen(link, RTLD_NOW | RTLD_LOCAL);
	CHECK(loaded != NULL);
	fixture = setup();
	symbol = modules_find(fixture.modules, fixture.nr, (uint64_t)dlsym(loaded, "ms_strategy"));
	CHECK_THAT(symbol.module, <, fixture.nr);
	CHECK_STR(fixture.modules[symbol.module].path, library);
	vdso = modules_find(fixture.modules, fixture.nr, getauxval(AT_SYSINFO_EHDR));
	CHECK(vdso.module == UINT32_MAX || !strcmp(fixture.modules[vdso.module].path, "[vdso]"));
	teardown(&fixture);
	dlclose(loaded);
}

TEST(modules__build_id_is_the_one_in_the_file)
{
	struct fixture fixture = setup();
	struct binary binary;

	CHECK_THAT(strlen(fixture.modules[0].build_id), >=, 16);
	CHECK_INT(binary_open(&binary, fixture.arena, fixture.modules[0].path,
			      fixture.modules[0].build_id),
		  MS_OK);
	binary_close(&binary);
	CHECK_INT(binary_open(&binary, fixture.arena, fixture.modules[0].path, "00ff"),
		  MS_ERR_VERSION);
	teardown(&fixture);
}

TEST(source__function_and_line_of_a_call)
{
	struct fixture fixture = setup();
	struct source source;
	const void *address = here();
	int line = __LINE__ - 1;

	CHECK_INT(resolve(&fixture, address, true, &source, 1), 1);
	CHECK_STR(source.function, "test_source__function_and_line_of_a_call");
	CHECK_STR(source.file, "source.c");
	CHECK_INT(source.line, line);
	CHECK(!source.approximate);
	CHECK_STR(source.module, strrchr(fixture.modules[0].path, '/') + 1);
	CHECK_THAT(fixture.modules[0].bias + source.offset, ==, (uint64_t)address);
	teardown(&fixture);
}

TEST(source__inlined_frames_innermost_first)
{
	struct fixture fixture = setup();
	struct source frames[8];
	int outer_line, line = __LINE__ + 1;
	const void *address = inlined_outer(&outer_line);

	CHECK_INT(resolve(&fixture, address, true, frames, 8), 3);
	CHECK_STR(frames[0].function, "inlined_inner");
	CHECK_INT(frames[0].line, inner_line);
	CHECK_STR(frames[1].function, "inlined_outer");
	CHECK_INT(frames[1].line, outer_line);
	CHECK_STR(frames[2].function, "test_source__inlined_frames_innermost_first");
	CHECK_INT(frames[2].line, line);
	CHECK_INT(resolve(&fixture, address, true, frames, 2), 2);
	CHECK_INT(resolve(&fixture, address, true, frames, 0), 0);
	teardown(&fixture);
}

static const char *folder(struct fixture *fixture, const void *address, const char *file)
{
	struct code_address found = modules_find(fixture->modules, fixture->nr, (uint64_t)address);

	return sources_folder(fixture->sources, fixture->modules, fixture->nr, found, true, file);
}

/* Folder and name are the path of this file, whatever folder it was compiled in. */
TEST(source__folder_of_a_file)
{
	struct fixture fixture = setup();
	const void *address = here();
	const char *known = folder(&fixture, address, "source.c");
	char cwd[4096], path[8192];

	CHECK(known && known[0] == '/');
	CHECK(getcwd(cwd, sizeof(cwd)) != NULL);
	snprintf(path, sizeof(path), "%s%s%s", __FILE__[0] == '/' ? "" : cwd,
		 __FILE__[0] == '/' ? "" : "/", __FILE__);
	CHECK_THAT(strlen(known) + strlen("/source.c"), ==, strlen(path));
	CHECK(!strncmp(path, known, strlen(known)));
	CHECK(!folder(&fixture, address, "other.c"));
	CHECK(!folder(&fixture, NULL, "source.c"));
	teardown(&fixture);
}

TEST(source__unknown_module_or_file)
{
	struct fixture fixture = setup();
	struct module missing = { .path = "/no/such/file", .build_id = "" };
	struct module vdso = { .path = "", .build_id = "" };
	struct code_address nowhere = { UINT32_MAX, 7 }, somewhere = { 0, 4096 };
	struct source source;

	CHECK_INT(sources_region(fixture.sources, &missing, 1, MS_PARALLEL_REGION, nowhere, nowhere,
				 &source),
		  MS_ERR_NOT_FOUND);
	CHECK_STR(source.module, "");
	CHECK_INT(source.offset, 7);
	CHECK_INT(sources_region(fixture.sources, &missing, 1, MS_DO_REGION, somewhere, nowhere,
				 &source),
		  MS_ERR_NOT_FOUND);
	CHECK_STR(source.module, "file");
	CHECK_INT(source.offset, 4096);
	CHECK(source.approximate && !source.line && !*source.function && !*source.file);
	CHECK_INT(sources_instruction(fixture.sources, &vdso, 1, somewhere, false, &source, 1), 1);
	CHECK_STR(source.function, "");
	teardown(&fixture);
}

TEST(source__another_build_id)
{
	struct fixture fixture = setup();
	struct module rebuilt = { .path = fixture.modules[0].path, .build_id = "0123456789abcdef" };
	struct code_address address = { 0, (uint64_t)setup - fixture.modules[0].bias };
	struct code_address none = { UINT32_MAX, 0 };
	struct source source;

	CHECK_INT(sources_region(fixture.sources, &rebuilt, 1, MS_PARALLEL_REGION, address, none,
				 &source),
		  MS_ERR_VERSION);
	CHECK(!*source.function && !source.line && source.approximate);
	CHECK_INT(source.offset, address.offset);
	teardown(&fixture);
}

TEST(names__as_the_author_wrote_them)
{
	static const struct {
		int line;
		const char *symbol, *name;
		bool fortran;
	} rows[] = {
		{ __LINE__, "calc1", "calc1", false },
		{ __LINE__, "calc1_", "calc1_", false },
		{ __LINE__, "calc1_", "calc1", true },
		{ __LINE__, "calc1_._omp_fn.0", "calc1", true },
		{ __LINE__, "calc._omp_fn.12", "calc", false },
		{ __LINE__, "calc.omp_outlined", "calc", false },
		{ __LINE__, "calc.omp_outlined_debug__.1.omp_outlined", "calc", false },
		{ __LINE__, ".omp_outlined.", "", false },
		{ __LINE__, "__omp_offloading_fe00_a72190_main_l8_debug__.omp_outlined", "main",
		  false },
		{ __LINE__, "__omp_offloading_fe00_a72367__ZN3sim1F3runEi_l2.omp_outlined",
		  "sim::F::run", false },
		{ __LINE__, "__omp_offloading_", "__omp_offloading_", false },
		{ __LINE__, "calc.constprop.0.isra.0", "calc", false },
		{ __LINE__, "memcpy@GLIBC_2.14", "memcpy", false },
		{ __LINE__, "MAIN__", NAME_OF_FORTRAN_MAIN, true },
		{ __LINE__, "MAIN__._omp_fn.0", NAME_OF_FORTRAN_MAIN, true },
		{ __LINE__, "_QQmain..omp_par.3", NAME_OF_FORTRAN_MAIN, true },
		{ __LINE__, "__physics_MOD_relax", "physics::relax", true },
		{ __LINE__, "__physics_MOD_relax._omp_fn.1", "physics::relax", true },
		{ __LINE__, "_QMphysicsPrelax..omp_par", "physics::relax", true },
		{ __LINE__, "_QMphysicsFhostPinner", "physics::inner", true },
		{ __LINE__, "_QPcalc1", "calc1", true },
		{ __LINE__, "_Q", "_Q", true },
		{ __LINE__, "_ZN4flow4GridIdE5relaxEd.omp_outlined", "flow::Grid<double>::relax",
		  false },
		{ __LINE__, "_ZN12_GLOBAL__N_16hiddenEPdi", "(anonymous namespace)::hidden",
		  false },
		{ __LINE__, "_Z5applyIiEvT_", "apply<int>", false },
		{ __LINE__, "_ZZ4mainENKUliE_clEi._omp_fn.0", "main::lambda", false },
		{ __LINE__, "_ZZ4mainENK3$_0clEi.omp_outlined", "main::lambda", false },
		{ __LINE__, "_ZNK4flow4GridIdLi3EE4eachIZ4mainE3$_1EEvOT_",
		  "flow::Grid<double, 3>::each<main::lambda>", false },
		{ __LINE__, "_ZNK4flow4GridIdLi3EE4eachIZ4mainEUliE_EEvOT_",
		  "flow::Grid<double, 3>::each<main::lambda>", false },
		{ __LINE__, "_ZZ5outeriENKUlvE_clEv", "outer::lambda", false },
		{ __LINE__, "_ZNK3FooclEi", "Foo::operator()", false },
		{ __LINE__, "_Z4nameB5cxx11v", "name", false },
		{ __LINE__, "_Z3useIiEvSt6vectorIT_SaIS1_EE", "use<int>", false },
		{ __LINE__, "_ZN4GridISt6vectorIS0_IdSaIdEESaIS2_EEE4stepEv",
		  "Grid<std::vector<std::vector<double>>>::step", false },
		{ __LINE__, "_Z3sumINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEvT_",
		  "sum<std::string>", false },
		{ __LINE__, "_ZNK3FoocviEv", "Foo::operator int", false },
		{ __LINE__, "_ZNK3Foo3getEv", "Foo::get", false },
		{ __LINE__, "_Znot_mangled", "_Znot_mangled", false },
		{ __LINE__, "", "", false },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = name_user(arena, rows[i].symbol, rows[i].fortran);

		if (!name || strcmp(name, rows[i].name))
			test_fail(__FILE__, rows[i].line, "'%s' became '%s', not '%s'",
				  rows[i].symbol, name ? name : "(null)", rows[i].name);
	}
	arena_free(arena);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * Addresses spread over all functions of the program: reports of large programs ask for thousands.
 */
TEST(source__ten_thousand_addresses_quickly)
{
	struct fixture fixture = setup();
	struct binary binary;
	double start;
	size_t with_line = 0;
	uint64_t low, high;

	CHECK_INT(binary_open(&binary, fixture.arena, fixture.modules[0].path, ""), MS_OK);
	low = binary.code_low;
	high = binary.code_high;
	binary_close(&binary);
	start = seconds();
	for (uint64_t i = 0; i < 10000; i++) {
		struct code_address address = { 0, low + (high - low) * i / 10000 };
		struct source source;

		sources_instruction(fixture.sources, fixture.modules, fixture.nr, address, false,
				    &source, 1);
		with_line += source.line > 0;
	}
	CHECK_THAT(seconds() - start, <, 0.3 * SLOWDOWN);
	/* the sanitizers' own code has no lines */
	CHECK_THAT((double)with_line, >, 5000 / SLOWDOWN);
	teardown(&fixture);
}

/* A damaged copy of this program: any answer is right, as long as there is one. */
struct copy {
	char path[64];
	unsigned char *bytes;
	size_t size;
};

static void read_program(struct copy *copy)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat status;

	CHECK(fd >= 0 && fstat(fd, &status) == 0);
	copy->size = (size_t)status.st_size;
	copy->bytes = malloc(copy->size);
	CHECK(copy->bytes && read(fd, copy->bytes, copy->size) == (ssize_t)copy->size);
	close(fd);
	snprintf(copy->path, sizeof(copy->path), "/tmp/memsearch-source-%d", (int)getpid());
}

static void write_copy(const struct copy *copy, const unsigned char *bytes, size_t size)
{
	int fd = open(copy->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static void ask_everything(const struct copy *copy, const struct fixture *own)
{
	struct arena *arena = arena_new();
	struct sources *sources = sources_new(arena);
	struct module module = { .path = copy->path, .build_id = "" };
	uint64_t text = (uint64_t)setup - own->modules[0].bias;
	struct source out[8];

	for (uint64_t at = text; at < text + 4000; at += 61) {
		struct code_address address = { 0, at };

		CHECK_THAT(sources_instruction(sources, &module, 1, address, true, out, 8), >=, 1);
		CHECK_STR(out[0].module, strrchr(copy->path, '/') + 1);
		sources_region(sources, &module, 1, MS_PARALLEL_REGION, address, address, out);
		CHECK_STR(out[0].module, strrchr(copy->path, '/') + 1);
	}
	sources_free(sources);
	arena_free(arena);
}

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

static void damage(unsigned char *bytes, uint64_t *state)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++) {
		if (strncmp(names + sections[i].sh_name, ".debug_", 7) || !sections[i].sh_size)
			continue;
		for (int j = 0; j < 4; j++)
			bytes[sections[i].sh_offset + random_number(state) % sections[i].sh_size] =
				(unsigned char)random_number(state);
	}
}

TEST(source__damaged_debug_information)
{
	struct fixture fixture = setup();
	struct copy copy;
	uint64_t state = 88172645463325252u;
	unsigned char *damaged;

	read_program(&copy);
	damaged = malloc(copy.size);
	CHECK(damaged != NULL);
	for (int round = 0; round < 25; round++) {
		memcpy(damaged, copy.bytes, copy.size);
		damage(damaged, &state);
		write_copy(&copy, damaged, copy.size);
		ask_everything(&copy, &fixture);
	}
	unlink(copy.path);
	free(damaged);
	free(copy.bytes);
	teardown(&fixture);
}

TEST(source__truncated_file)
{
	struct fixture fixture = setup();
	struct copy copy;

	read_program(&copy);
	for (size_t part = 0; part < 24; part++) {
		write_copy(&copy, copy.bytes, copy.size * part / 24);
		ask_everything(&copy, &fixture);
	}
	write_copy(&copy, (const unsigned char *)"not an ELF file", 15);
	ask_everything(&copy, &fixture);
	unlink(copy.path);
	free(copy.bytes);
	teardown(&fixture);
}

static const char *write_source(struct copy *copy, const char *text)
{
	snprintf(copy->path, sizeof(copy->path), "/tmp/memsearch-pragma-%d", (int)getpid());
	write_copy(copy, (const unsigned char *)text, strlen(text));
	return copy->path;
}

TEST(pragma__sentinels_of_c_and_fortran)
{
	static const char text[] = "/* #pragma omp single: no, a comment */\n" /* 1 */
				   "#pragma omp for schedule(dynamic)\n"
				   "  #  pragma\tomp  parallel for\n" /* 3 */
				   "#pragma omp parallel if (single)\n"
				   "#pragma ompx single\n" /* 5 */
				   "!$omp do\n"
				   "!$OMP END DO\n" /* 7 */
				   "c$omp PARALLEL DO\n"
				   "*$omp single\n" /* 9 */
				   "!$omp& private(x) single\n"
				   "!$omp barrier"; /* 11, no newline */
	static const struct {
		int line;
		enum ms_region_kind kind;
		int low, high, after, want;
		bool unique;
	} rows[] = {
		{ __LINE__, MS_DO_REGION, 1, 2, 99, 2, true },
		{ __LINE__, MS_DO_REGION, 1, 99, 99, 8, false },
		{ __LINE__, MS_DO_REGION, 1, 99, 2, 3, false },
		{ __LINE__, MS_DO_REGION, 1, 99, 3, 6, false },
		{ __LINE__, MS_DO_REGION, 7, 7, 99, 0, false },
		{ __LINE__, MS_PARALLEL_REGION, 4, 7, 99, 4, true },
		{ __LINE__, MS_SINGLE_REGION, 1, 99, 99, 9, true },
		{ __LINE__, MS_BARRIER_REGION, 1, 99, 99, 11, true },
		{ __LINE__, MS_CRITICAL_REGION, 1, 99, 99, 0, false },
		{ __LINE__, MS_BARRIER_REGION, 12, 99, 99, 0, false },
	};
	struct arena *arena = arena_new();
	struct pragmas *pragmas = pragmas_new(arena);
	struct copy copy;
	const char *path = write_source(&copy, text);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool unique;
		int found = pragmas_find(pragmas, path, INT64_MAX, rows[i].kind, rows[i].low,
					 rows[i].high, rows[i].after, &unique);

		if (found != rows[i].want || unique != rows[i].unique)
			test_fail(__FILE__, rows[i].line, "found line %d%s", found,
				  unique ? ", unique" : "");
	}
	unlink(path);
	arena_free(arena);
}

TEST(pragma__open_constructs_of_fortran)
{
	static const char text[] = "subroutine a\n"
				   "!$OMP PARALLEL IF(n>1) &\n" /* 2 */
				   "!$OMP& DEFAULT(SHARED)\n"
				   "!$OMP MASTER\n"
				   "!$OMP END MASTER\n"
				   "!$OMP PARALLEL DO SCHEDULE(STATIC,1) &\n" /* 6 */
				   "!$OMP& COLLAPSE(2)\n"
				   "  do i = 1, n\n"
				   "  end do\n"
				   "!$OMP END PARALLEL DO\n" /* 10 */
				   "!$OMP MASTER\n"
				   "!$OMP END MASTER\n"
				   "!$omp endparallel\n" /* 13 */
				   "!$omp parallel do\n"
				   "  do i = 1, n\n" /* 15 */
				   "  end do\n"
				   "!$omp parallel\n" /* 17 */
				   "!$omp end parallel\n"
				   "!$omp task\n" /* 19 */
				   "!$omp end task\n";
	static const struct {
		int at, want;
	} rows[] = { { 1, 0 },  { 2, 2 },   { 4, 2 },   { 6, 6 },   { 8, 6 },  { 11, 2 },
		     { 13, 0 }, { 14, 14 }, { 15, 14 }, { 17, 17 }, { 18, 0 }, { 20, 0 } };
	struct arena *arena = arena_new();
	struct pragmas *pragmas = pragmas_new(arena);
	struct copy copy;
	const char *path = write_source(&copy, text);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pragmas_open_at(pragmas, path, INT64_MAX, MS_PARALLEL_REGION, rows[i].at) !=
		    rows[i].want)
			test_fail(__FILE__, __LINE__, "row %zu", i);
	CHECK_INT(pragmas_open_at(pragmas, path, INT64_MAX, MS_TASK_REGION, 19), 19);
	CHECK_INT(pragmas_open_at(pragmas, path, 1, MS_PARALLEL_REGION, 2), 0);
	unlink(path);
	arena_free(arena);
}

TEST(pragma__a_source_newer_than_the_binary_is_not_trusted)
{
	struct arena *arena = arena_new();
	struct pragmas *pragmas = pragmas_new(arena);
	struct copy copy;
	const char *path = write_source(&copy, "#pragma omp single\n");
	struct stat status;
	bool unique;

	CHECK_THAT(stat(path, &status), ==, 0);
	CHECK_INT(pragmas_find(pragmas, path, status.st_mtime, MS_SINGLE_REGION, 1, 9, 0, &unique),
		  1);
	CHECK_INT(pragmas_find(pragmas, path, status.st_mtime - 1, MS_SINGLE_REGION, 1, 9, 0,
			       &unique),
		  0);
	CHECK_INT(
		pragmas_find(pragmas, "relative.c", INT64_MAX, MS_SINGLE_REGION, 1, 9, 0, &unique),
		0);
	CHECK_INT(
		pragmas_find(pragmas, "/no/such.c", INT64_MAX, MS_SINGLE_REGION, 1, 9, 0, &unique),
		0);
	CHECK_INT(pragmas_find(pragmas, "/dev/zero", INT64_MAX, MS_SINGLE_REGION, 1, 9, 0, &unique),
		  0);
	unlink(path);
	arena_free(arena);
}

/* The descriptors of a program may be scarce. */
TEST(source__keeps_no_file_open)
{
	struct fixture fixture = setup();
	struct source source;
	int before = dup(0), after;

	close(before);
	resolve(&fixture, (const void *)setup, false, &source, 1);
	resolve(&fixture, (const void *)getenv, false, &source, 1);
	CHECK(*source.module);
	after = dup(0);
	CHECK_INT(after, before);
	teardown(&fixture);
}
