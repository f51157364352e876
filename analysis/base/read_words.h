/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_READ_WORDS_H
#define MEMSEARCH_BASE_READ_WORDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies words of this process that may not be readable: another thread may unmap them, or the
 * program may have removed the right to read (process_vm_readv(2)). `from` is a multiple of the
 * size of a word. Untouched pages of memory are read as 0 and stay untouched, so that the program's
 * first access is still a page fault; pages that are swapped out are read as 0, too (mincore(2)).
 * Returns how many words were read, from the first on. Any thread; no malloc.
 */
size_t read_words(uintptr_t from, uintptr_t *words, size_t nr);

#endif
