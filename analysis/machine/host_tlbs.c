/* SPDX-License-Identifier: Apache-2.0 */
/* TLBs by the CPUID instruction: Intel's leaf 18h, AMD's 80000005h, 80000006h and 80000021h. */
#include "analysis/machine/model_host.h"

#include <string.h>

#include "analysis/machine/topology.h"

#if defined(__x86_64__)
#include <cpuid.h>

struct leaf {
	uint32_t eax, ebx, ecx, edx;
};

static bool read_leaf(uint32_t number, uint32_t sub, struct leaf *out)
{
	if (number > __get_cpuid_max(number & 0x80000000u, NULL))
		return false;
	__cpuid_count(number, sub, out->eax, out->ebx, out->ecx, out->edx);
	return true;
}

/*
 * Intel SDM 2A, CPUID leaf 18H: type 1 data, 3 unified, 4 loads only; level in bits 7:5; 4-KiB
 * pages in EBX bit 0.
 */
static void take_intel(const struct leaf *leaf, struct model_tlb out[2])
{
	uint32_t type = leaf->edx & 0x1f, level = leaf->edx >> 5 & 7, ways = leaf->ebx >> 16;
	bool is_full = leaf->edx >> 8 & 1;

	if ((type != 1 && type != 3 && type != 4) || level < 1 || level > 2 || !(leaf->ebx & 1) ||
	    !ways || !leaf->ecx || leaf->ecx > 65536)
		return;
	out[level - 1].entries = ways * leaf->ecx;
	out[level - 1].ways = is_full ? out[level - 1].entries : ways;
}

static void ask_intel(struct model_tlb out[2])
{
	struct leaf leaf;
	uint32_t last = read_leaf(0x18, 0, &leaf) ? leaf.eax : 0;

	for (uint32_t sub = 0; sub <= last && sub < 32 && read_leaf(0x18, sub, &leaf); sub++)
		take_intel(&leaf, out);
}

/* AMD APM 3, Fn8000_0006: encodings of ways; reserved ones get the likeliest value. */
static uint32_t amd_ways(uint32_t code, uint32_t entries)
{
	static const uint8_t ways[16] = {
		[1] = 1,  [2] = 2,   [3] = 3,   [4] = 4,   [5] = 6,   [6] = 8,
		[8] = 16, [10] = 32, [11] = 48, [12] = 64, [13] = 96, [14] = 128
	};

	return code == 15 ? entries : topology_ways(entries, ways[code]);
}

/*
 * Sizes of the second TLB in units of 32 (AMD APM 3, Fn8000_0021_EAX[14], L2TlbSizeX32), as the field
 * has 12 bits and Zen 5 has 4096 entries. Hypervisors clear the flag and leave the size: no second
 * TLB since Zen (family 17h) has fewer than 512 entries.
 */
#define AMD_FAMILY_ZEN_5 0x1a
#define AMD_FEWEST 512
static bool is_in_units(uint32_t entries)
{
	struct leaf leaf;
	uint32_t family = read_leaf(1, 0, &leaf) ? (leaf.eax >> 8 & 0xf) + (leaf.eax >> 20 & 0xff)
						 : 0;
	bool flag = read_leaf(0x80000021, 0, &leaf) && leaf.eax >> 14 & 1;

	return flag || (family >= AMD_FAMILY_ZEN_5 && entries && entries < AMD_FEWEST);
}

static void ask_amd(struct model_tlb out[2])
{
	struct leaf leaf;

	if (read_leaf(0x80000005, 0, &leaf)) {
		uint32_t ways = leaf.ebx >> 24;

		out[0].entries = leaf.ebx >> 16 & 0xff;
		out[0].ways = ways == 0xff ? out[0].entries : topology_ways(out[0].entries, ways);
	}
	if (read_leaf(0x80000006, 0, &leaf)) {
		out[1].entries = leaf.ebx >> 16 & 0xfff;
		out[1].entries *= is_in_units(out[1].entries) ? 32 : 1;
		out[1].ways = amd_ways(leaf.ebx >> 28, out[1].entries);
	}
}

static void ask(struct model_tlb out[2])
{
	struct leaf leaf;

	if (!read_leaf(0, 0, &leaf))
		return;
	if (leaf.ebx == signature_INTEL_ebx)
		ask_intel(out);
	else if (leaf.ebx == signature_AMD_ebx || leaf.ebx == 0x6f677948 /* "Hygo" */)
		ask_amd(out);
}

#else

static void ask(struct model_tlb out[2])
{
	(void)out;
}

#endif

void host_tlbs(struct model_tlb out[2])
{
	memset(out, 0, 2 * sizeof(*out));
	ask(out);
	for (int i = 0; i < 2; i++)
		if (!out[i].ways)
			out[i].entries = 0;
}
