/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_ENTRIES_H
#define MEMSEARCH_GOMP_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The entry points of GNU libgomp that produce events, with their types: libgomp_g.h of GCC 4.4 to
 * 15. Each row is exported by libmemsearch-gomp.so (gomp.map has its symbol version) and looked up
 * in libgomp.
 *
 * To add an entry: 1. its row here; 2. its definition in the file of its family; 3. its line in
 * gomp.map.
 */
typedef void gomp_body(void *data);
typedef void gomp_copy(void *to, void *from);
typedef unsigned long long gomp_ull;

/* clang-format off */
#define GOMP_LOOP_STARTS(X) \
	X(static, ompt_work_loop_static) X(dynamic, ompt_work_loop_dynamic) X(guided, ompt_work_loop_guided) \
	X(ordered_static, ompt_work_loop_static) X(ordered_dynamic, ompt_work_loop_dynamic) X(ordered_guided, ompt_work_loop_guided) \
	X(nonmonotonic_dynamic, ompt_work_loop_dynamic) X(nonmonotonic_guided, ompt_work_loop_guided)
/* clang-format on */
/* schedule(runtime): no chunk size among the arguments */
#define GOMP_RUNTIME_STARTS(X) \
	X(runtime) X(ordered_runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
#define GOMP_DOACROSS_STARTS(X) \
	X(static, ompt_work_loop_static) \
	X(dynamic, ompt_work_loop_dynamic) X(guided, ompt_work_loop_guided)
/* clang-format off */
#define GOMP_LOOP_NEXTS(X) \
	X(static) X(dynamic) X(guided) X(runtime) X(ordered_static) X(ordered_dynamic) X(ordered_guided) X(ordered_runtime) \
	X(nonmonotonic_dynamic) X(nonmonotonic_guided) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
/* clang-format on */
/* the combined constructs: `parallel for` with … */
/* clang-format off */
#define GOMP_PARALLEL_LOOPS(X) \
	X(static, ompt_work_loop_static) X(dynamic, ompt_work_loop_dynamic) X(guided, ompt_work_loop_guided) \
	X(nonmonotonic_dynamic, ompt_work_loop_dynamic) X(nonmonotonic_guided, ompt_work_loop_guided)
/* clang-format on */
#define GOMP_PARALLEL_RUNTIME_LOOPS(X) \
	X(runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
/* GCC up to 4.8 */
#define GOMP_PARALLEL_LOOP_STARTS(X) \
	X(static, ompt_work_loop_static) \
	X(dynamic, ompt_work_loop_dynamic) X(guided, ompt_work_loop_guided)

#define GOMP_LOOP_START_ENTRY(name, type) \
	X(bool, GOMP_loop_##name##_start, \
	  (long begin, long end, long step, long chunk, long *first, long *last)) \
	X(bool, GOMP_loop_ull_##name##_start, \
	  (bool up, gomp_ull begin, gomp_ull end, gomp_ull step, gomp_ull chunk, gomp_ull *first, \
	   gomp_ull *last))
#define GOMP_RUNTIME_START_ENTRY(name) \
	X(bool, GOMP_loop_##name##_start, \
	  (long begin, long end, long step, long *first, long *last)) \
	X(bool, GOMP_loop_ull_##name##_start, \
	  (bool up, gomp_ull begin, gomp_ull end, gomp_ull step, gomp_ull *first, gomp_ull *last))
#define GOMP_DOACROSS_START_ENTRY(name, type) \
	X(bool, GOMP_loop_doacross_##name##_start, \
	  (unsigned int dimensions, long *counts, long chunk, long *first, long *last)) \
	X(bool, GOMP_loop_ull_doacross_##name##_start, \
	  (unsigned int dimensions, gomp_ull *counts, gomp_ull chunk, gomp_ull *first, \
	   gomp_ull *last))
#define GOMP_NEXT_ENTRY(name) \
	X(bool, GOMP_loop_##name##_next, (long *first, long *last)) \
	X(bool, GOMP_loop_ull_##name##_next, (gomp_ull * first, gomp_ull * last))
#define GOMP_PARALLEL_LOOP_ENTRY(name, type) \
	X(void, GOMP_parallel_loop_##name, \
	  (gomp_body * body, void *data, unsigned int threads, long begin, long end, long step, \
	   long chunk, unsigned int flags))
#define GOMP_PARALLEL_RUNTIME_ENTRY(name) \
	X(void, GOMP_parallel_loop_##name, \
	  (gomp_body * body, void *data, unsigned int threads, long begin, long end, long step, \
	   unsigned int flags))
#define GOMP_PARALLEL_LOOP_START_ENTRY(name, type) \
	X(void, GOMP_parallel_loop_##name##_start, \
	  (gomp_body * body, void *data, unsigned int threads, long begin, long end, long step, \
	   long chunk))

/* Expands X(result, name, (parameters)) for each entry; X must be defined there. */
/* clang-format off */
#define GOMP_ENTRIES \
	X(void, GOMP_parallel, (gomp_body *body, void *data, unsigned int threads, unsigned int \
	  flags)) \
	X(unsigned int, GOMP_parallel_reductions, (gomp_body *body, void *data, unsigned int \
	  threads, unsigned int flags)) \
	X(void, GOMP_parallel_sections, (gomp_body *body, void *data, unsigned int threads, \
	  unsigned int count, unsigned int flags)) \
	X(void, GOMP_parallel_start, (gomp_body *body, void *data, unsigned int threads)) \
	X(void, GOMP_parallel_sections_start, (gomp_body *body, void *data, unsigned int threads, \
	  unsigned int count)) \
	X(void, GOMP_parallel_loop_runtime_start, (gomp_body *body, void *data, unsigned int \
	  threads, long begin, long end, long step)) \
	X(void, GOMP_parallel_end, (void)) \
	GOMP_PARALLEL_LOOPS(GOMP_PARALLEL_LOOP_ENTRY) \
	GOMP_PARALLEL_RUNTIME_LOOPS(GOMP_PARALLEL_RUNTIME_ENTRY) \
	GOMP_PARALLEL_LOOP_STARTS(GOMP_PARALLEL_LOOP_START_ENTRY) \
	GOMP_LOOP_STARTS(GOMP_LOOP_START_ENTRY) \
	GOMP_RUNTIME_STARTS(GOMP_RUNTIME_START_ENTRY) \
	GOMP_DOACROSS_STARTS(GOMP_DOACROSS_START_ENTRY) \
	GOMP_LOOP_NEXTS(GOMP_NEXT_ENTRY) \
	X(bool, GOMP_loop_doacross_runtime_start, (unsigned int dimensions, long *counts, long \
	  *first, long *last)) \
	X(bool, GOMP_loop_ull_doacross_runtime_start, (unsigned int dimensions, gomp_ull *counts, \
	  gomp_ull *first, gomp_ull *last)) \
	X(bool, GOMP_loop_start, (long begin, long end, long step, long schedule, long chunk, \
	  long *first, long *last, uintptr_t *reductions, void **memory)) \
	X(bool, GOMP_loop_ordered_start, (long begin, long end, long step, long schedule, long \
	  chunk, long *first, long *last, uintptr_t *reductions, void **memory)) \
	X(bool, GOMP_loop_doacross_start, (unsigned int dimensions, long *counts, long schedule, \
	  long chunk, long *first, long *last, uintptr_t *reductions, void **memory)) \
	X(bool, GOMP_loop_ull_start, (bool up, gomp_ull begin, gomp_ull end, gomp_ull step, long \
	  schedule, gomp_ull chunk, gomp_ull *first, gomp_ull *last, uintptr_t *reductions, void \
	  **memory)) \
	X(bool, GOMP_loop_ull_ordered_start, (bool up, gomp_ull begin, gomp_ull end, gomp_ull \
	  step, long schedule, gomp_ull chunk, gomp_ull *first, gomp_ull *last, uintptr_t \
	  *reductions, void **memory)) \
	X(bool, GOMP_loop_ull_doacross_start, (unsigned int dimensions, gomp_ull *counts, long \
	  schedule, gomp_ull chunk, gomp_ull *first, gomp_ull *last, uintptr_t *reductions, void \
	  **memory)) \
	X(void, GOMP_loop_end, (void)) \
	X(void, GOMP_loop_end_nowait, (void)) \
	X(bool, GOMP_loop_end_cancel, (void)) \
	X(unsigned int, GOMP_sections_start, (unsigned int count)) \
	X(unsigned int, GOMP_sections_next, (void)) \
	X(unsigned int, GOMP_sections2_start, (unsigned int count, uintptr_t *reductions, void \
	  **memory)) \
	X(void, GOMP_sections_end, (void)) \
	X(void, GOMP_sections_end_nowait, (void)) \
	X(bool, GOMP_sections_end_cancel, (void)) \
	X(bool, GOMP_single_start, (void)) \
	X(void *, GOMP_single_copy_start, (void)) \
	X(void, GOMP_single_copy_end, (void *data)) \
	X(void, GOMP_barrier, (void)) \
	X(bool, GOMP_barrier_cancel, (void)) \
	X(void, GOMP_workshare_task_reduction_unregister, (bool cancelled)) \
	X(void, GOMP_critical_start, (void)) \
	X(void, GOMP_critical_name_start, (void **name)) \
	X(void, GOMP_ordered_start, (void)) \
	X(void, GOMP_critical_end, (void)) \
	X(void, GOMP_critical_name_end, (void **name)) \
	X(void, GOMP_atomic_start, (void)) \
	X(void, GOMP_atomic_end, (void)) \
	X(void, GOMP_doacross_wait, (long first, ...)) \
	X(void, GOMP_doacross_ull_wait, (gomp_ull first, ...)) \
	X(void, omp_set_lock, (void *lock)) \
	X(void, omp_set_nest_lock, (void *lock)) \
	X(void, omp_set_lock_, (void *lock)) \
	X(void, omp_set_nest_lock_, (void *lock)) \
	X(int, omp_test_lock, (void *lock)) \
	X(int, omp_test_nest_lock, (void *lock)) \
	X(int, omp_test_lock_, (void *lock)) \
	X(int, omp_test_nest_lock_, (void *lock)) \
	X(void, omp_unset_lock, (void *lock)) \
	X(void, omp_unset_nest_lock, (void *lock)) \
	X(void, omp_unset_lock_, (void *lock)) \
	X(void, omp_unset_nest_lock_, (void *lock)) \
	X(void, GOMP_task, (gomp_body *body, void *data, gomp_copy *copy, long bytes, long \
	  alignment, bool deferrable, unsigned int flags, void **dependences, int priority, void \
	  *detach)) \
	X(void, GOMP_taskloop, (gomp_body *body, void *data, gomp_copy *copy, long bytes, long \
	  alignment, unsigned int flags, unsigned long tasks, int priority, long begin, long end, \
	  long step)) \
	X(void, GOMP_taskloop_ull, (gomp_body *body, void *data, gomp_copy *copy, long bytes, \
	  long alignment, unsigned int flags, unsigned long tasks, int priority, gomp_ull begin, \
	  gomp_ull end, gomp_ull step)) \
	X(void, omp_set_num_threads, (int threads)) \
	X(void, omp_set_num_threads_, (const int *threads)) \
	X(void, omp_set_num_threads_8_, (const int64_t *threads)) \
	X(int, omp_get_max_threads, (void)) \
	X(int, omp_get_max_threads_, (void)) \
	X(int, omp_get_num_procs, (void)) \
	X(int, omp_get_num_procs_, (void)) \
	X(void, GOMP_taskwait, (void)) \
	X(void, GOMP_taskwait_depend, (void **dependences)) \
	X(void, GOMP_taskgroup_end, (void))
/* clang-format on */

#endif
