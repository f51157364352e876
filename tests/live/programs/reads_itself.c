/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that reads debugging information itself, its own, by libdw, and frees what libdw leaves to it, between steps whose
 * accesses are worth recording. libdw is linked (-DLINKED), or opened while it runs.
 */
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR (1 << 21)
#define STEPS 1500

static double from[NR], to[NR];

static void step(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < NR; i++)
		to[i] = 0.5 * (from[i] + to[i]);
}

#ifdef LINKED
#define CALL(name) name
static void open_library(void) {}
#else
static void *library;
#define CALL(name) ((__typeof__(&name))dlsym(library, #name))
static void open_library(void) { library = library ? library : dlopen("libdw.so.1", RTLD_NOW); }
#endif

/* Declarations around the first function with code. */
static int scopes(Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	int all = 0;

	for (; CALL(dwarf_nextcu)(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next) {
		Dwarf_Die unit, *found = NULL;
		Dwarf_Addr low = 0;
		Dwarf_Lines *lines;
		size_t nr = 0;

		if (!CALL(dwarf_offdie)(dwarf, offset + header, &unit))
			return -1;
		CALL(dwarf_getsrclines)(&unit, &lines, &nr);
		CALL(dwarf_lowpc)(&unit, &low);
		all += CALL(dwarf_getscopes)(&unit, low, &found) + (int)nr;
		free(found);
	}
	return all;
}

static int read_itself(void)
{
	int fd = open("/proc/self/exe", O_RDONLY), all = -1;
	Dwarf *dwarf;

	open_library();
	dwarf = CALL(dwarf_begin)(fd, DWARF_C_READ);
	if (dwarf)
		all = scopes(dwarf);
	CALL(dwarf_end)(dwarf);
	close(fd);
	return all;
}

int main(void)
{
	int first = 0, differ = 0;
	double sum = 0;

	for (int i = 0; i < NR; i++)
		from[i] = i % 7;
	for (int i = 0; i < STEPS; i++) {
		step();
		if (i % 100 == 50) {
			first = first ? first : read_itself();
			differ += read_itself() != first;
		}
	}
	for (int i = 0; i < NR; i++)
		sum += to[i];
	printf("%g %d %d\n", sum, first > 0, differ);
	return 0;
}
