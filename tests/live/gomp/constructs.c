/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every OpenMP construct that calls libgomp. Prints a checksum, which does not depend on the schedule, and then what a tool must count,
 * "EVENT COUNT". One argument: the number of repetitions.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 240
#define ROWS 12
#define COLUMNS 7
static long values[N], sum, expected_chunks, expected_iterations, expected_tasks, expected_waits, expected_mutexes, expected_releases;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void add(long value)
{
#pragma omp atomic
	sum += value;
}

/* Each thread of a team has the begin of the loop, with its number of iterations. */
static void expect_loop(long iterations, int threads)
{
	expected_iterations += iterations * threads;
}

/* Chunks of one iteration: one for each iteration. The number of guided and runtime chunks is not expected. */
static void loops(void)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (long i = 0; i < N; i++)
		add(values[i]);
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 1) nowait
		for (long i = N; i > 0; i -= 2)
			add(i);
#pragma omp for schedule(monotonic : dynamic, 1)
		for (unsigned long long i = 0; i < N; i++)
			add((long)i);
#pragma omp for schedule(guided, 7)
		for (long i = 0; i < N; i++)
			add(2 * i);
#pragma omp for schedule(runtime)
		for (long i = 0; i < N; i++)
			add(3 * i);
#pragma omp for schedule(dynamic, 1) ordered
		for (long i = 0; i < N; i++) {
#pragma omp ordered
			sum = sum * 3 % 1000003 + i;
		}
	}
	expected_chunks += N + N / 2 + N + N;
	expect_loop(5 * N + N / 2, omp_get_max_threads());
	expected_mutexes += N;
}

static void doacross(void)
{
	static long chain[N + 1];

#pragma omp parallel for schedule(dynamic, 1) ordered(1)
	for (long i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
		chain[i] = (chain[i - 1] + i) % 10007;
#pragma omp ordered depend(source)
	}
	add(chain[N]);
	expected_chunks += N;
	expect_loop(N, omp_get_max_threads());
	expected_mutexes += N - 1;       /* before the first iteration there is none to wait for */
}

static void doacross_of_two(void)
{
	static long table[ROWS + 1][COLUMNS + 1];

	table[0][1] = 1;
#pragma omp parallel for schedule(dynamic, 1) ordered(2)
	for (unsigned long i = 1; i <= ROWS; i++)
		for (unsigned long j = 1; j <= COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			table[i][j] = (table[i - 1][j] * 3 + table[i][j - 1] + 1) % 10007;
#pragma omp ordered depend(source)
		}
	add(table[ROWS][COLUMNS]);
	expected_chunks += ROWS;
	expect_loop(ROWS, omp_get_max_threads());
	expected_mutexes += (ROWS - 1) * COLUMNS + ROWS * (COLUMNS - 1);
}

/* Loops of one iteration each, between the first and the last dimension. */
#define ONE(k) for (long k = 1; k <= 1; k++)
#define ULL_ONE(k) for (unsigned long long k = 1; k <= 1; k++)

/* On x86-64 six arguments are passed in registers, the others on the stack: the last dimension decides which iteration is waited for. */
static void doacross_of_seventeen(void)
{
	static long table[ROWS + 1][COLUMNS + 1];

	table[0][1] = 1;
#pragma omp parallel for schedule(dynamic, 1) ordered(17)
	for (long i = 1; i <= ROWS; i++)
		ONE(a) ONE(b) ONE(c) ONE(d) ONE(e) ONE(f) ONE(g) ONE(h) ONE(k) ONE(l) ONE(m) ONE(n) ONE(o) ONE(p) ONE(q)
		for (long j = 1; j <= COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, j) depend(sink : i, a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, j - 1)
			table[i][j] = (table[i - 1][j] * 3 + table[i][j - 1] + 1) % 10007;
#pragma omp ordered depend(source)
		}
	add(table[ROWS][COLUMNS]);
	expected_chunks += ROWS;
	expect_loop(ROWS, omp_get_max_threads());
	expected_mutexes += (ROWS - 1) * COLUMNS + ROWS * (COLUMNS - 1);
}

