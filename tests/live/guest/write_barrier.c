/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a handler of SIGSEGV makes pages writable that are written to, as garbage collectors do; it does not use the interrupted address. */
#define _GNU_SOURCE
#include "guest.h"

#include <signal.h>
#include <sys/mman.h>

#define PAGES 16
#define PAGE 4096

static char *pages;
static long faults;

static void open_page(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	mprotect(pages + ((char *)info->si_addr - pages) / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = open_page, .sa_flags = SA_SIGINFO };

	pages = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		mprotect(pages, PAGES * PAGE, PROT_READ);
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < PAGES; i++)
			pages[i * PAGE + step % PAGE]++;
	}
	return guest_end(faults);
}
