/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASE_H
#define MEMSEARCH_PHASE_H

/*
 * Marks one repetition of a program's main phase, which memsearch otherwise detects
 * (C and C++; Fortran: memsearch_phase.f90):
 *
 *     for (step = 0; step < steps; step++) {
 *             memsearch_phase_begin(0);
 *             ...                        one time step
 *             memsearch_phase_end(0);
 *     }
 *
 * The marks are the standard omp_control_tool(64 or 65, number, NULL), of intervals 66 and
 * 67. Nothing has to be linked: with an OpenMP runtime that has no tool interface (libgomp),
 * without OpenMP, and without memsearch they do nothing and cost a call. Call them on the
 * initial thread, in serial code or in a parallel region.
 *
 * All return 0 if a tool received the mark, else another value.
 */
#ifdef __cplusplus
extern "C" {
#endif

/* Private names for these functions: other headers may declare the functions with other types. */
extern int memsearch_control_tool_(int command, int modifier, void *arg) __asm__("omp_control_tool")
	__attribute__((weak));
extern int memsearch_get_max_threads_(void) __asm__("omp_get_max_threads") __attribute__((weak));
typedef int (*memsearch_control_tool_function_)(int command, int modifier, void *arg);
extern memsearch_control_tool_function_ memsearch_dlsym_(void *handle,
							 const char *name) __asm__("dlsym")
	__attribute__((weak));

/*
 * In an executable that is not position independent the linker resolves a missing weak symbol to 0
 * for good. An OpenMP runtime that replaces libgomp at run time is then found by name.
 */
static __inline__ memsearch_control_tool_function_ memsearch_control_tool_lookup_(void)
{
	static memsearch_control_tool_function_ found;
	static int looked_up;

	if (memsearch_control_tool_)
		return memsearch_control_tool_;
	if (!looked_up && memsearch_dlsym_)
		found = memsearch_dlsym_((void *)0, "omp_control_tool");
	looked_up = 1; /* two threads at once find the same value */
	return found;
}

static __inline__ int memsearch_control_(int command, int modifier)
{
	static int started; /* a race only looks it up twice */
	memsearch_control_tool_function_ control = memsearch_control_tool_lookup_();
	int result;

	if (!control)
		return -2;
	result = control(command, modifier, (void *)0);
	/*
	 * Before LLVM's runtime is initialised it returns "no tool" (-2) and calls no tool (LLVM
	 * issue 112924).
	 */
	if (result != -2 || started || !memsearch_get_max_threads_)
		return result;
	started = 1;
	(void)memsearch_get_max_threads_();
	return control(command, modifier, (void *)0);
}

/*
 * An execution of phase `number` begins, or ends. The first number that begins is the main phase.
 */
static __inline__ int memsearch_phase_begin(int number)
{
	return memsearch_control_(64, number);
}

static __inline__ int memsearch_phase_end(int number)
{
	return memsearch_control_(65, number);
}

/*
 * Interval `number` begins, or ends: a part of the run in which memsearch searches, too. Intervals
 * may overlap and contain each other. An interval may begin again.
 */
static __inline__ int memsearch_interval_begin(int number)
{
	return memsearch_control_(66, number);
}

static __inline__ int memsearch_interval_end(int number)
{
	return memsearch_control_(67, number);
}

/* Starts or resumes measuring; pauses it; ends it for the rest of the run. */
static __inline__ int memsearch_measure_start(void)
{
	return memsearch_control_(1, 0);
}

static __inline__ int memsearch_measure_pause(void)
{
	return memsearch_control_(2, 0);
}

static __inline__ int memsearch_measure_end(void)
{
	return memsearch_control_(4, 0);
}

#ifdef __cplusplus
}
#endif

#endif
