/* SPDX-License-Identifier: Apache-2.0 */
/* Programs without a library, one a KERNEL, whose accesses valgrind lists and counts: see simulator_cachegrind.c. SIZE: how long. */
#define WORDS (32 * 1024)                /* of 8 bytes: four times LL */
#define SIDE 96

double a[WORDS], b[WORDS], c[WORDS];
volatile double sink;

/* x = 1664525 x + 1013904223: Knuth's and Lewis' */
static unsigned int next(unsigned int *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

#if KERNEL == 0                          /* a stream through three arrays */
static void kernel(void)
{
	for (int round = 0; round < SIZE; round++)
		for (int i = 0; i < WORDS; i++)
			a[i] = b[i] + 3 * c[i];
}
#elif KERNEL == 1                        /* columns of a matrix that lies in rows, of blocks that fit LL and not D1 */
static void kernel(void)
{
	double sum = 0;

	for (int round = 0; round < 8 * SIZE; round++)
		for (int column = 0; column < SIDE; column++)
			for (int row = 0; row < SIDE; row++)
				sum += a[row * SIDE + column] * b[column * SIDE + row];
	sink = sum;
}
#elif KERNEL == 2                        /* anywhere, half of it in a part that stays */
static void kernel(void)
{
	unsigned int random = 1;

	for (int i = 0; i < 60000 * SIZE; i++) {
		unsigned int at = next(&random) % WORDS;

		if (next(&random) % 2)
			a[at] += b[at / 64];
		else
			c[at] = a[at % 512];
	}
}
#elif KERNEL == 3                        /* a stencil */
static void kernel(void)
{
	for (int round = 0; round < SIZE; round++)
		for (int i = 256; i < WORDS - 256; i++)
			b[i] = a[i - 256] + a[i - 1] + a[i] + a[i + 1] + a[i + 256];
}
#else                                    /* records of 12 bytes: every few lie across two lines */
struct __attribute__((packed)) record {
	int key;
	double value;
};

static void kernel(void)
{
	struct record *records = (struct record *)a;
	unsigned int random = 1, nr = WORDS * 8 / sizeof(struct record);
	double sum = 0;

	for (int round = 0; round < SIZE; round++) {
		for (unsigned int i = 0; i < nr; i++)
			sum += records[i].value;
		for (unsigned int i = 0; i < nr; i++)
			records[next(&random) % nr].value = sum;
	}
	sink = sum;
}
#endif

__attribute__((noreturn, force_align_arg_pointer)) void _start(void)
{
	kernel();
	__asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
