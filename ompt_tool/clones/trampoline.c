/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates trampolines to entries of the runtime, and translates their arguments. */
#include "ompt_tool/clones/trampoline.h"

#include <stdatomic.h>

#include "ompt_tool/clones/runtime_entries.h"

/* Written before any slot leads to the row's trampoline, read by all threads; atomic. */
static const struct runtime_entry *entries[TRAMPOLINE_ROWS];
uintptr_t trampoline_targets[TRAMPOLINE_ROWS];
uint8_t trampoline_rests[TRAMPOLINE_ROWS];
static uint32_t nr_rows;
static bool rests;
static _Atomic(switching_translate *) translation;

static uintptr_t address_of(uint32_t number)
{
	return trampoline_code.first + number * trampoline_code.bytes;
}

uintptr_t trampoline_for(const struct runtime_entry *entry, uintptr_t target)
{
	for (uint32_t i = 0; i < nr_rows; i++)
		if (entries[i] == entry && trampoline_targets[i] == target)
			return address_of(i);
	if (nr_rows == trampoline_code.nr || nr_rows == TRAMPOLINE_ROWS)
		return 0;
	trampoline_targets[nr_rows] = target;
	trampoline_rests[nr_rows] = rests && !entry->bodies;
	__atomic_store_n(&entries[nr_rows], entry, __ATOMIC_RELEASE);
	return address_of(nr_rows++);
}

void switching_rest(bool rest)
{
	rests = rest;
	for (uint32_t i = 0; i < nr_rows; i++)
		__atomic_store_n(&trampoline_rests[i], rest && !entries[i]->bodies,
				 __ATOMIC_RELAXED);
}

bool trampoline_is(uintptr_t address)
{
	return address - trampoline_code.first < trampoline_code.nr * trampoline_code.bytes;
}

uintptr_t trampoline_target(uintptr_t address)
{
	return trampoline_is(address) ? trampoline_targets[(address - trampoline_code.first) /
							   trampoline_code.bytes]
				      : address;
}

void trampoline_translate(switching_translate *translate)
{
	atomic_store_explicit(&translation, translate, memory_order_release);
}

uintptr_t switching_body(uintptr_t body)
{
	switching_translate *translate = atomic_load_explicit(&translation, memory_order_acquire);

	return translate ? translate(body, SWITCHING_BODY) : body;
}

/* Called by the trampolines. Returns the address at which to continue. */
uintptr_t trampoline_pass(uint32_t number, uint64_t *saved);
__attribute__((used)) uintptr_t trampoline_pass(uint32_t number, uint64_t *saved)
{
	switching_translate *translate = atomic_load_explicit(&translation, memory_order_acquire);
	const struct runtime_entry *entry = __atomic_load_n(&entries[number], __ATOMIC_ACQUIRE);
	uint32_t functions = runtime_entry_functions(entry);

	for (unsigned int n = 0; translate && functions >> n; n++) {
		uint64_t *argument = trampoline_code.argument(saved, n);

		if (functions >> n & 1 && *argument)
			*argument = translate(*argument, runtime_entry_use(entry, n));
	}
	return trampoline_targets[number];
}
