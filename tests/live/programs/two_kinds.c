/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of lists and of trees, as many of each, in random order. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	double value;
	struct node *next;
};

struct branch {
	long key;
	struct branch *sides[2];
};

enum { LISTS = 64, NODES = 100000 };

static unsigned random_bits;

static unsigned next_random(void)
{
	random_bits = random_bits * 1664525u + 1013904223u;
	return random_bits >> 8;
}

static struct node *add_node(struct node *next)
{
	struct node *node = malloc(sizeof(*node));

	node->value = 1;
	node->next = next;
	return node;
}

static void add_branch(struct branch **root, long key)
{
	struct branch *branch = calloc(1, sizeof(*branch)); /* HERE: branch */

	while (*root)
		root = &(*root)->sides[key > (*root)->key];
	branch->key = key;
	*root = branch;
}

static long depth(const struct branch *root, long key)
{
	long depth = 0;

	for (; root; root = root->sides[key > root->key])
		depth++;
	return depth;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 20;
	struct node *heads[LISTS] = { NULL };
	struct branch *root = NULL;
	double sum = 0;

	for (int i = 0; i < NODES; i++) {
		unsigned list = next_random() % LISTS;

		heads[list] = add_node(heads[list]);        /* HERE: node */
		add_branch(&root, next_random());
	}
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for reduction(+ : sum)
		for (int list = 0; list < LISTS; list++) {
			for (struct node *node = heads[list]; node; node = node->next)
				sum += node->value;
			for (long key = 0; key < 1000; key++)
				sum += depth(root, key * 16000 + list);
		}
	}
	printf("%g\n", sum);
	return 0;
}
