/* SPDX-License-Identifier: Apache-2.0 */
/* Which stand-in stands for which entry of the runtime, and what it does with the arguments. */
#include "ompt_tool/clones/stand_in.h"

#include <stdatomic.h>

#include "ompt_tool/clones/runtime_entries.h"

static const struct runtime_entry *entries[STAND_IN_ROWS];
uintptr_t stand_in_targets[STAND_IN_ROWS];
uint8_t stand_in_rests[STAND_IN_ROWS];
static uint32_t nr_rows;
static bool rests;
static _Atomic(switching_translate *) translation;

static uintptr_t address_of(uint32_t number)
{
	return stand_in_code.first + number * stand_in_code.bytes;
}

uintptr_t stand_in_for(const struct runtime_entry *entry, uintptr_t target)
{
	for (uint32_t i = 0; i < nr_rows; i++)
		if (entries[i] == entry && stand_in_targets[i] == target)
			return address_of(i);
	if (nr_rows == stand_in_code.nr || nr_rows == STAND_IN_ROWS)
		return 0;
	entries[nr_rows] = entry;
	stand_in_targets[nr_rows] = target;
	stand_in_rests[nr_rows] = rests && !entry->bodies;
	return address_of(nr_rows++);
}

void switching_rest(bool rest)
{
	rests = rest;
	for (uint32_t i = 0; i < nr_rows; i++)
		__atomic_store_n(&stand_in_rests[i], rest && !entries[i]->bodies, __ATOMIC_RELAXED);
}

bool stand_in_is(uintptr_t address)
{
	return address - stand_in_code.first < stand_in_code.nr * stand_in_code.bytes;
}

uintptr_t stand_in_target(uintptr_t address)
{
	return stand_in_is(address) ? stand_in_targets[(address - stand_in_code.first) / stand_in_code.bytes] : address;
}

void stand_in_translate(switching_translate *translate)
{
	atomic_store_explicit(&translation, translate, memory_order_release);
}

uintptr_t switching_body(uintptr_t body)
{
	switching_translate *translate = atomic_load_explicit(&translation, memory_order_acquire);

	return translate ? translate(body, SWITCHING_BODY) : body;
}

/* Called by the stand-ins. Returns where to go on. */
uintptr_t stand_in_pass(uint32_t number, uint64_t *saved);
__attribute__((used)) uintptr_t stand_in_pass(uint32_t number, uint64_t *saved)
{
	switching_translate *translate = atomic_load_explicit(&translation, memory_order_acquire);
	const struct runtime_entry *entry = entries[number];
	uint32_t functions = runtime_entry_functions(entry);

	for (unsigned int n = 0; translate && functions >> n; n++) {
		uint64_t *argument = stand_in_code.argument(saved, n);

		if (functions >> n & 1 && *argument)
			*argument = translate(*argument, runtime_entry_use(entry, n));
	}
	return stand_in_targets[number];
}
