// SPDX-License-Identifier: Apache-2.0
// Exceptions within parallel regions, loops, sections and tasks: thrown by callees, caught and thrown again by outlined code.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define NOT_INLINED __attribute__((noinline))
static long destroyed;
struct Guard {
	long *count;
	~Guard()
	{
#pragma omp atomic
		++*count;
	}
};

NOT_INLINED static int risky(int i)
{
	Guard guard = { &destroyed };
	if (i % 5 == 1)
		throw std::out_of_range(std::string(i % 17, 'o'));
	if (i % 5 == 3)
		throw i;
	return 2 * i;
}

NOT_INLINED static int passes_on(int i)
{
	std::vector<int> some(i % 9 + 1, i);
	Guard guard = { &destroyed };
	try { return risky(i) + some[0]; }
	catch (const std::out_of_range &e) { if (i % 2) throw; return (int)std::string(e.what()).size(); }
}

static long in_loop(int n)
{
	long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
	for (int i = 0; i < n; i++) {
		try { Guard guard = { &destroyed }; sum += passes_on(i); }
		catch (const std::exception &e) { sum += 1000 + e.what()[0]; }
		catch (int k) { sum += 3 * k; }
	}
	return sum;
}

static long nested(int n)
{
	long sum = 0;
#pragma omp parallel reduction(+ : sum)
	{
		try {
#pragma omp for nowait
			for (int i = 0; i < n; i++) {
				try { sum += risky(i); }
				catch (...) {
					try { throw std::runtime_error("again"); }
					catch (const std::runtime_error &e) { sum += e.what()[1]; }
				}
			}
			if (n > 10)
				throw 7L;
		}
		catch (long k) {
#pragma omp single
			sum += k;
		}
	}
	return sum;
}

static long in_tasks(int n)
{
	long sum = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) shared(sum)
		{
			long mine;
			try { mine = passes_on(i); }
			catch (int k) { mine = -k; }
			catch (const std::exception &) { mine = 11; }
#pragma omp atomic
			sum += mine;
		}
	}
	return sum;
}

static long in_sections()
{
	long a = 0, b = 0;
#pragma omp parallel sections
	{
#pragma omp section
		try { a = risky(3); } catch (int k) { a = 100 + k; }
#pragma omp section
		try { b = risky(1); } catch (const std::logic_error &e) { b = 200 + e.what()[0]; }
	}
	return 1000 * a + b;
}

int main()
{
	for (int step = 0; step < 20; step++)
		printf("%ld %ld %ld %ld\n", in_loop(500 + step), nested(300 + step), in_tasks(100 + step), in_sections());
	printf("destroyed %ld\n", destroyed);
	return 0;
}
