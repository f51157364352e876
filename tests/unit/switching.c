/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins in tables of addresses: of this program's own, for a function of libc that takes one.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/switching.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompt_tool/clones/redirect.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/clones/trampoline.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/code/writing.h"
#include "tests/unit/test.h"

#define SLOTS_MAX 16

static int equal(const void *a, const void *b)
{
	return *(const int *)a != *(const int *)b;
}

static int opposite(const void *a, const void *b)
{
	return *(const int *)a != -*(const int *)b;
}

static unsigned int translated;

static uintptr_t equal_to_opposite(uintptr_t function, enum switching_use use)
{
	(void)use;
	translated++;
	return function == (uintptr_t)equal ? (uintptr_t)opposite : function;
}

static uintptr_t nothing(uintptr_t function, enum switching_use use)
{
	(void)use;
	return function;
}

/*
 * In the program's data, by R_X86_64_64 or R_X86_64_RELATIVE to a linkage entry, as the linker
 * likes.
 */
typedef void *finder(const void *key, const void *base, size_t *nr, size_t bytes,
		     __compar_fn_t compare);
static finder *volatile pointed_to = lfind;

static ptrdiff_t find_by(finder *find, int key)
{
	static const int numbers[] = { 1, 2, -2, -1 };
	size_t nr = 4;
	const int *found = find(&key, numbers, &nr, sizeof(numbers[0]), equal);

	return found ? found - numbers : -1;
}

static ptrdiff_t find_number(int key)
{
	static const int numbers[] = { 1, 2, -2, -1 };
	size_t nr = 4;
	const int *found = lfind(&key, numbers, &nr, sizeof(numbers[0]), equal);

	return found ? found - numbers : -1;
}

/* ------------------------------------------------------------- this program's tables */

static const struct runtime_entry *lfind_only(const char *name)
{
	static const struct runtime_entry entry = { "lfind", .others = 1u << 4 };

	return strcmp(name, entry.name) ? NULL : &entry;
}

static bool other_than_program(const struct dl_phdr_info *module)
{
	return module->dlpi_name[0] != '\0';
}

static const struct redirect_rules rules = { lfind_only, other_than_program };

struct seen {
	uintptr_t *places[SLOTS_MAX], values[SLOTS_MAX];
	size_t nr;
};

static void see_slot(void *ctx, const struct slot *slot)
{
	struct seen *seen = ctx;

	if (strcmp(slot->name, "lfind") != 0)
		return;
	CHECK_THAT(seen->nr, <, SLOTS_MAX);
	seen->places[seen->nr] = slot->place;
	seen->values[seen->nr++] = *slot->place;
}

static int see_program(struct dl_phdr_info *module, size_t bytes, void *seen)
{
	(void)bytes;
	slots_of_module(module, see_slot, seen);
	return 1;
}

static struct seen see(void)
{
	struct seen seen = { .nr = 0 };

	dl_iterate_phdr(see_program, &seen);
	CHECK_THAT(seen.nr, >, 0);
	return seen;
}

static void needs_stand_ins(void)
{
	if (!trampoline_code.nr)
		test_skip("there are no stand-ins for this architecture");
}

static struct switching_status handed_over(switching_translate *translate)
{
	struct switching_status status;

	needs_stand_ins();
	CHECK(redirect(&rules, translate, &status));
	CHECK(!status.why);
	return status;
}

TEST(switching__functions_are_exchanged_and_given_back)
{
	struct seen before = see(), after;
	struct switching_status status;

	needs_stand_ins();
	CHECK_INT(find_number(2), 1);
	before = see();
	status = handed_over(equal_to_opposite);
	CHECK_INT(status.refused, 0);
	CHECK_INT(status.slots, before.nr);
	CHECK_INT(find_number(2), 2);
	CHECK_INT(find_by(pointed_to, 2), 2);
	CHECK_THAT(translated, >=, 2);
	for (size_t i = 0; i < before.nr; i++)
		CHECK(trampoline_is(*before.places[i]));
	switching_restore();
	after = see();
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK_INT(find_number(2), 1);
}

