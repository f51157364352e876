/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of Arm's Statistical Profiling Extension, made into samples. */
#include "ompt_tool/sampling/spe.h"

#include <linux/perf_event.h>
#include <string.h>

#include "ompt_tool/sampling/data_source.h"
#include "ompt_tool/sampling/kernel_event.h"

/* ------------------------------------------------------------------- packets */

/*
 * First bytes. Bits 5:4 are log2 of the payload's bytes in all headers with a payload; low bits
 * distinguish members of a family. An extended header is 0x20 to 0x23 and a second byte, which is a
 * short header, or 0: padding to an alignment.
 */
enum { HEADER_PAD = 0x00, HEADER_END = 0x01, HEADER_TIMESTAMP = 0x71, HEADER_ALIGNMENT = 0x00 };
enum { SIZE_AT = 4, SIZE_BITS = 0x30 };

enum family {
	FAMILY_PAD,
	FAMILY_END,
	FAMILY_TIMESTAMP,
	FAMILY_EVENTS,
	FAMILY_SOURCE,
	FAMILY_CONTEXT,
	FAMILY_OPERATION,
	FAMILY_ADDRESS,
	FAMILY_COUNTER,
	FAMILY_UNKNOWN
};

static const struct {
	uint8_t mask, value;
	uint8_t family;
	uint8_t index; /* bits that distinguish members of the family */
} headers[] = {
	{ 0xff, HEADER_PAD, FAMILY_PAD, 0 },
	{ 0xff, HEADER_END, FAMILY_END, 0 },
	{ 0xff, HEADER_TIMESTAMP, FAMILY_TIMESTAMP, 0 },
	{ 0xcf, 0x42, FAMILY_EVENTS, 0 },
	{ 0xcf, 0x43, FAMILY_SOURCE, 0 },
	{ 0xfc, 0x64, FAMILY_CONTEXT, 3 },
	{ 0xfc, 0x48, FAMILY_OPERATION, 3 },
	{ 0xf8, 0xb0, FAMILY_ADDRESS, 7 },
	{ 0xf8, 0x98, FAMILY_COUNTER, 7 },
};

/* virtual addresses; the others are branch targets and physical addresses */
enum { ADDRESS_PC = 0, ADDRESS_DATA = 2 };
enum { COUNTER_TOTAL_LATENCY = 0 };
enum { OPERATION_LOAD_STORE = 1 };

/*
 * Payloads. Events: E[n] of PMSEVFR_EL1; those of the second level exist since FEAT_SPEv1p4, and
 * are 0 before.
 */
enum {
	EVENT_RETIRED = 1 << 1,
	EVENT_L1_ACCESS = 1 << 2,
	EVENT_L1_REFILL = 1 << 3,
	EVENT_WALK = 1 << 5,
	EVENT_LAST_ACCESS = 1 << 8,
	EVENT_LAST_REFILL = 1 << 9,
	EVENT_REMOTE = 1 << 10,
	EVENT_L2_ACCESS = 1 << 19,
	EVENT_L2_REFILL = 1 << 20,
};
enum {
	OPERATION_STORE = 0x01,
	OPERATION_ATOMIC_MASK = 0xe2,
	OPERATION_ATOMIC = 0x02,
	OPERATION_READ_WRITE = 0x04
};
#define ADDRESS_BITS ((1ull << 56) - 1) /* above: a tag of data, or the state of a PC */
#define LEVEL_AT 61                     /* of a PC: the exception level; 0 is user code */
#define LEVEL_BITS 3

/* Bits of `seen`: packets that a sample requires, or that occur once. */
enum {
	SEEN_EVENTS = 1,
	SEEN_OPERATION = 2,
	SEEN_SOURCE = 4,
	SEEN_PC = 8,
	SEEN_DATA = 16,
	SEEN_LATENCY = 32,
	SEEN_OTHER = 64
};
#define NEEDED (SEEN_EVENTS | SEEN_OPERATION | SEEN_PC | SEEN_DATA)

static size_t header_of(uint8_t header)
{
	size_t i = 0;

	while (i < sizeof(headers) / sizeof(headers[0]) &&
	       (header & headers[i].mask) != headers[i].value)
		i++;
	return i;
}

static enum family family_of(uint8_t header)
{
	size_t i = header_of(header);

	return i < sizeof(headers) / sizeof(headers[0]) ? (enum family)headers[i].family
							: FAMILY_UNKNOWN;
}

static bool is_extended(uint8_t first)
{
	return (first & 0xfc) == 0x20;
}

/* Size of a packet, from its first `nr` bytes, at least one; 0: the next byte is needed. */
static uint32_t bytes_of(const uint8_t *packet, uint32_t nr)
{
	uint32_t extended = is_extended(packet[0]);
	uint8_t header;

	if (nr < 1 + extended)
		return 0;
	header = packet[extended];
	if (extended && header == HEADER_ALIGNMENT)
		return 2;
	if (!extended && (header == HEADER_PAD || header == HEADER_END))
		return 1;
	return 1 + extended + (1u << ((header & SIZE_BITS) >> SIZE_AT));
}

