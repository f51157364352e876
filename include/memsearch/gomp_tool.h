/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_TOOL_H
#define MEMSEARCH_GOMP_TOOL_H

#include <stdbool.h>

#include <omp-tools.h>

/*
 * Calls between libmemsearch-gomp.so and the tool beyond OMPT. Looked up by these names; all are
 * optional.
 */

/*
 * gcc's static loops have no events. Within parallel_begin: the function that libgomp will call on
 * each thread of the team; NULL otherwise. A runtime without this reports static loops itself.
 */
typedef const void *gomp_get_outlined(void);
#define GOMP_GET_OUTLINED "memsearch_get_outlined"

/*
 * `rest`: from the region that begins now on, send only the begin and end events of regions in
 * serial code; constructs inside cost a load and a branch. Call with false only in parallel_begin
 * of a region in serial code: a construct whose begin had no event must not send its end.
 */
typedef void gomp_set_rest(bool rest);
#define GOMP_SET_REST "memsearch_set_rest"

/*
 * If the program has several copies of libgomp, each call is forwarded to the copy that the calling
 * library is linked to. `original`: for an address in a clone made by the tool, returns the address
 * in the original code; other addresses are returned unchanged. Any thread; takes no lock.
 */
typedef const void *gomp_original(const void *address);
typedef void gomp_set_original(gomp_original *original);
#define GOMP_SET_ORIGINAL "memsearch_set_original"

/*
 * `exchange`: returns the code to run for the body of a region in serial code, its clone or the
 * body. Called before parallel_begin, on the initial thread, only in the call that started the
 * tool: later calls use the tool's trampolines.
 */
typedef const void *gomp_exchange(const void *body);
typedef void gomp_set_exchange(gomp_exchange *exchange);
#define GOMP_SET_EXCHANGE "memsearch_set_exchange"

/*
 * OMPT's mutex_released is sent after the release, when another thread may already hold the lock.
 * `releasing` is called before the release on the same thread. The time that the lock is held ends
 * with this call, which may write memory that the lock protects. `wait`: address of the program's
 * lock variable, as in the other mutex events; 0: the lock of the unnamed critical constructs.
 */
typedef void gomp_releasing(ompt_mutex_t kind, ompt_wait_id_t wait);
typedef void gomp_set_releasing(gomp_releasing *releasing);
#define GOMP_SET_RELEASING "memsearch_set_releasing"

/*
 * libgomp ends the threads that a smaller team does not need, and creates others for a larger one.
 * Within thread_begin: the worker's number in its team; 0: the thread is no worker of libgomp.
 */
typedef unsigned int gomp_get_number(void);
#define GOMP_GET_NUMBER "memsearch_get_number"

/* libgomp's omp_set_num_threads: for the calling thread, not within a call of libgomp. */
typedef void gomp_set_num_threads(int threads);
#define GOMP_SET_NUM_THREADS "omp_set_num_threads"

#endif