/* The slot leads to the linker before the first call, and does so again. */
TEST(switching__unbound_slots)
{
	struct seen before = see(), after;

	CHECK_INT(handed_over(equal_to_opposite).slots, before.nr);
	CHECK_INT(find_number(1), 3);
	CHECK_INT(find_number(1), 3);
	switching_restore();
	after = see();
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK_INT(find_number(1), 0);
}

TEST(switching__again_changes_nothing)
{
	unsigned int first = handed_over(equal_to_opposite).slots;

	CHECK_INT(handed_over(equal_to_opposite).slots, first);
	CHECK_INT(find_number(2), 2);
	CHECK_INT(handed_over(nothing).slots, first);
	CHECK_INT(find_number(2), 1);
}

/* A compiler may keep the address it read, beyond the end. */
TEST(switching__addresses_read_before_the_end)
{
	finder *stand_in;

	handed_over(equal_to_opposite);
	stand_in = pointed_to;
	CHECK(trampoline_is(*see().places[0]));
	CHECK_INT(find_by(stand_in, 2), 2);
	switching_restore();
	CHECK_INT(find_by(stand_in, 2), 1);
}

/* What somebody else has put there meanwhile stays, and is not ours any more. */
TEST(switching__changed_by_others)
{
	unsigned int first = handed_over(equal_to_opposite).slots;
	struct seen seen = see();

	CHECK(writing_word(seen.places[0], (uintptr_t)opposite));
	switching_restore();
	CHECK_THAT(*seen.places[0], ==, (uintptr_t)opposite);
	for (size_t i = 1; i < seen.nr; i++)
		CHECK(!trampoline_is(*seen.places[i]));
	CHECK_INT(handed_over(equal_to_opposite).slots, first);
}

TEST(switching__nothing_to_replace)
{
	struct switching_status status;

	CHECK(!switching_redirect(nothing, &status));
	CHECK_INT(status.slots, 0);
	CHECK(status.why);
}

TEST(switching__cycles)
{
	struct seen before = see(), after;

	needs_stand_ins();
	for (int i = 0; i < 1000; i++) {
		handed_over(equal_to_opposite);
		switching_restore();
	}
	after = see();
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK_INT(handed_over(equal_to_opposite).slots, before.nr);
}

/* Other threads of the program call through the tables all the time. */
static atomic_bool ending;
static atomic_ulong answers[5];

static void *find_all_the_time(void *nothing_more)
{
	while (!ending)
		answers[1 + find_number(2)]++;
	return nothing_more;
}

TEST(switching__while_another_thread_calls)
{
	struct seen before = see(), after;
	pthread_t thread;

	needs_stand_ins();
	CHECK_INT(pthread_create(&thread, NULL, find_all_the_time, NULL), 0);
	for (int i = 0; i < 100000 && (i < 1000 || !answers[2] || !answers[3]); i++) {
		handed_over(equal_to_opposite);
		switching_restore();
	}
	ending = true;
	CHECK_INT(pthread_join(thread, NULL), 0);
	CHECK(answers[2] && answers[3]);
	CHECK_INT(answers[0] + answers[1] + answers[4], 0);
	after = see();
	for (size_t i = 0; i < before.nr; i++)
		CHECK(after.places[i] == before.places[i] && !trampoline_is(after.values[i]));
}

/* ------------------------------------------------------------- tables that lie */

static uint32_t state = 7;

