/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Polled rings of kernel events and their AUX areas: distribution of lockable memory, records that
 * wrap around.
 */
#include "ompt_tool/sampling/ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ompt_tool/sampling/privilege.h"

/* bytes; may become negative: then every ring gets the minimum */
static int64_t lockable_left;
static int lockable_known;

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int64_t lockable_bytes(void)
{
	struct rlimit limit;
	long per_cpu_kib = privilege_number("/proc/sys/kernel/perf_event_mlock_kb", 516);

	if (privilege_unlimited_memlock() || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur >= INT64_MAX / 4)
		return INT64_MAX / 2;
	return (int64_t)limit.rlim_cur + per_cpu_kib * 1024 * sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t ration(uint64_t wish, uint32_t share)
{
	uint64_t bytes = RING_MIN_PAGES * page_bytes();
	int64_t left;

	if (!__atomic_load_n(&lockable_known, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&lockable_left, lockable_bytes(), __ATOMIC_RELAXED);
		__atomic_store_n(&lockable_known, 1, __ATOMIC_RELEASE);
	}
	left = __atomic_load_n(&lockable_left, __ATOMIC_RELAXED) / (int64_t)share;
	while (bytes * 2 <= wish && (int64_t)bytes * 2 <= left)
		bytes *= 2;
	return bytes;
}

static void *map_locked(int fd, uint64_t bytes, uint64_t at)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	if (memory == MAP_FAILED)
		return NULL;
	__atomic_fetch_sub(&lockable_left, (int64_t)bytes, __ATOMIC_RELAXED);
	return memory;
}

static void unmap_locked(void *memory, uint64_t bytes)
{
	__atomic_fetch_add(&lockable_left, (int64_t)bytes, __ATOMIC_RELAXED);
	munmap(memory, bytes);
}

/* The next size to try after a failure with errno; 0: a smaller one would fail, too. */
static uint64_t smaller(uint64_t bytes)
{
	return (errno == EPERM || errno == ENOMEM) && bytes > RING_MIN_PAGES * page_bytes()
		       ? bytes / 2
		       : 0;
}

static enum ms_status refused(void)
{
	return errno == EPERM ? MS_ERR_PERMISSION : MS_ERR_IO;
}

enum ms_status ring_map(struct ring *ring, int fd, uint64_t wish, uint32_t share)
{
	uint64_t page = page_bytes();

	for (uint64_t bytes = ration(wish, share); bytes; bytes = smaller(bytes)) {
		void *memory = map_locked(fd, page + bytes, 0);

		if (memory) {
			*ring = (struct ring){ memory, (uint8_t *)memory + page, bytes };
			return MS_OK;
		}
	}
	*ring = (struct ring){ 0 };
	return refused();
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		unmap_locked(ring->page, page_bytes() + ring->bytes);
	*ring = (struct ring){ 0 };
}

/* Copies [from, from + length) out of the ring, around its end if need be. */
static void copy_out(const struct ring *ring, uint64_t from, void *to, uint64_t length)
{
	uint64_t start = from & (ring->bytes - 1);
	uint64_t first = ring->bytes - start < length ? ring->bytes - start : length;

	memcpy(to, ring->data + start, first);
	memcpy((uint8_t *)to + first, ring->data, length - first);
}

static void consumed(struct ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

bool ring_drain(struct ring *ring, ring_visit *visit, void *ctx)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	union {
		struct perf_event_header header;
		uint64_t words[RING_RECORD_MAX / 8];
	} record;

	while (head - tail >= sizeof(record.header)) {
		copy_out(ring, tail, &record, sizeof(record.header));
		if (record.header.size < sizeof(record.header) ||
		    record.header.size > head - tail) {
			consumed(ring, head);
			return false;
		}
		if (record.header.size <= sizeof(record)) {
			copy_out(ring, tail, &record, record.header.size);
			visit(ctx, &record.header);
		}
		tail += record.header.size;
	}
	consumed(ring, head);
	return head == tail;
}

void ring_discard(struct ring *ring)
{
	consumed(ring, __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE));
}

/* -- the AUX area */

/* The area follows the ring in the event's file, and the kernel requires its size beforehand. */
enum ms_status aux_area_map(struct aux_area *area, const struct ring *ring, int fd, uint64_t wish)
{
	uint64_t at = page_bytes() + ring->bytes;

	ring->page->aux_offset = at;
	for (uint64_t bytes = ration(wish, RING_SHARE); bytes; bytes = smaller(bytes)) {
		void *memory;

		ring->page->aux_size = bytes;
		memory = map_locked(fd, bytes, at);
		if (memory) {
			*area = (struct aux_area){ ring->page, memory, bytes, 0 };
			return MS_OK;
		}
	}
	*area = (struct aux_area){ 0 };
	return refused();
}

void aux_area_unmap(struct aux_area *area)
{
	if (area->page)
		unmap_locked(area->data, area->bytes);
	*area = (struct aux_area){ 0 };
}

bool aux_area_read(const struct aux_area *area, uint64_t offset, uint64_t size,
		   void (*visit)(void *ctx, const uint8_t *bytes, size_t nr), void *ctx)
{
	uint64_t start, first;

	if (!area->page || size > area->bytes)
		return false;
	start = offset & (area->bytes - 1);
	first = area->bytes - start < size ? area->bytes - start : size;
	visit(ctx, area->data + start, first);
	if (first < size)
		visit(ctx, area->data, size - first);
	return true;
}

bool aux_area_is_drained(const struct aux_area *area)
{
	return area->next == __atomic_load_n(&area->page->aux_head, __ATOMIC_ACQUIRE);
}

void aux_area_consumed(struct aux_area *area)
{
	__atomic_store_n(&area->page->aux_tail, area->next, __ATOMIC_RELEASE);
}

void aux_area_discard(struct aux_area *area)
{
	area->next = __atomic_load_n(&area->page->aux_head, __ATOMIC_ACQUIRE);
	aux_area_consumed(area);
}
