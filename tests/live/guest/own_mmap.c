/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: brings its own mmap, munmap and mremap, which everything in the process calls, as tcmalloc does. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest.h"

void *mmap(void *start, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, start, bytes, rights, flags, fd, offset);
}
void *mmap64(void *start, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, start, bytes, rights, flags, fd, offset);
}
int munmap(void *start, size_t bytes)
{
	return (int)syscall(SYS_munmap, start, bytes);
}
void *mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...)
{
	va_list more;
	void *to;

	va_start(more, flags);
	to = va_arg(more, void *);
	va_end(more);
	return (void *)syscall(SYS_mremap, start, old_bytes, bytes, flags, to);
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		guest_step();
		page[step % 4096] = 1;
		sum += page[step % 4096];
		munmap(page, 4096);
	}
	return guest_end(sum);
}
