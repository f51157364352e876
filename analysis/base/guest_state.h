/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_GUEST_STATE_H
#define MEMSEARCH_BASE_GUEST_STATE_H

#include <errno.h>
#include <stdint.h>

/*
 * State of the program's thread that memsearch's work must preserve, beyond what calls preserve:
 * errno, and the floating-point environment (rounding, precision, masks, and the flags of what was
 * raised). It is saved meanwhile: memsearch computes in the usual environment (a program that traps
 * on division by zero must not trap here), and the program gets its own back, with no flag that it
 * did not raise. Some 50 ns; libc only.
 */
#if defined(__x86_64__)
struct float_environment {
	uint32_t mxcsr;
	uint32_t x87[7]; /* as fnstenv writes it */
};

/* as processes begin: to nearest, all masked (System V ABI, x86-64, 3.2.3) */
#define FLOAT_MXCSR 0x1f80u
#define FLOAT_X87 0x037fu /* the same, 64 bits of mantissa */

static inline void float_environment_hold(struct float_environment *state)
{
	const uint32_t mxcsr = FLOAT_MXCSR;
	const uint16_t control = FLOAT_X87;

	__asm__ volatile("stmxcsr %0\n\tfnstenv %1" : "=m"(state->mxcsr), "=m"(state->x87));
	__asm__ volatile("fnclex\n\tfldcw %0\n\tldmxcsr %1"
			 :
			 : "m"(control), "m"(mxcsr)
			 : "memory");
}

static inline void float_environment_give_back(const struct float_environment *state)
{
	__asm__ volatile("fldenv %0\n\tldmxcsr %1"
			 :
			 : "m"(state->x87), "m"(state->mxcsr)
			 : "memory");
}
#elif defined(__aarch64__)
struct float_environment {
	uint64_t control, status;
};

static inline void float_environment_hold(struct float_environment *state)
{
	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
			 : "=r"(state->control), "=r"(state->status));
	__asm__ volatile("msr fpcr, xzr\n\tmsr fpsr, xzr" : : : "memory");
}

static inline void float_environment_give_back(const struct float_environment *state)
{
	__asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
			 :
			 : "r"(state->control), "r"(state->status)
			 : "memory");
}
#elif defined(__powerpc64__)
struct float_environment {
	double fpscr;
};

static inline void float_environment_hold(struct float_environment *state)
{
	__asm__ volatile("mffs %0" : "=f"(state->fpscr));
	__asm__ volatile("mtfsf 255, %0" : : "f"(0.0) : "memory");
}

static inline void float_environment_give_back(const struct float_environment *state)
{
	__asm__ volatile("mtfsf 255, %0" : : "f"(state->fpscr) : "memory");
}
#else
struct float_environment {
	char none;
};

static inline void float_environment_hold(struct float_environment *state)
{
	(void)state;
}

static inline void float_environment_give_back(const struct float_environment *state)
{
	(void)state;
}
#endif

/*
 * For a few additions on hot paths, in the program's own environment: restores the flags. Some ns,
 * unless a new flag was raised. x86-64 and aarch64.
 */
static inline uint64_t float_flags(void)
{
#if defined(__x86_64__)
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
#elif defined(__aarch64__)
	uint64_t status;

	__asm__ volatile("mrs %0, fpsr" : "=r"(status));
	return status;
#else
	return 0;
#endif
}

static inline void float_flags_put_back(uint64_t flags)
{
	uint32_t mxcsr = (uint32_t)flags;

	if (float_flags() == flags)
		return;
#if defined(__x86_64__)
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("msr fpsr, %0" : : "r"(flags) : "memory");
#endif
	(void)mxcsr;
}

struct guest_state {
	struct float_environment environment;
	int error;
};

static inline void guest_state_hold(struct guest_state *state)
{
	state->error = errno;
	float_environment_hold(&state->environment);
}

static inline void guest_state_give_back(const struct guest_state *state)
{
	float_environment_give_back(&state->environment);
	errno = state->error;
}

#endif
