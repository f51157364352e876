/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of C with static storage, all of them used. The lines are in the table of tests/unit/declared.c. */
#include <stdio.h>
#include <stdlib.h>

#define N 100
struct particle { double x[3]; int id; };
typedef double real_t;
typedef struct { real_t v[4]; } vec4;
typedef double matrix[3][5];
double grid[N][N + 2];
static float hidden[33];
real_t plain[10];
struct particle cloud[50];
vec4 quads[7];
unsigned long counter;
double *heap;
double (*rows)[N];
const double table[4] = { 1, 2, 3, 4 };
static const char *texts[3] = { "a", "b", "c" };
struct { double *p, *q; struct { struct particle *cloud; } inner; int n; } bundle;
union mix { int i[10]; double d; } mix;
enum color { RED, GREEN } colors[6];
extern double elsewhere[];
double elsewhere[12];
char buffer[1 << 20];
volatile unsigned long flags;
_Complex double points[3];
__thread double tls[5];
double tp[8];
#pragma omp threadprivate(tp)
void (*callback)(int);
matrix matrices[2];
double *list[16];
void **handles;
extern double shared_field[64];          /* in shared.c */
extern int shared_count;

static __attribute__((noinline)) double work(int k)
{
	static double kept[77];
	static int calls = 1;
	{
		static short inner[9];

		inner[k % 9] += (short)k;
		kept[k % 77] += inner[k % 9];
	}
	calls += k;
	kept[k % 77] += hidden[k % 33] + grid[k][k];
	return kept[k % 50] + calls;
}

static void touch(int i)
{
	hidden[i % 33] = (float)i;
	grid[i][i + 1] = i;
	plain[i % 10] = i;
	cloud[i].id = i;
	quads[i % 7].v[0] = i;
	tls[i % 5] = tp[i % 8] = i;
	buffer[i] = (char)i;
	matrices[i % 2][0][i % 5] = i;
	list[i % 16] = heap;
	points[i % 3] = i;
	mix.i[i % 10] = i;
	colors[i % 6] = i % 2 ? RED : GREEN;
	elsewhere[i % 12] = shared_field[i % 64] + shared_count;
	texts[i % 3] = texts[(i + 1) % 3];
}

int main(int argc, char **argv)
{
	static long last[4];

	heap = malloc(80 * (size_t)argc);
	rows = malloc(800 * (size_t)argc);
	handles = malloc(8 * (size_t)argc);
	bundle.p = bundle.q = heap;
	bundle.inner.cloud = cloud;
	bundle.n = argc;
	callback = argc > 1000 ? (void (*)(int))touch : NULL;
	for (int i = 0; i < argc; i++) {
		touch(i);
		last[i % 4] += (long)work(i);
	}
	counter = flags = (unsigned long)argc;
	if (callback)
		callback(argc);
	printf("%g %s %ld %p %p %d %g %p\n", table[argc % 4], texts[argc % 3], last[0], (void *)bundle.p, (void *)bundle.inner.cloud,
	       bundle.n, rows[0][0] + heap[0] + plain[1] + tls[0] + tp[1] + elsewhere[0] + (double)counter, (void *)handles);
	printf("%d %d %d %g %g %p %g %s\n", mix.i[argc % 10], (int)colors[argc % 6], buffer[argc], __real__ points[argc % 3],
	       matrices[argc % 2][1][1] + cloud[argc].x[0] + quads[argc % 7].v[1], (void *)bundle.q, *list[argc % 16], argv[0]);
	return 0;
}
