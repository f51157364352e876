/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmemsearch.so: loaded by the OpenMP runtime. Needs libc only, so that the program is not
 * exposed to memsearch's dependencies; memsearch/memsearch-core.so, next to it, has them and is
 * opened RTLD_LOCAL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <omp-tools.h>

#include "analysis/base/channel.h"
#include "analysis/base/log.h"
#include "analysis/base/memory_left.h"
#include "analysis/base/own_imports.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/loader/earlier.h"
#include "ompt_tool/loader/interpose.h"
#include "ompt_tool/loader/memory_limits.h"
#include "ompt_tool/loader/seccomp_probe.h"
#include "ompt_tool/loader/tool.h"

#define CORE "memsearch/memsearch-core.so"

typedef ompt_start_tool_result_t *start_tool_function(unsigned int omp_version,
						      const char *runtime_version);
typedef void core_interposer_function(const struct heap_interposer *offer);
typedef void core_stderr_function(const struct stat *at_start);

/*
 * The file of descriptor 2 at the start of the process, or, if the runtime loaded this library, at
 * the start of the runtime. Output goes to this file only.
 */
static struct stat stderr_at_start;

/* The first of the constructors. */
__attribute__((constructor(101))) static void bind_imports(void)
{
	own_imports_bind();
}

__attribute__((constructor)) static void note_stderr(void)
{
	int error = errno;

	if (fstat(STDERR_FILENO, &stderr_at_start))
		stderr_at_start.st_ino = 0;
	log_begin(&stderr_at_start);
	errno = error;
}

/* Informs `memsearch run` that the reason was printed, so that it prints no guess. */
static void note_failure(void)
{
	static const char line[] = CHANNEL_FAILED "\n";
	int fd = channel_open(CHANNEL_ATTACHED);

	if (fd < 0)
		return; /* then it guesses */
	channel_append(fd, line, sizeof(line) - 1);
	close(fd);
}

static void complain(const char *what, const char *why)
{
	note_failure();
	log_warning("nothing is measured: cannot %s: %s", what, why ? why : "unknown error");
}

/* The core's path, in the folder of the file `library`. */
static int core_path(const char *library, char *path, size_t bytes)
{
	const char *slash = strrchr(library, '/');
	int folder = slash ? (int)(slash - library) : 1;

	return snprintf(path, bytes, "%.*s/%s", folder, slash ? library : ".", CORE) < (int)bytes;
}

/*
 * Next to this library under the name by which it was loaded, else next to the target of that name,
 * which may be a link.
 */
static int find_core(char *path, size_t bytes)
{
	char target[PATH_MAX];
	Dl_info info;

	if (!dladdr((void *)find_core, &info) || !info.dli_fname ||
	    !core_path(info.dli_fname, path, bytes))
		return 0;
	if (access(path, R_OK) == 0 || !realpath(info.dli_fname, target))
		return 1;
	return core_path(target, path, bytes);
}

/* If the program's limits leave little memory, memsearch is not started. */
static int there_is_memory(void)
{
	/* a runtime may call twice: by the symbol, and by OMP_TOOL_LIBRARIES */
	static int asked;
	struct memory_left left;

	if (memory_left_for_core(&left))
		return 1;
	if (__atomic_exchange_n(&asked, 1, __ATOMIC_RELAXED))
		return 0;
	note_failure();
	log_warning(
		"nothing is measured: %s leaves %zu MB, too little for memsearch beside the program",
		memory_limit_name(left.by), left.bytes >> 20);
	return 0;
}

static void say_confined(void *argument)
{
	(void)argument;
	if (!earlier_has_runtime())
		return;
	note_failure();
	log_warning(
		"nothing is measured: the program confines itself (seccomp) before OpenMP begins, and what memsearch calls could end it");
}

static void say_killed(void *argument)
{
	(void)argument;
	note_failure();
	log_warning(
		"nothing is measured: a seccomp filter on this process kills it for system calls that memsearch needs");
}

