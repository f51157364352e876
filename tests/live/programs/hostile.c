/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in which clones cannot be made, or must not get in the way: hostile KIND. The phase is a step; what is
 * printed is what was computed, and how often what the program itself catches came.
 */
#define _GNU_SOURCE              /* MAP_ANONYMOUS, REG_RIP */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEPS = 1200, LIBRARY_STEPS = 400, VALUES = 1600000 };

static double from[VALUES], to[VALUES];

__attribute__((noinline)) static void scale(int step)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		to[i] = from[i] * 3 + step;
}

/* ------------------------------------------------------------------ the kernel refuses memory that can be executed */

#define ARGUMENT(n) ((unsigned int)(offsetof(struct seccomp_data, args) + (n) * sizeof(__u64)))

static void refuse_executable(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(77);
}

/* ------------------------------------------------------------------ all addresses near the program are taken */

static void take_addresses(void)
{
	const size_t piece = 1 << 16;
	uintptr_t around = (uintptr_t)scale & ~(uintptr_t)(piece - 1), reach = (uintptr_t)1 << 31;

	for (uintptr_t at = around > reach ? around - reach : piece; at < around + reach; at += piece)
		for (size_t page = 0; page < piece; page += 4096)
			if (mmap((void *)(at + page), page ? 4096 : piece, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED && !page)
				break;
}

/* ------------------------------------------------------------------ signals of its own */

static volatile sig_atomic_t traps, faults;
static sigjmp_buf back;

static void on_trap(int signal) { (void)signal; traps++; }

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	siglongjmp(back, 1);
}

static void catch_signals(void)
{
	signal(SIGTRAP, on_trap);
	signal(SIGSEGV, on_fault);
}

__attribute__((noinline)) static void scale_and_fault(int step)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++) {
		if (i == VALUES / 4) {
			__asm__ volatile("int3");
			if (!sigsetjmp(back, 1))
				*(volatile int *)8 = 1;
		}
		to[i] = from[i] + step;
	}
}

/* ------------------------------------------------------------------ code made while the program runs */

typedef double made_function(double);
static made_function *made;

/* movsd: xmm0 + xmm0; ret. Written anew in every step: one more no-operation before it. */
static void make_code(int step)
{
	static const unsigned char add[] = { 0xf2, 0x0f, 0x58, 0xc0, 0xc3 };
	unsigned char *code;

	if (!made)
		made = (made_function *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code = (unsigned char *)made;
	memset(code, 0x90, 64);
	memcpy(code + step % 59, add, sizeof(add));
}

__attribute__((noinline)) static void call_made(int step)
{
	make_code(step);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		to[i] = made(from[i]) + step;
}

/* ------------------------------------------------------------------ libraries that come and go */

static void call_library(const char *const *paths, int step)
{
	static void *library;
	void (*work)(double *to, const double *from, long nr, int step);

	if (step % LIBRARY_STEPS == 0) {
		if (library)
			dlclose(library);
		library = dlopen(paths[step / LIBRARY_STEPS % 2], RTLD_NOW);
		if (!library)
			exit(3);
	}
	*(void **)&work = dlsym(library, "work");
	work(to, from, VALUES, step);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	double sum = 0;

	for (int i = 0; i < VALUES; i++)
		from[i] = i % 17;
	omp_get_max_threads();           /* starts the tool */
	if (!strcmp(kind, "executable"))
		refuse_executable();
	if (!strcmp(kind, "addresses"))
		take_addresses();
	if (!strcmp(kind, "signals"))
		catch_signals();
	for (int step = 0; step < STEPS; step++) {
		if (!strcmp(kind, "signals"))
			scale_and_fault(step);
		else if (!strcmp(kind, "made"))
			call_made(step);
		else if (!strcmp(kind, "libraries"))
			call_library((const char *const *)argv + 2, step);
		else
			scale(step);
		sum += to[step * 7 % VALUES];
	}
	printf("%s: %.17g, %d traps, %d faults\n", kind, sum, (int)traps, (int)faults);
	return 5;
}
