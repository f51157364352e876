/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a library is closed and another one opened, which comes to its place; both are called through pointers in the same step. */
/* Library: -g */
/* Flags: -Wl,-rpath,$ORIGIN -Wl,--enable-new-dtags -ldl */
/* Does: left the clone */
#ifdef LIBRARY
static volatile int cell;
long number(long x)
{
	cell++;
	return x * 0x11223344 + cell;
}
#else
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* The same with another number in its code. */
static int write_other(const char *from, const char *to)
{
	static char bytes[1 << 20];
	static const uint32_t before = 0x11223344, after = 0x01020304;
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t nr = in ? fread(bytes, 1, sizeof bytes, in) : 0;
	char *at = nr ? memmem(bytes, nr, &before, sizeof before) : NULL;

	if (!at || !out)
		return -1;
	memcpy(at, &after, sizeof after);
	nr = fwrite(bytes, 1, nr, out);
	fclose(in);
	return fclose(out);
}

__attribute__((noinline)) static long ask(const char *path, long x)
{
	void *library = dlopen(path, RTLD_NOW);
	long (*volatile number)(long) = (long (*)(long))dlsym(library, "number");
	long value = number(x);

	dlclose(library);
	return value;
}

int main(void)
{
	char self[PATH_MAX + 8] = { 0 };
	long sum = 0;

	if (readlink("/proc/self/exe", self, PATH_MAX) < 0 || write_other(strcat(self, ".so"), "./other.so"))
		return 77;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		sum += ask(self, step) + ask("./other.so", step);
	}
	unlink("other.so");
	return guest_end(sum);
}
#endif
