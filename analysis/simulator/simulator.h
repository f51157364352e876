/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_H
#define MEMSEARCH_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/machine/model.h"
#include "analysis/simulator/simulator_counters.h"

/*
 * The cache simulator: runs recorded accesses of all threads on a modelled machine and counts them
 * exactly by thread and slot, independent of this host. A slot is a unit chosen by the caller,
 * usually (region, loop, data structure, site); so counters restricted to an address range are the
 * slots of one data structure.
 *
 *     thread 0: run, run, …  ┐  logical   ┌─ L1 ─ L2 ─┐
 *     thread 1: run, run, …  ┼─────────▶  ├─ L1 ─ L2 ─┼─ L3 ─ memory of a node      counters[thread][slot]
 *     thread n: run, run, …  ┘   time     └─ L1 ─ L2 ─┘
 *
 * A window has the accesses of all threads between two synchronisation points. Thread i runs on
 * core i, of the node core / (cores / nodes). Threads run in time slices, in the order of their
 * numbers, until all have ended: this defines the order of all accesses, on any host. A slice has
 * SIMULATOR_SLICE accesses if the thread's previous slice of the window had none to a remotely
 * written line (14), else SIMULATOR_SHARED_SLICE. It may end within a group.
 *
 * The rules of an access (tests/unit/reference_simulator.c implements them without optimisations).
 * "The next level" and the like mean levels that the model has; addresses wrap at 2^64.
 *
 * 1. Its bytes lie in pieces: lines of the smallest line size of all levels, taken in rising order,
 *    each through all levels before the next. At a level a piece means the line of that level it
 *    lies in. Once an access count: reads, writes, bypassed, misses and classes (a level is missed
 *    if any piece misses there). By the piece: transfers, upgrades, dram_*, prefetched. By the page
 *    looked up: tlb_misses, tlb_walks.
 * 2. TLB, before all else: of the page of the first byte, and of that of the last byte if that is
 *    another. Each is looked up in the first TLB, then in the second. A page in neither takes a
 *    walk and enters both; a page in the second enters the first. LRU, set = page number mod sets;
 *    TLBs are private to cores. Without a first TLB nothing is counted.
 * 3. L1, L2 of the core, then L3. Set = line number mod number of sets. A hit makes the line the
 *    newest (LRU), or turns the tree away from it (PLRU: each node on the way to it then points to
 *    its other half; at first to the lower). A piece that misses is looked for in the next level,
 *    at last in memory; then it is entered from the outside in (L3, L2, L1), in place of an empty
 *    way (the lowest), else of the oldest, or where the tree points to, and is touched as by a hit.
 *    Not entered: a write into a `write_around` cache. Not accessed, nor entered: L1 by a
 *    floating-point access where `float_bypasses`. Invalidated lines leave the tree unchanged.
 * 4. A write makes the piece's line dirty in the first level it accessed or could have (from L1
 *    outward, not L1 where bypassed) that then holds it and is not `write_through`; where none
 *    does, it goes to memory (`write_backs`). A dirty line that is evicted is written into the
 *    first level further out that holds it and is not `write_through`, which makes it dirty there
 *    and changes no order, else to memory (`write_backs`, of the slot whose access evicted it). L1
 *    and L2 hold lines independently of each other.
 * 5. L3: `non_inclusive`: as above. `inclusive`: a line it evicts leaves L1 and L2 of the cores
 *    that share it; if it or any of those was dirty, that is one write-back. `exclusive`: a hit
 *    takes the line out of L3 (dirty, if it was, into L2); a miss enters nothing; lines that L2
 *    evicts enter L3 (the newest then, dirty if either was), and a dirty line that L3 then evicts
 *    goes to memory. With no L2, L1 stands for it.
 * 6. Coherence, by lines of the largest line size of any level; only what caches hold counts, there
 *    are no other states. A core holds a line if its L1 or L2 hold any of it, modified if any of
 *    that is dirty. It acts on a piece after L1 and L2 were accessed, before L3:
 *    a) All accessed private caches missed, and another core holds the line modified: that core
 *       delivers it (`transfers`; it is also looked up, and entered, in L3 by rule 3). A read
 *       leaves it clean there; it is written (one line) into L3 of that core if that holds it, else
 *       to memory (`write_backs` of the reader).
 *    b) A write invalidates the line in all other cores' L1 and L2, and in the L3s that the writing
 *       core does not use, without a write-back. If an accessed private cache held the piece, and
 *       another core any of the line, that is an `upgrade`: no miss, 0 cycles.
 * 7. Memory: a page's node is that of the first core that accesses it, or page number mod nodes
 *    with `interleave`; before both, what simulator_place said. `dram_local` or `dram_remote` for a
 *    piece that no cache delivered, also where it is entered nowhere.
 * 8. Cycles of an access: the latency of what delivered its piece (the slowest of them), less that
 *    of L1, plus what the TLB adds (of two pages the sum; a walk: walk_latency alone). A transfer:
 *    transfer_latency, from a core of another node remote_transfer_latency, also where L3 has the
 *    line. Memory: distances, where they are given.
 * 9. Class of a miss at a level that has classes, by the first piece of the access that misses
 *    there, before it changes anything. Coherence: the line was in this cache and last left it by
 *    rule 6b; `true_sharing` if the access touches in that line a word (4 bytes) that another core
 *    (of an L3: one that does not use it) wrote last, and did so at or after the write that last
 *    took the coherence line from this core's L1 or L2 (from this L3), else `false_sharing`. Else
 *    cold: it was never in this cache. Else `conflict` if this cache's shadow holds it; else
 *    `capacity`. The shadow is fully associative, LRU, of as many lines of that size. Looking for a
 *    line in the cache looks for it in the shadow, where a hit makes it the newest; it is entered
 *    there, if it is not there, when it is entered in the cache or hit there, in place of the
 *    oldest when the shadow is full. It leaves the shadow when the cache held it and rules 5
 *    (inclusive) or 6b invalidate it; looking into an exclusive L3 takes it out of both.
 * 10. Utilisation: words of 4 bytes that the core's demand accesses touch of a line in L2 (in L1,
 *     where there is no L2; also those that hit in L1), from its fill until its eviction or
 *     invalidation; counted for the thread and slot whose access fetched the line.
 *     simulator_counters counts lines that are still present as they are. Lines present at
 *     simulator_clear_counters are not counted.
 * 11. Prefetchers request addresses. `next_line`: right after a piece that missed in the level, the
 *     byte behind the level's line of the piece, in the order L1, L2, L3. `strides`: after the
 *     access, in the same order, if it accessed the level. A table of the core and level has
 *     SIMULATOR_STRIDES rows, row = site mod SIMULATOR_STRIDES. A row holds a site (another site
 *     replaces it, without a distance at first), the first byte of its last access, and the
 *     distance from the access before. Distance 0 changes nothing. If an access has the same
 *     distance, of at most half a page, from the last one as that has from the one before, the
 *     address two distances ahead is requested, or one line of L2 (L1 without L2) ahead in that
 *     direction, if that is more. A page has prefetch_page bytes here, where the model has that.
 *     A request has no effect if its address is in another page than the piece's line (the
 *     access's first byte), or its line is in L2 (L1 without L2). Else the line enters that level
 *     as by a read of that core, and L3 likewise: coherence and write-backs as by a read, but no
 *     misses, dram_local, dram_remote, transfers, cycles; L1 and the TLBs do not change. Counted as
 *     `prefetches` of the slot that caused it, and as `dram_prefetches` if neither L3 held the line
 *     nor another core held it modified. The first piece that misses L1 and hits such a line in
 *     that level is `prefetched`, unless simulator_clear_counters was called since.
 * 12. A non-temporal write bypasses all caches. Counting, TLB and its page's node are by rules 1, 2
 *     and 7, the writer of its words by 9; else, for each piece, instead of 3 to 11: the coherence
 *     line leaves all caches of all cores, those of the core and its L3 as by rule 5 (inclusive),
 *     all others as by rule 6b; if any of it was dirty anywhere that is one write-back of the
 *     writer. The write itself is another write-back, unless its line is one of the
 *     SIMULATOR_COMBINING lines of the core's latest non-temporal writes (write combining). No
 *     cache is accessed or entered, and no access waits: no misses, bypassed, dram_*, and no cycles
 *     but those of the TLB.
 * 13. Sampling (simulator_sample): only some lines of coherence are simulated, chosen so that every
 *     set of every level has all its lines, or none. Rules 3 to 10 and 12 apply to simulated lines
 *     only. All accesses count (reads, writes, bypassed), are translated (2), and train the first
 *     level's prefetcher; the first access to a page that takes a walk decides the page's node.
 *     `cycles` are the first-level cost of each access, and beyond that the cost of simulated
 *     lines. A line is prefetched (11) if it is simulated itself, by accesses that reach the level.
 *     The shadow of a level (9) has as many lines as the simulated sets of the level: distances in
 *     sampled lines stand for those in all lines (C. Waldspurger et al., Efficient MRC Construction
 *     with SHARDS, FAST 2015).
 * 14. A line of coherence is remotely written for a core from another core's write to it until the
 *     core accesses it, not by rule 12, and the outermost of its private levels has lines of that
 *     size and is not `write_around`. `remotely_written`: a core's accesses with a byte in such a
 *     line, for all lines, also with sampling. An upper bound of that level's coherence misses (9).
 *     When the history overflows, all accesses count.
 * 15. Nodes (SIMULATE_PAGES): lines from memory are those of dram_local, dram_remote and
 *     dram_prefetches. simulator_node_lines has them by the node of their page; a prefetch does not
 *     decide on that (7). simulator_mark_pages marks each page that cores of several nodes got lines
 *     of: shared; or split, if most of them are of parts, of prefetch_page bytes, that one node has.
 *     From then on `shared_lines` are lines from memory of shared pages, `split_remote` those of
 *     dram_remote of split ones.
 */
