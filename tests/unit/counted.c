/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counted loops: of what is recorded of them at their begin and end all accesses can be told, in
 * their order.
 */
#define _GNU_SOURCE
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "tests/unit/test.h"

#ifdef __x86_64__
#include <string.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/word_buffer.h"

/*
 * From (values in the midst of memory, times); `1:` the loop, whose last instruction branches
 * there.
 */
#define LOOP(name, before, loop, behind) \
	__asm__(".text\n.p2align 4\n.type " #name ", @function\n" #name \
		": .cfi_startproc\n" before "\n" #name "_loop: 1:\n" loop "\n" behind \
		"\nret\n.cfi_endproc\n.size " #name ", . - " #name "\n"); \
	extern loop_run name; \
	extern const char name##_loop[];

typedef uint64_t loop_run(uint64_t *values, uint64_t times);

LOOP(by_index, "xor %ecx, %ecx\nxor %eax, %eax",
     "add (%rdi,%rcx,8), %rax\nmov %rax, 800(%rdi,%rcx,8)\ninc %rcx\ncmp %rsi, %rcx\njne 1b", "")
LOOP(by_pointer, "xor %eax, %eax",
     "add (%rdi), %rax\nadd $24, %rdi\nmov %rax, -16(%rdi)\ndec %rsi\njnz 1b", "")
LOOP(downwards, "xor %eax, %eax",
     "add -8(%rdi,%rsi,4), %rax\nlea -16(%rdi), %rdi\ndec %rsi\njnz 1b", "")
LOOP(of_a_sum, "xor %ecx, %ecx\nxor %eax, %eax",
     "lea (%rdi,%rcx,8), %rdx\nadd (%rdx), %rax\nmov 64(%rdx), %r8\nadd %r8, %rax\nadd $3, %rcx\ndec %rsi\njnz 1b",
     "")
LOOP(of_a_sum_of_sums, "xor %ecx, %ecx\nxor %eax, %eax",
     "mov %rcx, %rdx\nadd %rdx, %rdx\nlea 16(%rdx,%rcx,4), %r8\nadd $8, %r8\nadd (%rdi,%r8), %rax\nadd $4, %rcx\ndec %rsi\njnz 1b",
     "")
LOOP(in_between, "xor %eax, %eax",
     "add (%rdi), %rax\nadd $8, %rdi\nadd (%rdi), %rax\nadd $8, %rdi\nmov %rax, -4(%rdi)\nsub $40, %rdi\nadd (%rdi), %rax\nadd $56, %rdi\ndec %rsi\njnz 1b",
     "")
LOOP(with_carry, "xor %eax, %eax", "adc (%rdi), %rax\nlea 8(%rdi), %rdi\ndec %rsi\njnz 1b",
     "adc $0, %rax")
LOOP(by_loop, "mov %rsi, %rcx\nxor %eax, %eax", "add (%rdi), %rax\nadd $8, %rdi\nloop 1b", "")
LOOP(with_all_registers,
     "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rdi, %rax\nmov %rdi, %rbx\nxor %ecx, %ecx\nmov %rdi, %rdx\nxor %ebp, %ebp\nmov %rdi, %r8\nmov %rdi, %r9\n"
     "mov %rdi, %r10\nmov %rdi, %r11\nmov %rdi, %r12\nmov %rdi, %r13\nmov %rdi, %r14\nmov %rdi, %r15",
     "incq (%rax)\nincq 8(%rbx,%rcx)\nincq (%rdx,%rbp)\nincq 16(%r8)\nincq (%r9)\nincq (%r10)\nincq (%r11)\nincq (%r12)\nincq (%r13)\nincq (%r14)\nincq (%r15)\n"
     "add $8, %rax\nsub $8, %rcx\nadd $8, %rbx\nadd $8, %rdx\nsub $8, %rbp\nadd $16, %r8\nadd $24, %r9\nadd $8, %r10\nadd $8, %r11\nadd $8, %r12\nadd $8, %r13\nadd $8, %r14\nadd $8, %r15\n"
     "dec %rsi\njnz 1b",
     "add %rbx, %rax\nadd %rcx, %rax\nadd %rdx, %rax\nadd %rbp, %rax\nadd %r8, %rax\nadd %r9, %rax\nadd %r10, %rax\nadd %r11, %rax\nadd %r12, %rax\nadd %r13, %rax\nadd %r14, %rax\nadd %r15, %rax\n"
     "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx")
/*
 * These are none: no register tells how often; a sum that is used before it is made; steps that are
 * not constant; pointers from memory; nothing that goes on; halves of registers.
 */
LOOP(of_a_sum_no_more, "xor %ecx, %ecx\nxor %eax, %eax",
     "lea (%rdi,%rcx,8), %rdx\nmov 64(%rdx), %rdx\nadd %rdx, %rax\nadd $3, %rcx\ndec %rsi\njnz 1b",
     "")
LOOP(of_the_time_before, "mov %rdi, %rdx\nxor %ecx, %ecx\nxor %eax, %eax",
     "add (%rdx), %rax\nlea 8(%rdi,%rcx,8), %rdx\nadd $3, %rcx\ndec %rsi\njnz 1b", "")
LOOP(by_a_variable, "mov $24, %edx\nxor %eax, %eax",
     "add (%rdi), %rax\nadd %rdx, %rdi\ndec %rsi\njnz 1b", "")
LOOP(from_memory, "mov %rdi, %rdx\nmov %rdi, (%rdi)\nxor %eax, %eax",
     "mov (%rdx), %rdx\nadd 8(%rdx), %rax\ndec %rsi\njnz 1b", "")
LOOP(on_the_spot, "xor %eax, %eax", "add (%rdi), %rax\ndec %rsi\njnz 1b", "")
LOOP(by_half, "xor %ecx, %ecx\nxor %eax, %eax",
     "add (%rdi,%rcx,8), %rax\ninc %ecx\ncmp %esi, %ecx\njne 1b", "")
LOOP(on_the_stack, "xor %eax, %eax",
     "push (%rdi)\npop %rdx\nadd %rdx, %rax\nadd $8, %rdi\ndec %rsi\njnz 1b", "")

static const struct {
	const char *name;
	loop_run *run;
	const char *loop;
	bool counted;
} loops[] = {
#define ROW(name, counted) { #name, name, name##_loop, counted }
	ROW(by_index, true),
	ROW(by_pointer, true),
	ROW(downwards, true),
	ROW(of_a_sum, true),
	ROW(of_a_sum_of_sums, true),
	ROW(in_between, true),
	ROW(with_carry, true),
	ROW(by_loop, true),
	ROW(with_all_registers, true),
	ROW(of_a_sum_no_more, false),
	ROW(of_the_time_before, false),
	ROW(by_a_variable, false),
	ROW(from_memory, false),
	ROW(on_the_spot, false),
	ROW(by_half, false),
	ROW(on_the_stack, false),
};
enum { LOOPS = sizeof(loops) / sizeof(loops[0]), MOST = 50000, VALUES = 20000 };

struct seen {
	uintptr_t site;
	uint64_t address;
	bool write;
};
struct stream {
	struct seen *seen;
	size_t nr, words, counted;
};

static void note(void *ctx, const struct record_stretch *row, const uint64_t *stretch)
{
	struct stream *stream = ctx;

	stream->counted += row->event == RECORD_COUNTED;
	for (uint32_t i = 0; i < row->nr_sites; i++) {
		const struct record_site *site = record_site(row->first_site + i);

		CHECK_THAT(stream->nr, <, MOST);
		stream->seen[stream->nr++] = (struct seen){ site->address,
							    record_address(site, stretch),
							    site->write };
	}
}

static void consume(void *ctx, const uint64_t *words, size_t nr)
{
	struct stream *stream = ctx;

	stream->words += nr;
	CHECK(record_each(words, nr, note, stream));
}

static uint64_t values[VALUES], copies[VALUES];

static const struct clone *make(loop_run *run, uint32_t probes)
{
	const struct clone_options options = { .probes = probes };
	const struct clone *clone;

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	clone = clone_make((uintptr_t)run, &options);
	CHECK(clone != NULL);
	return clone;
}

static uint64_t run(loop_run *run, uint64_t *at, uint64_t times)
{
	for (size_t i = 0; i < VALUES; i++)
		at[i] = i * 0x9e3779b97f4a7c15ull;
	return run(at + VALUES / 2, times);
}

static struct stream record(loop_run *original, uint32_t probes, uint64_t times)
{
	static struct seen seen[2][MOST];
	static unsigned int which;
	struct stream stream = { .seen = seen[which++ % 2] };

	CHECK(record_thread_begin(65536, consume, &stream));
	run((loop_run *)make(original, probes)->code, copies, times);
	record_thread_end();
	return stream;
}

/* As the original does it, and as a clone records it that tells of every iteration. */
TEST(counted__all_accesses_in_their_order)
{
	static const uint64_t times[] = { 1, 2, 3, 7, 100, 800 };

	for (size_t i = 0; i < LOOPS * sizeof(times) / sizeof(times[0]); i++) {
		uint64_t nr = times[i / LOOPS];
		struct stream each = record(loops[i % LOOPS].run, CLONE_ACCESSES | CLONE_LOOPS, nr),
			      counted = record(loops[i % LOOPS].run, CLONE_ACCESSES, nr);
		uint64_t wanted = run(loops[i % LOOPS].run, copies, nr), got;

		memcpy(values, copies, sizeof(values));
		got = run((loop_run *)make(loops[i % LOOPS].run, CLONE_ACCESSES)->code, copies, nr);
		/* what depends on where memory is is the same, as it is the same memory */
		if (got != wanted || memcmp(values, copies, sizeof(values)))
			test_fail(__FILE__, __LINE__, "%s, %d times: does something else",
				  loops[i % LOOPS].name, (int)nr);
		if (each.nr != counted.nr ||
		    memcmp(each.seen, counted.seen, each.nr * sizeof(each.seen[0])))
			test_fail(__FILE__, __LINE__,
				  "%s, %d times: %d accesses, not %d, or others",
				  loops[i % LOOPS].name, (int)nr, (int)counted.nr, (int)each.nr);
		if (counted.counted != (loops[i % LOOPS].counted && nr > 1))
			test_fail(__FILE__, __LINE__, "%s, %d times: counted %d times",
				  loops[i % LOOPS].name, (int)nr, (int)counted.counted);
		CHECK(!counted.counted || counted.words < 30);
	}
}

/*
 * Addresses of the loop's second copy are those of its instructions: lines and sites of samples
 * there.
 */
TEST(counted__addresses_lead_to_the_original)
{
	for (size_t i = 0; i < LOOPS; i++) {
		const struct clone *clone = make(loops[i].run, CLONE_ACCESSES);
		const char *begin = loops[i].loop, *copy = (const char *)clone->code;
		/* of the first two instructions, between which is a probe in the first copy */
		size_t bytes = 7;
		uintptr_t last = 0;

		if (!loops[i].counted)
			continue;
		copy = memmem(copy, clone->code_end - clone->code, begin, bytes);
		if (!copy)
			test_fail(__FILE__, __LINE__, "%s: no second copy", loops[i].name);
		for (size_t at = 0; at < bytes; at++) {
			uintptr_t original = clone_original((uintptr_t)copy + at);

			CHECK(original >= (uintptr_t)begin && original <= (uintptr_t)begin + at &&
			      original >= last);
			last = original;
		}
		CHECK_THAT(last, >, (uintptr_t)begin);
		for (uintptr_t at = clone->code; at < clone->code_end; at++)
			CHECK(clone_original(at) >= clone->start &&
			      clone_original(at) <= clone->end);
	}
}

/* Where a signal handler has left something between the two the loop counts once. */
TEST(counted__no_times_where_words_are_not_what_they_were)
{
	struct stream stream = record(by_pointer, CLONE_ACCESSES, 5);
	uint64_t words[16] = { 0 };
	const struct record_counted *row;
	uint32_t number = 0;

	CHECK_INT(stream.counted, 1);
	for (uint32_t i = 1; i < record_stretches.nr; i++)
		if (record_stretch(i)->event == RECORD_COUNTED)
			number = i;
	row = record_counted(record_stretch(number)->subject);
	CHECK_INT(record_stretch(row->stretch)->words, 1);
	words[0] = row->stretch, words[1] = 1000, words[2] = number, words[3] = 1024 + 24 * 4;
	CHECK_INT(row->amounts[1], 24);
	CHECK_THAT(record_before(words, 2), ==, words);
	CHECK_INT(record_times(words + 2, words), 4);
	words[3]++;
	CHECK_INT(record_times(words + 2, words), 0);
	words[3] = 1000; /* before its first time was over */
	CHECK_INT(record_times(words + 2, words), 0);
	words[3] = 1024 + (RECORD_BYTES_MOST / 24 + 1) * 24;
	CHECK_INT(record_times(words + 2, words), 0);
	words[0] = number;
	CHECK(!record_before(words, 2));
	CHECK(!record_before(words + 2, 0));
}

#else
TEST(counted__supported)
{
	test_skip("clones are made on x86-64 only");
}
#endif
