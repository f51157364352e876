// SPDX-License-Identifier: Apache-2.0
// Programs in which recording has to keep out of the way: each makes a phase of steps, and says what came out.
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 800, VALUES = 500000, BLOCK = 5000 };

static double from[VALUES], to[VALUES];

extern "C" void axpy(long n, double a, const double *x, double *y);      // of a library of the program

__attribute__((noinline)) static void scale()
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		to[i] = from[i] * 3;
}

// ------------------------------------------------------------------ calls

__attribute__((noinline)) static void library()
{
#pragma omp parallel for schedule(static)
	for (int block = 0; block < VALUES / BLOCK; block++)
		axpy(BLOCK, 2, from + block * BLOCK, to + block * BLOCK);
}

__attribute__((noinline)) static void mathematics()
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		to[i] = std::pow(from[i], 1.5);
}

// ------------------------------------------------------------------ heap

__attribute__((noinline)) static void work_on(double *block)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++)
		block[i] = from[i] + 1;
}

__attribute__((noinline)) static void heap()
{
	double *fresh = static_cast<double *>(std::malloc(sizeof(from)));   /* HERE: fresh */

	work_on(fresh);
	to[1] += fresh[VALUES / 2];
	std::free(fresh);
}

// ------------------------------------------------------------------ what interrupts

static void fork_one()
{
	static int nr;
	int status = 0;

	scale();
	if (++nr % 50)
		return;
	pid_t child = fork();
	if (!child)
		_exit(nr % 7);
	waitpid(child, &status, 0);
	to[2] += WEXITSTATUS(status);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int)
{
	alarms = alarms + 1;
}

static void alarm_each_ms()
{
	static bool set;
	struct itimerval each = { { 0, 1000 }, { 0, 1000 } };

	if (!set) {
		struct sigaction action = {};

		action.sa_handler = on_alarm;
		action.sa_flags = SA_RESTART;
		sigaction(SIGALRM, &action, nullptr);
		setitimer(ITIMER_REAL, &each, nullptr);
		set = true;
	}
	scale();
}

// ------------------------------------------------------------------ constructs

static double square[64][9000];

__attribute__((noinline)) static void nested()
{
#pragma omp parallel for num_threads(2) schedule(static)
	for (int i = 0; i < 64; i += 32)
#pragma omp parallel for num_threads(2) schedule(static)
		for (int j = i; j < i + 32; j++)
			for (int k = 0; k < 9000; k++)
				square[j][k] += from[k];
}

__attribute__((noinline)) static void tasks()
{
#pragma omp parallel
#pragma omp single
	for (int block = 0; block < 100; block++)
#pragma omp task firstprivate(block)
		for (int i = block * BLOCK; i < (block + 1) * BLOCK; i++)
			to[i] = from[i] + to[i];
}

// Two threads throw and catch on the way.
__attribute__((noinline)) static double careful(int i)
{
	if (i % 20000 == 7)
		throw i;
	return from[i] + 1;
}

static std::atomic<long> caught;

__attribute__((noinline)) static void exceptions()
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < VALUES; i++) {
		try {
			to[i] = careful(i);
		} catch (int which) {
			caught += which;
		}
	}
}

__attribute__((noinline)) static void places()
{
	scale();
	to[3] += from[4];
	scale();
	to[5] += from[6];
}

int main(int, char **argv)
{
	const struct { const char *name; void (*step)(); int steps; } kinds[] = {
		{ "library", library, STEPS }, { "mathematics", mathematics, STEPS / 8 }, { "heap", heap, STEPS }, { "fork", fork_one, STEPS },
		{ "alarm", alarm_each_ms, STEPS }, { "nested", nested, STEPS }, { "tasks", tasks, STEPS },
		{ "exceptions", exceptions, STEPS / 2 }, { "places", places, STEPS }, { "crowd", scale, STEPS }, { "once", scale, 1 },
	};
	double all = 0;

	for (int i = 0; i < VALUES; i++)
		from[i] = i % 13;
	for (const auto &kind : kinds)
		for (int i = 0; i < kind.steps && !std::strcmp(argv[1], kind.name); i++)
			kind.step();
	for (int i = 0; i < VALUES; i++)
		all += to[i];
	for (const auto &row : square)
		for (double value : row)
			all += value;
	std::printf("%a %ld %s\n", all, caught.load(), argv[1]);
	return 5;
}
