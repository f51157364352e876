/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/*
 * called LIBRARY…: opens the libraries and calls functions of them, as exchange.h says, each in a
 * child of its own. Runs under valgrind, which lists what is accessed: so it does little itself,
 * and gets and gives back memory by system calls, which are not listed.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/differential/exchange.h"

enum { SECONDS = 600 };

/* In and out of the file, at the place of one of its fields. */
#define GET(to, field) \
	(pread(EXCHANGE_FILE, (to), sizeof(((struct exchange *)0)->field), \
	       offsetof(struct exchange, field)) > 0)
#define PUT(from, field) \
	(pwrite(EXCHANGE_FILE, (from), sizeof(((struct exchange *)0)->field), \
		offsetof(struct exchange, field)) > 0)

static struct modules modules;

#define ALLOW(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/*
 * What valgrind asks of the kernel and what is needed to come out of here: the function can do
 * nothing to the system, as natively (run.c).
 */
static int fence(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_pwrite64),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_brk),
		ALLOW(SYS_mmap),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mremap),
		ALLOW(SYS_mprotect),
		ALLOW(SYS_madvise),
		ALLOW(SYS_futex),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_rt_sigaction),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_rt_sigtimedwait),
		ALLOW(SYS_gettid),
		ALLOW(SYS_getpid),
		ALLOW(SYS_sched_yield),
		ALLOW(SYS_clock_gettime),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), /* EPERM */
	};
	static const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) || syscall(SYS_getppid) != -1;
}

extern const char called_waits[];

/* wait4(child, NULL, 0, NULL), whose last instruction is known by name. */
static __attribute__((noinline)) long wait_for(long child)
{
	register long options __asm__("r10") = 0;
	long result = SYS_wait4;

	__asm__ volatile("called_waits: syscall"
			 : "+a"(result)
			 : "D"(child), "S"(0l), "d"(0l), "r"(options)
			 : "rcx", "r11", "memory");
	return result;
}

static void call(void)
{
	uint64_t components = enter_components(), offset;
	uint32_t module, returned = 1;
	char byte;

	alarm(SECONDS);
	if (read(EXCHANGE_GO, &byte, 1) != 1 || !GET(&module, module) || !GET(&offset, offset) ||
	    !GET(enter_registers, registers) || !GET(enter_vectors, vectors) ||
	    !GET(PREPARE_MEMORY, memory) ||
	    !GET(PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE, above))
		_exit(1);
	/* valgrind has no AVX-512 */
	memcpy(enter_vectors + 512, &components, sizeof(components));
	if (fence())
		_exit(2);
	enter_function(modules.rows[module].start + offset, false);
	_exit(!PUT(enter_left, left) || !PUT(PREPARE_MEMORY, memory) || !PUT(&returned, returned));
}

int main(int argc, char **argv)
{
	uint64_t waits_at = (uintptr_t)called_waits;
	char byte = '.';

	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW)) {
			fprintf(stderr, "called: %s\n", dlerror());
			return 1;
		}
	modules_look(&modules);
	if (!prepare_map() || !PUT(&modules, modules) || !PUT(&waits_at, waits_at) ||
	    write(EXCHANGE_DONE, &byte, 1) != 1)
		return 1;
	while (read(EXCHANGE_GO, &byte, 1) == 1) {
		pid_t child = fork();

		if (child == 0)
			call();
		if (child < 0 || wait_for(child) != child || write(EXCHANGE_DONE, &byte, 1) != 1)
			return 1;
	}
	return 0;
}