static void doacross_of_twenty(void)
{
	static long table[ROWS + 1][COLUMNS + 1];
	volatile unsigned long long rows = ROWS;  /* not known, so that the loop is one of unsigned long long */

	table[0][1] = 1;
#pragma omp parallel for schedule(dynamic, 1) ordered(20)
	for (unsigned long long i = 1; i <= rows; i++)
		ULL_ONE(a) ULL_ONE(b) ULL_ONE(c) ULL_ONE(d) ULL_ONE(e) ULL_ONE(f) ULL_ONE(g) ULL_ONE(h) ULL_ONE(k)
		ULL_ONE(l) ULL_ONE(m) ULL_ONE(n) ULL_ONE(o) ULL_ONE(p) ULL_ONE(q) ULL_ONE(r) ULL_ONE(s) ULL_ONE(t)
		for (unsigned long long j = 1; j <= COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r, s, t, j) depend(sink : i, a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r, s, t, j - 1)
			table[i][j] = (table[i - 1][j] * 5 + table[i][j - 1] + 1) % 10007;
#pragma omp ordered depend(source)
		}
	add(table[ROWS][COLUMNS]);
	expected_chunks += ROWS;
	expect_loop(ROWS, omp_get_max_threads());
	expected_mutexes += (ROWS - 1) * COLUMNS + ROWS * (COLUMNS - 1);
}

static void sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		add(1);
#pragma omp section
		add(2);
#pragma omp section
		add(3);
	}
#pragma omp parallel
	{
		long copied = 0;

#pragma omp sections
		{
#pragma omp section
			add(4);
#pragma omp section
			add(5);
		}
#pragma omp single
		add(6);
#pragma omp single copyprivate(copied)
		copied = 7;
#pragma omp barrier
#pragma omp masked
		add(copied);
	}
	expected_chunks += 3 + 2;
}

static void mutexes(void)
{
	long under[4] = { 0 };

#pragma omp parallel num_threads(3)
	for (int i = 0; i < 10; i++) {
#pragma omp critical
		under[0]++;
#pragma omp critical(named)
		under[1]++;
		omp_set_lock(&lock);
		under[2]++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest_lock);
		omp_set_nest_lock(&nest_lock);
		under[3]++;
		omp_unset_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
		while (!omp_test_lock(&lock))
			;
		under[2]++;
		omp_unset_lock(&lock);
		while (!omp_test_nest_lock(&nest_lock))
			;
		under[3] += omp_test_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
	}
	add(under[0] + 2 * under[1] + 3 * under[2] + 4 * under[3]);
	expected_mutexes += 3 * 10 * 7;
	expected_releases += 3 * 10 * 8;
}

/* libgomp has one lock for reductions of several variables, and for atomic updates that no instruction does. */
static void atomics(void)
{
	static long double wide;
	long first = 0, second = 0;

	wide = 0;
#pragma omp parallel reduction(+ : first, second) num_threads(3)
	for (int i = 0; i < 10; i++) {
		first += i;
		second += 2 * i;
#pragma omp atomic
		wide += i;
	}
	add(first + second + (long)wide);
	expected_mutexes += 3 * (10 + 1);
	expected_releases += 3 * (10 + 1);
}

static long fibonacci(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp atomic
	expected_tasks += 2;
#pragma omp atomic
	expected_waits++;
#pragma omp task shared(a) firstprivate(n) untied
	a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n) final(n < 5)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

/* A block too large for the producer's stack. */
static void large_data(void)
{
	struct { long word[1000]; } block;

	for (int i = 0; i < 1000; i++)
		block.word[i] = i;
#pragma omp task firstprivate(block)
	add(block.word[999] + block.word[0]);
	expected_tasks++;
}

static void detached(void)
{
	omp_event_handle_t event;

#pragma omp task detach(event) firstprivate(values)
	omp_fulfill_event(event);
	expected_tasks++;
}

