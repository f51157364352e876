/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions to be cloned, as compilers make them of ordinary code. Built into shared objects by the tests, once
 * for each compiler and set of options. Each works in 64 KiB of memory filled beforehand and returns a digest.
 */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "kernels.h"

#define NOINLINE __attribute__((noinline))
enum { WORDS = 4096, REALS = 128 };

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * 0x100000001b3ull; }

static double *reals(unsigned char *memory)
{
	double *x = (double *)memory;

	for (int i = 0; i < 3 * REALS; i++)
		x[i] = (i * 37 % 101) / 7.0;
	return x;
}

static uint64_t digest(const unsigned char *memory)
{
	uint64_t h = 0xcbf29ce484222325ull;
	const uint64_t *w = (const uint64_t *)memory;

	for (int i = 0; i < WORDS; i += 61)
		h = mix(h, w[i]);
	return h;
}

static uint64_t triad(unsigned char *memory, uint64_t seed)
{
	double *a = reals(memory), *b = a + REALS, *c = b + REALS;
	double s = (double)(seed % 9);

	for (int i = 0; i < REALS; i++)
		a[i] = b[i] + s * c[i];
	return digest(memory);
}

static uint64_t stencil(unsigned char *memory, uint64_t seed)
{
	double (*a)[12] = (void *)reals(memory), (*b)[12] = a + 12;

	for (uint64_t t = 0; t < 1 + seed % 3; t++) {
		for (int i = 1; i < 11; i++)
			for (int j = 1; j < 11; j++)
				b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
		for (int i = 1; i < 11; i++)
			for (int j = 1; j < 11; j++)
				a[i][j] = b[i][j];
	}
	return digest(memory);
}

static uint64_t matrix(unsigned char *memory, uint64_t seed)
{
	double *a = reals(memory), *b = a + 144, *c = b + 144;
	int n = 9 + (int)(seed % 4);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	return digest(memory);
}

static uint64_t gather(unsigned char *memory, uint64_t seed)
{
	double *x = reals(memory), *y = x + REALS, sum = 0;
	int *index = (int *)(y + REALS);

	for (int i = 0; i < 100; i++)
		index[i] = (int)((i * 7919u + seed) % REALS);
	for (int i = 0; i < 100; i++)
		sum += y[i] * x[index[i]];
	y[3] = sum;
	return digest(memory);
}

static uint64_t conditional(unsigned char *memory, uint64_t seed)
{
	double *x = reals(memory), *y = x + REALS;
	float *f = (float *)(y + REALS);

	for (int i = 0; i < REALS; i++)
		if (x[i] > (double)(seed % 5))
			y[i] = x[i] * 2;
	for (int i = 0; i < 101; i++)
		f[i] = x[i] > 3 ? (float)y[i] : 0;
	return digest(memory);
}

static uint64_t histogram(unsigned char *memory, uint64_t seed)
{
	uint32_t *counts = (uint32_t *)(memory + 8192);

	memset(counts, 0, 256 * sizeof(*counts));
	for (unsigned int i = 0; i < 300; i++)
		counts[(memory[i] ^ seed) & 255]++;
	return digest(memory);
}

static uint64_t scatter(unsigned char *memory, uint64_t seed)
{
	double *x = reals(memory), *y = x + REALS;
	int *index = (int *)(y + REALS);

	for (int i = 0; i < 90; i++)
		index[i] = (int)((i * 257u + seed) % 90);
	for (int i = 0; i < 90; i++)
		y[index[i]] = x[i];
	return digest(memory);
}

static NOINLINE uint64_t choose(uint64_t kind, uint64_t *w)
{
	switch (kind % 11) {
	case 0: return w[0] + 1;
	case 1: return w[1] * 3;
	case 2: w[2] ^= kind; return 7;
	case 3: return w[3] >> 2;
	case 4: return w[kind & 15] - w[5];
	case 5: w[6] = w[7]; return w[8];
	case 6: return ~w[9];
	case 8: return w[10] / (w[11] | 1);
	case 9: return w[12] % (w[13] | 1);
	default: return kind;
	}
}

static uint64_t switches(unsigned char *memory, uint64_t seed)
{
	uint64_t h = seed;

	for (uint64_t i = 0; i < 200; i++)
		h = mix(h, choose(h >> 7, (uint64_t *)memory));
	return mix(h, digest(memory));
}

