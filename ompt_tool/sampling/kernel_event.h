/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_KERNEL_EVENT_H
#define MEMSEARCH_SAMPLING_KERNEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/status.h"
#include "ompt_tool/sampling/data_source.h"

/*
 * lowest descriptor number used, or half of the limit if that is less: the program uses the low
 * numbers
 */
#define KERNEL_EVENT_FD_FIRST 200
#define KERNEL_EVENT_FD_SPARE 16 /* descriptors at the upper limit that are left to the program */

/*
 * One sampling event of the kernel on the calling thread (perf_event_open; user code only, unless
 * the spec states otherwise). To avoid conflicts with the program it uses descriptors that the
 * program cannot get (descriptor.h), or else high ones except the last, and before each use checks
 * that the descriptor is still its own: a program may close or reuse any number. No malloc.
 */
struct kernel_event {
	int fd;           /* -1: none */
	bool counts_lost; /* PERF_FORMAT_LOST is supported: Linux 6.0 */
	uint64_t id;      /* the kernel's number of the event */
	int leader;       /* descriptor of the group's leader; leader_id 0: none */
	uint64_t leader_id;
};

struct kernel_event_spec {
	uint32_t type;   /* of a PMU, from /sys; 0: the kernel's software events */
	uint64_t config; /* PERF_COUNT_SW_…, or in the format described in /sys */
	uint64_t config1, config2;
	uint64_t leader; /* config of an event that must lead its group; 0: none */
	uint64_t period; /* events or ns from one sample to the next */
	uint8_t precise; /* perf_event_open's precise_ip */
	/* also samples the kernel's code: the PMU cannot exclude it */
	bool everywhere;
	/*
	 * enum spe_packets: format of samples; if they are packets, `address` and `data_source` are
	 * set, too
	 */
	uint8_t packets;
	/* sample thread, time, latency and data source; requires `address` */
	bool data_source;
	bool address; /* sample the data address */
	bool page;    /* also the size of its page, and the time */
	bool stack;   /* sample registers and the top of the stack */
};

/*
 * A decoded sample; the layout in the ring depends on the spec: ip, thread, time, address,
 * registers, stack, latency, data source, page.
 */
struct kernel_sample {
	uint64_t ip, address;
	uint64_t when_ns;          /* by the kernel's clock; only with `page` or `data_source` */
	struct data_source source; /* only with `data_source` */
	/* cycles of the access; 0: the PMU does not report it; only with `data_source` */
	uint32_t latency;
	uint32_t thread;          /* thread id (gettid); only with `data_source` */
	bool in_user;             /* by user code */
	uint64_t page_bytes;      /* 0: not reported (before Linux 5.11) */
	const uint8_t *registers; /* in the kernel's order, see registers.h; NULL: none */
	const uint8_t *stack;
	uint32_t stack_bytes;
};

/*
 * Duplicates the descriptor to a high number and closes the given one; -1 with EMFILE if only the
 * last numbers are free.
 */
int kernel_event_move_up(int low);
/*
 * The same for a new event (fd -1 is returned unchanged), and reads its id; -1 with errno if the id
 * cannot be read: the event is closed.
 */
int kernel_event_keep(int fd, uint64_t *id_out);
/*
 * Whether the descriptor is still that event: the program may have closed it, and got its number
 * for a file of its own.
 */
bool kernel_event_is(int fd, uint64_t id);
/*
 * Opens the event disabled. On failure errno is set: MS_ERR_PERMISSION, _UNSUPPORTED, _FULL
 * (descriptors), _IO.
 */
enum ms_status kernel_event_open(struct kernel_event *event, const struct kernel_event_spec *spec);
void kernel_event_close(struct kernel_event *event);
/* Enables or disables it. Any thread. False: the descriptor is no longer the event's. */
bool kernel_event_switch(const struct kernel_event *event, bool on);
/*
 * Enables it for this number of samples, in addition to those still allowed; then the kernel
 * disables it. Any thread.
 */
bool kernel_event_allow(const struct kernel_event *event, uint32_t samples);
bool kernel_event_set_period(const struct kernel_event *event, uint64_t period);
/* Samples lost since it was opened; false: this kernel does not report it. */
bool kernel_event_lost(const struct kernel_event *event, uint64_t *lost_out);
/*
 * False: the PMU could not schedule it at some time, and it samples nothing until it is reopened;
 * or the descriptor is no longer the event's.
 */
bool kernel_event_runs(const struct kernel_event *event);
/* Sends the records of `event` to the ring of `to`. */
bool kernel_event_redirect(const struct kernel_event *event, const struct kernel_event *to);

struct perf_event_header;
/* Id of the event that a sample record belongs to; 0: not a sample. */
uint64_t kernel_event_of(const struct perf_event_header *record);
/*
 * Decodes a sample record of an event opened by `spec`; false: not a sample, or too short. Longer
 * ones are normal: when two events of the same config sample the same moment (another profiler's),
 * Linux 6.18 gives the second record the id and size of the first.
 */
bool kernel_event_parse(const struct perf_event_header *record,
			const struct kernel_event_spec *spec, struct kernel_sample *out);

#endif