/* Little-endian on all hosts. */
static uint64_t payload_of(const uint8_t *bytes, uint32_t nr)
{
	uint64_t value = 0;

	for (uint32_t i = nr; i > 0; i--)
		value = value << 8 | bytes[i - 1];
	return value;
}

/* ------------------------------------------------------------------- samples */

/*
 * The farthest level in the events. Beyond the socket's last level is its memory, or with the event
 * "remote" another socket's; caches that hold the line are not distinguished.
 */
static struct data_source source_by_events(uint64_t events)
{
	struct data_source source = { 0 };

	if (events & (EVENT_LAST_REFILL | EVENT_REMOTE))
		source.by = SERVED_MEMORY;
	else if (events & EVENT_LAST_ACCESS)
		source.by = SERVED_L3;
	else if (events & EVENT_L2_ACCESS && !(events & EVENT_L2_REFILL))
		source.by = SERVED_L2;
	else if (events & EVENT_L1_ACCESS && !(events & EVENT_L1_REFILL))
		source.by = SERVED_L1;
	source.remote = events & EVENT_REMOTE;
	source.missed = data_source_missed(source.by);
	if (source.by == SERVED_UNKNOWN)
		source.missed = events & EVENT_L2_REFILL ? 2 : events & EVENT_L1_REFILL ? 1 : 0;
	return source;
}

/*
 * By the packet of Neoverse CPUs; false: a value that no manual defines. Data from another socket
 * count as its memory, although they may come from a cache.
 */
static bool source_by_packet(uint32_t packet, struct data_source *out)
{
	static const struct {
		uint8_t by;
		bool remote, known;
	} sources[16] = {
		/* another core */
		[0x0] = { SERVED_L1, false, true },
		[0x8] = { SERVED_L2, false, true },
		[0x9] = { SERVED_CACHE, false, true },
		/* of the cluster, of the system */
		[0xa] = { SERVED_L3, false, true },
		[0xb] = { SERVED_L3, false, true },
		[0xc] = { SERVED_CACHE, false, true },
		[0xd] = { SERVED_MEMORY, true, true },
		[0xe] = { SERVED_MEMORY, false, true },
	};

	if (packet >= sizeof(sources) / sizeof(sources[0]) || !sources[packet].known)
		return false;
	*out = (struct data_source){ .by = (enum served_by)sources[packet].by,
				     .remote = sources[packet].remote };
	out->missed = data_source_missed(out->by);
	return true;
}

/* Stores have no data source. Atomic ones load and store. */
static struct data_source source_of(const struct spe_decoder *decoder, enum spe_packets packets)
{
	bool stores = decoder->operation & OPERATION_STORE;
	bool both = (decoder->operation & OPERATION_ATOMIC_MASK) == OPERATION_ATOMIC &&
		    decoder->operation & OPERATION_READ_WRITE;
	struct data_source source;

	if (packets != SPE_SOURCES || stores || !(decoder->seen & SEEN_SOURCE) ||
	    !source_by_packet(decoder->source, &source))
		source = source_by_events(decoder->events);
	source.load = !stores || both;
	source.store = stores || both;
	source.walked = decoder->events & EVENT_WALK;
	return source;
}

/* Operations on a mispredicted path are no accesses of the program. */
static bool is_access(const struct spe_decoder *decoder)
{
	return !decoder->broken && (decoder->seen & NEEDED) == NEEDED &&
	       decoder->events & EVENT_RETIRED;
}

static void forget_record(struct spe_decoder *decoder)
{
	decoder->seen = 0;
	decoder->broken = false;
	decoder->latency = 0;
}

static void end_record(struct spe_decoder *decoder, enum spe_packets packets, spe_visit *visit,
		       void *ctx)
{
	if (is_access(decoder)) {
		struct kernel_sample sample = {
			.ip = decoder->pc & ADDRESS_BITS,
			.address = decoder->address & ADDRESS_BITS,
			.latency = decoder->latency,
			.in_user = !(decoder->pc >> LEVEL_AT & LEVEL_BITS),
			.source = source_of(decoder, packets),
		};

		visit(ctx, &sample);
	}
	decoder->unreadable += decoder->broken;
	forget_record(decoder);
}

/* ----------------------------------------------------------------- the record */

/* An index of an extended header has more bits. */
static uint32_t index_of(const uint8_t *packet)
{
	uint32_t extended = is_extended(packet[0]);
	uint8_t header = packet[extended];
	uint32_t index = header & headers[header_of(header)].index;

	return extended ? (packet[0] & 3u) << 3 | index : index;
}

