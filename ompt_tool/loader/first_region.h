/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_FIRST_REGION_H
#define MEMSEARCH_LOADER_FIRST_REGION_H

/*
 * A program whose first OpenMP construct is a parallel region starts libomp, and by it memsearch,
 * inside of the call that begins the region: too late to exchange the region's body for one that
 * records, and that region may be all of the program. So the program's calls of __kmpc_fork_call
 * lead here. The first one starts the runtime, by what that function does first itself, and
 * continues where the program's tables lead then; later ones go to the runtime's function.
 *
 * In a constructor, if this library is preloaded. On x86-64; on other CPUs, and where the tables
 * cannot be written, nothing changes.
 */
void first_region_prepare(void);

#endif
