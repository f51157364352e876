/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two commands in turns of so many milliseconds: one runs while the other is stopped (SIGSTOP), so
 * that both have the same share of what disturbs the machine for longer than a turn. Appends
 * "WALL_NS CPU_NS PEAK_KIB" of each to its file; WALL_NS without the time in which it was stopped.
 * Each command is a line for sh; stdout goes to /dev/null. Exit status 1: one of them failed.
 * Usage: turns MILLISECONDS FILE_A COMMAND_A FILE_B COMMAND_B            A begins
 */
#include "usage.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

struct command {
	pid_t pid;
	const char *file;
	bool ended, failed;
	double wall_ns;
	struct rusage usage;
};

static void child(const char *line)
{
	char exec[4096];
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	usage_silence();
	snprintf(exec, sizeof(exec), "exec %s", line);
	raise(SIGSTOP);
	execl("/bin/sh", "sh", "-c", exec, (char *)NULL);
	_exit(127);
}

/* Until it is stopped, or has ended. */
static void await(struct command *command)
{
	int status;

	if (wait4(command->pid, &status, WUNTRACED, &command->usage) != command->pid)
		exit(126);
	command->ended = !WIFSTOPPED(status);
	command->failed = command->ended && !(WIFEXITED(status) && !WEXITSTATUS(status));
}

static void begin(struct command *command, const char *file, const char *line)
{
	*command = (struct command){ .file = file, .pid = fork() };
	if (command->pid == 0)
		child(line);
	if (command->pid < 0)
		exit(126);
	await(command);
}

static void nothing(int number)
{
	(void)number;
}

/* A signal says that it ended. */
static void run_for(struct command *command, const struct timespec *turn, const sigset_t *ended)
{
	double begun = usage_now_ns();

	kill(command->pid, SIGCONT);
	if (sigtimedwait(ended, NULL, turn) < 0)
		kill(command->pid, SIGSTOP);
	await(command);
	command->wall_ns += usage_now_ns() - begun;
}

int main(int argc, char **argv)
{
	const struct sigaction on_end = { .sa_handler = nothing, .sa_flags = SA_NOCLDSTOP };
	struct command commands[2];
	struct timespec turn;
	sigset_t ended;
	long ms;

	if (argc != 6 || (ms = strtol(argv[1], NULL, 10)) <= 0)
		return 2;
	turn = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	sigaction(SIGCHLD, &on_end, NULL);
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	for (int i = 0; i < 2; i++)
		begin(&commands[i], argv[2 + 2 * i], argv[3 + 2 * i]);
	for (int i = 0; !commands[0].ended || !commands[1].ended; i = !i)
		if (!commands[i].ended)
			run_for(&commands[i], &turn, &ended);
	for (int i = 0; i < 2; i++)
		if (!usage_append(commands[i].file, commands[i].wall_ns, &commands[i].usage))
			return 126;
	return commands[0].failed || commands[1].failed;
}
