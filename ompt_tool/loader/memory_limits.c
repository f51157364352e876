/* SPDX-License-Identifier: Apache-2.0 */
/* setrlimit, getrlimit, prlimit and exec in place of libc's. */
#define _GNU_SOURCE
#include "ompt_tool/loader/memory_limits.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/base/memory_left.h"
#include "ompt_tool/loader/interpose.h"

/* name, function here */
#define FUNCTION_LIST(X) \
	X(setrlimit, our_setrlimit) \
	X(setrlimit64, our_setrlimit) \
	X(getrlimit, our_getrlimit) \
	X(getrlimit64, our_getrlimit) \
	X(prlimit, our_prlimit) \
	X(prlimit64, our_prlimit) \
	X(execve, our_execve) \
	X(execv, our_execv) \
	X(execvp, our_execvp) \
	X(execvpe, our_execvpe) \
	X(fexecve, our_fexecve) \
	X(execl, our_execl) \
	X(execlp, our_execlp) \
	X(execle, our_execle)

/* All system calls here have 64-bit limits, as rlimit has on 64-bit machines. */
_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "a 64-bit machine");

/*
 * What the program set, and what the kernel got. Two threads that set one limit at the same time may
 * read either.
 */
static struct changed {
	bool any;
	struct rlimit asked, given;
} changed[RLIM_NLIMITS];

static size_t (*core_added)(bool data);
static struct memory_mapped core_libraries;
static pid_t process;

void memory_limits_in(pid_t now)
{
	process = now;
}

void memory_limits_libraries(const struct memory_mapped *before, const struct memory_mapped *after)
{
	if (after->all > before->all && after->data >= before->data)
		core_libraries = (struct memory_mapped){ after->all - before->all,
							 after->data - before->data };
}

void memory_limits_begin(size_t (*added)(bool data))
{
	__atomic_store_n(&core_added, added, __ATOMIC_RELEASE);
}

/* The functions of that name behind the ones here, which may be other libraries'. */
static void *next_prlimit64, *next_execve, *next_execv, *next_execvp, *next_execvpe, *next_fexecve;

static void *next_of(void **kept, const char *name, const void *own)
{
	void *found = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (!found) {
		found = interpose_behind(name, own);
		__atomic_store_n(kept, found, __ATOMIC_RELAXED);
	}
	return found;
}
#define NEXT(name, own) next_of(&next_##name, #name, (const void *)(own))

static int our_prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *new,
		       struct rlimit *old);

static int kernel(pid_t pid, int resource, const struct rlimit *new, struct rlimit *old)
{
	int (*next)(pid_t, int, const struct rlimit *, struct rlimit *) = (int (*)(
		pid_t, int, const struct rlimit *, struct rlimit *))NEXT(prlimit64, our_prlimit);

	return next(pid, resource, new, old);
}

/* ------------------------------------------------------------------ limits */

static rlim_t plus(rlim_t limit, size_t more)
{
	return limit == RLIM_INFINITY || limit + more < limit ? RLIM_INFINITY : limit + more;
}

/* Bytes that memsearch needs below a limit; 0: it has none, or the limit is of something else. */
static size_t needed(int resource)
{
	size_t (*added)(bool) = __atomic_load_n(&core_added, __ATOMIC_ACQUIRE);

	if (!added || (resource != RLIMIT_AS && resource != RLIMIT_DATA))
		return 0;
	return resource == RLIMIT_DATA ? added(true) + core_libraries.data
				       : added(false) + core_libraries.all;
}

/* A child of vfork has another number, and will call exec: its limits are its own. */
static bool is_own(pid_t pid)
{
	pid_t now = getpid();

	return (pid == 0 || pid == now) && now == process;
}

/*
 * A hard limit is not raised without privilege: where the kernel refuses it with what memsearch
 * needs, only the soft limit has that, as far as the hard one allows.
 */