static uint32_t random_number(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static void count_slot(void *ctx, const struct slot *slot)
{
	*(unsigned int *)ctx += strlen(slot->name) < 4096 && *slot->place != 1;
}

/*
 * Contents, and a dynamic section at the end, that lead inside, to the end, outside and around the
 * end of the address space.
 */
static void lie(unsigned char *image, size_t bytes, ElfW(Dyn) * dynamic, size_t nr)
{
	static const int64_t tags[] = { DT_JMPREL, DT_PLTRELSZ, DT_RELA, DT_RELASZ,
					DT_SYMTAB, DT_STRTAB,   DT_STRSZ };
	ElfW(Rela) *relocations = (ElfW(Rela) *)image;

	for (size_t i = 0; i < bytes; i++)
		image[i] = (unsigned char)random_number(3);
	for (size_t i = 0; i < 32; i++) {
		static const uint32_t types[] = { 1, 6, 7, 8, 257, 1025, 1026, 38, 21, 22 };

		relocations[i].r_offset = random_number(4) ? random_number(512) * 8
							   : UINT64_MAX - random_number(16);
		relocations[i].r_info = ELF64_R_INFO(random_number(8) ? random_number(180)
								      : UINT32_MAX,
						     types[random_number(10)]);
		relocations[i].r_addend = 0;
	}
	for (size_t i = 0; i < nr; i++) {
		static const uint64_t values[] = {
			0, 64, 768, 4095, 4096, 1000000, UINT64_MAX - 100, UINT64_MAX / 2
		};

		dynamic[i].d_tag = tags[i % 7];
		dynamic[i].d_un.d_val = values[random_number(random_number(2) ? 3 : 8)];
	}
}

TEST(slots__tables_that_lie)
{
	const size_t bytes = 4096, nr = 14;
	ElfW(Dyn) * dynamic;
	unsigned char *image = malloc(bytes);
	ElfW(Phdr) segments[2] = { { .p_type = PT_LOAD, .p_memsz = bytes },
				   { .p_type = PT_DYNAMIC, .p_memsz = nr * sizeof(*dynamic) } };
	struct dl_phdr_info module = { .dlpi_addr = (uintptr_t)image,
				       .dlpi_name = "",
				       .dlpi_phdr = segments,
				       .dlpi_phnum = 2 };
	unsigned int found = 0;

	CHECK(image);
	segments[1].p_vaddr = bytes - nr * sizeof(*dynamic);
	dynamic = (ElfW(Dyn) *)(image + segments[1].p_vaddr);
	for (int i = 0; i < 5000; i++) {
		lie(image, segments[1].p_vaddr, dynamic, nr);
		slots_of_module(&module, count_slot, &found);
	}
	CHECK_THAT(found, >, 100);
	free(image);
}

/* ------------------------------------------------------------- what may be refused */

/* Sanitizers need at the end what is refused. */
static void end_here(void)
{
	fflush(stdout);
	_exit(0);
}

static void refuse(long call)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		test_skip("seccomp is not to be had here");
}

static uintptr_t *read_only_word(void)
{
	uintptr_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

	CHECK(page != MAP_FAILED);
	page[1] = 7;
	CHECK_THAT(mprotect(page, 4096, PROT_READ), ==, 0);
	return page + 1;
}

TEST(writing__word_that_is_read_only)
{
	uintptr_t *word = read_only_word();

	errno = 5;
	CHECK(writing_word(word, 8));
	CHECK_INT(errno, 5);
	CHECK_INT(*word, 8);
	CHECK_INT(writing_protection((uintptr_t)word), PROT_READ);
}

TEST(writing__word_where_mprotect_is_refused)
{
	uintptr_t *word = read_only_word();

	refuse(SYS_mprotect);
	CHECK(writing_word(word, 8));
	CHECK_INT(*word, 8);
	CHECK_INT(writing_protection((uintptr_t)word), PROT_READ);
	end_here();
}

TEST(writing__word_where_all_is_refused)
{
	uintptr_t *word = read_only_word();

	refuse(SYS_mprotect);
	refuse(SYS_pwrite64);
	CHECK(!writing_word(word, 8));
	CHECK_INT(*word, 7);
	end_here();
}

TEST(writing__nothing_is_mapped)
{
	uintptr_t *word = read_only_word();

	CHECK_THAT(munmap((char *)word - sizeof(*word), 4096), ==, 0);
	CHECK_INT(writing_protection((uintptr_t)word), -1);
	CHECK(!writing_word(word, 8));
}

