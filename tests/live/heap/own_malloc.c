/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an allocator of its own, which must not meet another's blocks. Prints how many calls it got, and a number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(64) char pool[64 << 20];
static size_t used;
static int wrong;

struct header { size_t bytes, magic; };
#define MAGIC 0x6d656d7365617263u

void *malloc(size_t bytes)
{
	size_t room = (bytes + sizeof(struct header) + 63) & ~(size_t)63;
	size_t at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	struct header *header = (struct header *)(pool + at);

	if (at + room > sizeof(pool))
		return NULL;
	*header = (struct header){ bytes, MAGIC };
	return header + 1;
}

void free(void *block)
{
	if (block && ((struct header *)block - 1)->magic != MAGIC)
		wrong++;
}

void *calloc(size_t nr, size_t bytes)
{
	void *block = malloc(nr * bytes);

	return block ? memset(block, 0, nr * bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
	void *block = malloc(bytes);
	size_t had = old ? ((struct header *)old - 1)->bytes : 0;

	if (block && old)
		memcpy(block, old, had < bytes ? had : bytes);
	free(old);
	return block;
}

int main(void)
{
	double *field = malloc(100000 * sizeof(*field)), sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100000; i++)
		sum += field[i] = i;
	for (int i = 0; i < 100; i++)
		free(malloc(10000));
	field = realloc(field, 200000 * sizeof(*field));
	printf("%d wrong, %.0f\n", wrong, sum + field[99999]);
	return wrong;
}