static int give(int resource, const struct rlimit *wanted, struct rlimit *old, size_t more)
{
	const struct rlimit asked = *wanted; /* `old` may be the same */
	struct rlimit given = { plus(asked.rlim_cur, more), plus(asked.rlim_max, more) };
	int error = errno, status = kernel(0, resource, &given, old);

	if (status && errno == EPERM) {
		errno = error;
		given.rlim_max = asked.rlim_max;
		given.rlim_cur = given.rlim_cur < given.rlim_max ? given.rlim_cur : given.rlim_max;
		status = kernel(0, resource, &given, old);
	}
	if (!status && is_own(0))
		changed[resource] = (struct changed){ true, asked, given };
	return status;
}

/* The kernel reads the limit before it looks at the resource, which there is not (EINVAL). */
static bool is_readable(const struct rlimit *limit)
{
	int error = errno, status = kernel(0, RLIM_NLIMITS, limit, NULL);
	bool faults = status && errno == EFAULT;

	errno = error;
	return !faults;
}

/* What the kernel has, as the program knows it. */
static void as_asked(const struct changed *of, struct rlimit *limit)
{
	if (of->any && limit->rlim_cur == of->given.rlim_cur &&
	    limit->rlim_max == of->given.rlim_max)
		*limit = of->asked;
}

/* As prlimit(2). */
static int exchange(pid_t pid, int resource, const struct rlimit *new, struct rlimit *old)
{
	struct changed before;
	size_t more;
	int status;

	if ((resource != RLIMIT_AS && resource != RLIMIT_DATA) || !is_own(pid))
		return kernel(pid, resource, new, old);
	before = changed[resource];
	more = new && is_readable(new) ? needed(resource) : 0;
	status = more ? give(resource, new, old, more) : kernel(pid, resource, new, old);
	if (!status && old)
		as_asked(&before, old);
	return status;
}

static int our_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return exchange(0, (int)resource, limit, NULL);
}

static int our_getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	return exchange(0, (int)resource, NULL, limit);
}

static int our_prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *new,
		       struct rlimit *old)
{
	return exchange(pid, (int)resource, new, old);
}

bool memory_limits_is_call(long number)
{
#ifdef SYS_setrlimit /* not on aarch64 */
	if (number == SYS_setrlimit || number == SYS_getrlimit)
		return true;
#endif
	return number == SYS_prlimit64;
}

long memory_limits_call(long number, unsigned long a, unsigned long b, unsigned long c,
			unsigned long d)
{
#ifdef SYS_setrlimit
	if (number == SYS_setrlimit)
		return exchange(0, (int)a, (const struct rlimit *)b, NULL);
	if (number == SYS_getrlimit)
		return exchange(0, (int)a, NULL, (struct rlimit *)b);
#endif
	return exchange((pid_t)a, (int)b, (const struct rlimit *)c, (struct rlimit *)d);
}

/* ------------------------------------------------------------------ exec */

static bool is_changed(void)
{
	return changed[RLIMIT_AS].any || changed[RLIMIT_DATA].any;
}

static bool is_program_in(const char *folder, size_t length, const char *file)
{
	char path[PATH_MAX];

	if (!length)
		return access(file, X_OK) == 0;
	return snprintf(path, sizeof(path), "%.*s/%s", (int)length, folder, file) <
		       (int)sizeof(path) &&
	       access(path, X_OK) == 0;
}

/* Whether execvp finds it. */
static bool is_program_of_path(const char *file)
{
	const char *at = secure_getenv("PATH");

	if (!at || strchr(file, '/'))
		return true;
	for (size_t length; *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		if (is_program_in(at, length, file))
			return true;
	}
	return false;
}

/*
 * The new program has no memory of memsearch's: it gets the limits that this one set. A file that is
 * no program changes nothing: what is lowered can only be raised again with privilege.
 */
static bool before_exec(bool is_program)
{
	int error = errno;

	for (int i = 0; is_program && i < RLIM_NLIMITS; i++)
		if (changed[i].any)
			kernel(0, i, &changed[i].asked, NULL);
	errno = error;
	return is_program;
}

