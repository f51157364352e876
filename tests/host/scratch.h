/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_HOST_SCRATCH_H
#define MEMSEARCH_TESTS_HOST_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * A folder of a test's own, which becomes the working folder and is removed when the test
 * ends well (its process exits); and whole files as bytes.
 */
const char *scratch_enter(void);
void file_write(const char *path, const void *bytes, size_t nr);
/* In malloc'ed memory; NULL: cannot be read. */
uint8_t *file_read(const char *path, size_t *nr_out);

#endif
