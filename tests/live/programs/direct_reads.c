/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file into arrays in each step, past the page cache (O_DIRECT) and by io_uring, and checks what is there. argv[1]: steps.
 * Status 77: neither is possible here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N (1 << 15) /* 256 KiB */
#define ALIGNED __attribute__((aligned(4096)))

static double direct[N] ALIGNED, queued[N] ALIGNED, result[N] ALIGNED;

static struct {
	int fd;
	unsigned int *tail, *mask, *array, *head, *last, *completed_mask;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *completed;
} ring = { .fd = -1 };

static void *map_ring(size_t bytes, off_t what)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);

	return memory == MAP_FAILED ? NULL : memory;
}

static int open_ring(void)
{
	struct io_uring_params how = { 0 };
	char *submitted, *completed;

	ring.fd = (int)syscall(SYS_io_uring_setup, 1, &how);
	if (ring.fd < 0)
		return 0;
	submitted = map_ring(how.sq_off.array + how.sq_entries * sizeof(unsigned int), IORING_OFF_SQ_RING);
	completed = map_ring(how.cq_off.cqes + how.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring.entries = map_ring(how.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	if (!submitted || !completed || !ring.entries)
		return 0;
	ring.tail = (unsigned int *)(submitted + how.sq_off.tail);
	ring.mask = (unsigned int *)(submitted + how.sq_off.ring_mask);
	ring.array = (unsigned int *)(submitted + how.sq_off.array);
	ring.head = (unsigned int *)(completed + how.cq_off.head);
	ring.last = (unsigned int *)(completed + how.cq_off.tail);
	ring.completed_mask = (unsigned int *)(completed + how.cq_off.ring_mask);
	ring.completed = (struct io_uring_cqe *)(completed + how.cq_off.cqes);
	return 1;
}

static void read_queued(int file)
{
	unsigned int tail = *ring.tail, at = tail & *ring.mask;

	ring.entries[at] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = file, .addr = (unsigned long)queued, .len = sizeof(queued)
	};
	ring.array[at] = at;
	__atomic_store_n(ring.tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1 ||
	    __atomic_load_n(ring.last, __ATOMIC_ACQUIRE) == *ring.head ||
	    ring.completed[*ring.head & *ring.completed_mask].res != (int)sizeof(queued))
		exit(5);
	__atomic_store_n(ring.head, *ring.head + 1, __ATOMIC_RELEASE);
}

static double step(int file, int number)
{
	double sum = 0;

	direct[0] = queued[0] = -1; /* other pages are written by the kernel first */
	if (pread(file, direct, sizeof(direct), 0) != sizeof(direct))
		exit(6);
	if (ring.fd >= 0)
		read_queued(file);
	else
		memcpy(queued, direct, sizeof(queued));
	if (memcmp(direct, queued, sizeof(direct)) != 0 || direct[0] != 0)
		exit(7);
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		result[i] = direct[i] + queued[i] + number;
		sum += result[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	const char *name = "direct_reads.data";
	int steps = argc > 1 ? atoi(argv[1]) : 300, file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), direct_file;
	double sum = 0;

	for (int i = 0; i < N; i++)
		result[i] = direct[i] = queued[i] = i;
	if (file < 0 || write(file, result, sizeof(result)) != sizeof(result) || fsync(file))
		return 4;
	direct_file = open(name, O_RDONLY | O_DIRECT);
	unlink(name);
	if (!open_ring())
		ring.fd = -1;
	if (direct_file < 0 && ring.fd < 0)
		return 77;
	for (int i = 0; i < steps; i++)
		sum += step(direct_file < 0 ? file : direct_file, i);
	printf("%.9e\n", sum);
	return 3;
}