/* It failed. */
static int after_exec(int status, bool lowered)
{
	int error = errno;

	for (int i = 0; lowered && i < RLIM_NLIMITS; i++)
		if (changed[i].any)
			give(i, &changed[i].asked, NULL, needed(i));
	errno = error;
	return status;
}

#define EXEC(name, is_program, parameters, arguments) \
	do { \
		int(*next) parameters = (int(*) parameters)NEXT(name, our_##name); \
		bool lowered = is_changed() && before_exec(is_program); \
\
		return after_exec(next arguments, lowered); \
	} while (0)

static int our_execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC(execve, access(path, X_OK) == 0, (const char *, char *const[], char *const[]),
	     (path, argv, envp));
}

static int our_execv(const char *path, char *const argv[])
{
	EXEC(execv, access(path, X_OK) == 0, (const char *, char *const[]), (path, argv));
}

static int our_execvp(const char *file, char *const argv[])
{
	EXEC(execvp, is_program_of_path(file), (const char *, char *const[]), (file, argv));
}

static int our_execvpe(const char *file, char *const argv[], char *const envp[])
{
	EXEC(execvpe, is_program_of_path(file), (const char *, char *const[], char *const[]),
	     (file, argv, envp));
}

static int our_fexecve(int fd, char *const argv[], char *const envp[])
{
	EXEC(fexecve, true, (int, char *const[], char *const[]), (fd, argv, envp));
}

/* The arguments from `first` on, without NULL. */
static size_t count(const char *first, va_list *list)
{
	size_t nr = 0;

	for (const char *at = first; at; at = va_arg(*list, char *))
		nr++;
	return nr;
}

static void collect(char *argv[], size_t nr, const char *first, va_list *list)
{
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= nr; i++)
		argv[i] = va_arg(*list, char *);
}

/* `call` has `argv`, and the list behind its NULL. On the stack, as in libc: children of vfork do it. */
#define WITH_ARGUMENTS(first, call) \
	do { \
		va_list list; \
		size_t nr; \
\
		va_start(list, first); \
		nr = count(first, &list); \
		va_end(list); \
		char *argv[nr + 1]; \
		va_start(list, first); \
		collect(argv, nr, first, &list); \
		status = call; \
		va_end(list); \
	} while (0)

static int our_execl(const char *path, const char *first, ...)
{
	int status;

	WITH_ARGUMENTS(first, our_execv(path, argv));
	return status;
}

static int our_execlp(const char *file, const char *first, ...)
{
	int status;

	WITH_ARGUMENTS(first, our_execvp(file, argv));
	return status;
}

static int our_execle(const char *path, const char *first, ...)
{
	int status;

	WITH_ARGUMENTS(first, our_execve(path, argv, va_arg(list, char **)));
	return status;
}

/* Before a child of vfork, or one of a process with many threads, needs them. */
__attribute__((constructor)) static void find_next(void)
{
	int error = errno;

	NEXT(prlimit64, our_prlimit);
	NEXT(execve, our_execve);
	NEXT(execv, our_execv);
	NEXT(execvp, our_execvp);
	NEXT(execvpe, our_execvpe);
	NEXT(fexecve, our_fexecve);
	errno = error;
}

/* ------------------------------------------------------------------ exported symbols */

/* By separate names, which other libraries' functions do not replace. libc has both of 64 bits. */
#define X(name, function) \
	__typeof__(function) exported_##name __asm__(#name) \
		__attribute__((visibility("default"), alias(#function)));
FUNCTION_LIST(X)
#undef X

static const struct heap_stand_in stand_ins[] = {
#define X(name, function) { #name, (void *)function, false },
	FUNCTION_LIST(X)
#undef X
};

struct heap_stand_ins memory_limits_stand_ins(void)
{
	return (struct heap_stand_ins){ stand_ins, sizeof(stand_ins) / sizeof(*stand_ins) };
}
