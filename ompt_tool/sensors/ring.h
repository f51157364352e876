/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_RING_H
#define MEMSEARCH_SENSORS_RING_H

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
	struct perf_event_mmap_page *page;   /* NULL: no ring */
	uint8_t *data;
	uint64_t bytes;                      /* of data, a power of two */
};

#define RING_MIN_PAGES 2                 /* of data, beside its head */
#define RING_RECORD_MAX 1024             /* longer records are skipped; ours have at most 408 bytes */

/*
 * Maps a ring of the event `fd`: `wish` bytes if this process's share of lockable memory
 * allows, else half, and so on, down to two pages. MS_ERR_PERMISSION: not even those.
 */
enum ms_status ring_map(struct ring *ring, int fd, uint64_t wish);
void ring_unmap(struct ring *ring);

/* Bytes waiting: one load. */
static inline uint64_t ring_pending(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->page->data_tail;
}

typedef void ring_visit(void *ctx, const struct perf_event_header *record);

/*
 * Calls `visit` for each whole record, contiguous and aligned to 8 bytes even where it
 * wraps, and makes room for new ones. False: the ring held something that is no
 * record; what was left of it is thrown away.
 */
bool ring_drain(struct ring *ring, ring_visit *visit, void *ctx);
void ring_discard(struct ring *ring);

#endif
