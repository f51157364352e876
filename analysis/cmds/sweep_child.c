/* SPDX-License-Identifier: Apache-2.0 */
/* One program of a sweep: started, waited for, ended where the sweep is interrupted. */
#define _GNU_SOURCE /* pipe2, ppoll, execvpe */
#include "analysis/cmds/sweep_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/base/quiet_write.h"
#include "analysis/base/thread_clock.h"
#include "analysis/cmds/launch.h"

#define PATIENCE_NS 2000000000ull /* what an interrupted program has to end by itself */
#define ERASE "\r\033[K"          /* the line of progress */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
#define NR_CAUGHT (sizeof(caught) / sizeof(caught[0]))

/* What a signal handler can reach. */
static struct {
	const char *folder, *const *files, *words;
	volatile sig_atomic_t waiting; /* a child runs: sweep_child_run reads … */
	volatile sig_atomic_t number;  /* … this signal */
	/* of SIGXFSZ, for the programs: a store that reaches the limit is an error */
	struct sigaction file_size;
} stopping;

_Noreturn void sweep_child_stop(int number)
{
	ssize_t ignored = 0;

	for (const char *const *file = stopping.files; *file; file++)
		unlink(*file);
	rmdir(stopping.folder);
	if (isatty(STDERR_FILENO))
		ignored = quiet_write(STDERR_FILENO, ERASE, strlen(ERASE));
	ignored += quiet_write(STDERR_FILENO, stopping.words, strlen(stopping.words));
	(void)ignored; /* a terminal that has gone needs no words */
	_exit(LAUNCH_SIGNAL_BASE + number);
}

static void on_signal(int number)
{
	if (!stopping.waiting)
		sweep_child_stop(number);
	stopping.number = number;
}

/* So that SIGCHLD ends ppoll. */
static void on_child(int number)
{
	(void)number;
}

void sweep_child_catch(const char *folder, const char *const *files, const char *words)
{
	struct sigaction action = { .sa_handler = on_signal }, before;

	stopping.folder = folder;
	stopping.files = files;
	stopping.words = words;
	for (size_t i = 0; i < NR_CAUGHT; i++)
		if (!sigaction(caught[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGXFSZ, &action, &stopping.file_size);
}

/* -- the child */

/* `messages`: for what is no output, or for all. */
static void redirect(int output, int messages)
{
	int nothing = open("/dev/null", O_RDONLY);

	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(output >= 0 ? output : messages, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	if (nothing > STDERR_FILENO)
		close(nothing);
}

/* Handlers are back at their defaults after exec; what is ignored stays so. */
static _Noreturn void become(const struct sweep_child *child, const sigset_t *mask, int messages)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	redirect(child->output, messages);
	sigaction(SIGXFSZ, &stopping.file_size, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvpe(child->argv[0], child->argv, child->environment);
	log_warning_errno("cannot start '%s'", child->argv[0]);
	_exit(errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_START);
}

/* -- its output */

static void keep(struct sweep_child_end *end, const char *bytes, size_t nr)
{
	size_t stay;

	if (nr > SWEEP_OUTPUT_KEPT) {
		bytes += nr - SWEEP_OUTPUT_KEPT;
		nr = SWEEP_OUTPUT_KEPT;
	}
	stay = end->output_bytes < SWEEP_OUTPUT_KEPT - nr ? end->output_bytes
							  : SWEEP_OUTPUT_KEPT - nr;
	memmove(end->output, end->output + end->output_bytes - stay, stay);
	memcpy(end->output + stay, bytes, nr);
	end->output_bytes = stay + nr;
	end->output[end->output_bytes] = '\0';
}

/*
 * Reads a bounded part of what is there, so that signals are handled in between. False: the end of
 * the output.
 */
static bool drain(struct sweep_child_end *end, int from)
{
	char bytes[65536];
	ssize_t nr = 1;

	for (int times = 0; times < 16 && nr > 0; times++) {
		nr = read(from, bytes, sizeof(bytes));
		if (nr > 0)
			keep(end, bytes, (size_t)nr);
	}
	return nr > 0 || (nr < 0 && (errno == EAGAIN || errno == EINTR));
}

/* -- its end */

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? LAUNCH_SIGNAL_BASE + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Sends a received signal to the group, and SIGKILL when the group still runs after PATIENCE_NS. */
static void pass_on(pid_t group, struct sweep_child_end *end, uint64_t *deadline_ns)
{
	uint64_t now_ns = thread_clock_ns();

	if (!stopping.number)
		return;
	if (!end->interrupted)
		kill(-group, stopping.number);
	else if (now_ns >= *deadline_ns)
		kill(-group, SIGKILL);
	if (!end->interrupted)
		*deadline_ns = now_ns + PATIENCE_NS;
	end->interrupted = stopping.number;
}

/* `from`: what it prints, or -1. `mask`: the one outside, in which signals come. */
static void wait_for(pid_t child, int from, const sigset_t *mask, struct sweep_child_end *end)
{
	const struct timespec pause = { 0, 200000000 };
	uint64_t deadline_ns = 0;
	pid_t ended;
	int status = 0;

	for (;;) {
		struct pollfd readable = { .fd = from, .events = POLLIN };

		ended = waitpid(child, &status, WNOHANG);
		if (ended)
			break;
		pass_on(child, end, &deadline_ns);
		ppoll(&readable, 1, stopping.number ? &pause : NULL, mask);
		if (from >= 0 && readable.revents && !drain(end, from))
			from = -1;
	}
	end->exit_code = ended == child ? exit_code(status) : LAUNCH_CANNOT_START;
	if (from >= 0)
		drain(end, from);
	pass_on(child, end, &deadline_ns);
	if (end->interrupted)
		kill(-child, SIGKILL); /* what it has left behind */
}

static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	for (size_t i = 0; i < NR_CAUGHT; i++)
		sigaddset(&held, caught[i]);
	sigprocmask(SIG_BLOCK, &held, before);
	stopping.waiting = true;
}

void sweep_child_run(const struct sweep_child *what, struct sweep_child_end *end)
{
	int output[2] = { -1, -1 };
	uint64_t since_ns;
	sigset_t before;
	pid_t child;

	*end = (struct sweep_child_end){ .exit_code = LAUNCH_CANNOT_START };
	if (!what->show_output && pipe2(output, O_CLOEXEC))
		return;
	if (output[0] >= 0)
		fcntl(output[0], F_SETFL, O_NONBLOCK);
	hold_signals(&before);
	since_ns = thread_clock_ns();
	child = fork();
	if (child == 0)
		become(what, &before, what->show_output ? STDERR_FILENO : output[1]);
	if (output[1] >= 0)
		close(output[1]);
	if (child > 0)
		setpgid(child, child); /* in parent and child, whichever is first */
	if (child > 0)
		wait_for(child, output[0], &before, end);
	end->wall_ns = (double)(thread_clock_ns() - since_ns);
	if (output[0] >= 0)
		close(output[0]);
	stopping.waiting = false;
	sigprocmask(SIG_SETMASK, &before, NULL); /* one that came since is handled here */
}
