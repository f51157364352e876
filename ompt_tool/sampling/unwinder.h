/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_UNWINDER_H
#define MEMSEARCH_SAMPLING_UNWINDER_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"
#include "ompt_tool/sampling/site_table.h"

/*
 * Follows the stack of a site outwards by CFI (libdw) to the first return address that lies
 * in the program itself or a library that is neither libc, libm, a compiler's or OpenMP's runtime
 * nor memsearch. Where `ip` is already there, the answer is `ip` itself, which is no return
 * address: look up answer - 1 only if the answer is not site->ip. Outside of callbacks.
 * MS_ERR_NOT_FOUND: the stack copy ends before, there is none, or a module has no CFI.
 */
struct module;
struct unwinder;
struct arena;
struct unwinder *unwinder_new(struct arena *arena, const struct module *modules, size_t nr_modules);
void unwinder_free(struct unwinder *unwinder);
enum ms_status unwinder_own_code(struct unwinder *unwinder, const struct sample_site *site,
				 uint64_t *return_address_out);

#endif
