/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of nodes of 16 bytes in random order, beside strings that come and go, both allocated in serial code before the first parallel region. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	double value;
	struct node *next;
};

enum { LISTS = 64, NODES = 200000 };

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	struct node *heads[LISTS] = { NULL };
	unsigned random = 1;
	double sum = 0;

	for (int i = 0; i < NODES; i++) {
		struct node *node = malloc(sizeof(*node));        /* HERE: node */
		char *name = strdup("a name that is longer than a node is");

		random = random * 1664525u + 1013904223u;
		node->value = name[i % 8];
		node->next = heads[random >> 26];
		heads[random >> 26] = node;
		free(name);
	}
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int list = 0; list < LISTS; list++)
			for (struct node *node = heads[list]; node; node = node->next)
				sum += node->value;
	}
	printf("%g\n", sum);
	return 0;
}
