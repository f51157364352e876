// SPDX-License-Identifier: Apache-2.0
// Serial code that leaves its frames by other ways than returning, or is left by others; each makes a phase of steps, and says what came out.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 60, VALUES = 4000000, BLOCK = 40000, TEAM = 20000 };

static double team[TEAM], from[VALUES], to[VALUES], others;

__attribute__((noinline)) static void begin_team()
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < TEAM; i++)
		team[i] += 1;
}

__attribute__((noinline)) static void end_team()
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < TEAM; i++)
		team[i] *= 0.5;
}

__attribute__((noinline)) static void block(int nr)
{
	for (int i = nr * BLOCK; i < (nr + 1) * BLOCK; i++)
		to[i] = from[i] * 3;
}

// ------------------------------------------------------------------ inside of a stretch

__attribute__((noinline)) static void throwing(int nr)
{
	block(nr);
	if (nr % 10 == 0)
		throw std::runtime_error("each tenth");
}

static void exceptions()
{
	static int caught;

	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK; nr++) {
		try {
			throwing(nr);
		} catch (const std::runtime_error &) {
			others += ++caught;
		}
	}
	end_team();
}

static jmp_buf inner;

__attribute__((noinline)) static void jumping(int nr)
{
	block(nr);
	if (nr % 10 == 0)
		longjmp(inner, 1);
}

static void jumps()
{
	begin_team();
	for (volatile int nr = 0; nr < VALUES / BLOCK; nr = nr + 1)
		if (!setjmp(inner))
			jumping(nr);
	end_team();
}

// ------------------------------------------------------------------ out of it

// Over the region that a stretch begins with: a region's end has taken the frames into clones that are left here.
static jmp_buf outer;
static volatile int left;

__attribute__((noinline)) static void leaving()
{
	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK / 2; nr++)
		block(nr);
	longjmp(outer, 1);
}

static void leaves()
{
	if (!setjmp(outer))
		leaving();
	left = left + 1;
	for (int nr = VALUES / BLOCK / 2; nr < VALUES / BLOCK; nr++)
		block(nr);
	end_team();
}

// The place to come back to is noted in one stretch, and used in another one, when it is no longer recorded.
static jmp_buf earlier;

static void comes_back()
{
	static volatile int nr;
	volatile bool again = false;

	begin_team();
	for (int i = 0; i < VALUES / BLOCK; i++)
		block(i);
	setjmp(earlier);
	end_team();
	if (!again && ++nr % 4 == 0) {
		again = true;
		longjmp(earlier, 1);
	}
}

__attribute__((noinline)) static void unwound()
{
	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK; nr++)
		block(nr);
	throw std::logic_error("out of the stretch's own function");
}

static void passes()
{
	try {
		unwound();
	} catch (const std::logic_error &) {
		others += 1;
	}
	end_team();
}

static void stops()
{
	static int nr;

	begin_team();
	for (int i = 0; i < VALUES / BLOCK; i++)
		block(i);
	if (++nr == STEPS - 10) {
		std::printf("%.17g\n", to[VALUES / 2]);
		std::exit(3);
	}
	end_team();
}

// ------------------------------------------------------------------ what interrupts

static void forks()
{
	static int nr;
	int status = 0;

	begin_team();
	for (int i = 0; i < VALUES / BLOCK / 2; i++)
		block(i);
	if (++nr % 20 == 0) {
		pid_t child = fork();

		if (!child) {
			block(0);
			_exit(nr % 7);
		}
		waitpid(child, &status, 0);
		others += WEXITSTATUS(status);
	}
	for (int i = VALUES / BLOCK / 2; i < VALUES / BLOCK; i++)
		block(i);
	end_team();
}

static volatile sig_atomic_t alarms;
static volatile double in_handler[100];

static void on_alarm(int)
{
	alarms = alarms + 1;
	for (int i = 0; i < 100; i++)
		in_handler[i] = in_handler[i] + 1;
}

static void signals()
{
	static bool set;

	if (!set) {
		const struct itimerval often = { { 0, 300 }, { 0, 300 } };

		std::signal(SIGALRM, on_alarm);
		setitimer(ITIMER_REAL, &often, nullptr);
		set = true;
	}
	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK; nr++)
		block(nr);
	end_team();
}

// ------------------------------------------------------------------ what is called by others, or through pointers

struct shape {
	virtual void work(int nr) = 0;
	virtual ~shape() { }
};
struct square : shape {
	void work(int nr) override { block(nr); }
};
struct circle : shape {
	void work(int nr) override
	{
		for (int i = nr * BLOCK; i < (nr + 1) * BLOCK; i++)
			to[i] = from[i] * 5;
	}
};

static void virtuals()
{
	static square one;
	static circle other;
	static shape *volatile shapes[] = { &one, &other };

	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK; nr++)
		shapes[nr % 2]->work(nr);
	end_team();
}

static void nested_virtuals()
{
	struct around : shape {
		void work(int) override
		{
			begin_team();
			virtuals();
		}
	};
	static around it;
	static shape *volatile first = &it;

	first->work(0);
}

static int order(const void *a, const void *b)
{
	const double *x = static_cast<const double *>(a), *y = static_cast<const double *>(b);

	return (*x > *y) - (*x < *y);
}

static void sorts()
{
	begin_team();
	for (int i = 0; i < 5000; i++)
		to[i] = (i * 7919) % 5000;
	std::qsort(to, 5000, sizeof(*to), order);
	end_team();
}

static void tasks()
{
	begin_team();
	for (int nr = 0; nr < VALUES / BLOCK; nr++) {
#pragma omp task firstprivate(nr)
		block(nr);
	}
#pragma omp taskwait
	end_team();
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*step)(); } kinds[] = {
		{ "exceptions", exceptions }, { "jumps", jumps }, { "leaves", leaves }, { "comes_back", comes_back }, { "passes", passes },
		{ "stops", stops }, { "forks", forks }, { "signals", signals }, { "virtuals", virtuals }, { "nested_virtuals", nested_virtuals },
		{ "sorts", sorts }, { "tasks", tasks },
	};
	double all;

	for (int i = 0; i < VALUES; i++)
		from[i] = i % 7;
	for (const auto &kind : kinds)
		for (int step = 0; step < STEPS && argc > 1 && !std::strcmp(argv[1], kind.name); step++)
			kind.step();
	all = others;
	for (int i = 0; i < VALUES; i++)
		all += to[i];
	for (int i = 0; i < TEAM; i++)
		all += team[i];
	std::printf("%.17g %d\n", all, left);
	return 5;
}
