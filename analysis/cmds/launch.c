/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program, passes signals on to it and waits for its end. */
#define _GNU_SOURCE /* pipe2, execvpe */
#include "analysis/cmds/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/system_text.h"
#include "analysis/cmds/group_signals.h"

#define POLL_NS 50000000 /* of a stopped program's state */
#define GENERATIONS 64   /* of processes between a sender and the program */

/* Those that memsearch's own faults and writes raise keep their actions. */
static const int not_held[] = { SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
				SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE, SIGXCPU, SIGXFSZ };

/* Signal state that the program must get unchanged. */
struct before {
	sigset_t mask;
	struct sigaction child;
};

/*
 * Blocks signals until sigwaitinfo takes them: none is lost between two calls, and no handler runs.
 */
static void hold_signals(sigset_t *held, struct before *before)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };

	sigfillset(held);
	for (unsigned int i = 0; i < sizeof(not_held) / sizeof(*not_held); i++)
		sigdelset(held, not_held[i]);
	sigprocmask(SIG_BLOCK, held, &before->mask);
	/* If our parent ignores it, the program's exit status would be lost. */
	sigaction(SIGCHLD, &normal, &before->child);
}

static void release_signals(const struct before *before)
{
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static void hide(void)
{
	int fd = open("/dev/null", O_RDWR);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Seccomp filters of containers may refuse it: then addresses differ. */
static void keep_addresses(void)
{
	int now = personality(0xffffffff);

	if (now != -1)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* In the child. Reports errno through the pipe, which a successful exec closes. */
static void become(const struct launch *what, const struct before *before, int report)
{
	int error;

	if (what->hidden)
		hide();
	if (what->same_addresses)
		keep_addresses();
	release_signals(before);
	execvpe(what->argv[0], what->argv, what->environment);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(LAUNCH_CANNOT_START);
	_exit(LAUNCH_NOT_FOUND);
}

static int read_error(int report)
{
	int error = 0;
	ssize_t nr;

	do
		nr = read(report, &error, sizeof(error));
	while (nr < 0 && errno == EINTR);
	return nr == (ssize_t)sizeof(error) ? error : 0;
}

/* From /proc/PID/stat (proc(5)): the state, as 'T' for stopped, and the parent. 0: not known. */
static char process_state(pid_t process, pid_t *parent_out)
{
	char path[32], text[512];
	const char *rest;
	char state = 0;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	system_text_read(path, text, sizeof(text));
	rest = strrchr(text, ')'); /* the name may have any characters */
	if (!rest || sscanf(rest, ") %c %d", &state, &parent) != 2)
		return 0;
	*parent_out = parent;
	return state;
}

static bool is_stopped(pid_t process)
{
	pid_t parent;

	return process_state(process, &parent) == 'T';
}

/* In a process of its own: continues memsearch when another process has continued the program. */
static void continue_with(pid_t child, pid_t stopped)
{
	const struct timespec poll = { 0, POLL_NS };

	while (is_stopped(child))
		nanosleep(&poll, NULL);
	kill(stopped, SIGCONT);
	_exit(0);
}

/*
 * The program stopped: by ^Z, by itself, or as it used a terminal that is not its own. Stops, too, so
 * that the shell sees it. After SIGSTOP another process continues the program alone. Returns the
 * process that may have sent SIGCONT to memsearch, which is not for the program: it runs already.
 */
static pid_t stop_with(pid_t child, int status)
{
	pid_t self = getpid(), helper;

	if (WSTOPSIG(status) == SIGSTOP)
		return 0;
	helper = fork();
	if (!helper)
		continue_with(child, self);
	kill(self, SIGSTOP);
	if (helper > 0 && kill(helper, SIGKILL) == 0)
		waitpid(helper, NULL, 0);
	return helper;
}

static bool descends_from(pid_t process, pid_t ancestor)
{
	for (int i = 0; i < GENERATIONS && process > 1; i++)
		if (process == ancestor)
			return true;
		else if (!process_state(process, &process))
			return false;
	return false;
}

/*
 * Passes a signal on to the program, or to the program's parent, if the program or a process of it
 * sent it. The kernel's (si_code > 0: the terminal's) went to the whole process group, the program
 * and its parent included, and so may others.
 */
static void pass_on(pid_t child, const struct group_signals *group, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD || info->si_code > 0 || group_signals_got(group, info))
		return;
	if (descends_from(info->si_pid, child))
		kill(getppid(), info->si_signo);
	else if (info->si_code == SI_QUEUE)
		sigqueue(child, info->si_signo, info->si_value);
	else
		kill(child, info->si_signo);
}

/* Until the child ends. */
static int wait_for(pid_t child, const sigset_t *held, const struct group_signals *group)
{
	siginfo_t info;
	pid_t helper = 0;
	int status;

	for (;;) {
		pid_t done = waitpid(child, &status, WNOHANG | WUNTRACED);

		if (done == child && !WIFSTOPPED(status))
			return status;
		if (done == child)
			helper = stop_with(child, status);
		if (done < 0 && errno != EINTR)
			return 0;
		if (done == 0 && sigwaitinfo(held, &info) > 0 &&
		    !(info.si_signo == SIGCONT && info.si_pid == helper))
			pass_on(child, group, &info);
	}
}

static struct launch_end end_of(int status)
{
	struct launch_end end = { 0 };

	if (WIFSIGNALED(status)) {
		end.signal = WTERMSIG(status);
		end.exit_code = LAUNCH_SIGNAL_BASE + end.signal;
	} else {
		end.exit_code = WEXITSTATUS(status);
	}
	return end;
}

static struct launch_end not_started(int error)
{
	return (struct launch_end){
		.start_error = error,
		.exit_code = error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_START,
	};
}

struct launch_end launch(const struct launch *what)
{
	struct launch_end end;
	struct before before;
	struct group_signals group;
	int report[2], error = 0;
	sigset_t held;
	pid_t child = -1;

	hold_signals(&held, &before);
	/* before the pipe, whose end the program alone must have */
	group_signals_begin(&group, &held);
	if (pipe2(report, O_CLOEXEC) == 0) {
		child = fork();
		if (child == 0)
			become(what, &before, report[1]);
		error = child < 0 ? errno : 0;
		close(report[1]);
		if (child > 0)
			error = read_error(report[0]);
		close(report[0]);
	} else {
		error = errno;
	}
	end = not_started(error);
	if (child > 0 && error)
		waitpid(child, NULL, 0);
	else if (child > 0)
		end = end_of(wait_for(child, &held, &group));
	end.process = error ? 0 : child;
	group_signals_end(&group);
	release_signals(&before);
	return end;
}
