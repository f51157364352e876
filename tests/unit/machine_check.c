/* SPDX-License-Identifier: Apache-2.0 */
/* What no machine can be, each with its sentence. */
#include "analysis/machine/model_check.h"

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "tests/unit/test.h"

/* Two sockets of four cores; all that follows is this with something wrong. */
static const struct machine_model good = {
	.name = "good", .source = "a test", .cores = 8, .nodes = 2, .hz = 2e9,
	.cache = {
		{ .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 4 },
		{ .bytes = 1 << 20, .ways = 16, .line = 64, .cores = 1, .latency = 14 },
		{ .bytes = 33 << 20, .ways = 11, .line = 64, .cores = 4, .latency = 50 },
	},
	.tlb = { { .entries = 64, .ways = 4 }, { .entries = 1536, .ways = 12, .latency = 7 } },
	.page = 4096, .walk_latency = 30, .memory_latency = 200, .remote_latency = 300, .transfer_latency = 80, .remote_transfer_latency = 200,
};

static const char *check(const struct machine_model *model)
{
	return model_check(arena_new(), model);
}

/* What each core has of its own, and one third level for four cores or less. */
TEST(machine_check__caches_of_so_many_threads)
{
	CHECK_INT(model_cache_bytes(&good, 1), (32 << 10) + (1 << 20) + (33 << 20));
	CHECK_INT(model_cache_bytes(&good, 4), 4 * (32 << 10) + 4 * (1 << 20) + (33 << 20));
	CHECK_INT(model_cache_bytes(&good, 5), 5 * (32 << 10) + 5 * (1 << 20) + 2 * (33 << 20));
	CHECK_INT(model_cache_bytes(&good, 100), 8 * (32 << 10) + 8 * (1 << 20) + 2 * (33 << 20));
}

TEST(machine_check__good)
{
	CHECK(!check(&good));
}

#define REFUSED(change, sentence) \
	do { \
		struct machine_model model = good; \
		change; \
		CHECK_STR(check(&model), sentence); \
	} while (0)
#define FINE(change) \
	do { \
		struct machine_model model = good; \
		change; \
		CHECK_STR(check(&model) ? check(&model) : "fine", "fine"); \
	} while (0)

TEST(machine_check__cores)
{
	REFUSED(model.cores = 0, "cores is missing");
	REFUSED(model.cores = 264, "cores is 264; 256 can be simulated");
	REFUSED(model.nodes = 0, "nodes is missing");
	REFUSED(model.nodes = 65, "nodes is 65; 64 can be simulated");
	REFUSED(model.nodes = 3, "nodes is 3, which 8 cores cannot be spread over evenly");
	REFUSED(model.hz = 3, "clock is not from 1 MHz to 100 GHz");
	REFUSED(model.hz = NAN, "clock is not from 1 MHz to 100 GHz");
	FINE(model.hz = 0);
}

TEST(machine_check__one_cache)
{
	REFUSED(model.cache[0].line = 48, "l1.line is 48 bytes, not a power of two from 16 to 256");
	REFUSED(model.cache[0].line = 512,
		"l1.line is 512 bytes, not a power of two from 16 to 256");
	REFUSED(model.cache[0].ways = 0, "l1.ways is missing");
	REFUSED(model.cache[1].bytes++,
		"l2.size is 1048577 bytes, which 16 ways of 64-byte lines do not divide into sets");
	REFUSED(model.cache[0].bytes = 24 << 10,
		"l1.size makes 48 sets of 8 ways, not a power of two, which bits of the address could choose from");
	REFUSED(model.cache[2].replacement = MODEL_TREE_PLRU,
		"l3.replacement is tree_plru, which needs ways that are a power of two up to 64, not 11");
	FINE(model.cache[0].replacement = MODEL_TREE_PLRU);
	REFUSED(model.cache[0].latency = 0, "l1.latency is missing");
	REFUSED(model.cache[0].cores = 2,
		"l1.cores is 2, but only the l3 can be shared; a shared second level is an l3 without an l2");
	REFUSED(model.cache[2].cores = 3, "l3.cores is 3, which 8 cores cannot be divided into");
	REFUSED(model.cache[2].cores = 16, "l3.cores is 16, which 8 cores cannot be divided into");
	REFUSED(model.cache[2].write_around = true,
		"l3.write_miss is around, which only the l1 and l2 can be");
	REFUSED(model.cache[2].write_through = true,
		"l3.write_hit is through, which only the l1 and l2 can be");
	REFUSED(model.cache[0].float_bypasses = true,
		"l1.float_bypasses is yes, but its write_hit is back: what is written there would be bypassed");
	FINE(model.cache[0].float_bypasses = model.cache[0].write_through = true);
	REFUSED(model.cache[1].float_bypasses = true,
		"l2.float_bypasses is yes; only the l1 can be bypassed");
	REFUSED(model.cache[2].bytes = 1ull << 60;
		model.cache[2].ways = 1,
		"l3.size makes 18014398509481984 lines in 1 ways; 2147483647 lines and 65535 ways can be simulated");
}

