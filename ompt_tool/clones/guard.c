/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces return addresses and function arguments in guards. */
#include "ompt_tool/clones/guard.h"

#include <errno.h>
#include <stdatomic.h>

#include "analysis/base/own_stack.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/clone_calls.h"
#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/clones/runtime_entries.h"

#define ROWS 1024 /* maximum of all architectures */

static struct {
	const struct runtime_entry *entry;
	uintptr_t target;
	uint32_t probes;
	_Atomic uint64_t left;
} rows[ROWS];
static uint32_t nr_rows;
static _Atomic uint64_t left_before_unknown;
static _Atomic(switching_left *) left;

static uintptr_t address_of(uint32_t number)
{
	return guard_code.first + number * guard_code.bytes;
}

uintptr_t guard_for(const struct runtime_entry *entry, uintptr_t target, uint32_t probes)
{
	for (uint32_t i = 0; i < nr_rows; i++)
		if (rows[i].entry == entry && rows[i].target == target && rows[i].probes == probes)
			return address_of(i);
	if (nr_rows == guard_code.nr || nr_rows == ROWS)
		return 0;
	rows[nr_rows].entry = entry;
	rows[nr_rows].target = target;
	rows[nr_rows].probes = probes;
	return address_of(nr_rows++);
}

uint64_t clone_left_before(size_t number, uintptr_t *target_out)
{
	*target_out = number < nr_rows ? rows[number].target : 0;
	return number < nr_rows ? atomic_load_explicit(&rows[number].left, memory_order_relaxed)
				: left_before_unknown;
}

size_t clone_nr_left(void)
{
	return nr_rows + 1;
}

bool guard_is(uintptr_t address)
{
	return address - guard_code.first < guard_code.nr * guard_code.bytes;
}

void switching_leaving(switching_left *callee)
{
	atomic_store_explicit(&left, callee, memory_order_release);
}

static void tell(enum switching_stops stops)
{
	switching_left *callee = atomic_load_explicit(&left, memory_order_acquire);

	if (stops)
		clone_pause();
	if (callee)
		callee(stops);
}

/* Unwinds the stack, which takes more of a stack than the program may have left. */
static void leave_frames(void *moved)
{
	*(bool *)moved |= switching_frames(false) != 0;
}

static void leave(uint32_t number, uintptr_t *return_address)
{
	const struct runtime_entry *entry = rows[number].entry;
	bool moved = switching_return(return_address, *return_address, false);

	if (moved || entry->leaves == LEAVES_STACK)
		own_stack_call(leave_frames, &moved);
	if (moved)
		atomic_fetch_add_explicit(&rows[number].left, 1, memory_order_relaxed);
	if (moved || entry->stops)
		tell(entry->stops);
}

/*
 * A function without a clone is added to the missed ones, as for calls through pointers
 * (x86_64/translate.c).
 */
static void exchange(uint64_t *function, uint32_t probes)
{
	uintptr_t clone = *function ? clone_with(*function, probes) : 0;

	if (clone)
		*function = clone;
	else if (*function)
		entries_miss(*function);
}

static bool has_bits(uint64_t *saved, uint32_t argument, uint64_t bits)
{
	return !bits || *guard_code.argument(saved, argument) & bits;
}

static bool applies(const struct runtime_entry *entry, uint64_t *saved)
{
	const struct runtime_entry_call *call = entry->if_calls;

	while (call && call->number && (uint64_t)call->number != *guard_code.argument(saved, 0))
		call++;
	if (call)
		return call->number && has_bits(saved, call->if_argument, call->if_bits);
	return has_bits(saved, entry->if_argument, entry->if_bits);
}

/* Called by the guards. Returns the address at which to continue. */
uintptr_t guard_pass(uint32_t number, uint64_t *saved);
__attribute__((used)) uintptr_t guard_pass(uint32_t number, uint64_t *saved)
{
	const struct runtime_entry *entry = rows[number].entry;
	int error = errno;

	if (entry->leaves && applies(entry, saved) && clone_exists())
		leave(number, guard_code.return_address(saved));
	for (unsigned int n = 0; entry->callbacks >> n; n++)
		if (entry->callbacks >> n & 1)
			exchange(guard_code.argument(saved, n), rows[number].probes);
	errno = error;
	return rows[number].target;
}

/*
 * Called by clones (x86_64/guard.c) that continue in their original: before a call or jump through
 * a pointer to unknown code. A jump's return address is in *slot; NULL: a call, which the original
 * executes.
 */
void guard_left(uintptr_t *slot);
__attribute__((used)) void guard_left(uintptr_t *slot)
{
	int error = errno;

	if (!slot || switching_return(slot, *slot, false)) {
		atomic_fetch_add_explicit(&left_before_unknown, 1, memory_order_relaxed);
		tell(SWITCHING_NONE);
	}
	errno = error;
}