#define SIMULATOR_SLICE 256 /* accesses */
/*
 * Where threads write to one line, each slice transfers the line at most once, so that long slices
 * hide transfers. The length depends on the trace alone, not on what caches hold, so that it is the
 * same whichever lines are sampled.
 */
#define SIMULATOR_SHARED_SLICE 32
#define SIMULATOR_MAX_THREADS MODEL_CORES
#define SIMULATOR_STRIDES 256  /* sites a core and level follows */
#define SIMULATOR_REPLICATES 4 /* at most: estimates from parts of the simulated lines */
/* lines whose non-temporal writes become one: processors have 4 to 12 such buffers a core */
#define SIMULATOR_COMBINING 8

/*
 * One access, or a stride run. Runs of a group are interleaved: first access of each, second of
 * each, …
 */
struct stride_run {
	uint64_t address;
	int64_t stride;
	uint64_t times; /* of a group: the same in all of it; 0: nothing */
	uint32_t bytes; /* of one access, not 0 */
	uint32_t slot, site;
	/* number of runs in the group, including this one; 0 for the others of the group */
	uint8_t group;
	bool write, is_float, non_temporal; /* non_temporal: a write (rule 12) */
};

/*
 * The accesses of one thread in a window: `next` returns more runs, 0: end. Groups are never split.
 */
