/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/*
 * called LIBRARY…: opens the libraries and calls functions of them, as exchange.h says, each in a child of its own. Runs under valgrind, which
 * lists what is accessed: so it does little itself, and gets and gives back memory by system calls, which are not listed.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/differential/exchange.h"

enum { SECONDS = 600 };

/* In and out of the file, at the place of one of its fields. */
#define GET(to, field) (pread(EXCHANGE_FILE, (to), sizeof(((struct exchange *)0)->field), offsetof(struct exchange, field)) > 0)
#define PUT(from, field) (pwrite(EXCHANGE_FILE, (from), sizeof(((struct exchange *)0)->field), offsetof(struct exchange, field)) > 0)

static struct modules modules;

extern const char called_waits[];

/* wait4(child, NULL, 0, NULL), whose last instruction is known by name. */
static __attribute__((noinline)) long wait_for(long child)
{
	register long options __asm__("r10") = 0;
	long result = SYS_wait4;

	__asm__ volatile("called_waits: syscall" : "+a"(result) : "D"(child), "S"(0l), "d"(0l), "r"(options) : "rcx", "r11", "memory");
	return result;
}

static void call(void)
{
	uint64_t components = enter_components(), offset;
	uint32_t module, returned = 1;
	char byte;

	alarm(SECONDS);
	if (read(EXCHANGE_GO, &byte, 1) != 1 || !GET(&module, module) || !GET(&offset, offset) || !GET(enter_registers, registers) || !GET(enter_vectors, vectors) ||
	    !GET(PREPARE_MEMORY, memory) || !GET(PREPARE_STACK + PREPARE_STACK_BYTES - PREPARE_ABOVE, above))
		_exit(1);
	memcpy(enter_vectors + 512, &components, sizeof(components));    /* valgrind has no AVX-512 */
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
	if (!prepare_map() || !PUT(&modules, modules) || !PUT(&waits_at, waits_at) || write(EXCHANGE_DONE, &byte, 1) != 1)
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
