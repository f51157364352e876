/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile programs: headers, symbols, debugging information and code of small programs are changed,
 * and all that reads them is asked, as is `memsearch sir`. See tests/unit/fuzz.h.
 */
#include "tests/fuzz/commands.h"

#include <elf.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/code/code.h"
#include "analysis/code/control_flow.h"
#include "analysis/debuginfo/declared.h"
#include "analysis/debuginfo/source.h"
#include "analysis/elf/binary.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/fuzz.h"

static const char text_of_program[] = "double a[1000], *b; static int n = 1000;\n"
				      "extern void *malloc(unsigned long);\n"
				      "static inline double one(int i) { return a[i] * 2; }\n"
				      "void work(void) {\n"
				      "  b = malloc(8000);\n"
				      "#pragma omp parallel\n"
				      "  {\n"
				      "#pragma omp for\n"
				      "    for (int i = 0; i < n; i++)\n"
				      "      for (int j = 0; j < i; j++) b[i] += one(j);\n"
				      "#pragma omp single\n"
				      "    b[0] = 1;\n"
				      "#pragma omp barrier\n"
				      "#pragma omp task\n"
				      "    b[1] = 2;\n"
				      "  }\n"
				      "}\n";

struct program {
	uint8_t *bytes, *changed;
	size_t nr;
	Elf64_Shdr *sections; /* within `bytes` */
	size_t nr_sections;
	uint64_t text, text_bytes; /* addresses of the code */
};

static struct program program_made(const char *command)
{
	FILE *file = fopen("w.c", "w");
	struct program program = { 0 };
	const Elf64_Ehdr *header;

	CHECK(file && fputs(text_of_program, file) >= 0);
	fclose(file);
	if (system(command))
		test_skip("'%s' does not work", command);
	program.bytes = file_read("program", &program.nr);
	CHECK(program.bytes && (program.changed = malloc(program.nr)));
	header = (const Elf64_Ehdr *)program.bytes;
	program.sections = (Elf64_Shdr *)(program.bytes + header->e_shoff);
	program.nr_sections = header->e_shnum;
	for (size_t i = 0; i < program.nr_sections; i++)
		if (program.sections[i].sh_flags & SHF_EXECINSTR &&
		    program.sections[i].sh_size > program.text_bytes) {
			program.text = program.sections[i].sh_addr;
			program.text_bytes = program.sections[i].sh_size;
		}
	CHECK(program.text_bytes);
	return program;
}

/* Bytes of one section, which all are as likely, or of a header. */
static void change(const struct program *program)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)program->bytes;
	const Elf64_Shdr *section = &program->sections[pick(program->nr_sections)];
	size_t from = section->sh_offset,
	       length = section->sh_type == SHT_NOBITS ? 0 : section->sh_size, at;

	if (pick(8) == 0) {
		from = pick(2) ? 0 : header->e_shoff;
		length = from ? program->nr_sections * sizeof(*section) : sizeof(*header);
	}
	if (length < 8)
		return;
	at = from + pick(length - 7);
	switch (pick(5)) {
	case 0: memset(program->changed + at, pick(2) ? 0xff : 0, 1 + pick(7)); break;
	case 1:
		memmove(program->changed + at, program->changed + from + pick(length - 7),
			1 + pick(7));
		break;
	case 2: program->changed[at] ^= (uint8_t)(1 << pick(8)); break;
	default: program->changed[at] = (uint8_t)pick(256);
	}
}

/* so that it is seen that files are read at all */
static unsigned long lines_found, variables_found;

/* As a record may hold it. */
static void check_source(const struct source *source)
{
	if (!source->function || !source->file || !source->module || source->line < 0)
		abort();
}

