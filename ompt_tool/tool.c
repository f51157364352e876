/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmemsearch.so: what the OpenMP runtime loads. Needs libc only, so that the program meets none of
 * our dependencies; they are behind memsearch/memsearch-core.so beside it, opened RTLD_LOCAL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp-tools.h>

#include "ompt_tool/interpose.h"
#include "ompt_tool/options.h"

#define CORE "memsearch/memsearch-core.so"

typedef ompt_start_tool_result_t *core_start_function(unsigned int omp_version, const char *runtime_version);
typedef void core_interposer_function(const struct heap_interposer *offer);

/* Lets `memsearch run` know that the reason has been told, so that it does not guess another. */
static void note_failure(void)
{
	static const char line[] = OPTIONS_ATTACH_FAILED "\n";
	const char *path = getenv(OPTIONS_ATTACH_FILE);
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || write(fd, line, sizeof(line) - 1) < 0)
		return;          /* then it guesses */
	close(fd);
}

static void complain(const char *what, const char *why)
{
	char line[PATH_MAX + 512];
	int length = snprintf(line, sizeof(line), "memsearch: nothing is measured: cannot %s: %s\n", what, why ? why : "unknown error");

	if (length >= (int)sizeof(line)) {
		length = (int)sizeof(line);
		line[length - 1] = '\n';
	}
	note_failure();
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;          /* nowhere left to say it */
}

/* The core's path, beside the file `library`. */
static int core_path(const char *library, char *path, size_t bytes)
{
	const char *slash = strrchr(library, '/');
	int folder = slash ? (int)(slash - library) : 1;

	return snprintf(path, bytes, "%.*s/%s", folder, slash ? library : ".", CORE) < (int)bytes;
}

/* Beside this library as it was named, else beside the file that name leads to: it may be a link. */
static int find_core(char *path, size_t bytes)
{
	char target[PATH_MAX];
	Dl_info info;

	if (!dladdr((void *)find_core, &info) || !info.dli_fname || !core_path(info.dli_fname, path, bytes))
		return 0;
	if (access(path, R_OK) == 0 || !realpath(info.dli_fname, target))
		return 1;
	return core_path(target, path, bytes);
}

static core_start_function *load_core(void)
{
	char path[PATH_MAX];
	core_interposer_function *interposer;
	core_start_function *start;
	void *core;

	if (!find_core(path, sizeof(path))) {
		complain("find " CORE, "libmemsearch.so does not know its own place");
		return NULL;
	}
	core = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!core) {
		complain("load the core", dlerror());
		return NULL;
	}
	start = (core_start_function *)dlsym(core, "core_start");
	interposer = (core_interposer_function *)dlsym(core, "core_interposer");
	if (!start || !interposer) {
		complain("use the core", dlerror());
		return NULL;
	}
	interposer(interpose_offer());
	return start;
}

__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	core_start_function *start = load_core();

	return start ? start(omp_version, runtime_version) : NULL;
}