/* Which of `seen` a packet is, and where its payload goes; SEEN_OTHER: unused. */
static uint32_t keep_payload(struct spe_decoder *decoder, enum family family, uint32_t index,
			     uint64_t payload)
{
	switch (family) {
	case FAMILY_EVENTS: decoder->events = payload; return SEEN_EVENTS;
	case FAMILY_SOURCE:
		decoder->source = payload > UINT16_MAX ? UINT16_MAX : (uint32_t)payload;
		return SEEN_SOURCE;
	case FAMILY_OPERATION:
		decoder->operation = (uint32_t)payload;
		return index == OPERATION_LOAD_STORE ? SEEN_OPERATION : SEEN_OTHER;
	case FAMILY_ADDRESS:
		if (index != ADDRESS_PC && index != ADDRESS_DATA)
			return SEEN_OTHER;
		*(index == ADDRESS_PC ? &decoder->pc : &decoder->address) = payload;
		return index == ADDRESS_PC ? SEEN_PC : SEEN_DATA;
	case FAMILY_COUNTER:
		if (index != COUNTER_TOTAL_LATENCY)
			return SEEN_OTHER;
		decoder->latency = (uint32_t)payload;
		return SEEN_LATENCY;
	default: return SEEN_OTHER;
	}
}

/* The same packet twice: two records whose border was lost. */
static void keep_packet(struct spe_decoder *decoder, enum family family, const uint8_t *packet,
			uint32_t nr)
{
	uint32_t header = 1 + is_extended(packet[0]), kind;

	if (family == FAMILY_UNKNOWN) {
		decoder->broken = true;
		return;
	}
	kind = keep_payload(decoder, family, index_of(packet),
			    payload_of(packet + header, nr - header));
	decoder->broken |= kind != SEEN_OTHER && decoder->seen & kind;
	decoder->seen |= kind;
}

static void take_packet(struct spe_decoder *decoder, enum spe_packets packets, spe_visit *visit,
			void *ctx)
{
	const uint8_t *packet = decoder->packet;
	bool extended = is_extended(packet[0]);
	enum family family = family_of(packet[extended ? 1 : 0]);

	if (extended && packet[1] == HEADER_ALIGNMENT)
		decoder->skip = -decoder->at & ((2u << (packet[0] & 3)) - 1);
	else if (extended && family != FAMILY_ADDRESS && family != FAMILY_COUNTER)
		decoder->broken = true;
	else if (family == FAMILY_END || family == FAMILY_TIMESTAMP)
		end_record(decoder, packets, visit, ctx);
	else if (family != FAMILY_PAD)
		keep_packet(decoder, family, packet, decoder->nr);
}

void spe_decoder_feed(struct spe_decoder *decoder, enum spe_packets packets, const uint8_t *bytes,
		      size_t nr, spe_visit *visit, void *ctx)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t wanted;

		decoder->at++;
		if (decoder->skip) {
			decoder->skip--;
			continue;
		}
		decoder->packet[decoder->nr++] = bytes[i];
		wanted = bytes_of(decoder->packet, decoder->nr);
		if (!wanted || decoder->nr < wanted)
			continue;
		take_packet(decoder, packets, visit, ctx);
		decoder->nr = 0;
	}
}

void spe_decoder_cut(struct spe_decoder *decoder)
{
	decoder->unreadable += decoder->nr || decoder->seen || decoder->broken;
	decoder->nr = 0;
	decoder->skip = 0;
	forget_record(decoder);
}

/* ----------------------------------------------------------------- the stream */

/* perf_event_open(2): PERF_RECORD_AUX. */
struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

struct feeding {
	struct spe_stream *stream;
	enum spe_packets packets;
	spe_visit *visit;
	void *ctx;
};

static void feed(void *ctx, const uint8_t *bytes, size_t nr)
{
	const struct feeding *feeding = ctx;

	spe_decoder_feed(&feeding->stream->decoder, feeding->packets, bytes, nr, feeding->visit,
			 feeding->ctx);
}

bool spe_stream_take(struct spe_stream *stream, enum spe_packets packets,
		     const struct perf_event_header *record, spe_visit *visit, void *ctx)
{
	struct feeding feeding = { stream, packets, visit, ctx };
	struct aux_record aux;
	bool whole;

	if (record->type != PERF_RECORD_AUX)
		return true;
	if (record->size < sizeof(aux))
		return false;
	memcpy(&aux, record, sizeof(aux));
	whole = aux.offset == stream->area.next;
	if (!whole)
		spe_decoder_cut(&stream->decoder);
	stream->decoder.at = aux.offset;
	stream->area.next = aux.offset + aux.size;
	if (!aux_area_read(&stream->area, aux.offset, aux.size, feed, &feeding))
		return false;
	if (aux.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL)) {
		spe_decoder_cut(&stream->decoder);
		whole = false;
	}
	return whole;
}

void spe_stream_discard(struct spe_stream *stream)
{
	stream->decoder = (struct spe_decoder){ .unreadable = stream->decoder.unreadable };
	aux_area_discard(&stream->area);
}
