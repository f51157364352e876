/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_AUTOMATIC_ARRAYS_H
#define MEMSEARCH_ARRAYS_AUTOMATIC_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Arrays in frames of functions (`double a[1000][1000];` in main; gfortran's arrays with -fopenmp), where the
 * initial thread's stack had these frames when a parallel region began for the first time:
 *
 *     parallel_begin ─ frames ─▶ note ─┐
 *                                      ├─▶ table of arrays (array.h)
 *     phase boundary ─ declarations ───┘
 *
 * Where frames of several functions turn out to have the same place at different times, none of their
 * arrays has it from then on. What structures there point to gets their names (heap_names.c). Not here: arrays whose size is computed (alloca), and those of other
 * threads' frames.
 */
struct declared_list;

/* x86-64 and AArch64, as DWARF numbers them; -1: none known. */
#if defined(__x86_64__)
#define AUTOMATIC_FRAME_POINTER 6
#define AUTOMATIC_STACK_POINTER 7
#elif defined(__aarch64__)
#define AUTOMATIC_FRAME_POINTER 29
#define AUTOMATIC_STACK_POINTER 31
#else
#define AUTOMATIC_FRAME_POINTER (-1)
#define AUTOMATIC_STACK_POINTER (-1)
#endif

struct automatic_frame {
	uint64_t code;           /* return address in the program's original code */
	uintptr_t stack;         /* the stack pointer at that call */
	uintptr_t frame_pointer; /* the register's value in that frame */
	uintptr_t cfa;           /* canonical frame address; 0: not known */
};

/* On the initial thread; callbacks allowed, no malloc. Frames that were noted before are not noted again. */
void automatic_arrays_note(const struct automatic_frame *frame);
/*
 * What a file declares, which has to stay; `bias`: of its addresses. At phase boundaries, on the initial
 * thread.
 */
void automatic_arrays_declare(const struct declared_list *declared, uint64_t bias);
/*
 * Names heap blocks by members of structures in frames that still exist, the outermost first. At phase
 * boundaries and at the end.
 */
void automatic_arrays_name_blocks(void);
/* After frames of one stack were noted: the same, if some are new. Callbacks allowed, no malloc. */
void automatic_arrays_noted(void);

#endif
