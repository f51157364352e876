/* SPDX-License-Identifier: Apache-2.0 */
/* Functions found by unwind information, in this process and in damaged copies of its modules. */
#define _GNU_SOURCE
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/symbols.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifdef __x86_64__

__attribute__((noinline)) static int small_function(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

TEST(bounds__own_function)
{
	struct code_bounds bounds, again;
	uintptr_t start = (uintptr_t)small_function;

	CHECK_INT(small_function(1), 2);
	CHECK_INT(code_bounds_find(start, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(bounds.start, start);
	CHECK(bounds.end > start && bounds.end < start + 1000);
	CHECK(!bounds.personality && !bounds.lsda && !bounds.signal_frame && bounds.fde &&
	      bounds.cie);
	CHECK_INT(code_bounds_find(bounds.end - 1, &again), CODE_BOUNDS_FOUND);
	CHECK(again.start == bounds.start && again.end == bounds.end && again.fde == bounds.fde &&
	      again.cie == bounds.cie);
}

static int copy_first_module(struct dl_phdr_info *module, size_t bytes, void *out)
{
	(void)bytes;
	memcpy(out, module, sizeof(*module));
	return 1;
}

TEST(bounds__not_in_code)
{
	struct code_bounds bounds;
	int local = 0;

	CHECK_INT(code_bounds_find((uintptr_t)&local, &bounds), CODE_BOUNDS_NO_MODULE);
	CHECK_INT(code_bounds_find((uintptr_t)stdout, &bounds), CODE_BOUNDS_NO_MODULE);
	CHECK_INT(code_bounds_find(0, &bounds), CODE_BOUNDS_NO_MODULE);
	CHECK_INT(code_bounds_find(UINTPTR_MAX, &bounds), CODE_BOUNDS_NO_MODULE);
}

/*
 * Assembly without directives for unwinding: only the symbols tell. The last one has a size that
 * takes in another.
 */
__asm__(".text\n"
	".type bare, @function\nbare: lea 3(%rdi,%rdi), %rax\n ret\n.size bare, . - bare\n"
	".type bare_again, @function\n.set bare_again, bare\n.size bare_again, 6\n"
	".type unsized, @function\nunsized: ret\n"
	".type lying, @function\nlying: nop\n"
	".type taken_in, @function\ntaken_in: ret\n.size taken_in, 1\n"
	".size lying, 2\n");
extern int bare(int value);
void unsized(void), lying(void), taken_in(void);

TEST(bounds__by_symbol_alone)
{
	struct code_bounds bounds;

	CHECK_INT(bare(4), 11);
	CHECK_INT(code_bounds_find((uintptr_t)bare + 5, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(bounds.start, (uintptr_t)bare);
	CHECK_INT(bounds.end - bounds.start, 6);
	CHECK(!bounds.fde && !bounds.cie && !bounds.personality && !bounds.lsda &&
	      !bounds.signal_frame);
	CHECK_INT(code_bounds_find((uintptr_t)unsized, &bounds), CODE_BOUNDS_NONE);
	CHECK_INT(code_bounds_find((uintptr_t)lying, &bounds), CODE_BOUNDS_NONE);
	CHECK_INT(code_bounds_find((uintptr_t)taken_in, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(bounds.start, (uintptr_t)taken_in);
	CHECK_INT(bounds.end, (uintptr_t)taken_in + 1);
}

/*
 * Another file has taken the place of the one that was loaded, or its code was changed in memory.
 */
TEST(bounds__symbols_of_other_code)
{
	struct dl_phdr_info module = { .dlpi_name = "/proc/self/exe" };
	ElfW(Phdr) segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 4096 };
	uintptr_t start, end;
	struct code_bounds bounds;

	CHECK_INT(code_bounds_find((uintptr_t)copy_first_module, &bounds), CODE_BOUNDS_FOUND);
	dl_iterate_phdr(copy_first_module, &module);
	CHECK_INT(symbols_function(&module, bounds.start, &start, &end), SYMBOLS_FOUND);
	CHECK_INT(start, bounds.start);
	segment.p_vaddr = bounds.start - module.dlpi_addr - 16;
	/* the same addresses, from elsewhere in the file */
	module.dlpi_phdr = &segment;
	module.dlpi_phnum = 1;
	CHECK_INT(symbols_function(&module, bounds.start, &start, &end), SYMBOLS_NONE);
	scratch_enter();
	module.dlpi_name = "missing";
	CHECK_INT(symbols_function(&module, bounds.start, &start, &end), SYMBOLS_NOT_READ);
}

/*
 * A file is not read again for what it said, or for what it did not know, until modules come or go.
 */
TEST(bounds__answers_of_symbols_are_kept)
{
	struct rlimit plenty, none;
	struct code_bounds bounds;

	CHECK_INT(getrlimit(RLIMIT_NOFILE, &plenty), 0);
	none = (struct rlimit){ 0, plenty.rlim_max };
	CHECK_INT(code_bounds_find((uintptr_t)bare, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(code_bounds_find((uintptr_t)unsized, &bounds), CODE_BOUNDS_NONE);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_INT(code_bounds_find((uintptr_t)bare + 5, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(bounds.start, (uintptr_t)bare);
	CHECK_INT(bounds.end, (uintptr_t)bare + 6);
	CHECK_INT(code_bounds_find((uintptr_t)unsized, &bounds), CODE_BOUNDS_NONE);
	/* as no file can be opened */
	CHECK_INT(code_bounds_find((uintptr_t)taken_in, &bounds), CODE_BOUNDS_NONE);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &plenty), 0);
	CHECK_INT(code_bounds_find((uintptr_t)taken_in, &bounds), CODE_BOUNDS_FOUND);
	CHECK(dlopen("libanl.so.1", RTLD_NOW));
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_INT(code_bounds_find((uintptr_t)bare, &bounds), CODE_BOUNDS_NONE);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &plenty), 0);
}

/* The program's heap stays as it is: nothing is allocated, however large the tables of symbols. */
TEST(bounds__symbols_take_no_memory)
{
	struct dl_phdr_info module = { .dlpi_name = "/proc/self/exe" };
	struct mallinfo2 before, after;
	uintptr_t start, end;

	dl_iterate_phdr(copy_first_module, &module);
	before = mallinfo2();
	CHECK_INT(symbols_function(&module, (uintptr_t)bare, &start, &end), SYMBOLS_FOUND);
	after = mallinfo2();
	CHECK_INT(start, (uintptr_t)bare);
	CHECK(!memcmp(&before, &after, sizeof(before)));
}

/* Functions with symbols: the symbol's size is told by another part of the compiler. */
TEST(bounds__are_those_of_symbols)
{
	static const char *const names[] = { "qsort",       "printf",  "strtod", "malloc",
					     "getaddrinfo", "regexec", "fopen" };
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *address = dlsym(libc, names[i]);
		const ElfW(Sym) *symbol = NULL;
		struct code_bounds bounds;
		Dl_info info;

		CHECK(address && dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
		      symbol && symbol->st_size);
		CHECK_INT(code_bounds_find((uintptr_t)address + symbol->st_size / 2, &bounds),
			  CODE_BOUNDS_FOUND);
		CHECK_INT(bounds.start, (uintptr_t)address);
		CHECK_INT(bounds.end, (uintptr_t)address + symbol->st_size);
	}
}

TEST(bounds__exceptions)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW), *personality;
	struct code_bounds bounds;
	void *function;

	if (!library)
		test_skip("no libstdc++");
	function = dlsym(library, "_ZNSo3putEc"); /* std::ostream::put catches */
	personality = dlsym(library, "__gxx_personality_v0");
	CHECK(function && personality);
	CHECK_INT(code_bounds_find((uintptr_t)function, &bounds), CODE_BOUNDS_FOUND);
	CHECK_INT(bounds.personality, (uintptr_t)personality);
	CHECK(bounds.lsda);
}

/*
 * What sigaction gives the kernel to return to has no exported name, but is the only such frame of
 * libc.
 */
TEST(bounds__signal_frame)
{
	uintptr_t at = (uintptr_t)dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "sigaction"),
		  start, end;
	struct code_bounds bounds;
	size_t nr = 0;

	CHECK(code_segment_around(at, &start, &end));
	for (at = start; at < end;
	     at = code_bounds_find(at, &bounds) == CODE_BOUNDS_FOUND ? bounds.end : at + 1)
		if (code_bounds_find(at, &bounds) == CODE_BOUNDS_FOUND && bounds.signal_frame) {
			CHECK_THAT(bounds.end - bounds.start, <, 20);
			nr++;
		}
	CHECK_INT(nr, 1);
}

/* A copy of a module's image with program headers of its own. */
struct copy {
	struct dl_phdr_info info;
	ElfW(Phdr) headers[32];
	unsigned char *image;
	size_t bytes;
	uintptr_t low;
};

static int copy_module(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct copy *copy = context;
	uintptr_t high = 0;

	(void)bytes;
	if (!strstr(info->dlpi_name, "/libstdc++"))
		return 0;
	CHECK_THAT(info->dlpi_phnum, <=, 32);
	copy->low = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		copy->headers[i] = info->dlpi_phdr[i];
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (info->dlpi_phdr[i].p_vaddr < copy->low)
			copy->low = info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz > high)
			high = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	}
	copy->bytes = high - copy->low;
	copy->image = mmap(NULL, copy->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	CHECK(copy->image != MAP_FAILED);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			memcpy(copy->image + info->dlpi_phdr[i].p_vaddr - copy->low,
			       (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			       info->dlpi_phdr[i].p_memsz);
	copy->info = *info;
	copy->info.dlpi_phdr = copy->headers;
	copy->info.dlpi_addr = (uintptr_t)copy->image - copy->low;
	return 1;
}

static void make_copy(struct copy *copy)
{
	if (!dlopen("libstdc++.so.6", RTLD_NOW))
		test_skip("no libstdc++");
	CHECK(dl_iterate_phdr(copy_module, copy));
}

static ElfW(Phdr) * part(struct copy *copy, uint32_t type, uint32_t flags)
{
	for (int i = 0; i < copy->info.dlpi_phnum; i++)
		if (copy->headers[i].p_type == type && (copy->headers[i].p_flags & flags) == flags)
			return &copy->headers[i];
	test_fail(__FILE__, __LINE__, "no such part");
}

static unsigned char *part_bytes(struct copy *copy, uint32_t type)
{
	return (unsigned char *)copy->info.dlpi_addr + part(copy, type, 0)->p_vaddr;
}

/* Asks at places all over the code; returns how many of them were answered so. */
static size_t ask(struct copy *copy, enum code_bounds_result wanted)
{
	ElfW(Phdr) *code = part(copy, PT_LOAD, PF_X);
	struct code_bounds bounds;
	size_t nr = 0;

	for (size_t at = 0; at < code->p_memsz; at += 1009)
		nr += code_bounds_find_in(&copy->info, copy->info.dlpi_addr + code->p_vaddr + at,
					  &bounds) == wanted;
	return nr;
}

TEST(bounds__without_a_table_all_records_are_read)
{
	struct code_bounds by_table, by_records;
	struct copy copy;
	ElfW(Phdr) * code;
	size_t found = 0;
	unsigned char old;

	make_copy(&copy);
	code = part(&copy, PT_LOAD, PF_X);
	for (size_t at = 0; at < code->p_memsz; at += 20011) {
		uintptr_t address = copy.info.dlpi_addr + code->p_vaddr + at;
		enum code_bounds_result result = code_bounds_find_in(&copy.info, address,
								     &by_table);

		old = part_bytes(&copy, PT_GNU_EH_FRAME)[3];
		part_bytes(&copy, PT_GNU_EH_FRAME)[3] = 0xff;
		CHECK_INT(code_bounds_find_in(&copy.info, address, &by_records), result);
		part_bytes(&copy, PT_GNU_EH_FRAME)[3] = old;
		if (result != CODE_BOUNDS_FOUND)
			continue;
		CHECK_INT(by_records.start, by_table.start);
		CHECK_INT(by_records.end, by_table.end);
		CHECK_INT(by_records.lsda, by_table.lsda);
		CHECK_THAT(by_records.fde, ==, by_table.fde);
		found++;
	}
	CHECK_THAT(found, >, 20);
}

TEST(bounds__a_table_of_lies_is_broken)
{
	struct copy copy;
	unsigned char *header;
	size_t good;

	make_copy(&copy);
	header = part_bytes(&copy, PT_GNU_EH_FRAME);
	good = ask(&copy, CODE_BOUNDS_FOUND);
	CHECK_THAT(good, >, 300);
	header[0] = 9; /* version */
	CHECK_THAT(ask(&copy, CODE_BOUNDS_BROKEN), >=, good);
	header[0] = 1;
	memset(header + 8, 0xff, 4); /* number of rows */
	CHECK_THAT(ask(&copy, CODE_BOUNDS_BROKEN), >=, good);
	memset(header + 8, 0, 4);
	CHECK_INT(ask(&copy, CODE_BOUNDS_FOUND), good); /* none: as without a table */
	part(&copy, PT_GNU_EH_FRAME, 0)->p_type = PT_NULL;
	CHECK_THAT(ask(&copy, CODE_BOUNDS_NONE), >=, good);
}

TEST(bounds__rows_that_lead_elsewhere_are_broken)
{
	struct copy copy;
	unsigned char *header;
	uint32_t nr;
	size_t good;

	make_copy(&copy);
	header = part_bytes(&copy, PT_GNU_EH_FRAME);
	good = ask(&copy, CODE_BOUNDS_FOUND);
	memcpy(&nr, header + 8, sizeof(nr));
	for (uint32_t i = 0; i < nr; i++) {
		int32_t fde;

		memcpy(&fde, header + 12 + 8 * i + 4, sizeof(fde));
		fde += i % 2 ? 1 << 30 : 4; /* out of the module, into a record */
		memcpy(header + 12 + 8 * i + 4, &fde, sizeof(fde));
	}
	CHECK_INT(ask(&copy, CODE_BOUNDS_FOUND), 0);
	CHECK_THAT(ask(&copy, CODE_BOUNDS_BROKEN), >=, good);
}

/*
 * Whatever the tables hold: an answer, and bounds inside of the module. Memory around the copy is
 * not mapped for long.
 */
TEST(bounds__any_tables_are_read_without_harm)
{
	struct copy copy;
	ElfW(Phdr) * code;
	unsigned char *header, *frames;
	int32_t to_frames;
	size_t nr[4] = { 0 };

	make_copy(&copy);
	code = part(&copy, PT_LOAD, PF_X);
	header = part_bytes(&copy, PT_GNU_EH_FRAME);
	memcpy(&to_frames, header + 4, sizeof(to_frames));
	frames = header + 4 + to_frames;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		unsigned char *damaged = round % 8 ? frames + random() % 20000
						   : header + random() % 2000;
		unsigned char old = *damaged;
		uintptr_t address = copy.info.dlpi_addr + code->p_vaddr +
				    (size_t)random() % 0x10000;
		struct code_bounds bounds;
		enum code_bounds_result result;

		*damaged = (unsigned char)random();
		result = code_bounds_find_in(&copy.info, address, &bounds);
		nr[result]++;
		if (result == CODE_BOUNDS_FOUND) {
			CHECK(address >= bounds.start && address < bounds.end);
			CHECK(bounds.start >= (uintptr_t)copy.image &&
			      bounds.end <= (uintptr_t)copy.image + copy.bytes);
		}
		if (round % 16)
			*damaged = old; /* some damage stays */
	}
	CHECK(nr[CODE_BOUNDS_FOUND] > 1000 && nr[CODE_BOUNDS_BROKEN] > 10);
	for (int i = 0; i < 4; i++)
		CHECK(*code_bounds_text(i));
}

#endif
