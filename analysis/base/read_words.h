/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_READ_WORDS_H
#define MEMSEARCH_BASE_READ_WORDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies words of this process that may not be readable: another thread may unmap them, or the program may have removed the right to read
 * (process_vm_readv(2)). Returns how many could be read, from the first on. Any thread; no malloc.
 */
size_t read_words(uintptr_t from, uintptr_t *words, size_t nr);

#endif
