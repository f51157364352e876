/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CLONES_CALL_H
#define MEMSEARCH_TESTS_UNIT_CLONES_CALL_H

/* Kernels built, cloned and called so that what they do can be compared. x86-64. */
#ifdef __x86_64__
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompt_tool/clones/clone.h"
#include "tests/unit/clones/kernels.h"
#include "tests/unit/test.h"

enum { MEMORY = 65536, MARGIN = 4096 };        /* margin: some kernels read a little beside it */
static unsigned char *memory, *expected, *stack;

static void need_clones(void)
{
	const char *why = clone_unsupported();

	if (why)
		test_skip("no clones: %s", why);
	memory = mmap(NULL, MEMORY + 2 * MARGIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expected = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && expected != MAP_FAILED && stack != MAP_FAILED);
	memory += MARGIN;
}

static void fill(unsigned char *bytes, uint64_t seed)
{
	for (size_t i = 0; i < MEMORY; i++)
		bytes[i] = (unsigned char)((seed += 0x9e3779b97f4a7c15ull) >> 56);
}

/* Calls on a stack of its own, so that addresses are the same each time, with known values in the registers a callee keeps. */
struct call { kernel_run *run; unsigned char *memory; uint64_t seed; unsigned char *stack; uint64_t result, lost; };

__attribute__((noinline, unused)) static void call_checked(struct call *call)
{
	uint64_t lost = 0, result;
	struct call *at = call;

	__asm__ volatile(
		"pushq %%rbp\n"
		"movq %[call], %%rax\n"
		"movq %%rsp, %%rcx\n"
		"movq 24(%%rax), %%rsp\n"
		"pushq %%rcx\n"
		"pushq %%rax\n"
		"movabsq $0x1111111111111111, %%rbx\n"
		"movabsq $0x2222222222222222, %%r12\n"
		"movabsq $0x3333333333333333, %%r13\n"
		"movabsq $0x4444444444444444, %%r14\n"
		"movabsq $0x5555555555555555, %%r15\n"
		"movabsq $0x6666666666666666, %%rbp\n"
		"movq 8(%%rax), %%rdi\n"
		"movq 16(%%rax), %%rsi\n"
		".cfi_remember_state\n .cfi_undefined rip\n"        /* no unwinder goes on to the other stack */
		"call *(%%rax)\n"
		".cfi_restore_state\n"
		"movq %%rax, %%rdx\n"
		"xorl %%ecx, %%ecx\n"
		"movabsq $0x1111111111111111, %%rsi\n cmpq %%rsi, %%rbx\n setne %%cl\n"
		"movabsq $0x2222222222222222, %%rsi\n xorq %%rsi, %%r12\n orq %%r12, %%rcx\n"
		"movabsq $0x3333333333333333, %%rsi\n xorq %%rsi, %%r13\n orq %%r13, %%rcx\n"
		"movabsq $0x4444444444444444, %%rsi\n xorq %%rsi, %%r14\n orq %%r14, %%rcx\n"
		"movabsq $0x5555555555555555, %%rsi\n xorq %%rsi, %%r15\n orq %%r15, %%rcx\n"
		"movabsq $0x6666666666666666, %%rsi\n xorq %%rsi, %%rbp\n orq %%rbp, %%rcx\n"
		"popq %%rax\n"
		"popq %%rsp\n"
		"popq %%rbp\n"
		: "=d"(result), "=c"(lost), [call] "+D"(at)
		:
		: "rax", "rbx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
		  "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	call->result = result;
	call->lost = lost;
}

static const struct clone *make(kernel_run *run, uint32_t probes, uint32_t depth)
{
	struct clone_options options = { .probes = probes, .depth = depth };
	const struct clone *clone = clone_make((uintptr_t)run, &options);
	const struct clone_refusal *refusals;
	size_t nr = clone_refusals(&refusals);

	for (size_t i = 0; !clone && i < nr; i++)
		printf("refused %lx at +%lx: %s\n", (long)refusals[i].function, (long)(refusals[i].at - refusals[i].function), refusals[i].why);
	return clone;
}

static void *last_library;

static const struct kernel *build(const char *compiler, const char *options, const char *source)
{
	char path[200], command[600];
	const struct kernel *found;

	snprintf(path, sizeof(path), "/tmp/memsearch-kernels-%d.so", (int)getpid());
	snprintf(command, sizeof(command), "%s %s -w -fPIC -shared -o %s tests/unit/clones/%s -lm", compiler, options, path, source);
	if (system(command))
		test_skip("%s %s does not compile", compiler, options);
	last_library = dlopen(path, RTLD_NOW);
	unlink(path);
	CHECK(last_library);
	found = dlsym(last_library, "kernels");
	CHECK(found);
	return found;
}
#endif

#endif
