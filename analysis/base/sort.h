/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_SORT_H
#define MEMSEARCH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * qsort(3) without its malloc: heapsort in place (Williams, CACM 7(6), 1964), O(n log n), not
 * stable. For code that runs inside the user's program. Elements of at most 256 bytes.
 */
void sort(void *items, size_t nr, size_t bytes, int (*order)(const void *a, const void *b));

/* Ascending orders of numbers (uint32_t), and of addresses (uintptr_t). */
int sort_by_number(const void *a, const void *b);
int sort_by_address(const void *a, const void *b);

#endif
