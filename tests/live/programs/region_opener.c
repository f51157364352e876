/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens libraries with regions (arguments), uses them, closes them, and tells the preloaded test library each time; in
 * the end its functions are given back.
 */
#include <dlfcn.h>
#include <stdio.h>

void translate_again(void) __attribute__((weak));
void translate_back(void) __attribute__((weak));

static long use(const char *path, int count)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	long (*sum)(long nr) = library ? (long (*)(long))dlsym(library, "library_sum") : NULL, total = 0;

	if (!sum)
		return -1;
	if (translate_again)
		translate_again();
	for (int i = 0; i < count; i++)
		total += sum(1000 + i);
	dlclose(library);
	return total;
}

int main(int argc, char **argv)
{
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < argc; i++)
			printf("%ld\n", use(argv[i], 10));
	if (translate_back)
		translate_back();
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL);
		long (*sum)(long nr) = library ? (long (*)(long))dlsym(library, "library_sum") : NULL;

		printf("%ld\n", sum ? sum(77) : -1);
	}
	return 0;
}