static uint64_t interpreter(unsigned char *memory, uint64_t seed)
{
	static const void *const labels[] = { &&add, &&load, &&store, &&twist, &&end };
	uint64_t *w = (uint64_t *)memory, a = seed, n = 0;

next:
	if (n++ > 300)
		goto end;
	goto *labels[(a >> 11 ^ n) % 4];
add:
	a += 0x9e3779b97f4a7c15ull;
	goto next;
load:
	a ^= w[a % 64];
	goto next;
store:
	w[a % 64] = a;
	goto next;
twist:
	a = a << 13 | a >> 51;
	goto next;
end:
	return mix(a, digest(memory));
}

static NOINLINE uint64_t fibonacci(uint64_t n, uint64_t *calls)
{
	++*calls;
	return n < 2 ? n : fibonacci(n - 1, calls) + fibonacci(n - 2, calls);
}

static uint64_t recursion(unsigned char *memory, uint64_t seed)
{
	return mix(fibonacci(8 + seed % 4, (uint64_t *)memory), digest(memory));
}

static NOINLINE int even(unsigned int n, volatile int *steps);
static NOINLINE int odd(unsigned int n, volatile int *steps) { ++*steps; return n && even(n - 1, steps); }
static NOINLINE int even(unsigned int n, volatile int *steps) { ++*steps; return !n || odd(n - 1, steps); }

static uint64_t mutual(unsigned char *memory, uint64_t seed)
{
	return mix((uint64_t)even(30 + seed % 2, (volatile int *)memory), digest(memory));
}

static uint64_t twice(uint64_t x) { return 2 * x; }
static uint64_t thrice(uint64_t x) { return 3 * x; }
static uint64_t (*const volatile functions[2])(uint64_t) = { twice, thrice };

static uint64_t pointers(unsigned char *memory, uint64_t seed)
{
	uint64_t h = seed;

	for (int i = 0; i < 50; i++)
		h = mix(h, functions[h >> 9 & 1](h + memory[i]));
	return h;
}

static uint64_t copies(unsigned char *memory, uint64_t seed)
{
	memcpy(memory, memory + 8192, 1000 + seed % 1000);
	memmove(memory + 3, memory, 700 + seed % 100);
	memset(memory + 4096, (int)seed, 300 + seed % 50);
	return digest(memory);
}

static NOINLINE void *copy_last(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes); }

static uint64_t tail_copies(unsigned char *memory, uint64_t seed)
{
	for (uint64_t i = 0; i < 5; i++)
		copy_last(memory + 100 * i, memory + 20000 + seed, 50 + i);
	return digest(memory);
}

static uint64_t repeated(unsigned char *memory, uint64_t seed)
{
#ifdef __x86_64__
	void *to = memory + 1024, *from = memory + 5 + seed % 3;
	unsigned long n = 100 + seed % 9;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	n = 20;
	__asm__ volatile("std; rep movsq; cld" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	n = 64, to = memory + 2048;
	__asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(seed) : "memory");
	n = 500, to = memory;
	__asm__ volatile("repne scasb" : "+D"(to), "+c"(n) : "a"(memory[77]) : "memory", "cc");
	memory[9] = (unsigned char)n;
	n = 90, to = memory + 1024, from = memory + 5 + seed % 3;
	__asm__ volatile("repe cmpsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory", "cc");
	memory[10] = (unsigned char)n;
#endif
	return mix(seed, digest(memory));
}

static uint64_t extended(unsigned char *memory, uint64_t seed)
{
	volatile long double *x = (volatile long double *)memory;
	long double sum = (long double)(seed % 100);

	for (int i = 0; i < 60; i++)
		x[i] = (long double)i / 3;
	for (int i = 0; i < 60; i++)
		sum = sum * 0.5L + x[i];
	return mix((uint64_t)(sum * 1e6L), seed);
}

static uint64_t elementary(unsigned char *memory, uint64_t seed)
{
	double *x = reals(memory), s = 0;

	for (int i = 0; i < 5; i++)
		s += sin(x[i] + (double)(seed % 3)) * exp(-x[i + 40]) + sqrt(x[i]) + pow(x[i] + 1, 0.3);
	memcpy(memory, &s, sizeof(s));
	return digest(memory);
}

