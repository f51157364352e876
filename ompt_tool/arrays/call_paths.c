/* SPDX-License-Identifier: Apache-2.0 */
/* Learned distances between frames, and what call paths lead to. */
#include "ompt_tool/arrays/call_paths.h"

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"

#define BITS 15
#define LOOKS 8 /* slots probed after the first */
#define LENGTH_MAX 16
/*
 * bytes that can be read above the outermost frame of any thread: its descriptor, or the arguments
 */
#define DISTANCE_MAX 2048
#define VARIES UINT32_MAX /* value of `distance` */
/* a distance is used after it was found this number of times */
#define SEEN_OFTEN 2

/* Written under the lock, read without; the key is written last. A value is not changed. */
struct step {
	uint64_t key; /* of the path up to this return address */
	uint32_t distance, seen;
	uint32_t value;
	bool ends; /* the path ends here; `value` is set */
};

static struct step *steps;
static int locked;
static uintptr_t (*original)(uintptr_t address);

#define get(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define put(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

bool paths_start(uintptr_t (*original_of)(uintptr_t address))
{
	original = original_of;
	steps = reserve_kept(sizeof(*steps) << BITS);
	return steps != NULL;
}

static uint64_t key_of(uint64_t before, uintptr_t address)
{
	return (hash_word(before) >> 7) ^ address;
}

static struct step *find(uint64_t key)
{
	uint32_t at = hash_place(key, BITS);

	for (uint32_t i = 0; i < LOOKS; i++) {
		struct step *step = &steps[(at + i) & ((1u << BITS) - 1)];

		if (get(step->key) == key)
			return step;
	}
	return NULL;
}

bool paths_find(uintptr_t address, const void *stack, uint32_t *value)
{
	uint64_t key = key_of(0, address);

	for (int i = 0; stack && i < LENGTH_MAX; i++) {
		const struct step *step = find(key);
		uint32_t distance;

		if (!step)
			return false;
		if (get(step->ends)) {
			*value = step->value;
			return true;
		}
		distance = get(step->distance);
		if (get(step->seen) < SEEN_OFTEN || distance == VARIES)
			return false;
		stack = (const char *)stack + distance;
		address = ((const uintptr_t *)stack)[-1];
		key = key_of(key, original ? original(address) : address);
	}
	return false;
}

static struct step *make(uint64_t key)
{
	uint32_t at = hash_place(key, BITS);
	struct step *step = find(key);

	for (uint32_t i = 0; !step && i < LOOKS; i++) {
		struct step *free = &steps[(at + i) & ((1u << BITS) - 1)];

		if (!free->key) {
			step = free;
			put(step->key, key);
		}
	}
	return step;
}

/* A distance at which the return address cannot be read again counts as varying. */
static void learn_distance(struct step *step, const struct path_frame *frame)
{
	uintptr_t distance = frame[1].stack - frame[0].stack, there;
	bool readable = frame[1].stack > frame[0].stack && distance <= DISTANCE_MAX &&
			distance % sizeof(uintptr_t) == 0;

	there = readable ? ((const uintptr_t *)frame[1].stack)[-1] : 0;
	if (!readable || (original ? original(there) : there) != frame[1].address ||
	    (step->seen && step->distance != distance)) {
		put(step->distance, VARIES);
		return;
	}
	if (!step->seen)
		put(step->distance, (uint32_t)distance);
	put(step->seen, step->seen + 1);
}

void paths_learn(const struct path_frame *frames, size_t nr, uint32_t value)
{
	uint64_t key = 0;

	if (!steps || nr > LENGTH_MAX || !spin_lock_within(&locked, SPIN_TRIES))
		return;
	for (size_t i = 0; i < nr; i++) {
		struct step *step = make(key = key_of(key, frames[i].address));

		if (!step || step->ends)
			break;
		if (i + 1 < nr) {
			learn_distance(step, &frames[i]);
		} else if (!step->seen || step->distance == VARIES) {
			step->value = value;
			put(step->ends, true);
		}
	}
	spin_unlock(&locked);
}

bool paths_vary(const struct path_frame *frames, size_t nr)
{
	const struct step *step = NULL;
	uint64_t key = 0;

	for (size_t i = 0; i < nr; i++)
		key = key_of(key, frames[i].address);
	step = steps && nr ? find(key) : NULL;
	return step && get(step->distance) == VARIES;
}
