/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that may fault: a handler of SIGSEGV goes on where a table says. */
#ifndef MEMSEARCH_TEST_FIXUP_TABLE_H
#define MEMSEARCH_TEST_FIXUP_TABLE_H

#define _GNU_SOURCE
#include "guest.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct fixup { long at, to; };
extern struct fixup __start_fixups[], __stop_fixups[];
static long faults;

static void repair(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number, (void)info;
	for (struct fixup *row = __start_fixups; row < __stop_fixups; row++)
		if (row->at == registers[REG_RIP]) {
			registers[REG_RIP] = row->to;
			__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
			return;
		}
	_exit(66);
}

static inline long read_safely(const long *from)
{
	long value = -1;

	__asm__ volatile("1: mov (%1), %0\n2:\n.pushsection fixups, \"aw\"\n.quad 1b, 2b\n.popsection" : "+r"(value) : "r"(from) : "memory");
	return value;
}

#endif
