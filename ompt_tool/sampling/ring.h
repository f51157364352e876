/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_RING_H
#define MEMSEARCH_SAMPLING_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * The ring a kernel event writes its records to, and how it is read: polled by the
 * thread that owns it, never by signal. Not here: what a record means (sampler.h).
 *
 *     [ page: head, tail ][ data, a power of two bytes; a record may wrap at its end ]
 *
 * ring_pending and ring_drain may be called from callbacks; only one thread at a time.
 */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: no ring */
	uint8_t *data;
	uint64_t bytes; /* of data, a power of two */
};

/*
 * Unprivileged rings are charged to RLIMIT_MEMLOCK and kernel.perf_event_mlock_kb per CPU. A ring
 * takes at most this share of the remaining limit, so that late threads get one, too: with 8 MiB,
 * 64 KiB for the first and 8 KiB for the 400th, instead of 128 KiB for 69 threads and nothing for
 * all others. The initial thread gets more: it may touch all of the program's memory, and exists
 * during the whole run.
 */
#define RING_SHARE 128u
#define RING_SHARE_INITIAL 16u
#define RING_MIN_PAGES 2 /* of data, in addition to the head page */
/* longer records are skipped; memsearch's have at most 500 bytes */
#define RING_RECORD_MAX 1024

/*
 * Maps a ring of the event `fd`: `wish` bytes if one in `share` of the lockable memory that is left
 * to this process allows, else half, and so on, down to two pages. MS_ERR_PERMISSION: not even
 * those.
 */
enum ms_status ring_map(struct ring *ring, int fd, uint64_t wish, uint32_t share);
void ring_unmap(struct ring *ring);

/* Bytes to be read: one load. */
static inline uint64_t ring_pending(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->page->data_tail;
}

typedef void ring_visit(void *ctx, const struct perf_event_header *record);

/*
 * Calls `visit` for each complete record, contiguous and aligned to 8 bytes even if it wraps
 * around, and frees its space. False: the ring contained something that is no record; the rest was
 * discarded.
 */
bool ring_drain(struct ring *ring, ring_visit *visit, void *ctx);
void ring_discard(struct ring *ring);

/*
 * A PMU that writes to memory itself (SPE) uses a second buffer next to the ring, the AUX area
 * (perf_event_open(2)); records in the ring (PERF_RECORD_AUX) describe the data written. Offsets
 * count all bytes since the start: the area is circular.
 */
struct aux_area {
	struct perf_event_mmap_page *page; /* the ring's; NULL: no area */
	uint8_t *data;
	uint64_t bytes; /* of data, a power of two */
	uint64_t next;  /* offset after the data of the last record */
};

/* For a ring that is already mapped, of the same event; sizes and errors as for ring_map. */
enum ms_status aux_area_map(struct aux_area *area, const struct ring *ring, int fd, uint64_t wish);
void aux_area_unmap(struct aux_area *area);
/*
 * Calls `visit` for `size` bytes from `offset` on, twice if they wrap around. False: more than the
 * area holds.
 */
bool aux_area_read(const struct aux_area *area, uint64_t offset, uint64_t size,
		   void (*visit)(void *ctx, const uint8_t *bytes, size_t nr), void *ctx);
/* Whether records cover all that was written. The event must have stopped. */
bool aux_area_is_drained(const struct aux_area *area);
/* Releases the data of records so far. */
void aux_area_consumed(struct aux_area *area);
/* Releases all data written; its records must not be read afterwards. */
void aux_area_discard(struct aux_area *area);

#endif