/* Result of the probe, which runs once. */
static enum seccomp_probe probe(void)
{
	static bool done;
	static enum seccomp_probe result;

	if (!done)
		result = seccomp_probe();
	done = true;
	return result;
}

/*
 * Preloaded into an OpenMP program, the probe forks while the process is small: after a fork each
 * page that the program writes to faults once. Called by interpose.c's constructor.
 */
void tool_probe_early(void)
{
	probe();
}

/*
 * Called before own_stack_call, which issues the first system calls that the program may not make
 * itself.
 */
static bool filter_allows_us(void)
{
	enum seccomp_probe result = probe();

	if (result == SECCOMP_ALLOWS_ALL)
		return true;
	if (result == SECCOMP_KILLS_SOME)
		own_stack_call(say_killed, NULL);
	interpose_end();
	return false;
}

void tool_stay_away(void)
{
	own_stack_call(say_confined, NULL);
}

static start_tool_function *load_core(void)
{
	char path[PATH_MAX];
	core_interposer_function *interposer;
	core_stderr_function *messages;
	start_tool_function *start;
	struct memory_mapped before, after;
	void *core;

	if (!there_is_memory())
		return NULL;
	if (!find_core(path, sizeof(path))) {
		complain("find " CORE, "libmemsearch.so does not know its own place");
		return NULL;
	}
	before = memory_mapped();
	core = own_imports_open(path);
	if (!core) {
		complain("load the core", dlerror());
		return NULL;
	}
	after = memory_mapped();
	memory_limits_libraries(&before, &after);
	start = (start_tool_function *)dlsym(core, "core_start");
	interposer = (core_interposer_function *)dlsym(core, "core_interposer");
	messages = (core_stderr_function *)dlsym(core, "core_stderr");
	if (!start || !interposer || !messages) {
		complain("use the core", dlerror());
		return NULL;
	}
	messages(&stderr_at_start);
	interposer(interpose_offer());
	return start;
}

struct start {
	unsigned int omp_version;
	const char *runtime_version;
	ompt_start_tool_result_t *result;
};

static void start_tool(void *argument)
{
	struct start *start = argument;
	start_tool_function *core_start = load_core();

	start->result = core_start ? core_start(start->omp_version, start->runtime_version) : NULL;
}

/*
 * The program's own tool, in a library that it is linked to and that comes after this one where
 * this is preloaded. LLVM's runtime has such a function itself, which calls the next one. NULL:
 * there is none.
 */
static start_tool_function *programs_tool(void)
{
	const void *before = memsearch_own_work(INTERPOSE_ANY_STACK);
	void *function = dlsym(RTLD_NEXT, "ompt_start_tool");

	memsearch_own_work(before);
	return (start_tool_function *)function;
}

static ompt_start_tool_result_t *start_our_tool(unsigned int omp_version,
						const char *runtime_version)
{
	struct start start = { omp_version, runtime_version, NULL };

	if (!interpose_offer()->confined && filter_allows_us()) {
		own_stack_watch(interpose_offer()->works_on);
		own_stack_call(start_tool, &start);
	}
	return start.result;
}

/*
 * On the first thread that calls OpenMP, on a separate stack: dlopen alone takes some KiB. A
 * program with another user's rights is not measured: the runtime searches for tools there, too.
 */
__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	start_tool_function *tool;
	ompt_start_tool_result_t *result;

	if (getauxval(AT_SECURE))
		return NULL;
	tool = programs_tool();
	result = tool ? tool(omp_version, runtime_version) : NULL;
	if (result && !interpose_offer()->confined)
		complain("be the OMPT tool", "the program has one of its own");
	return result ? result : start_our_tool(omp_version, runtime_version);
}

/*
 * For libmemsearch-gomp.so: libgomp starts no tools, so the program's own tool is not started
 * either.
 */
__attribute__((visibility("default"))) ompt_start_tool_result_t *
memsearch_start_tool(unsigned int omp_version, const char *runtime_version)
{
	return getauxval(AT_SECURE) ? NULL : start_our_tool(omp_version, runtime_version);
}
