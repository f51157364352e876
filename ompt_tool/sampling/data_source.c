/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the kernel's description of the data source of an access. */
#include "ompt_tool/sampling/data_source.h"

/*
 * Positions and values of the bit-fields in <linux/perf_event.h>, defined here because headers
 * before Linux 5.16 lack some of them. The word is the same on big-endian machines, where the
 * fields are declared in reverse order.
 */
enum {
	OP_AT = 0,
	LEVEL_AT = 5,
	SNOOP_AT = 19,
	TLB_AT = 26,
	NUMBER_AT = 33,
	REMOTE_AT = 37,
	HOPS_AT = 43
};
enum {
	OP_BITS = 5,
	LEVEL_BITS = 14,
	SNOOP_BITS = 5,
	TLB_BITS = 7,
	NUMBER_BITS = 4,
	REMOTE_BITS = 1,
	HOPS_BITS = 3
};

enum { OP_LOAD = 0x02, OP_STORE = 0x04 };
enum {
	LEVEL_MISS = 0x04,
	LEVEL_L1 = 0x08,
	LEVEL_BUFFER = 0x10,
	LEVEL_L2 = 0x20,
	LEVEL_L3 = 0x40,
	LEVEL_LOCAL_RAM = 0x80,
	LEVEL_REMOTE_RAM = 0x300,
	LEVEL_REMOTE_CACHE = 0xc00,
	LEVEL_DEVICE = 0x3000
};
enum { SNOOP_MODIFIED = 0x10 };
enum { TLB_MISS = 0x04, TLB_L2 = 0x10, TLB_WALKER = 0x20 };
/* another core of the node; more: another node, socket or board */
enum { HOPS_SAME_NODE = 1 };

static unsigned int field(uint64_t bits, unsigned int at, unsigned int width)
{
	return (unsigned int)(bits >> at) & ((1u << width) - 1);
}

/*
 * By mem_lvl_num; SERVED_UNKNOWN: not filled in (0 by old kernels, 15). Memory-side caches (4, 6)
 * count as memory.
 */
static enum served_by by_number(unsigned int number)
{
	static const uint8_t served[16] = {
		[0x1] = SERVED_L1,     [0x2] = SERVED_L2,     [0x3] = SERVED_L3,
		[0x4] = SERVED_MEMORY, [0x5] = SERVED_BUFFER, [0x6] = SERVED_MEMORY,
		[0x7] = SERVED_L1,     [0x8] = SERVED_DEVICE, [0x9] = SERVED_MEMORY,
		[0xa] = SERVED_DEVICE, [0xb] = SERVED_CACHE,  [0xc] = SERVED_BUFFER,
		[0xd] = SERVED_MEMORY, [0xe] = SERVED_MEMORY,
	};

	return (enum served_by)served[number];
}

/* By mem_lvl, the farthest that is named. */
static enum served_by by_level(unsigned int level)
{
	static const struct {
		unsigned int bits;
		enum served_by by;
	} levels[] = {
		{ LEVEL_LOCAL_RAM | LEVEL_REMOTE_RAM, SERVED_MEMORY },
		{ LEVEL_REMOTE_CACHE, SERVED_CACHE },
		{ LEVEL_DEVICE, SERVED_DEVICE },
		{ LEVEL_L3, SERVED_L3 },
		{ LEVEL_L2, SERVED_L2 },
		{ LEVEL_BUFFER, SERVED_BUFFER },
		{ LEVEL_L1, SERVED_L1 },
	};

	for (unsigned int i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (level & levels[i].bits)
			return levels[i].by;
	return SERVED_UNKNOWN;
}

/* "Remote" alone may be another core of the same node: the distance decides, if present. */
static bool is_remote(uint64_t bits, unsigned int level)
{
	unsigned int hops = field(bits, HOPS_AT, HOPS_BITS);

	if (hops)
		return hops > HOPS_SAME_NODE;
	return field(bits, REMOTE_AT, REMOTE_BITS) ||
	       level & (LEVEL_REMOTE_RAM | LEVEL_REMOTE_CACHE);
}

unsigned int data_source_missed(enum served_by by)
{
	static const uint8_t missed[] = {
		[SERVED_UNKNOWN] = 0, [SERVED_L1] = 0,    [SERVED_BUFFER] = 1, [SERVED_L2] = 1,
		[SERVED_L3] = 2,      [SERVED_CACHE] = 3, [SERVED_MEMORY] = 3, [SERVED_DEVICE] = 0,
	};

	return missed[by];
}

static bool is_own_cache(enum served_by by)
{
	return by == SERVED_L1 || by == SERVED_L2 || by == SERVED_L3;
}

struct data_source data_source_of(uint64_t bits)
{
	unsigned int level = field(bits, LEVEL_AT, LEVEL_BITS), tlb = field(bits, TLB_AT, TLB_BITS),
		     op = field(bits, OP_AT, OP_BITS);
	enum served_by by = by_number(field(bits, NUMBER_AT, NUMBER_BITS));
	struct data_source source = { .load = op & OP_LOAD, .store = op & OP_STORE };

	by = by == SERVED_UNKNOWN ? by_level(level) : by;
	/*
	 * A level may be reported as the one that was missed, without the level that served the
	 * access.
	 */
	if (level & LEVEL_MISS && is_own_cache(by)) {
		source.missed = data_source_missed(by) + 1;
	} else {
		if (is_own_cache(by) && field(bits, REMOTE_AT, REMOTE_BITS))
			by = SERVED_CACHE;
		source.by = by;
		source.missed = data_source_missed(by);
		source.remote = is_remote(bits, level);
	}
	source.modified = field(bits, SNOOP_AT, SNOOP_BITS) & SNOOP_MODIFIED;
	source.walked = tlb & TLB_WALKER || (tlb & TLB_MISS && tlb & TLB_L2);
	return source;
}
