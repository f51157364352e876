/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_SPE_H
#define MEMSEARCH_SAMPLING_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/sampling/ring.h"

/*
 * Decodes the records that the Statistical Profiling Extension (SPE) of Arm CPUs writes of sampled
 * operations (Arm Architecture Reference Manual, DDI 0487, chapter "Statistical Profiling Extension
 * Sample Record Specification", D10 in issue F): a record is a sequence of packets, each a header
 * of one or two bytes and a payload whose size the header determines.
 *
 *     events | operation | PC | data address | latency … | data source | end or timestamp … padding
 *
 * A record may be split into pieces at any byte. The format is the same on all hosts, so that this
 * is compiled and tested on all; not tested on hardware. Lives in zeroed memory; owner only, no
 * malloc, callbacks allowed.
 */
struct kernel_sample;
struct perf_event_header;

/* Use of the packet "data source", whose values depend on the CPU. */
enum spe_packets {
	SPE_NONE,   /* there are no packets: samples are records in the ring */
	SPE_EVENTS, /* the packet is ignored: the events show the levels */
	/*
	 * it is as in the Technical Reference Manuals of Neoverse N1, V1, N2, V2 and their Cortex
	 * kin
	 */
	SPE_SOURCES,
};

#define SPE_PACKET_MAX 10 /* two bytes of header, eight of payload */

struct spe_decoder {
	uint64_t at;                    /* bytes so far; packets are aligned relative to it */
	uint64_t skip;                  /* padding bytes to skip */
	uint8_t packet[SPE_PACKET_MAX]; /* the incomplete packet … */
	uint32_t nr;                    /* … and its bytes so far */
	uint32_t seen;                  /* kinds of packets seen in this record, bits of spe.c */
	bool broken;                    /* the record cannot be decoded; skips to its end */
	uint64_t events, pc, address;   /* payloads of packets seen */
	uint32_t operation, source, latency;
	/* truncated records, records with an unknown header, or with the same packet twice */
	uint64_t unreadable;
};

/* `sample` is valid during the call. */
typedef void spe_visit(void *ctx, const struct kernel_sample *sample);

/*
 * Decodes the next bytes. `visit` gets each load and store that was retired and has its addresses;
 * other records are normal, and skipped.
 */
void spe_decoder_feed(struct spe_decoder *decoder, enum spe_packets packets, const uint8_t *bytes,
		      size_t nr, spe_visit *visit, void *ctx);
/* The next bytes do not continue the present record. */
void spe_decoder_cut(struct spe_decoder *decoder);

/*
 * Packets as the kernel passes them: PERF_RECORD_AUX records in the ring describe their position in
 * the AUX area (ring.h).
 */
struct spe_stream {
	struct aux_area area;
	struct spe_decoder decoder;
};

/*
 * False: an unknown number of samples is missing before or after this record's data. Records of
 * other types are ignored.
 */
bool spe_stream_take(struct spe_stream *stream, enum spe_packets packets,
		     const struct perf_event_header *record, spe_visit *visit, void *ctx);
/* Drops the contents. */
void spe_stream_discard(struct spe_stream *stream);

#endif
