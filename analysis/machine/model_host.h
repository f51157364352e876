/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MACHINE_MODEL_HOST_H
#define MEMSEARCH_MACHINE_MODEL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/machine/model.h"

/*
 * This machine as a model: cores, nodes and caches by hwloc (topology.h, which says what that costs
 * and where it may be done), TLBs by CPUID where the CPU has it, clock and page size by the kernel.
 * The latency of memory is that of the calibration (bandwidth.h), if there
 * is one that is certain. Other latencies, replacement and prefetchers have no source: they are
 * typical of current servers, and the model's source says so, and what hwloc found; virtual machines
 * may report any caches.
 */
struct arena;
struct model_file;
struct topology;

struct host_facts {
	const char *cpu;          /* the kind, "" unknown */
	double hz;                /* 0: not known */
	uint32_t page, huge_page; /* bytes; huge_page 0: the kernel has none */
	bool is_virtual;          /* the CPU says that there is a hypervisor */
	struct model_tlb tlb[2];  /* entries 0: not known; latency is not known ever */
	double latency;           /* of memory, seconds, by the calibration; 0: not known */
};

/* NULL: no memory. Its path is "host"; where this machine cannot be modelled a mistake says why. */
const struct model_file *model_host(struct arena *arena);
/* The same of facts that are known already. */
const struct model_file *model_host_of(struct arena *arena, const struct topology *topology,
				       const struct host_facts *facts);

/* TLBs for data in 4-KiB pages by CPUID; entries 0: unknown, as on all but x86-64. */
void host_tlbs(struct model_tlb out[2]);
/* Of the text of /proc/cpuinfo and, in kHz, of cpufreq's base frequency or, 0, of none. */
double host_hz(const char *cpuinfo, uint64_t base_khz);

#endif
