/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_H
#define MEMSEARCH_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/machine/model.h"

/*
 * The simulated PMU: recorded accesses of all threads run on a modelled machine, counted exactly by thread and slot, whatever
 * this host is. A slot is whatever its user counts apart, as a rule (region, loop, data structure, site); so counters
 * restricted to an address range are the slots of one data structure.
 *
 *     thread 0: walk, walk, …  ┐  logical   ┌─ L1 ─ L2 ─┐
 *     thread 1: walk, walk, …  ┼─────────▶  ├─ L1 ─ L2 ─┼─ L3 ─ memory of a node      counters[thread][slot]
 *     thread n: walk, walk, …  ┘   time     └─ L1 ─ L2 ─┘
 *
 * A window is what all threads accessed between two points where they met. Thread i runs on core i, from the node
 * core / (cores / nodes). Threads take turns in the order of their numbers, TURN accesses each, until all have
 * come to the end of their walks: this is the order of all accesses, on any host.
 *
 * What an access does (also in tests/unit/reference_simulator.c, which is this text in the plainest code):
 *
 * 1. Its bytes lie in one or more lines; an access counts once, at a level as a miss if any of its lines misses there.
 *    Lines are taken in rising order, each through all levels before the next. All state below is of lines.
 * 2. TLB: of the page of its first byte, and of that of its last byte if that is another. Each is looked for in the first TLB,
 *    then in the second; one that neither knows is walked for, and is entered in both, one that the second knows in the first.
 *    TLBs are LRU, set = page number mod sets, of the core.
 * 3. L1, L2 of the core. Set = line number mod number of sets. A hit makes the line the newest (LRU), or turns the tree away from it (PLRU). A miss goes
 *    on to the next level and then enters the line in place of an empty way (the lowest), else the victim. Not entered: a write into
 *    a `write_around` cache. Not looked at: L1 by a floating-point access where `float_bypasses`.
 * 4. A dirty line that is displaced is written into the next level that holds it, which makes it dirty there and changes no order; else
 *    to memory (`write_backs`). L1 and L2 hold lines independently of each other. In a `write_through` cache nothing is dirty: a write that hits it makes
 *    the line dirty in the next level that holds it and is no access there, else it goes to memory (`write_backs`).
 * 5. L3: `non_inclusive`: as above. `inclusive`: a line it displaces leaves L1 and L2 of the cores that share it, dirty ones written back.
 *    `exclusive`: a hit takes the line out of L3 (dirty, if it was, into L2); a miss enters nothing; what L2 displaces enters L3
 *    (at once the newest), and what L3 then displaces, if dirty, goes to memory. With no L2, L1 stands for it.
 * 6. Coherence, by lines of the coherence size (the largest line of any level). Private caches of a core hold a line shared, exclusive or modified.
 *    An access that the private caches of a core do not hold, where another core holds the line modified, is served by that one (`transfers`; also
 *    looked up, and entered, in L3 as ever): a read leaves it shared and clean there, having written it back, a write invalidates it. A read makes the line exclusive
 *    if no other core holds it, else shared, and so it is with all who hold it; a write takes it from all other cores' L1 and L2 and from the
 *    L3s that the writing core does not use, and makes it modified. A write to a line held shared is an `upgrade` and no miss.
 * 7. Memory: the page's node is that of the first core that accesses it, or what simulator_place said, or page number mod
 *    nodes with `interleave`. `dram_local` or `dram_remote` for a line that no cache delivered.
 * 8. Cycles of an access: the latency of what delivered its line (the slowest of them), less that of L1, plus what the TLB adds.
 * 9. Class of a miss at a level, by the first line of the access that misses there. Coherence: the line was in this cache and was last taken
 *    from it by another core's write; `true_sharing` if the access touches a word (4 bytes) that another core wrote from that write on, else
 *    `false_sharing`. Else cold: it was never in this cache. Else `conflict` if a fully associative LRU cache of as many lines, which has
 *    seen the same accesses, holds it; else `capacity`. (Lines taken away by coherence or back-invalidation leave the associative one, too.)
 * 10. Utilisation: words of 4 bytes touched of those fetched, of lines in L2 (in L1, where there is no L2), from being entered until they leave; belongs to
 *    the slot whose access brought the line. At simulator_counters what is still there counts as it is.
 * 11. Prefetches enter L2 (L1 without L2), and L3 as misses do, touch no TLB, stay in the page, and are `prefetches` of the slot that caused them. `next_line`: a demand miss in the level
 *    asks for the next line. `strides`: a site whose last two accesses went on by the same distance of at most half a page asks at its next for the line
 *    that is two distances (at least one line) further. The first demand access that finds such a line there is `prefetched`, once.
 */
