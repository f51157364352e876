/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_KERNEL_EVENT_H
#define MEMSEARCH_SAMPLING_KERNEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/status.h"
#include "ompt_tool/sampling/data_source.h"

/* half of the limit where that is less: low numbers are the program's */
#define KERNEL_EVENT_FD_FIRST 200
#define KERNEL_EVENT_FD_SPARE 16 /* the last ones are, too */

/*
 * One sampling event of the kernel on the calling thread (perf_event_open; user code only, unless
 * the spec says otherwise). As a guest in the program it takes descriptors that the program cannot
 * get (descriptor.h), else high ones only, keeps away from the last ones, and asks before each use
 * whether the descriptor is still its own: a program may close or reuse any number. No malloc.
 */
struct kernel_event {
	int fd;          /* -1: none */
	bool knows_lost; /* PERF_FORMAT_LOST, Linux 6.0 */
	uint64_t id;     /* the kernel's number of the event */
	int leader;      /* of its group; leader_id 0: none is needed */
	uint64_t leader_id;
};

struct kernel_event_spec {
	uint32_t type;   /* of a PMU, as /sys has it; 0: the kernel's software events */
	uint64_t config; /* PERF_COUNT_SW_…, or as /sys describes it */
	uint64_t config1, config2;
	uint64_t leader; /* config of an event that must lead its group; 0: none */
	uint64_t period; /* events or ns from one sample to the next */
	uint8_t precise; /* perf_event_open's precise_ip */
	/* samples the kernel's code, too: the PMU cannot tell, and may not be asked to */
	bool everywhere;
	/*
	 * enum spe_packets: how samples come; if not as records, `address` and `data_source` are
	 * known, too
	 */
	uint8_t packets;
	/*
	 * sample the thread, when it was, how long it took and where the data came from; with
	 * `address`
	 */
	bool data_source;
	bool address; /* sample the data address */
	bool page;    /* and the size of the page it is in, and when it was */
	bool stack;   /* sample registers and the top of the stack */
};

/*
 * A sample as the ring holds it, layout by the spec: ip, thread, time, address, registers, stack,
 * latency, source of the data, page.
 */
struct kernel_sample {
	uint64_t ip, address;
	uint64_t when_ns;          /* by the kernel's clock; only with `page` or `data_source` */
	struct data_source source; /* only with `data_source` */
	/* cycles of the access, as far as the PMU tells; 0: it does not; only with `data_source` */
	uint32_t latency;
	uint32_t thread;          /* as gettid tells; only with `data_source` */
	bool in_user;             /* by user code */
	uint64_t page_bytes;      /* 0: this kernel does not tell (before Linux 5.11) */
	const uint8_t *registers; /* as the kernel wrote them, see registers.h; NULL: none */
	const uint8_t *stack;
	uint32_t stack_bytes;
};

/*
 * The same file under a high number, the given one is closed; -1 with EMFILE where that would take
 * one of the last.
 */
int kernel_event_move_up(int low);
/*
 * The same of a new event (-1: stays so), and the kernel's number of it; -1 with errno where that
 * cannot be had: the event is closed.
 */
int kernel_event_keep(int fd, uint64_t *id_out);
/*
 * Whether the descriptor is still that event: the program may have closed it, and got its number
 * for a file of its own.
 */
bool kernel_event_is(int fd, uint64_t id);
/*
 * Opens it switched off. On failure errno says why: MS_ERR_PERMISSION, _UNSUPPORTED, _FULL
 * (descriptors), _IO.
 */
enum ms_status kernel_event_open(struct kernel_event *event, const struct kernel_event_spec *spec);
void kernel_event_close(struct kernel_event *event);
/* Any thread. False: the descriptor is no longer ours. */
bool kernel_event_switch(const struct kernel_event *event, bool on);
/*
 * Enables it for this number of samples, in addition to those still allowed; then the kernel
 * disables it. Any thread.
 */
bool kernel_event_allow(const struct kernel_event *event, uint32_t samples);
bool kernel_event_set_period(const struct kernel_event *event, uint64_t period);
/* Samples lost since it was opened; false: this kernel does not tell. */
bool kernel_event_lost(const struct kernel_event *event, uint64_t *lost_out);
/*
 * False: the PMU had no room for it at some time, and nothing is sampled until it is opened again;
 * or it is no longer ours.
 */
bool kernel_event_runs(const struct kernel_event *event);
/* Sends the records of `event` to the ring of `to`. */
bool kernel_event_redirect(const struct kernel_event *event, const struct kernel_event *to);

struct perf_event_header;
/* The id of the event a sample record is of; 0: it is no sample. */
uint64_t kernel_event_of(const struct perf_event_header *record);
/*
 * Takes a sample record of an event opened by `spec` apart; false: it is none, or shorter
 * than it says. Longer ones are normal: when two events of the same config sample the same
 * moment (another profiler's), Linux 6.18 gives the second record the id and size of the first.
 */
bool kernel_event_parse(const struct perf_event_header *record,
			const struct kernel_event_spec *spec, struct kernel_sample *out);

#endif
