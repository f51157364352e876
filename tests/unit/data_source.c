/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from, in the words of three generations of kernels, written with the kernel's own
 * header.
 */
#include "ompt_tool/sampling/data_source.h"
#include "tests/unit/test.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#define OP(name) ((uint64_t)PERF_MEM_OP_##name << PERF_MEM_OP_SHIFT)
#define LVL(name) ((uint64_t)PERF_MEM_LVL_##name << PERF_MEM_LVL_SHIFT)
#define NUM(name) ((uint64_t)PERF_MEM_LVLNUM_##name << PERF_MEM_LVLNUM_SHIFT)
#define SNOOP(name) ((uint64_t)PERF_MEM_SNOOP_##name << PERF_MEM_SNOOP_SHIFT)
#define TLB(name) ((uint64_t)PERF_MEM_TLB_##name << PERF_MEM_TLB_SHIFT)
#define REMOTE ((uint64_t)PERF_MEM_REMOTE_REMOTE << PERF_MEM_REMOTE_SHIFT)
/* 1: another core of the node, 2: another node, 3: another socket */
#define HOPS(n) ((uint64_t)(n) << 43)
#define NOT_TOLD \
	(OP(NA) | LVL(NA) | SNOOP(NA) | TLB(NA) | \
	 (uint64_t)PERF_MEM_LVLNUM_NA << PERF_MEM_LVLNUM_SHIFT)

static const struct {
	int line;
	uint64_t bits;
	struct data_source want;
} cases[] = {
	/* one bit a level: kernels before 4.14, and what they gave for Haswell */
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(L1) | TLB(HIT) | TLB(L1) | TLB(L2),
	  { .load = true, .by = SERVED_L1 } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(LFB),
	  { .load = true, .by = SERVED_BUFFER, .missed = 1 } },
	{ __LINE__, OP(LOAD) | LVL(HIT) | LVL(L2), { .load = true, .by = SERVED_L2, .missed = 1 } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(L3) | SNOOP(HITM),
	  { .load = true, .by = SERVED_L3, .missed = 2, .modified = true } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(REM_CCE1) | SNOOP(HITM),
	  { .load = true, .by = SERVED_CACHE, .missed = 3, .remote = true, .modified = true } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(LOC_RAM),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3 } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(REM_RAM1) | TLB(MISS) | TLB(L2),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true, .walked = true } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(REM_RAM2),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true } },
	{ __LINE__, OP(LOAD) | LVL(HIT) | LVL(UNC), { .load = true, .by = SERVED_DEVICE } },
	/* stores: whether they hit the first level, and no more */
	{ __LINE__, OP(STORE) | LVL(HIT) | LVL(L1), { .store = true, .by = SERVED_L1 } },
	{ __LINE__, OP(STORE) | LVL(MISS) | LVL(L1) | TLB(HIT), { .store = true, .missed = 1 } },
	/* numbers: since 4.14, Skylake and later */
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(L3) | NUM(L3) | SNOOP(NONE),
	  { .load = true, .by = SERVED_L3, .missed = 2 } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(LOC_RAM) | NUM(RAM),
	  { .load = true, .by = SERVED_MEMORY, .missed = 3 } },
	{ __LINE__,
	  OP(LOAD) | LVL(HIT) | LVL(REM_RAM1) | NUM(RAM) | REMOTE,
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true } },
	{ __LINE__, OP(LOAD) | LVL(MISS) | LVL(L3) | NUM(L3), { .load = true, .missed = 3 } },
	{ __LINE__,
	  OP(LOAD) | NUM(PMEM) | REMOTE,
	  { .load = true, .by = SERVED_MEMORY, .missed = 3, .remote = true } },
	/* distances: since 5.16, Zen 4 and POWER10, without levels by bits */
	{ __LINE__,
	  OP(LOAD) | NUM(L2) | REMOTE | HOPS(1),
	  { .load = true, .by = SERVED_CACHE, .missed = 3 } },
	{ __LINE__,
	  OP(LOAD) | NUM(L3) | REMOTE | HOPS(3),
	  { .load = true, .by = SERVED_CACHE, .missed = 3, .remote = true } },
	{ __LINE__,
	  OP(LOAD) | NUM(ANY_CACHE) | REMOTE | HOPS(2) | SNOOP(HITM),
	  { .load = true, .by = SERVED_CACHE, .missed = 3, .remote = true, .modified = true } },
	{ __LINE__,
	  OP(LOAD) | OP(STORE) | NUM(RAM) | REMOTE | HOPS(3),
	  { .load = true, .store = true, .by = SERVED_MEMORY, .missed = 3, .remote = true } },
	{ __LINE__,
	  OP(LOAD) | NUM(L1) | TLB(WK),
	  { .load = true, .by = SERVED_L1, .walked = true } },
	/*
	 * nothing is told, as by IBS of what accesses no data; software events leave it at that,
	 * too
	 */
	{ __LINE__, NOT_TOLD, { .by = SERVED_UNKNOWN } },
	{ __LINE__, 0, { .by = SERVED_UNKNOWN } },
	/* bits that no kernel has yet change nothing */
	{ __LINE__,
	  1ull << 63 | 1ull << 50 | OP(LOAD) | LVL(HIT) | LVL(L2) | NUM(L2),
	  { .load = true, .by = SERVED_L2, .missed = 1 } },
};

TEST(data_source__each_layout)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct data_source have = data_source_of(cases[i].bits), want = cases[i].want;

		if (have.load != want.load || have.store != want.store || have.by != want.by ||
		    have.missed != want.missed || have.remote != want.remote ||
		    have.modified != want.modified || have.walked != want.walked)
			test_fail(__FILE__, cases[i].line,
				  "op %d%d by %d missed %u remote %d modified %d walked %d",
				  have.load, have.store, have.by, have.missed, have.remote,
				  have.modified, have.walked);
	}
}

TEST(data_source__any_word_is_read)
{
	unsigned int served = 0;

	srandom(1);
	for (int i = 0; i < 100000; i++) {
		struct data_source source = data_source_of(
			(uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random());

		CHECK(source.by <= SERVED_DEVICE && source.missed <= 3);
		served |= 1u << source.by;
	}
	CHECK_INT(served, (1u << (SERVED_DEVICE + 1)) - 1);
}