#define SIMULATOR_TURN 256               /* accesses */
#define SIMULATOR_MAX_THREADS MODEL_CORES

enum simulator_class { CLASS_COLD, CLASS_CAPACITY, CLASS_CONFLICT, CLASS_TRUE_SHARING, CLASS_FALSE_SHARING, SIMULATOR_CLASSES };

struct simulator_counters {              /* of one thread and slot */
	uint64_t reads, writes;          /* accesses; one that does both (an atomic addition) is a write */
	uint64_t read_misses[MODEL_LEVELS], write_misses[MODEL_LEVELS];
	uint64_t classes[MODEL_LEVELS][SIMULATOR_CLASSES];
	uint64_t bypassed;               /* accesses that did not look at L1 */
	uint64_t transfers, upgrades;
	uint64_t dram_local, dram_remote;
	uint64_t write_backs;            /* lines written to memory, and writes that went there; of whoever displaced them */
	uint64_t tlb_misses, tlb_walks;  /* not known to the first TLB; to none */
	uint64_t prefetches, prefetched;
	uint64_t fetched_bytes, used_bytes;
	uint64_t cycles;
};

/* One access, or many at constant distances. Walks of a group take turns: first access of each, second of each, … */
struct simulator_walk {
	uint64_t address;
	int64_t stride;
	uint64_t times;                  /* of a group: the same in all of it */
	uint32_t bytes;                  /* of one access, not 0 */
	uint32_t slot, site;
	uint8_t group;                   /* how many walks, this one included, go on together; 0 for the following ones of a group */
	bool write, is_float;
};

/* What one thread accesses in a window: `next` gives more walks, 0: that was all. Groups come whole. */
struct simulator_trace {
	size_t (*next)(void *ctx, const struct simulator_walk **walks_out);
	void *ctx;
};

struct simulator;

/*
 * NULL: no memory, or a model or number of threads that cannot be simulated (errno EINVAL: model_check tells why before).
 * Memory is mapped, never malloc's; `slots` at most, of each thread. One thread at a time.
 */
struct simulator *simulator_new(const struct machine_model *model, uint32_t threads, uint32_t slots);
void simulator_free(struct simulator *simulator);
size_t simulator_memory(const struct simulator *simulator);      /* bytes in use */

/* Pages [address, address + bytes) are on this node, unless they were accessed before. */
void simulator_place(struct simulator *simulator, uint64_t address, uint64_t bytes, uint32_t node);
/* All threads' walks, `traces` by thread, to their ends. False: memory was short, so that what follows is not exact (simulator_lost). */
bool simulator_window(struct simulator *simulator, const struct simulator_trace *traces);
/* Nothing accessed so far counts; caches stay as they are: after a window that warmed them. */
void simulator_clear_counters(struct simulator *simulator);
/* NULL: nothing was counted. Constant until the next window. */
const struct simulator_counters *simulator_counters(struct simulator *simulator, uint32_t thread, uint32_t slot);

/*
 * Lines whose history found no room: their misses are counted, their classes may say capacity for cold, and conflict.
 * 0: everything is exact.
 */
uint64_t simulator_lost(const struct simulator *simulator);

#endif