static uint64_t strings(unsigned char *memory, uint64_t seed)
{
	char *s = (char *)memory, *t = s + 300;
	uint64_t h = seed;

	for (int i = 0; i < 299; i++)
		s[i] = (char)('a' + memory[i] % 26);
	s[250 - seed % 100] = 0;
	strcpy(t, s);
	h = mix(h, strlen(s));
	h = mix(h, (uint64_t)(strcmp(s, t) == 0));
	for (char *p = t; *p; p++)
		if (*p == 'q')
			*p = 'Q';
	return mix(h, digest(memory));
}

static NOINLINE int jump_out(jmp_buf env, volatile int *count)
{
	if (++*count % 3 == 0)
		longjmp(env, *count);
	return *count;
}

static uint64_t jumps(unsigned char *memory, uint64_t seed)
{
	volatile int *count = (volatile int *)memory;
	volatile uint64_t sum = seed;
	jmp_buf env;

	*count = 0;
	while (*count < 20) {
		int got = setjmp(env);

		if (got)
			sum = sum * 31 + (uint64_t)got;
		else
			for (int i = 0; i < 5; i++)
				sum += (uint64_t)jump_out(env, count);
	}
	return sum;
}

static uint64_t red_zone(unsigned char *memory, uint64_t seed)
{
	uint64_t local[8];

	for (int i = 0; i < 8; i++)
		local[i] = seed * (uint64_t)(i + 1) + memory[i];
	for (int i = 0; i < 30; i++)
		local[i & 7] ^= local[(i + 3) & 7] << 1;
	return mix(local[seed & 7], local[3]);
}

/* More values than registers. */
static uint64_t crowded(unsigned char *memory, uint64_t seed)
{
	uint64_t *w = (uint64_t *)memory, a = seed, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, j = 9, k = 10, l = 11, m = 12;

	for (int n = 0; n < 60; n++) {
		a += w[b & 63], b ^= w[c & 63], c += w[d & 63], d ^= w[e & 63], e += w[f & 63], f ^= w[g & 63], g += w[h & 63];
		h ^= w[i & 63], i += w[j & 63], j ^= w[k & 63], k += w[l & 63], l ^= w[m & 63], m += w[a & 63];
		w[(a + n) & 63] = m;
	}
	return mix(a ^ b ^ c ^ d ^ e ^ f ^ g, h ^ i ^ j ^ k ^ l ^ m);
}

static _Thread_local uint64_t per_thread[16];

static uint64_t thread_data(unsigned char *memory, uint64_t seed)
{
	for (int i = 0; i < 16; i++)
		per_thread[i] = memory[i] + seed;
	for (int i = 0; i < 100; i++)
		per_thread[i & 15] += per_thread[(i * 5 + 1) & 15];
	return per_thread[seed & 15];
}

static NOINLINE uint64_t many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, const uint64_t *g, uint64_t h)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g[h & 7] + h;
}

static uint64_t arguments(unsigned char *memory, uint64_t seed)
{
	const uint64_t *w = (const uint64_t *)memory;
	uint64_t h = seed;

	for (int i = 0; i < 20; i++)
		h = many(h, w[0], w[1], w[2], w[3], h, w + (i & 7), h >> 3);
	return h;
}

static uint64_t on_stack(unsigned char *memory, uint64_t seed)
{
	volatile unsigned char local[64 + seed % 64];

	for (unsigned int i = 0; i < sizeof(local); i++)
		local[i] = memory[i];
	return mix(local[3], local[sizeof(local) - 1]);
}

static uint64_t atomics(unsigned char *memory, uint64_t seed)
{
	uint64_t *w = (uint64_t *)memory, expected = w[1];

	for (int i = 0; i < 20; i++)
		__atomic_fetch_add(&w[i & 3], seed, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(&w[1], &expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return mix(__atomic_exchange_n(&w[2], 3, __ATOMIC_SEQ_CST), expected);
}

const struct kernel kernels[] = {
	{ "triad", triad }, { "stencil", stencil }, { "matrix", matrix }, { "gather", gather }, { "conditional", conditional },
	{ "histogram", histogram }, { "scatter", scatter }, { "switches", switches }, { "interpreter", interpreter },
	{ "recursion", recursion }, { "mutual", mutual }, { "pointers", pointers }, { "copies", copies }, { "tail_copies", tail_copies }, { "repeated", repeated },
	{ "extended", extended }, { "elementary", elementary }, { "strings", strings }, { "jumps", jumps }, { "red_zone", red_zone },
	{ "crowded", crowded }, { "thread_data", thread_data }, { "arguments", arguments }, { "on_stack", on_stack },
	{ "atomics", atomics }, { 0, 0 },
};
