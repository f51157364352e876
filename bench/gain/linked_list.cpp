// SPDX-License-Identifier: Apache-2.0
// problem  linked lists whose nodes lie in random order: each access waits for the one before
// remedy   arrays
// arrays   nodes
// kinds    irregular_access
#include <cstdio>
#include <cstdlib>
#include <vector>

struct node {
	node *next;
	double value;
	double unused[6];
};

int main()
{
	const int lists = 2, length = 400000;
	std::vector<double> values[lists];
	node *heads[lists] = {};
	node *nodes = static_cast<node *>(std::malloc(sizeof(node) * lists * length));
	std::vector<int> order(lists * length);
	double sum = 0;
	unsigned x = 1;

	for (int i = 0; i < lists * length; i++)
		order[i] = i;
	for (int i = lists * length - 1; i > 0; i--) {
		x = x * 1664525u + 1013904223u;
		std::swap(order[i], order[(x >> 3) % (i + 1)]);
	}
	for (int i = 0; i < lists * length; i++) {
		node *n = &nodes[order[i]];

		n->value = i % 10;
		n->next = heads[i % lists];
		heads[i % lists] = n;
		values[i % lists].push_back(n->value);
	}
	for (int step = 0; step < 30; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int list = 0; list < lists; list++) {                          // hot
#ifdef MENDED
			for (double value : values[list])
				sum += value;
#else
			for (const node *n = heads[list]; n; n = n->next)
				sum += n->value;                                    // hot
#endif
		}
	}
	std::printf("%.6g\n", sum);
	std::free(nodes);
	return 0;
}
