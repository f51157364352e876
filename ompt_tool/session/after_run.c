/* SPDX-License-Identifier: Apache-2.0 */
/* Starts `memsearch report` for the record of this program, and waits for it. */
#define _GNU_SOURCE /* clone, __environ */
#include "ompt_tool/session/after_run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/base/memory_left.h"
#include "ompt_tool/process/own_paths.h"

#define STACK_BYTES ((size_t)32 << 10) /* of each of the two children, before the exec */
/*
 * free memory required in the control group: the analysis must not cause the program to be killed
 */
#define MEMORY_MIN ((size_t)512 << 20)

struct child {
	const char *program;
	char **arguments, **environment;
	char *stack; /* two stacks */
};

/* ------------------------------------------------------------------ whether it may be */

static bool has_running_timer(void)
{
	struct itimerval real;
	char byte;
	int timers = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
	bool any = timers >= 0 && read(timers, &byte, 1) == 1;

	if (timers >= 0)
		close(timers);
	return any || (getitimer(ITIMER_REAL, &real) == 0 &&
		       (real.it_value.tv_sec || real.it_value.tv_usec));
}

static bool may_start(void)
{
	return prctl(PR_GET_SECCOMP) == 0 && !has_running_timer() &&
	       memory_left_to_touch("").bytes >= MEMORY_MIN;
}

/* ------------------------------------------------------------------ the child */

static bool is_of_the_tool(const char *variable)
{
	static const char *const names[] = { "LD_PRELOAD=", "OMP_TOOL_LIBRARIES=", "OMP_TOOL=",
					     "MEMSEARCH_OUTPUT=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

/* NULL: no memory. */
static char **environment_without_tool(struct arena *arena)
{
	size_t nr = 0, kept = 0;
	char **variables;

	while (__environ && __environ[nr])
		nr++;
	variables = arena_alloc(arena, (nr + 1) * sizeof(*variables));
	for (size_t i = 0; variables && i < nr; i++)
		if (!is_of_the_tool(__environ[i]))
			variables[kept++] = __environ[i];
	if (variables)
		variables[kept] = NULL;
	return variables;
}

/* Handlers are the program's code: none may run in the child. */
static void forget_handlers(void)
{
	const struct sigaction standard = { .sa_handler = SIG_DFL };

	for (int number = 1; number < NSIG; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sigaction(number, &standard, NULL);
}

/* Runs in the memory of the program; the caller is suspended until the exec. */
static int become_report(void *argument)
{
	const struct child *child = argument;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execve(child->program, child->arguments, child->environment);
	_exit(127);
}

static bool wait_for(pid_t process)
{
	int status;

	while (waitpid(process, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
 * Intermediate process between the program and the report: exec sets every process's exit signal to
 * SIGCHLD (execve(2)), which this process receives instead of the program.
 */
static int start_report(void *argument)
{
	const struct child *child = argument;
	pid_t process;

	forget_handlers();
	process = clone(become_report, child->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD,
			argument);
	_exit(process > 0 && wait_for(process) ? 0 : 1);
}

bool after_run_report(struct arena *arena, const char *record_path, const char *machine)
{
	const char *program = paths_program();
	char *arguments[] = { (char *)program,     "report",
			      (char *)record_path, *machine ? "--machine" : NULL,
			      (char *)machine,     NULL };
	struct child child = { program, arguments, NULL, arena_alloc(arena, 2 * STACK_BYTES) };
	pid_t process;

	if (!*program || access(program, X_OK) != 0 || !may_start() || !log_reaches_user())
		return false;
	child.environment = environment_without_tool(arena);
	if (!child.environment || !child.stack)
		return false;
	process = clone(start_report, child.stack + 2 * STACK_BYTES, CLONE_VM | CLONE_VFORK,
			&child);
	return process > 0 && wait_for(process);
}