static void ask_lines(struct arena *arena, const char *path, const struct program *program)
{
	struct sources *sources = sources_new(arena);
	struct module module = { .path = path, .build_id = "" };

	for (uint64_t at = 0; at < program->text_bytes; at += 13) {
		struct code_address address = { 0, program->text + at },
				    inside = { pick(2) ? 0 : UINT32_MAX,
					       program->text + pick(program->text_bytes) };
		struct loop_code loop = { address.offset, address.offset + pick(60),
					  address.offset + pick(60) };
		struct loop_source of_loop;
		struct allocation allocations[4];
		struct source out[8];

		if (!sources_instruction(sources, &module, 1, address, at & 1, out, 8))
			abort();
		lines_found += out[0].line > 0;
		check_source(&out[0]);
		sources_region(sources, &module, 1, (enum ms_region_kind)pick(MS_REGION_KINDS),
			       address, inside, out);
		check_source(&out[0]);
		sources_region_within(sources, &module, 1,
				      (enum ms_region_kind)pick(MS_REGION_KINDS), address, inside,
				      out);
		sources_loop(sources, &module, 1, address, &loop, 1, arena, &of_loop);
		sources_allocation(sources, &module, 1, address, "", allocations, 4);
	}
	sources_free(sources);
	sources_has_lines(path);
}

static void ask_variables(struct arena *arena, const char *path)
{
	struct declared_list list;
	struct binary binary;

	if (binary_open(&binary, arena, path, "") != MS_OK)
		return;
	list = declared_read(arena, &binary);
	if (!list.why)
		abort();
	for (size_t i = 0; i < list.nr; i++)
		if (list.items[i].array.line < 0 || !list.items[i].array.name)
			abort();
	variables_found += list.nr;
	binary_close(&binary);
}

/* The code as if it were loaded somewhere. */
static void ask_code(struct arena *arena, const struct program *program)
{
	uintptr_t start = 0x10000;
	const char *why = NULL;
	struct code *code;

	for (size_t i = 0; i < program->nr_sections; i++) {
		const Elf64_Shdr *section = &program->sections[i];

		if (!(section->sh_flags & SHF_EXECINSTR))
			continue;
		code = code_read(arena, start, start + section->sh_size,
				 program->changed + section->sh_offset, &why);
		if (code)
			graph_new(arena, code, NULL, 0);
	}
}

static void ask(const struct program *program, size_t nr)
{
	struct arena *arena = arena_new();
	int fd = memfd_create("mutation", MFD_CLOEXEC);
	struct launch_file file;
	char path[64];

	CHECK(fd >= 0 && write(fd, program->changed, nr) == (ssize_t)nr);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ask_lines(arena, path, program);
	ask_variables(arena, path);
	launch_read(arena, path, &file);
	ask_code(arena, program);
	if (!pick(4))
		run_line(pick(2) ? "sir --all" : "sir", path);
	close(fd);
	arena_free(arena);
}

static void fuzz(const char *command, unsigned long sample, const char *what)
{
	struct program program;

	scratch_enter();
	program = program_made(command);
	fuzz_quiet();
	FUZZ_EACH(sample)
	{
		memcpy(program.changed, program.bytes, program.nr);
		for (uint64_t changes = 1 + pick(12); changes; changes--)
			change(&program);
		ask(&program, pick(10) ? program.nr : pick(program.nr));
	}
	CHECK(getenv("FUZZ_ONLY") || (lines_found > fuzz_inputs && variables_found > fuzz_inputs));
	fuzz_tell(what);
	free(program.bytes);
	free(program.changed);
}

TEST(debug_fuzz__gcc)
{
	fuzz("gcc-12 -O2 -g -fopenmp -nostdlib -shared -fPIC w.c -o program 2> /dev/null", 100,
	     "mutated programs of gcc");
}

TEST(debug_fuzz__clang)
{
	fuzz("clang-19 -O2 -g -fopenmp -nostdlib -shared -fPIC w.c -o program 2> /dev/null", 100,
	     "mutated programs of clang");
}

TEST(debug_fuzz__older_dwarf)
{
	fuzz("clang-19 -O1 -gdwarf-4 -gz -fopenmp -nostdlib -shared -fPIC w.c -o program 2> /dev/null",
	     50, "mutated programs with compressed DWARF 4");
}
