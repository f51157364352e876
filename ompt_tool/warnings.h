/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_WARNINGS_H
#define MEMSEARCH_WARNINGS_H

#include <omp-tools.h>

/*
 * flang (19 at least) does not tell the runtime what kind of work-sharing construct it compiled.
 * As soon as a tool asks for `work` events, libomp prints "OMP: Warning #189 … Cannot determine
 * workshare type" at the first static loop; the program alone prints nothing.
 *
 * And a program built for libgomp, which runs on libomp because of us, would not hear from libgomp what libomp has to say
 * of it: that functions are deprecated (omp_set_nested), that a team is smaller.
 *
 * In both this turns the warnings of libomp off, unless the user decided about them (KMP_WARNINGS). Those about the
 * environment were given by then; later ones, such as too few threads, are lost, as the level before cannot be restored.
 */
void warnings_silence(ompt_function_lookup_t lookup);

#endif
