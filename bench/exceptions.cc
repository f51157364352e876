// SPDX-License-Identifier: Apache-2.0
// Times exceptions thrown through 2,000 functions and through copies of them, in rounds.
//     exceptions COPIER FUNCTIONS_A_SECTION ROUNDS
// Prints lines for bench/paired.c: "copies N C", both with the copies registered, and "before N C",
// N from before that; ns an exception.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <time.h>
#include <utility>
#include <vector>

#include "tests/live/programs/throws.h"

static const int FUNCTIONS = 2000;
static long destroyed;
struct Guard { ~Guard() { ++destroyed; } };

__attribute__((noinline)) static int thrower(int x)
{
	if (x >= 0)
		throw x;
	return x;
}

// Two frames an exception: one that cleans up, and one that catches.
template <int N> __attribute__((noinline)) int cleans(callee *next, int x) { Guard guard; return next(x + N) + N; }
template <int N> __attribute__((noinline)) int catches(callee *next, int x)
{
	try { return next(x); } catch (int i) { return i + N; }
}

static passes *cleaner;
static int onward(int x) { return cleaner(thrower, x); }

template <int... N> static std::vector<void *> table(std::integer_sequence<int, N...>)
{
	return { (void *)cleans<N>..., (void *)catches<N>... };
}

static double now()
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static long sum;

static double round_of(const std::vector<void *> &functions)
{
	double start = now();
	for (int i = 0; i < FUNCTIONS / 2; i++) {
		cleaner = (passes *)functions[(i * 7) % (FUNCTIONS / 2)];
		sum += ((passes *)functions[FUNCTIONS / 2 + i])(onward, i);
	}
	return (now() - start) / (FUNCTIONS / 2);
}

int main(int, char **words)
{
	std::vector<void *> originals = table(std::make_integer_sequence<int, FUNCTIONS / 2>()), copies(FUNCTIONS);
	copier *copy = (copier *)dlsym(dlopen(words[1], RTLD_NOW), "copy_functions");
	int each = atoi(words[2]), rounds = atoi(words[3]);
	std::vector<double> before;

	round_of(originals);
	for (int i = 0; i < rounds; i++)
		before.push_back(round_of(originals));
	double start = now();
	for (int i = 0; i < FUNCTIONS; i += each) {
		const char *why = copy(&originals[i], FUNCTIONS - i < each ? FUNCTIONS - i : each, &copies[i]);
		if (why) {
			fprintf(stderr, "refused: %s\n", why);
			return 1;
		}
	}
	fprintf(stderr, "%d copies by %d: %.1f us each\n", FUNCTIONS, each, (now() - start) / FUNCTIONS / 1000);
	long wanted = sum / (rounds + 1);
	sum = destroyed = 0;
	for (int i = 0; i < rounds; i++) {
		double native = round_of(originals), copied = round_of(copies);
		printf("copies_by_%d %.0f %.0f\nbefore_by_%d %.0f %.0f\n", each, native, copied, each, before[i], copied);
	}
	return sum == wanted * 2 * rounds && destroyed == (long)FUNCTIONS * rounds ? 0 : 1;
}
