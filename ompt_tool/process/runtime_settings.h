/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUNTIME_SETTINGS_H
#define MEMSEARCH_PROCESS_RUNTIME_SETTINGS_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Changes settings of a runtime that behaves differently because of memsearch, so that the program
 * runs as without it.
 *
 * flang (19 at least) does not pass the kind of a work-sharing construct to the runtime. As soon as
 * a tool registers `work`, libomp prints "OMP: Warning #189 … Cannot determine workshare type" at
 * the first static loop; without a tool it prints nothing.
 *
 * A program built for libgomp that runs on libomp because of memsearch would print libomp's own
 * warnings, such as deprecated functions (omp_set_nested), or a smaller team.
 *
 * Both cases disable the warnings of libomp, unless the user set KMP_WARNINGS. Those about the
 * environment were printed before; later ones, such as too few threads, are lost, because the
 * previous level cannot be restored.
 *
 * For a program built for libgomp each thread also keeps its rounding mode and exception masks
 * (KMP_INHERIT_FP_CONTROL): libomp sets those of the initial thread on workers at every region, and
 * restores the initial thread's own at the end.
 */
void runtime_settings_adapt(ompt_function_lookup_t lookup);
/*
 * Calls omp_set_num_threads of the first runtime, which sets the number for the calling thread. On
 * the program's stack. False: the runtime has no such function.
 */
bool runtime_settings_set_threads(uint32_t threads);
/*
 * Minimum cost of a chunk of a dynamic loop in a runtime of these names, in ns. Measured
 * (bench/gomp.sh) on one thread: 11 ns with libgomp, 50 with libomp, where it is several hundred
 * with many threads; 10 and 100 are low estimates.
 */
double runtime_settings_chunk_ns(const char *names);

#endif