/* Counted, and nothing is half done. */
TEST(switching__tables_that_cannot_be_written)
{
	struct seen before = see(), after;
	struct switching_status status;
	struct rlimit none = { 0, 0 };

	needs_stand_ins();
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
	CHECK(!redirect(&rules, equal_to_opposite, &status));
	CHECK_INT(status.refused, before.nr);
	CHECK_INT(status.slots, 0);
	CHECK(strstr(status.why, "cannot be written"));
	after = see();
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK_INT(find_number(2), 1);
	end_here();
}

/* ------------------------------------------------------------- stand-ins by themselves */

static int32_t twice(int32_t value)
{
	return 2 * value;
}

static int32_t thrice(int32_t value)
{
	return 3 * value;
}

static inline void spoil_arguments(void)
{
#ifdef __x86_64__
	__asm__ volatile(
		"pxor %%xmm0, %%xmm0\n	pxor %%xmm1, %%xmm1\n	pxor %%xmm2, %%xmm2\n	pxor %%xmm3, %%xmm3\n"
		"pxor %%xmm4, %%xmm4\n	pxor %%xmm5, %%xmm5\n	pxor %%xmm6, %%xmm6\n	pxor %%xmm7, %%xmm7\n"
		"xor %%esi, %%esi\n	xor %%edx, %%edx\n	xor %%ecx, %%ecx\n	xor %%r8d, %%r8d\n	xor %%r9d, %%r9d\n	xor %%r10d, %%r10d\n"
		"xor %%eax, %%eax\n	xor %%r11d, %%r11d" ::
			: "memory", "cc", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "rax",
			  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#endif
}

/* Uses all registers, as any C function may. */
static unsigned int uses[SWITCHING_OTHER + 1];

static uintptr_t twice_to_thrice(uintptr_t function, enum switching_use use)
{
	uses[use]++;
	volatile double spoiled[8];

	for (int i = 0; i < 8; i++)
		spoiled[i] = (double)i / 7;
	spoil_arguments();
	return function == (uintptr_t)twice ? (uintptr_t)thrice : spoiled[0] == 0 ? function : 0;
}

/* Like __kmpc_fork_call: what comes behind is known to the caller only. */
static double sum_up(void *where, int32_t nr, int32_t (*function)(int32_t), ...)
{
	va_list args;
	double sum = *(int *)where;

	va_start(args, function);
	for (int32_t i = 0; i < nr; i++) {
		sum += va_arg(args, double) * (i + 1);
		sum += function(va_arg(args, int32_t)) * (i + 1);
	}
	va_end(args);
	return sum;
}

TEST(trampoline__variable_arguments)
{
	static const struct runtime_entry entry = { "sum_up", .others = 1u << 2 };
	double (*stand_in)(void *where, int32_t nr, int32_t (*function)(int32_t), ...);
	int where = 1000;
	double plain, exchanged;

	needs_stand_ins();
	stand_in = (__typeof__(stand_in))trampoline_for(&entry, (uintptr_t)sum_up);
	CHECK(stand_in && trampoline_is((uintptr_t)stand_in));
	trampoline_translate(NULL);
	plain = stand_in(&where, 10, twice, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7,
			 7.5, 8, 8.5, 9, 9.5, 10);
	trampoline_translate(twice_to_thrice);
	exchanged = stand_in(&where, 10, twice, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5,
			     7, 7.5, 8, 8.5, 9, 9.5, 10);
	CHECK_NEAR(plain,
		   sum_up(&where, 10, twice, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7,
			  7.5, 8, 8.5, 9, 9.5, 10),
		   0);
	CHECK_NEAR(exchanged,
		   sum_up(&where, 10, thrice, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5,
			  7, 7.5, 8, 8.5, 9, 9.5, 10),
		   0);
	CHECK_THAT(plain, !=, exchanged);
}

typedef int32_t function_of_one(int32_t);
typedef int64_t twelve(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, function_of_one *f,
		       int64_t g, int64_t h, int64_t i, int64_t j, function_of_one *k,
		       function_of_one *l);

static int64_t take_twelve(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e,
			   function_of_one *f, int64_t g, int64_t h, int64_t i, int64_t j,
			   function_of_one *k, function_of_one *l)
{
	int64_t others = a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * g + 17 * h + 19 * i + 23 * j;

	return others * 1000000 + f(1) * 10000 + (k ? k(10) * 100 : 0) + l(1);
}

/*
 * The sixth is the last in a register; the others, like __kmpc_taskloop's last, are on the stack.
 */
TEST(trampoline__arguments_on_the_stack)
{
	static const struct runtime_entry entries[] = {
		{ "take_twelve", .tasks = 1u << 5, .others = 1u << 10 },
		{ "take_twelve", .bodies = 1u << 11 },
	};
	twelve *first, *second;
	int64_t others = (1 + 3 * 2 + 5 * 3 + 7 * 4 + 11 * 5 + 13 * 7 + 17 * 8 + 19 * 9 + 23 * 10) *
			 INT64_C(1000000);

	needs_stand_ins();
	first = (twelve *)trampoline_for(&entries[0], (uintptr_t)take_twelve);
	second = (twelve *)trampoline_for(&entries[1], (uintptr_t)take_twelve);
	CHECK(first && second && first != second);
	trampoline_translate(twice_to_thrice);
	CHECK_INT(first(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, twice, twice),
		  others + 30000 + 3000 + 2);
	CHECK_INT(first(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, NULL, twice), others + 30000 + 2);
	CHECK_INT(second(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, twice, twice),
		  others + 20000 + 2000 + 3);
	CHECK_INT(uses[SWITCHING_BODY], 1);
	CHECK_INT(uses[SWITCHING_TASK], 2);
	CHECK_INT(uses[SWITCHING_OTHER], 1);
	switching_rest(true); /* bodies of regions alone are exchanged */
	CHECK_INT(first(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, twice, twice),
		  others + 20000 + 2000 + 2);
	CHECK_INT(second(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, twice, twice),
		  others + 20000 + 2000 + 3);
	switching_rest(false);
	CHECK_INT(first(1, 2, 3, 4, 5, twice, 7, 8, 9, 10, twice, twice),
		  others + 30000 + 3000 + 2);
}

TEST(trampoline__one_for_each_entry_and_target_until_there_are_no_more)
{
	static const struct runtime_entry entry = { "any", .others = 1 };
	uint32_t nr = 0;

	needs_stand_ins();
	CHECK_THAT(trampoline_for(&entry, 1), ==, trampoline_for(&entry, 1));
	CHECK_THAT(trampoline_for(&entry, 1), !=, trampoline_for(&entry, 2));
	while (nr < 100000 && trampoline_for(&entry, nr + 1))
		nr++;
	CHECK_INT(nr, trampoline_code.nr);
	CHECK(trampoline_for(&entry, 3));
	CHECK(!trampoline_is(trampoline_code.first + trampoline_code.nr * trampoline_code.bytes));
}

TEST(runtime_entries__those_that_take_functions)
{
	CHECK_INT(runtime_entry_functions(runtime_entry("__kmpc_fork_call")), 1u << 2);
	CHECK_INT(runtime_entry_use(runtime_entry("__kmpc_fork_call"), 2), SWITCHING_BODY);
	CHECK_INT(runtime_entry_functions(runtime_entry("GOMP_task")), 1u << 0 | 1u << 2);
	CHECK_INT(runtime_entry_use(runtime_entry("GOMP_task"), 0), SWITCHING_TASK);
	CHECK_INT(runtime_entry_use(runtime_entry("GOMP_task"), 2), SWITCHING_OTHER);
	CHECK_INT(runtime_entry_use(runtime_entry("__kmpc_omp_task_alloc"), 5), SWITCHING_TASK);
	CHECK_INT(runtime_entry("GOMP_parallel_loop_nonmonotonic_dynamic")->bodies, 1);
	CHECK(runtime_entry("GOMP_target_ext")->device);
	CHECK(!runtime_entry("GOMP_barrier"));
	CHECK(!runtime_entry("__kmpc_fork_cal"));
	CHECK(!runtime_entry("lfind"));
}
