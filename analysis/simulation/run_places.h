/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_RUN_PLACES_H
#define MEMSEARCH_SIMULATION_RUN_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * OMP_PLACES and OMP_PROC_BIND (OpenMP 5.2, 21.1.6 and 21.1.5), NULL where they are not set, as
 * cores of a modelled machine: cores_out[i] is that of thread i. False: they bind no threads, are
 * not understood, name CPUs that the machine does not have, or put more threads into a place than
 * it has cores.
 */
struct machine_model;

bool run_places(const char *places, const char *bind, const struct machine_model *model,
		uint32_t threads, uint32_t *cores_out);

#endif
