/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libgomp, then a library that uses it, several times, and unloads both. Arguments: the library, and "close" or "keep". */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *runtime = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);

	for (int i = 0; argc == 3 && runtime && i < 3; i++) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		long (*work)(int) = library ? (long (*)(int))dlsym(library, "work") : NULL;

		if (!work)
			return 1;
		printf("%ld\n", work(60));
		if (!strcmp(argv[2], "close"))
			dlclose(library);
	}
	/* its threads spin in its code for some ms, and crash once that is unmapped, alone, too */
	usleep(100000);
	return dlclose(runtime);
}
