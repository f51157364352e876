// SPDX-License-Identifier: Apache-2.0
// Throws through functions and through copies of them, by all ways a frame can take part, and prints what came out of it.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "throws.h"

#define NOT_INLINED __attribute__((noinline))

struct Base { virtual ~Base() {} int value; Base(int v) : value(v) {} };
struct Derived : Base { Derived(int v) : Base(v) {} };
struct Guard { long *count; ~Guard() { __atomic_add_fetch(count, 1, __ATOMIC_RELAXED); } };
static long destroyed;

// -- what is called at the end of the chain
extern "C" {
NOT_INLINED int throws(int x)
{
	switch (x % 7) {
	case 0: return x;
	case 1: throw x;
	case 2: throw Derived(x);
	case 3: throw std::runtime_error("error " + std::to_string(x));
	case 4: throw (const char *)"text";
	case 5: throw 1.5 * x;
	default: throw Base(x);
	}
}
static _Unwind_Reason_Code count_frame(struct _Unwind_Context *, void *count) { ++*(int *)count; return _URC_NO_REASON; }
int counts_frames(int)
{
	int frames = 0;
	_Unwind_Backtrace(count_frame, &frames);
	return frames;
}
int ends_thread(int) { pthread_exit(NULL); }
static int waiting;
int waits_for_end(int) { for (__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);;) pause(); }

// -- what an exception passes
NOT_INLINED int catches(callee *next, int x)
{
	try { return next(x); }
	catch (int i) { return 1000 + i; }
	catch (const Derived &d) { return 2000 + d.value; }
	catch (const std::exception &e) { return 3000 + e.what()[6]; }
	catch (const char *text) { return 4000 + text[0]; }
	catch (...) { return 5000; }
}
NOT_INLINED int cleans(callee *next, int x)
{
	Guard outer = { &destroyed };
	int y = next(x);
	Guard inner = { &destroyed };
	return y + next(x + 7);
}
NOT_INLINED int rethrows(callee *next, int x)
{
	try { Guard guard = { &destroyed }; return next(x); }
	catch (const Base &base) { if (base.value % 2) throw; return 100 + base.value; }
	catch (double) { throw; }
}
NOT_INLINED int nests(callee *next, int x)
{
	int sum = 0;
	try {
		for (int i = 0; i < 8; i++) {
			Guard guard = { &destroyed };
			try {
				try { sum += next(x + i); }
				catch (int k) { sum += k; throw std::runtime_error("inner " + std::to_string(k)); }
			}
			catch (const std::runtime_error &e) { sum += e.what()[2]; if (i == 5) throw Derived(i); }
			catch (double d) { sum += (int)d; }
		}
	}
	catch (const Base &base) { return sum + 10000 * base.value; }
	catch (...) { return sum - 1; }
	return sum;
}
NOT_INLINED int throws_itself(callee *next, int x)
{
	Guard guard = { &destroyed };
	if (x % 3 == 0)
		throw Derived(next(7 * x));
	std::string text(x, 'x');
	if (x % 3 == 1)
		throw std::logic_error("0123456" + text);
	return next(7 * x) + (int)text.size();
}
NOT_INLINED int plain(callee *next, int x) { return next(x) + 1; }
NOT_INLINED int many_arguments(callee *next, int x)
{
	std::string a(x, 'a'), b(30 + x, 'b');
	char text[64];
	snprintf(text, sizeof(text), "%d %d %d %d %d %d %d %d", x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
	return next(x) + (int)(a + b + text).size();
}
NOT_INLINED int never_throws(callee *next, int x) noexcept { return next(x) + 1; }
#if __cplusplus < 201703L
NOT_INLINED int only_int(callee *next, int x) throw(int, std::exception) { Guard guard = { &destroyed }; return next(x) + 1; }
#else
NOT_INLINED int only_int(callee *next, int x)
{
	try { return next(x) + 1; }
	catch (int) { throw; }
	catch (const std::exception &) { throw; }
	catch (...) { throw 7; }
}
#endif
}

enum { THROWS, COUNTS, ENDS, WAITS, CATCHES, CLEANS, RETHROWS, NESTS, THROWS_ITSELF, PLAIN, MANY, NEVER, ONLY, C_CLEANS, NR };
static void *const originals[NR] = {
	(void *)throws, (void *)counts_frames, (void *)ends_thread, (void *)waits_for_end, (void *)catches, (void *)cleans, (void *)rethrows, (void *)nests,
	(void *)throws_itself, (void *)plain, (void *)many_arguments, (void *)never_throws, (void *)only_int, (void *)c_cleans,
};
static void *copies[NR];
static void *const *functions;

