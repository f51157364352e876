// SPDX-License-Identifier: Apache-2.0
// Variables of C++ with static storage. The lines are in the table of tests/unit/declared.c.
#include <cstdio>
#include <vector>

namespace phys {
double field[40];
namespace { int anonymous[6]; }
inline namespace v2 { float versioned[3]; }
struct state {
	static double shared[11];
	struct nested { static long deep[2]; };
	double *data;
	int n;
};
double state::shared[11];
long state::nested::deep[2];
state now;
}
template <typename T> struct box { static T slots[9]; };
template <typename T> T box<T>::slots[9];
std::vector<double> values;
static phys::state *head;
struct base { virtual ~base() {} virtual int f() { return 1; } };
struct derived : base { double *own; int f() override { return 2; } } object;
double (&reference)[40] = phys::field;
class grid_t {
public:
	double *p;
	double a[5];
	std::vector<int> inner;
} grid_object;
thread_local int per_thread[3];

__attribute__((noinline)) int work(int k)
{
	static double kept[8];
	auto count = [](int i) __attribute__((noinline)) { static int in_lambda[5]; return in_lambda[i % 5]++; };

	kept[k % 8] += k;
	return (int)kept[(k + 1) % 8] + count(k);
}

int main(int argc, char **argv)
{
	base *b = &object;

	for (int i = 0; i < argc; i++) {
		phys::field[i] = phys::anonymous[i % 6]++ + phys::versioned[i % 3]++;
		phys::state::shared[i % 11] += i;
		phys::state::nested::deep[i % 2] += i;
		box<double>::slots[i % 9] += i;
		per_thread[i % 3] += i;
		values.push_back(i);
		grid_object.inner.push_back(i);
		grid_object.a[i % 5] += i;
	}
	head = &phys::now;
	phys::now.data = grid_object.p = object.own = values.data();
	phys::now.n = argc;
	std::printf("%d %g %g %d %d %s %p %d\n", work(argc), reference[0], values[0], b->f(), per_thread[0], argv[0], (void *)head, phys::now.n);
	std::printf("%g %g %ld %g %d\n", phys::state::shared[argc % 11], box<double>::slots[argc % 9], phys::state::nested::deep[argc % 2],
		    grid_object.a[0] + *grid_object.p + *object.own, phys::anonymous[0]);
	return 0;
}