struct simulator_trace {
	size_t (*next)(void *ctx, const struct stride_run **runs_out);
	void *ctx;
};

struct simulator;

/*
 * NULL: no memory, or a model or number of threads that cannot be simulated (errno EINVAL: see
 * model_check). The model is copied. Memory is mapped, not from malloc: for the modelled caches,
 * the counters, and SIMULATOR_HISTORY bytes of eviction histories. Slots are numbers below `slots`;
 * accesses of others are simulated, but not counted. `parts`: enum simulator_parts. One thread at a
 * time.
 */
#define SIMULATOR_HISTORY ((size_t)64 << 20)
struct simulator *simulator_new(const struct machine_model *model, uint32_t threads, uint32_t slots,
				unsigned parts);
/*
 * Simulates with this number of threads from now on, including the caller: in stages (stages.h),
 * which is also faster with one. Counters do not depend on the number, nor on this call. Before the
 * first window. False: no memory; all is simulated at once.
 */
bool simulator_use_threads(struct simulator *simulator, uint32_t jobs);
void simulator_free(struct simulator *simulator);
size_t simulator_memory(const struct simulator *simulator); /* bytes in use */

/*
 * Pages that have a byte in [address, address + bytes) are on this node, unless they were accessed
 * before; the last call counts. SIMULATOR_EVERYWHERE: each node has a copy.
 */
