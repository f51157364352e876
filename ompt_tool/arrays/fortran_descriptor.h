/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_FORTRAN_DESCRIPTOR_H
#define MEMSEARCH_ARRAYS_FORTRAN_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads Fortran descriptors (allocatable, pointer) while the program runs: gfortran's
 * (libgfortran.h, since GCC 8) and flang's, which follows ISO_Fortran_binding.h (Fortran 2018,
 * 18.5.3). The format is recognised by the contents.
 */
struct array;

/*
 * Fills bounds and element size of `row` from the descriptor in `bytes`; its base may be anywhere
 * in a block of `block_bytes`. False: it is neither, or does not fit: nothing is changed.
 */
bool fortran_descriptor_read(const unsigned char *descriptor, size_t bytes, uint64_t block_bytes,
			     struct array *row);

#endif
