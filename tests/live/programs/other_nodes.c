/* SPDX-License-Identifier: Apache-2.0 */
/*
 * move_pages of a libnuma.so.1 for machines with one node: pages are on node 1 until they are moved, and the kernel says which are in
 * memory. NODES_FAIL: how calls that move pages fail.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES (1 << 16) /* a power of two, more than programs of the test have */
#define CALL 1024       /* pages in one */

struct page {
	uintptr_t number;
	int node;
};

static struct page *pages_of_program(void)
{
	static struct page *pages;

	if (!pages)
		pages = mmap(NULL, PAGES * sizeof(*pages), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages;
}

static int *node_of(const void *address)
{
	struct page *pages = pages_of_program();
	uintptr_t number = (uintptr_t)address / PAGE;
	size_t at = number * 0x9e3779b97f4a7c15u >> 32 & (PAGES - 1);

	while (pages[at].number && pages[at].number != number)
		at = (at + 1) & (PAGES - 1);
	if (!pages[at].number)
		pages[at] = (struct page){ number, 1 };
	return &pages[at].node;
}

static int fails(const char *how)
{
	const char *is = getenv("NODES_FAIL");

	return is && !strcmp(is, how);
}

/* errno of a call that moves pages to these nodes; 0: none. */
static int refusal(const int *nodes)
{
	return fails("denied")                       ? EPERM
	       : fails("offline")                    ? ENODEV
	       : fails("back") && nodes[0]           ? EPERM /* home is node 1 */
						     : 0;
}

long move_pages(int pid, unsigned long nr, void **pages, const int *nodes, int *status, int flags)
{
	int here[CALL];
	long answer;

	(void)flags;
	if (nodes && (errno = refusal(nodes)))
		return -1;
	answer = syscall(SYS_move_pages, pid, nr, pages, NULL, here, 0);
	if (answer < 0)
		return answer;
	for (unsigned long i = 0; i < nr; i++) {
		int *node = here[i] < 0 ? &here[i] : node_of(pages[i]);
		int full = nodes && fails("full") && !nodes[i];

		if (nodes && here[i] >= 0 && !full)
			*node = nodes[i];
		status[i] = full ? -ENOMEM : *node;
	}
	return 0;
}
