/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_SPE_H
#define MEMSEARCH_SAMPLING_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/sampling/ring.h"

/*
 * What the Statistical Profiling Extension (SPE) of Arm CPUs writes of the operations it samples,
 * as the Arm Architecture Reference Manual (DDI 0487, chapter "Statistical Profiling Extension
 * Sample Record Specification", D10 in issue F) has it: a record is a row of packets, each a header
 * of one or two bytes and a payload whose size the header tells.
 *
 *     events | operation | PC | data address | latency … | data source | end or timestamp     padding     events
 *                                                                                                         |
 *                                                                                                         …
 *
 * Records may come in pieces that end anywhere. The bytes are the same on all hosts, so that this
 * is compiled and tested on all; no hardware was at hand. Lives in zeroed memory; owner only, no
 * malloc, callbacks allowed.
 */
struct kernel_sample;
struct perf_event_header;

/* What is made of a packet "data source", which is every CPU's own affair. */
enum spe_packets {
	SPE_NONE,   /* there are no packets: samples are records in the ring */
	SPE_EVENTS, /* it is left alone: the events tell of levels */
	/*
	 * it is as in the Technical Reference Manuals of Neoverse N1, V1, N2, V2 and their Cortex
	 * kin
	 */
	SPE_SOURCES,
};

#define SPE_PACKET_MAX 10 /* two bytes of header, eight of payload */

struct spe_decoder {
	uint64_t at;                    /* bytes so far; packets are aligned to their number */
	uint64_t skip;                  /* bytes to come that fill up to an alignment */
	uint8_t packet[SPE_PACKET_MAX]; /* so far … */
	uint32_t nr;                    /* … bytes of it */
	uint32_t seen;                  /* kinds of packets in this record, bits of spe.c */
	bool broken;                    /* it cannot be read to its end, which is waited for */
	uint64_t events, pc, address;   /* payloads, as far as seen */
	uint32_t operation, source, latency;
	/* records that were cut, or had an unknown header, or the same packet twice */
	uint64_t unreadable;
};

/* `sample` lives as long as the call. */
typedef void spe_visit(void *ctx, const struct kernel_sample *sample);

/*
 * The next bytes. `visit` gets each load and store that was retired and has its addresses; other
 * records are normal, and left out.
 */
void spe_decoder_feed(struct spe_decoder *decoder, enum spe_packets packets, const uint8_t *bytes,
		      size_t nr, spe_visit *visit, void *ctx);
/* What comes next does not go on from here. */
void spe_decoder_cut(struct spe_decoder *decoder);

/*
 * The packets as they come through the kernel: PERF_RECORD_AUX records in the ring say where in the
 * AUX area (ring.h) they are.
 */
struct spe_stream {
	struct aux_area area;
	struct spe_decoder decoder;
};

/*
 * False: an unknown number of samples is missing before or behind this record's data. Records of
 * other types are left alone.
 */
bool spe_stream_take(struct spe_stream *stream, enum spe_packets packets,
		     const struct perf_event_header *record, spe_visit *visit, void *ctx);
/* Drops the contents. */
void spe_stream_discard(struct spe_stream *stream);

#endif
