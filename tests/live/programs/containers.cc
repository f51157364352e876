/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the C++ library's containers, whose code is inlined from its headers, and in an own one. */
#include <cstdio>
#include <map>
#include <unordered_map>

static unsigned long mix(unsigned long x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
	return x ^ x >> 31;
}

class buffer {
	int *data;

public:
	explicit buffer(int n) : data(new int[n]()) {}
	int &operator[](int i) { return data[i]; } /* HERE: accessor */
};

int main()
{
	buffer own(100000);
	std::map<int, int> ordered;
	std::unordered_map<int, int> hashed; /* HERE: declared */
	long sum = 0;

	for (int i = 0; i < 300000; i++) {
		ordered[static_cast<int>(mix(i))] = i;
		hashed[static_cast<int>(mix(i))] = i;
	}
	for (int step = 0; step < 12; step++)
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100000; i++) {
			auto at = ordered.lower_bound(static_cast<int>(mix(7 * i))); /* HERE: ordered */

			sum += at != ordered.end();
			sum += own[i]; /* HERE: own */
			sum += hashed.find(static_cast<int>(mix(i))) != hashed.end(); /* HERE: hashed */
		}
	std::printf("%ld\n", sum);
	return 0;
}
