/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the jump that was a function's last call. */
#include "analysis/debuginfo/tail.h"

#include <string.h>

#include "analysis/base/name_pattern.h"
#include "analysis/debuginfo/callsite.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/imports.h"

/* Functions that jump to functions: deeper chains and wider fans are not looked through. */
#define DEPTH_MAX 4
#define FUNCTIONS_MAX 32
#define JUMPS_MAX 16
#define CALL_BYTES 6

/*
 * Entries of the runtimes that begin a construct and may be a function's last call; "*": and longer
 * names.
 */
static const struct {
	enum ms_region_kind kind;
	const char *names[5];
} entries[] = {
	{ MS_PARALLEL_REGION,
	  { "GOMP_parallel*", "GOMP_teams*", "__kmpc_fork_call*", "__kmpc_fork_teams*" } },
	{ MS_DO_REGION,
	  { "GOMP_parallel_loop*", "GOMP_parallel_sections*", "GOMP_taskloop*",
	    "__kmpc_taskloop*" } },
	{ MS_SECTIONS_REGION, { "GOMP_parallel_sections*" } },
	{ MS_TASK_REGION, { "GOMP_task", "__kmpc_omp_task", "__kmpc_omp_task_with_deps" } },
	{ MS_TASKWAIT_REGION,
	  { "GOMP_taskwait*", "GOMP_taskgroup_end", "__kmpc_omp_taskwait*",
	    "__kmpc_end_taskgroup" } },
	{ MS_BARRIER_REGION,
	  { "GOMP_barrier*", "GOMP_loop_end", "GOMP_sections_end", "__kmpc_barrier" } },
	{ MS_LOCK_REGION, { "omp_set_lock*", "omp_set_nest_lock*" } },
};

struct function {
	uint64_t low, high;
	int depth;
};

struct search {
	struct binary *binary;
	const struct tail_question *question;
	struct function functions[FUNCTIONS_MAX]; /* to look through, nearest first */
	uint64_t jumps[JUMPS_MAX];                /* addresses behind the jumps found */
	size_t nr_functions, nr_jumps;
};

static bool begins(enum ms_region_kind kind, const char *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		for (size_t j = 0; entries[i].kind == kind && j < 5 && entries[i].names[j]; j++)
			if (name_matches(entries[i].names[j], name))
				return true;
	return false;
}