TEST(machine_check__caches_beside_each_other)
{
	REFUSED(model.cache[0].bytes = 0, "l1.size is missing");
	REFUSED(model.cache[0].bytes = 2 << 20,
		"l1.size is 2097152 bytes, more than the 1048576 of l2.size");
	REFUSED(model.cache[0].line = 128, "l1.line is 128 bytes, more than the 64 of l2.line");
	REFUSED(model.cache[1].latency = 4,
		"l2.latency is 4 cycles, no more than the 4 of l1.latency");
	REFUSED(model.memory_latency = 50,
		"memory is 50 cycles, no more than the 50 of l3.latency");
	REFUSED(model.cache[2].bytes = 352 << 10,
		"l2.size is 1048576 bytes, more than the 360448 of l3.size");
	FINE(model.cache[2].bytes = 352 << 10; model.cache[2].inclusion = MODEL_EXCLUSIVE);
	REFUSED(model.cache[2].bytes = 3520 << 10;
		model.cache[2].inclusion = MODEL_INCLUSIVE,
		"l3.inclusion is inclusive, but its 3604480 bytes cannot hold the 4 times 1048576 of l2.size");
	REFUSED(model.cache[2].inclusion = MODEL_EXCLUSIVE; model.cache[2].line = 128;
		model.cache[2].bytes *= 2,
		"l3.line is 128 bytes, and l2.line 64: they must be the same where the l3 is exclusive");
	REFUSED(model.cache[2].inclusion = MODEL_EXCLUSIVE;
		model.cache[1].write_through = true,
		"l3.inclusion is exclusive, which needs an l2 with write_miss allocate and write_hit back");
	FINE(model.cache[1].bytes = 0);
	FINE(model.cache[2].bytes = 0);
	FINE(model.cache[1].bytes = model.cache[2].bytes = 0);
	REFUSED(model.cache[1].bytes = 0;
		model.cache[0].float_bypasses = model.cache[0].write_through = true,
		"l1.float_bypasses is yes, but there is no l2");
}

TEST(machine_check__huge_pages)
{
	FINE(model.huge_page = 2 << 20);
	FINE(model.huge_page = 2 << 20; model.huge_tlb[0].entries = model.huge_tlb[0].ways = 32);
	REFUSED(model.huge_page = 3 << 20,
		"huge_page is 3145728 bytes, not a power of two larger than page, up to 1 GiB");
	REFUSED(model.huge_page = model.page,
		"huge_page is 4096 bytes, not a power of two larger than page, up to 1 GiB");
	REFUSED(model.huge_tlb[1].entries = 32,
		"huge_page is missing, but there is a TLB of huge pages");
	REFUSED(model.huge_page = 2 << 20;
		model.huge_tlb[0].entries = 32,
		"huge_tlb1.entries is 32, which 0 ways do not divide into a power of two of sets");
	REFUSED(model.huge_page = 2 << 20;
		model.huge_tlb[1].entries = model.huge_tlb[1].ways = 32,
		"huge_tlb2.entries is 32: a second level of 32 huge pages is smaller than the first, of 64");
	REFUSED(model.huge_page = 2 << 20; model.huge_tlb[1].entries = model.huge_tlb[1].ways = 32;
		memset(model.tlb, 0, sizeof(model.tlb));
		model.walk_latency = 0, "huge_tlb2.entries is 32, but there is no tlb2");
}

TEST(machine_check__pages)
{
	REFUSED(model.page = 0,
		"page is 0 bytes, not a power of two from the size of a line to 1 GiB");
	REFUSED(model.page = 5000,
		"page is 5000 bytes, not a power of two from the size of a line to 1 GiB");
	REFUSED(model.page = 32,
		"page is 32 bytes, not a power of two from the size of a line to 1 GiB");
	REFUSED(model.tlb[0].entries = 0, "tlb1.entries is missing, but there is a tlb2");
	REFUSED(model.tlb[0].entries = 2048,
		"tlb1.entries is 2048, more than the 1536 of tlb2.entries");
	REFUSED(model.tlb[0].ways = 3,
		"tlb1.entries is 64, which 3 ways do not divide into a power of two of sets");
	REFUSED(model.tlb[1].ways = 1,
		"tlb2.entries is 1536, which 1 ways do not divide into a power of two of sets");
	REFUSED(model.walk_latency = 0, "walk is missing: what a page costs that no TLB knows");
	REFUSED(model.walk_latency = 7, "walk is 7 cycles, no more than the 7 of tlb2.latency");
	REFUSED(model.tlb[1].latency = 0, "tlb2.latency is missing");
	FINE(model.tlb[0].entries = model.tlb[1].entries = 0; model.walk_latency = 0);
	FINE(model.tlb[1].entries = 0);
}

TEST(machine_check__nodes)
{
	REFUSED(model.transfer_latency = 0,
		"transfer is missing: a line that another core has modified");
	REFUSED(model.remote_transfer_latency = 0,
		"remote_transfer is missing: a line that a core of another node has modified");
	REFUSED(model.remote_latency = 199, "remote is 199 cycles, less than the 200 of memory");
	REFUSED(model.distances[1][0] = 300, "distances.0 does not have all 2 nodes");
	REFUSED(model.distances[0][0] = model.distances[0][1] = model.distances[1][1] = 200,
		"distances.1 does not have all 2 nodes");
	REFUSED(model.distances[0][0] = 200; model.distances[0][1] = 150;
		model.distances[1][0] = model.distances[1][1] = 200,
		"distances.0 says that node 1, 150 cycles, is nearer than the node's own memory, 200");
	FINE(model.distances[0][0] = model.distances[1][1] = 200;
	     model.distances[0][1] = model.distances[1][0] = 350; model.remote_latency = 0);
	FINE(model.nodes = 1; model.remote_latency = model.remote_transfer_latency = 0);
}
