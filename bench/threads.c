/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads come and go, one after the other, each with a parallel region of its own. Prints "THREADS
 * DESCRIPTORS RESIDENT_KIB" after each tenth. Usage: threads NR
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int nr = 0;

	while (folder && readdir(folder))
		nr++;
	if (folder)
		closedir(folder);
	return nr - 3; /* ".", ".." and the folder */
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all, resident = 0;

	if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
		exit(1);
	fclose(file);
	return 4 * resident;
}

static void *work(void *sum)
{
	double more = 0;

#pragma omp parallel num_threads(1) reduction(+ : more)
	more += 1;
	*(double *)sum += more;
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 10000;
	double sum = 0;

	for (int i = 1; i <= nr; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, &sum) || pthread_join(thread, NULL))
			return 1;
		if (i % (nr / 10) == 0)
			printf("%d %d %ld\n", i, descriptors(), resident_kib());
	}
	return sum != nr;
}