static bool is_runtime(const char *name)
{
	static const char *const prefixes[] = { "GOMP_", "__kmpc_", "omp_", "kmp_", "kmpc_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void add_function(struct search *search, uint64_t low, int depth)
{
	const struct symbol *symbol = binary_symbol(search->binary, low);

	if (!symbol || symbol->low != low || depth > DEPTH_MAX ||
	    search->nr_functions == FUNCTIONS_MAX)
		return;
	for (size_t i = 0; i < search->nr_functions; i++)
		if (search->functions[i].low == low)
			return;
	search->functions[search->nr_functions++] = (struct function){ low, symbol->high, depth };
}

/*
 * Every byte is taken for the begin of an instruction: one that is not leads to the begin of a
 * function by rare chance only.
 */
static void look_through(struct search *search, struct function function)
{
	size_t bytes = function.high - function.low;
	const unsigned char *code = binary_code(search->binary, function.low, &bytes);

	for (size_t at = 0; code && at < bytes; at++) {
		struct target target;
		uint32_t length = imports_jump(search->binary, code + at, bytes - at,
					       function.low + at, &target);

		if (!length)
			continue;
		if (begins(search->question->kind, target.name)) {
			if (search->nr_jumps < JUMPS_MAX)
				search->jumps[search->nr_jumps++] = function.low + at + length;
			at += length - 1;
		} else if (target.code && !is_runtime(target.name)) {
			add_function(search, target.code, function.depth + 1);
		}
	}
}

static bool passes_body_around(const struct search *search, uint64_t behind,
			       enum callsite_argument argument)
{
	uint64_t inside = search->question->inside;
	bool several;
	const struct symbol *body = callsite_function(search->binary, behind, argument, inside,
						      &several);

	return body && inside > body->low && inside <= body->high;
}

/* Among several jumps, the one that passes the body that contains `inside`. */
static bool by_inside(const struct search *search, uint64_t *behind_out)
{
	for (size_t i = 0; search->question->inside && i < search->nr_jumps; i++) {
		*behind_out = search->jumps[i];
		if (passes_body_around(search, search->jumps[i], CALLSITE_RDI) ||
		    passes_body_around(search, search->jumps[i], CALLSITE_RDX))
			return true;
	}
	return false;
}

enum tail_result tail_find_in(struct binary *binary, const struct tail_question *question,
			      uint64_t function, uint64_t *behind_out)
{
	struct search search = { .binary = binary, .question = question };

	add_function(&search, function, 0);
	for (size_t i = 0; i < search.nr_functions; i++)
		look_through(&search, search.functions[i]);
	if (!search.nr_jumps)
		return TAIL_LOST;
	if (search.nr_jumps > 1 && by_inside(&search, behind_out))
		return TAIL_ONE;
	*behind_out = search.jumps[0];
	return search.nr_jumps > 1 ? TAIL_SEVERAL : TAIL_ONE;
}

/* Number of the register of `call *%reg`; -1: another instruction. */
static int called_register(const unsigned char *behind)
{
	if (behind[-2] != 0xff || (behind[-1] & 0xf8) != 0xd0)
		return -1;
	return (behind[-1] & 7) | (behind[-3] == 0x41 ? 8 : 0);
}

/* With -fno-plt, addresses that are needed often are kept in registers. */
static bool register_call(struct binary *binary, uint64_t return_address, struct target *target_out)
{
	const struct symbol *function = binary_symbol(binary, return_address - 1);
	size_t bytes = function ? return_address - function->low : 0;
	const unsigned char *code = bytes >= CALL_BYTES ? binary_code(binary, function->low, &bytes)
							: NULL;
	int reg = code && bytes == return_address - function->low ? called_register(code + bytes)
								  : -1;
	const struct import *nearest = NULL;

	for (size_t at = 0; reg >= 0 && at < bytes; at++) {
		const struct import *import = imports_load(binary, code + at, bytes - at,
							   function->low + at, (unsigned int)reg);

		nearest = import ? import : nearest;
	}
	if (nearest)
		*target_out = (struct target){ nearest->name, nearest->code };
	return nearest != NULL;
}

static bool called(struct binary *binary, uint64_t return_address, struct target *target_out)
{
	uint64_t call = callsite_call(binary, return_address);
	size_t bytes = CALL_BYTES;
	const unsigned char *code = call ? binary_code(binary, call, &bytes) : NULL;

	if (code && imports_call(binary, code, bytes, call, target_out))
		return true;
	return register_call(binary, return_address, target_out);
}

enum tail_result tail_find(struct binary *binary, const struct tail_question *question,
			   uint64_t return_address, uint64_t *behind_out)
{
	struct target target;

	if (!called(binary, return_address, &target))
		return TAIL_UNKNOWN;
	if (is_runtime(target.name))
		return TAIL_CALL;
	return target.code ? tail_find_in(binary, question, target.code, behind_out) : TAIL_LOST;
}

const char *tail_call_elsewhere(struct binary *binary, uint64_t return_address)
{
	struct target target;

	return called(binary, return_address, &target) && !target.code ? target.name : NULL;
}

static bool jumped(struct binary *binary, uint64_t behind, struct target *target_out)
{
	uint64_t jump = callsite_call(binary, behind);
	size_t bytes = CALL_BYTES;
	const unsigned char *code = jump ? binary_code(binary, jump, &bytes) : NULL;

	return code && imports_jump(binary, code, bytes, jump, target_out);
}

bool tail_is_combined(struct binary *binary, uint64_t return_address)
{
	struct target target;

	return (called(binary, return_address, &target) ||
		jumped(binary, return_address, &target)) &&
	       begins(MS_DO_REGION, target.name);
}