/* Before taskwait depend the thread may execute other tasks, at taskyield too. */
static void waits_for_one(void)
{
	long first = 0, second = 0;

#pragma omp task shared(second)
	{
#pragma omp taskyield
		second = 2;
	}
#pragma omp task depend(out : first) shared(first)
	first = 13;
#if __GNUC__ >= 9
#pragma omp taskwait depend(in : first)
	add(first);
	expected_waits++;
#endif
#pragma omp taskwait
	add(second);
	expected_tasks += 2;
	expected_waits++;
}

static void tasks(void)
{
	long value[4] = { 1, 2, 3, 4 }, total = 0;

#pragma omp parallel
#pragma omp single
	{
		add(fibonacci(10));
#pragma omp taskgroup
		for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : value[i % 4]) depend(in : value[(i + 1) % 4]) priority(i % 3) shared(value) firstprivate(i)
			value[i % 4] = (value[i % 4] * 3 + value[(i + 1) % 4]) % 10007;
		}
		expected_tasks += 40;
#pragma omp taskloop grainsize(1) reduction(+ : total)
		for (int i = 0; i < 50; i++)
			total += i * i % 31;
		expected_tasks += 50;
		expect_loop(50, 1);
#pragma omp task if(0)
		add(9);
		expected_tasks++;
		large_data();
		waits_for_one();
	}
	add(value[0] + value[1] + value[2] + value[3] + total);
}

/* The reduction and the cancelled loop are what they are for any number of threads. */
static void others(void)
{
	long total = 0;

#pragma omp parallel reduction(task, + : total)
	{
#pragma omp for schedule(static)
		for (long i = 0; i < N; i++)
			total += values[i];
	}
	add(total);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		add(11);
#pragma omp for schedule(dynamic, 1000)
		for (long i = 0; i < N; i++) {
#pragma omp cancel for if (i == 0)
		}
	}
	expected_chunks++;
	expect_loop(N, 2);
}

/* On the host, teams are executed one after the other. */
static void teams(void)
{
#if __GNUC__ >= 9
#pragma omp teams num_teams(2)
	{
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
		for (long i = 0; i < N; i++)
			add(values[i]);
	}
	expected_chunks += 2 * N;
	expect_loop(2 * N, 2);
#endif
}

static void scopes(void)
{
#if __GNUC__ >= 12
	long total = 0, of_tasks = 0;

#pragma omp parallel
	{
#pragma omp scope reduction(+ : total)
		total += 3;
#pragma omp scope reduction(task, + : of_tasks)
		{
#pragma omp task in_reduction(+ : of_tasks)
			of_tasks += 5;
		}
	}
	add(total + of_tasks);
	expected_tasks += omp_get_max_threads();
#endif
}

/* GCC up to 4.8 called these. */
extern void GOMP_parallel_start(void (*body)(void *), void *data, unsigned int threads);
extern void GOMP_parallel_end(void);
static void old_body(void *data)
{
	add(*(long *)data);
}

static void old_parallel(void)
{
	long value = 12;

	GOMP_parallel_start(old_body, &value, 2);
	old_body(&value);
	GOMP_parallel_end();
}

int main(int argc, char **argv)
{
	int repetitions = argc > 1 ? atoi(argv[1]) : 1;

	for (long i = 0; i < N; i++)
		values[i] = i * i % 97;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	omp_set_max_active_levels(2);
	for (int i = 0; i < repetitions; i++) {
		loops();
		doacross();
		doacross_of_two();
		doacross_of_seventeen();
		doacross_of_twenty();
		sections();
		mutexes();
		atomics();
		tasks();
#pragma omp parallel
#pragma omp single
		detached();
		others();
		teams();
		scopes();
		old_parallel();
	}
	printf("%ld\n", sum);
	printf("chunks %ld\niterations %ld\ntasks_begun %ld\ntasks_done %ld\ntaskwaits %ld\n", expected_chunks, expected_iterations, expected_tasks, expected_tasks,
	       expected_waits);
	printf("mutex_acquired %ld\nmutex_released %ld\n", expected_mutexes, expected_releases);
	return 0;
}
