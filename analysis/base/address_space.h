/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_ADDRESS_SPACE_H
#define MEMSEARCH_BASE_ADDRESS_SPACE_H

#include <stddef.h>

/* Bytes of address space that the program may still take (`ulimit -v`); SIZE_MAX: there is no limit, or it is not known. No malloc. */
size_t address_space_left(void);

#endif