static passes *at(int which) { return (passes *)functions[which]; }

// A callee that goes on to another function: frames of copies and originals in turn.
static int through;
static int deeper(int x) { return at(through)((callee *)functions[THROWS], x); }

static void unexpected() { throw 7; }

static long chains()
{
	static const int passing[] = { CLEANS, RETHROWS, NESTS, THROWS_ITSELF, PLAIN, MANY, ONLY, C_CLEANS };
	long sum = 0;
	for (int x = 0; x < 40; x++)
		for (int outer : passing)
			for (int inner : passing) {
				through = inner;
				try { sum = sum * 31 + at(outer)(deeper, x); }
				catch (int i) { sum = sum * 37 + i; }
				catch (const Base &base) { sum = sum * 41 + base.value; }
				catch (const std::exception &e) { sum = sum * 43 + e.what()[0]; }
				catch (...) { sum = sum * 47; }
				through = inner;
				sum += at(CATCHES)(deeper, x);
			}
	return sum & 0xffffffffffff;
}

static int end_status()
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		std::set_terminate([] { _exit(42); });
		try { at(NEVER)((callee *)functions[THROWS], 1); } catch (...) { _exit(1); }
		_exit(2);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *leaves(void *)
{
	through = CLEANS;
	at(CLEANS)((callee *)functions[ENDS], 1);
	return NULL;
}

static void *leaves_c(void *)
{
	at(C_CLEANS)((callee *)functions[ENDS], 40);
	return NULL;
}

static void *waits(void *)
{
	at(CLEANS)((callee *)functions[WAITS], 1);
	return NULL;
}

static void *waits_c(void *)
{
	at(C_CLEANS)((callee *)functions[WAITS], 40);
	return NULL;
}

// The thread is ended by another one while it waits.
static int cancelled(void *(*run)(void *))
{
	pthread_t thread;
	void *result;
	waiting = 0;
	pthread_create(&thread, NULL, run, NULL);
	while (!__atomic_load_n(&waiting, __ATOMIC_RELAXED))
		usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}

static void *catches_often(void *sum)
{
	for (int i = 0; i < 2000; i++)
		*(long *)sum += at(CATCHES)((callee *)functions[THROWS], i);
	return NULL;
}

// New copies, one at a time; each is used at once.
static copier *copy;
static void copy_more()
{
	void *another;
	for (int i = 0; i < 300; i++)
		if (copy(&originals[CATCHES], 1, &another) || ((passes *)another)((callee *)copies[THROWS], i) != catches(throws, i))
			printf("copy %d is wrong\n", i);
}

static void in_threads(void *(*run)(void *), long *sums)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &sums[i]);
	if (copy)
		copy_more();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void report(void *const *which, bool end_threads)
{
	long sums[2] = { 0, 0 };
	functions = which;
	destroyed = cleaned = 0;
	printf("chains %ld\n", chains());
	printf("destroyed %ld, cleaned %ld\n", destroyed, cleaned);
	printf("frames %d %d\n", at(CLEANS)((callee *)functions[COUNTS], 1), at(NESTS)((callee *)functions[COUNTS], 1));
	printf("terminate %d\n", end_status());
	destroyed = cleaned = 0;
	if (end_threads) {
		in_threads(leaves, sums);
		in_threads(leaves_c, sums);
		printf("thread ends %ld %ld\n", destroyed, cleaned);
		destroyed = cleaned = 0;
		int ended = cancelled(waits) + cancelled(waits_c);
		printf("cancelled %d: %ld %ld\n", ended, destroyed, cleaned);
	}
	in_threads(catches_often, sums);
	printf("threads %ld %ld\n", sums[0], sums[1]);
}

// [-t] [COPIER]: without a copier the originals are run; -t: no thread is ended, as mixed unwinders cannot do this.
int main(int nr, char **words)
{
	bool end_threads = !(nr > 1 && std::string(words[1]) == "-t");
	words += !end_threads;
	nr -= !end_threads;
	setvbuf(stdout, NULL, _IOLBF, 0);
	void *library = nr > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	copy = library ? (copier *)dlsym(library, "copy_functions") : NULL;
	if (nr > 1 && !copy) {
		printf("no copier: %s\n", dlerror());
		return 1;
	}
#if __cplusplus < 201703L
	std::set_unexpected(unexpected);
#endif
	const char *why = copy ? copy(originals, NR, copies) : NULL;
	if (why) {
		printf("refused: %s\n", why);
		return 1;
	}
	report(copy ? copies : originals, end_threads);
	return 0;
}
