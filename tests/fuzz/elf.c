/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reading of program files: any bytes must be read without harm, and what is told of
 * them must be texts that end. The corpus is made by the unit test elf_fuzz, which runs this too.
 *     clang-19 -fsanitize=fuzzer,address,undefined … tests/fuzz/elf.c
 */
#define _GNU_SOURCE
#include "analysis/cmds/launch_elf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/cmds/setups.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Every set-up is asked about it, and its texts are walked to their end. */
static size_t fuzz_judge(const struct launch_file *file)
{
	static const struct launch_runtime runtime;
	const struct setup_case about = { .file = file, .runtime = &runtime, .library = file };
	const struct setup *refusing = setup_refusing(&about);
	size_t length = refusing ? strlen(refusing->why) : 0;

	for (size_t i = 0; i < nr_setups; i++)
		length += setups[i].applies && setups[i].applies(&about);
	for (size_t i = 0; i < file->nr_needed; i++)
		length += strlen(file->needed[i]);
	length += file->rpath ? strlen(file->rpath) : 0;
	length += file->loader ? strlen(file->loader) : 0;
	return length + (file->machine ? strlen(file->machine) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct arena *arena = arena_new();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct launch_file file;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, length) == (ssize_t)length && launch_read(arena, path, &file) &&
	    fuzz_judge(&file) > (1u << 30))
		__builtin_trap();
	close(fd);
	arena_free(arena);
	return 0;
}
