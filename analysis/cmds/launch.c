/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program, passes signals on to it and waits for its end. */
#define _GNU_SOURCE /* pipe2, execvpe */
#include "analysis/cmds/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {
	SIGHUP,   SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
	SIGWINCH, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
};

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

	sigemptyset(held);
	sigaddset(held, SIGCHLD);
	for (unsigned int i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(held, passed_on[i]);
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

/*
 * The program stopped: by ^Z, or as it used a terminal that is not its own, stop too, so that the
 * shell sees it. After SIGSTOP another process continues the program alone.
 */
static void stop_with(pid_t child, int status)
{
	if (WSTOPSIG(status) == SIGSTOP)
		return;
	kill(getpid(), SIGSTOP);
	kill(child, SIGCONT);
}

/* Until the child ends. */
static int wait_for(pid_t child, const sigset_t *held)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t done = waitpid(child, &status, WNOHANG | WUNTRACED);

		if (done == child && !WIFSTOPPED(status))
			return status;
		if (done == child)
			stop_with(child, status);
		if (done < 0 && errno != EINTR)
			return 0;
		/*
		 * What the kernel sends (si_code > 0: the terminal) went to the whole process
		 * group, the program included.
		 */
		if (done == 0 && sigwaitinfo(held, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code <= 0)
			kill(child, info.si_signo);
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
	int report[2], error;
	sigset_t held;
	pid_t child;

	if (pipe2(report, O_CLOEXEC) != 0)
		return not_started(errno);
	hold_signals(&held, &before);
	child = fork();
	if (child == 0)
		become(what, &before, report[1]);
	error = child < 0 ? errno : 0;
	close(report[1]);
	if (child > 0)
		error = read_error(report[0]);
	close(report[0]);
	end = not_started(error);
	if (child > 0 && error)
		waitpid(child, NULL, 0);
	else if (child > 0)
		end = end_of(wait_for(child, &held));
	end.process = error ? 0 : child;
	release_signals(&before);
	return end;
}
