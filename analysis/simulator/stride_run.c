/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a stride run. */
#include "analysis/simulator/stride_run.h"

#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/non_temporal.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/tlb.h"

static struct access access_of(const struct simulator *simulator, struct core *core,
			       const struct stride_run *run, uint64_t address)
{
	struct simulator_counters *counters = stride_run_counters(simulator, core, run);
	uint32_t slot = (uint32_t)(counters - core->counters);

	return (struct access){
		.address = address,
		.last = address + run->bytes - 1,
		.slot = slot,
		.whole = slot,
		.site = run->site,
		.write = run->write,
		.core = (uint8_t)core->number,
		.bypass = stride_run_bypasses(simulator, run),
		.counters = counters,
	};
}

void stride_run_access(struct simulator *simulator, struct core *core, const struct stride_run *run,
		       uint64_t address)
{
	stride_run_access_from(simulator, core, run, address, address);
}

void stride_run_access_from(struct simulator *simulator, struct core *core,
			    const struct stride_run *run, uint64_t address, uint64_t from)
{
	struct access access = access_of(simulator, core, run, address);

	if (run->non_temporal)
		non_temporal_write(simulator, core, &access);
	else
		hierarchy_access(simulator, core, &access, from);
}

void stride_run_access_absent(struct simulator *simulator, struct core *core,
			      const struct stride_run *run, uint64_t address, uint32_t tlb_way)
{
	struct access access = access_of(simulator, core, run, address);

	if (tlb_way == NO_WAY) {
		access.counters->cycles += tlb_access(simulator, core, &access);
	} else if (core->tlb[0].tags) {
		cache_touch(&core->tlb[0], tlb_way);
		access.counters->cycles += simulator->model.tlb[0].latency;
	}
	hierarchy_access_absent(simulator, core, &access);
}

void stride_run_translate(struct simulator *simulator, struct core *core,
			  const struct stride_run *run, uint64_t address)
{
	struct access access = access_of(simulator, core, run, address);

	access.counters->bypassed += access.bypass;
	access.counters->cycles += stride_run_held_cycles(simulator, core,
							  access.bypass ? L2 : L1) -
				   simulator->model.tlb[0].latency +
				   tlb_access(simulator, core, &access);
}

void stride_run_fetch(struct simulator *simulator, struct core *core, const struct stride_run *run,
		      uint64_t address, uint64_t wanted)
{
	struct access access = access_of(simulator, core, run, address);

	prefetch_fetch(simulator, core, &access, wanted);
}
