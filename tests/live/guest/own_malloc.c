/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: brings its own malloc, of a fixed piece of memory, and counts what it gives. */
/* Flags: -fno-builtin */
#include <errno.h>
#include <stddef.h>
#include "guest.h"

static char room[64 << 20] __attribute__((aligned(64)));
static size_t used, own;

static void *take(size_t align, size_t size)
{
	size_t at, end;

	do {
		at = __atomic_load_n(&used, __ATOMIC_RELAXED);
		end = ((at + 16 + align - 1) & -align) + size;
		if (end > sizeof room)
			return errno = ENOMEM, NULL;
	} while (!__atomic_compare_exchange_n(&used, &at, end, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	((size_t *)(room + end - size))[-1] = size;
	return room + end - size;
}
void *malloc(size_t size)
{
	return take(16, size);
}
void free(void *block)
{
	(void)block;
}
void *calloc(size_t nr, size_t size)
{
	return take(16, nr * size);
}
void *realloc(void *block, size_t size)
{
	void *it = take(16, size);

	if (it && block)
		memcpy(it, block, ((size_t *)block)[-1] < size ? ((size_t *)block)[-1] : size);
	return it;
}
void *memalign(size_t align, size_t size)
{
	return take(align, size);
}
void *aligned_alloc(size_t align, size_t size)
{
	return take(align, size);
}
int posix_memalign(void **block, size_t align, size_t size)
{
	*block = take(align, size);
	return *block ? 0 : ENOMEM;
}

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		for (int i = 1; i < 50; i++) {
			char *block = malloc(i);

			own += block >= room && block < room + sizeof room;
			block = realloc(block, 2 * i);
			own += block >= room && block < room + sizeof room;
			free(block);
		}
	}
	return guest_end(own);
}
