/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SPE_PACKETS_H
#define MEMSEARCH_TESTS_UNIT_SPE_PACKETS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Packets as a CPU with SPE writes them, byte by byte after the manual's figures, and the kernel's
 * records that tell of them. Written without a look at the table of spe.c.
 */
#define SPE_BYTES 65536

struct spe_bytes {
	uint8_t data[SPE_BYTES];
	size_t nr;
};

static inline void spe_put(struct spe_bytes *out, uint8_t header, uint64_t payload, size_t bytes)
{
	out->data[out->nr++] = header;
	for (size_t i = 0; i < bytes; i++)
		out->data[out->nr++] = i < 8 ? (uint8_t)(payload >> 8 * i) : 0;
}

/* E[n] */
enum {
	SPE_RETIRED = 1 << 1,
	SPE_L1 = 1 << 2,
	SPE_L1_REFILL = 1 << 3,
	SPE_TLB = 1 << 4,
	SPE_WALK = 1 << 5,
	SPE_LLC = 1 << 8,
	SPE_LLC_REFILL = 1 << 9,
	SPE_REMOTE = 1 << 10,
	SPE_L2 = 1 << 19,
	SPE_L2_REFILL = 1 << 20
};
enum {
	SPE_LOAD = 0x00,
	SPE_STORE = 0x01,
	SPE_SIMD_LOAD = 0x04,
	SPE_SWAP = 0x06 | 0x01,
	SPE_EXCLUSIVE_LOAD = 0x0a
};
#define SPE_NO_SOURCE 0xffff
#define SPE_EL(level) ((uint64_t)(level) << 61 | 1ull << 63) /* non-secure */

struct spe_record {
	uint32_t events;
	uint8_t operation;
	uint16_t latency; /* 0: there is no such packet */
	uint16_t source;
	uint64_t pc, address; /* 0: there is no such packet */
};

static inline void spe_put_record(struct spe_bytes *out, const struct spe_record *record)
{
	if (record->pc)
		spe_put(out, 0xb0, record->pc, 8);
	spe_put(out, 0x65, 0x1234, 4); /* context of EL2: CONTEXTIDR */
	spe_put(out, record->events > UINT16_MAX ? 0x62 : 0x52, record->events,
		record->events > UINT16_MAX ? 4 : 2);
	if (record->latency)
		spe_put(out, 0x98, record->latency, 2); /* total latency … */
	spe_put(out, 0x99, 7, 2);                       /* … to issue … */
	spe_put(out, 0x9a, 2, 2);                       /* … and of translation */
	if (record->source != SPE_NO_SOURCE)
		spe_put(out, 0x53, record->source, 2);
	spe_put(out, 0x49, record->operation, 1);
	if (record->address)
		spe_put(out, 0xb2, record->address, 8);
}

static inline void spe_put_end(struct spe_bytes *out)
{
	spe_put(out, 0x01, 0, 0);
}

static inline void spe_put_timestamp(struct spe_bytes *out)
{
	spe_put(out, 0x71, 0x0123456789abcdefull, 8);
}

/* perf_event_open(2): PERF_RECORD_AUX, without what sample_id_all adds. */
struct spe_aux {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

static inline struct spe_aux spe_aux_of(uint64_t offset, uint64_t size, uint64_t flags)
{
	return (struct spe_aux){
		{ .type = PERF_RECORD_AUX, .size = sizeof(struct spe_aux) }, offset, size, flags
	};
}

#endif