#define SIMULATOR_EVERYWHERE UINT32_MAX
void simulator_place(struct simulator *simulator, uint64_t address, uint64_t bytes, uint32_t node);
/*
 * Pages with accesses to memory so far, and those of them that simulator_place had placed; 0: one
 * node.
 */
struct simulator_pages {
	uint64_t accessed, placed;
};
struct simulator_pages simulator_pages(const struct simulator *simulator);
/*
 * With SIMULATE_PAGES: of each page, by address, the node that it is on, and how many lines cores
 * of a node got from its memory since simulator_clear_counters: those of dram_local, dram_remote
 * and dram_prefetches. A page comes once for each node that got any, and each of its parts (15)
 * that lines were of. With sampling (13), of simulated lines.
 */
typedef void simulator_page(void *ctx, uint64_t address, uint32_t home, uint32_t from,
			    uint64_t lines);
void simulator_each_page(struct simulator *simulator, simulator_page *visit, void *ctx);
/*
 * Marks pages by the lines since simulator_clear_counters (rule 15): a page without any keeps its
 * mark. A node has a page, or part of it, if it got SIMULATOR_OWN of its lines. Between windows.
 */
#define SIMULATOR_OWN 0.9
void simulator_mark_pages(struct simulator *simulator);
/*
 * Simulates a window; `traces` by thread. False: memory was short, later results are not exact
 * (simulator_lost).
 */
bool simulator_window(struct simulator *simulator, const struct simulator_trace *traces);
/* Clears all counters and keeps the caches: after a window that warmed them. */
void simulator_clear_counters(struct simulator *simulator);
/* NULL: there is no such thread or slot. Constant until the next window. */
const struct simulator_counters *simulator_counters(struct simulator *simulator, uint32_t thread,
						    uint32_t slot);

/*
 * Set sampling, before the first window: one line in this number, a power of two from 4 to the
 * sparsest that the machine allows (1: all lines). False: impossible. Values are estimates then:
 * simulator_counters has only values of all lines and of the four in 64 that are always simulated;
 * simulator_estimate has estimates for all lines, each from a fourth of the other simulated lines
 * (a replicate); their spread gives the error of the mean. Effects in few lines may be missed.
 */
#define SIMULATOR_SPARSEST 16 /* of any machine */
uint32_t simulator_sparsest(const struct machine_model *model);
/*
 * Whether recorded samples of 64-byte lines (sampling.h) are those of set sampling on this machine:
 * SHARDS (C. Waldspurger et al., FAST 2015) with sets instead of hash values. `one_in`: 1, 4, 8 or
 * SIMULATOR_SPARSEST.
 */
bool simulator_fits_recorded(const struct machine_model *model, uint32_t one_in);
bool simulator_sample(struct simulator *simulator, uint32_t one_in);
/*
 * Between windows: reduces the sampled lines; the sets of the others keep their state; clears the
 * counters. In shadow caches dropped lines count as not used for long. False: impossible.
 */
bool simulator_thin(struct simulator *simulator, uint32_t one_in);
/* 1: all lines are simulated */
uint32_t simulator_replicates(const struct simulator *simulator);
/* False: there is no such thread, slot or replicate. */
bool simulator_estimate(struct simulator *simulator, uint32_t thread, uint32_t slot,
			uint32_t replicate, struct simulator_counters *out);
/*
 * With SIMULATE_PAGES: the lines from the memory of each node of the model (rule 15), by estimate.
 * False: not counted, or there is no such thread, slot or replicate.
 */
bool simulator_node_lines(struct simulator *simulator, uint32_t thread, uint32_t slot,
			  uint32_t replicate, uint64_t *lines_out);

/*
 * Lines without room in the eviction history: their misses are counted, but may be classified as
 * capacity instead of cold or conflict. 0: everything is exact.
 */
uint64_t simulator_lost(struct simulator *simulator);

#endif
