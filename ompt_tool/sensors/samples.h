/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SENSORS_SAMPLES_H
#define MEMSEARCH_SENSORS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/status.h"
#include "ompt_tool/sensors/registers.h"
#include "ompt_tool/sensors/touch_log.h"

/*
 * What the sampling sensors (clock samples, minor page faults) leave behind beside
 * their metrics: for each (region, instruction) how often, with the registers and the
 * top of the stack of one such sample so that a library's instruction can be traced
 * back to the program's own line later, outside of any callback.
 */
struct thread;
struct sensor;

#define SAMPLE_STACK_BYTES 256

struct sample_site {
	uint32_t region;
	uint32_t metric;             /* MS_METRIC_SAMPLES or MS_METRIC_FAULT_SAMPLES */
	uint64_t ip;
	uint64_t count;              /* in sampling periods: after losses a sample stands for several */
	uint64_t address;            /* faults: data address of the first one */
	uint32_t has_stack, stack_bytes; /* none where `ip` is in the program's own file: nothing to follow */
	uint64_t registers[SAMPLE_REGISTERS];   /* those of register_map, in its order */
	uint8_t stack[SAMPLE_STACK_BYTES];
};

/* Samples that are missing somewhere, over the thread's life. */
struct samples_losses {
	uint64_t lost;                       /* the kernel had no room for them */
	uint64_t sites;                      /* without a site: the table was full */
	uint64_t touches;                    /* not kept one by one: the queue was full, or there was no memory for one */
};

extern const struct sensor sensor_samples, sensor_faults;

/* Clock samples per second and thread, 1 … 4000; before the first thread begins. */
void samples_configure(double hz);

/* Whether each page fault is to be sampled one by one, however many come at once (faults.c); before the first thread begins. */
void faults_configure(bool each);

/* Every site of a thread; at a phase boundary or the end. A count may be one behind. */
void samples_each(const struct thread *thread, enum ms_sensor_id sensor, void (*visit)(void *ctx, const struct sample_site *site), void *ctx);
/* Any thread: the site at `position` in its thread's table; false: there is none. */
bool samples_site(const struct thread *thread, enum ms_sensor_id sensor, uint32_t position, struct sample_site *out);
/* A thread's page faults, to be read at phase boundaries by one thread at a time. NULL: none are kept. */
struct touch_log *samples_touches(const struct thread *thread);
/* It is in the metrics all the same, but for what was lost. */
struct samples_losses samples_losses(const struct thread *thread, enum ms_sensor_id sensor);
/* Reads what is in the thread's ring now, for the region it is in; the owner, or anyone once the owner is idle. */
void samples_drain(struct thread *thread, enum ms_sensor_id sensor);

/*
 * Follows the stack of a site outwards by CFI (libdw) to the first return address that lies
 * in the program itself or a library that is neither libc, libm, a compiler's or OpenMP's runtime
 * nor memsearch. Where `ip` is already there, the answer is `ip` itself, which is no return
 * address: look up answer - 1 only if the answer is not site->ip. Outside of callbacks.
 * MS_ERR_NOT_FOUND: the stack copy ends before, there is none, or a module has no CFI.
 */
struct module;
struct unwinder;
struct arena;
struct unwinder *unwinder_new(struct arena *arena, const struct module *modules, size_t nr_modules);
void unwinder_free(struct unwinder *unwinder);
enum ms_status unwinder_own_code(struct unwinder *unwinder, const struct sample_site *site, uint64_t *return_address_out);

#endif
