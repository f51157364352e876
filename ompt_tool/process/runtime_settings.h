/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_RUNTIME_SETTINGS_H
#define MEMSEARCH_PROCESS_RUNTIME_SETTINGS_H

#include <omp-tools.h>

/*
 * What a runtime does differently only because of memsearch is set as it would be.
 *
 * flang (19 at least) does not tell the runtime what kind of work-sharing construct it compiled. As
 * soon as a tool asks for `work` events, libomp prints "OMP: Warning #189 … Cannot determine
 * workshare type" at the first static loop; the program alone prints nothing.
 *
 * And a program built for libgomp, which runs on libomp because of us, would not hear from libgomp
 * what libomp has to say of it: that functions are deprecated (omp_set_nested), that a team is
 * smaller.
 *
 * In both this turns the warnings of libomp off, unless the user decided about them (KMP_WARNINGS).
 * Those about the environment were given by then; later ones, such as too few threads, are lost, as
 * the level before cannot be restored.
 *
 * A program built for libgomp also keeps each thread's rounding and exception masks
 * (KMP_INHERIT_FP_CONTROL): libomp gives workers those of the initial thread at every region, and
 * that thread its own back at the end.
 */
void runtime_settings_adapt(ompt_function_lookup_t lookup);
/*
 * What a runtime of these names takes at least to hand out a chunk of a dynamic loop. Measured
 * (bench/gomp.sh) on one thread: 11 ns with libgomp, 50 with libomp, where it is several hundred
 * with many threads; 10 and 100 are low estimates.
 */
double runtime_settings_chunk_ns(const char *names);

#endif
