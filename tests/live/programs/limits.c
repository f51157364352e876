/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program under limits: `limits STEPS [touch MB | lock | count]` works, and prints a sum. touch: takes so much memory first; lock: locks
 * all it has and gets; count: says which descriptors it can get, and how many. What it has in memory at most, in MB, goes to the file MEMORY names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 60000
static double a[N], b[N];

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i < N - 1; i++)
		a[i] = (b[i - 1] + b[i + 1]) * 0.25 + i * 1e-3;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++)
		b[i] = a[i] * 0.5 / (1 + a[i] * a[i]);
}

static int count(int *first_out)
{
	static int taken[1 << 16];
	int nr = 0;

	while (nr < 1 << 16 && (taken[nr] = open("/dev/null", O_RDONLY)) >= 0)
		nr++;
	*first_out = nr ? taken[0] : -1;
	for (int i = 0; i < nr; i++)
		close(taken[i]);
	return nr;
}

static void write_memory(void)
{
	const char *path = getenv("MEMORY");
	FILE *status = fopen("/proc/self/status", "r"), *out = path ? fopen(path, "w") : NULL;
	char line[256];
	long kib;

	while (status && out && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			fprintf(out, "%ld\n", kib >> 10);
	if (status)
		fclose(status);
	if (out)
		fclose(out);
}

int main(int argc, char **argv)
{
	int steps = atoi(argv[1]), first = 0, nr = 0;
	const char *what = argc > 2 ? argv[2] : "";
	size_t bytes = argc > 3 ? (size_t)atoi(argv[3]) << 20 : 0;
	char *memory = bytes ? malloc(bytes) : NULL;
	double sum = 0;

	for (size_t i = 0; memory && i < bytes; i += 4096)
		memory[i] = 1;
	for (int i = 0; i < steps; i++) {
		if (!strcmp(what, "lock") && i == steps / 3 && mlockall(MCL_CURRENT | MCL_FUTURE))
			return 77;
		if (!strcmp(what, "count") && i % 200 == 100)
			nr = count(&first);
		step();
	}
	for (int i = 0; i < N; i++)
		sum += a[i] + b[i];
	printf("%d %d %.12e\n", first, nr, sum);
	write_memory();
	return 5;
}
