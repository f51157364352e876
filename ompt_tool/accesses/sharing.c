/* SPDX-License-Identifier: Apache-2.0 */
/* Lines shared by the threads of a team. */
#include "ompt_tool/accesses/sharing.h"

#include <string.h>

#include "ompt_tool/arrays/array.h"

enum state { FREE, FILLING, ENDED, CLAIMED, COMPARED, UNKNOWN, COLLECTING };
/* above it: how often the set was filled, so that readers of its key can verify it */
#define STATE_MASK 7u

static struct sharing *all; /* pushed with CAS, never removed */

static uint32_t word_of(const struct sharing_set *set)
{
	return __atomic_load_n(&set->state, __ATOMIC_SEQ_CST);
}
static enum state state_in(uint32_t word)
{
	return word & STATE_MASK;
}
static enum state state_of(const struct sharing_set *set)
{
	return state_in(word_of(set));
}

/* Only while no other thread changes it. */
static void set_state(struct sharing_set *set, enum state state)
{
	__atomic_store_n(&set->state, (word_of(set) & ~STATE_MASK) | (uint32_t)state,
			 __ATOMIC_SEQ_CST);
}

static bool change_word(struct sharing_set *set, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&set->state, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static bool change_state(struct sharing_set *set, enum state from, enum state to)
{
	uint32_t word = word_of(set), filled = to == FILLING ? STATE_MASK + 1 : 0;

	return state_in(word) == from &&
	       change_word(set, word, ((word & ~STATE_MASK) + filled) | (uint32_t)to);
}

void sharing_init(struct sharing *own)
{
	for (int i = 0; i < SHARING_SETS; i++)
		own->sets[i].of.lines.pool = &own->pool;
	own->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &own->next, own, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* ------------------------------------------------------------------ keys */

/*
 * Other threads may read the key while its owner writes it: they verify it after claiming the set.
 */
static void put_key(struct sharing_set *set, const struct sharing_key *key)
{
	__atomic_store_n(&set->key.team, key->team, __ATOMIC_RELAXED);
	__atomic_store_n(&set->key.sequence, key->sequence, __ATOMIC_RELAXED);
	__atomic_store_n(&set->key.region, key->region, __ATOMIC_RELAXED);
	__atomic_store_n(&set->key.nth, key->nth, __ATOMIC_RELAXED);
}

static bool has_key(const struct sharing_set *set, const struct sharing_key *key)
{
	return __atomic_load_n(&set->key.team, __ATOMIC_RELAXED) == key->team &&
	       __atomic_load_n(&set->key.sequence, __ATOMIC_RELAXED) == key->sequence &&
	       __atomic_load_n(&set->key.region, __ATOMIC_RELAXED) == key->region &&
	       __atomic_load_n(&set->key.nth, __ATOMIC_RELAXED) == key->nth;
}

/*
 * How often the team has executed the construct: threads of a team execute the same constructs in
 * the same order.
 */
static uint32_t meet(struct sharing *own, const struct sharing_key *key)
{
	struct sharing_key *met;

	for (uint32_t i = 0; i < SHARING_CONSTRUCTS; i++) {
		met = &own->met[i];
		if (met->team == key->team && met->sequence == key->sequence &&
		    met->region == key->region)
			return ++met->nth;
	}
	met = &own->met[own->nr_met++ % SHARING_CONSTRUCTS];
	*met = *key;
	met->nth = 0;
	return 0;
}

/* ------------------------------------------------------------------ claiming */

/*
 * Number of ended sets, by hash of execution and construct, that are neither compared nor removed:
 * so threads need not check each other's sets. Executions with equal hashes are counted together,
 * so the number is an upper bound. Atomic.
 */
#define EXECUTIONS 4096
static uint32_t ended[EXECUTIONS];

/* The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t *ended_of(const struct sharing_key *key)
{
	uint64_t number = (uint64_t)(uintptr_t)key->team ^ key->sequence << 24 ^
			  (uint64_t)key->region << 44 ^ key->nth;

	return &ended[(number * 0x9e3779b97f4a7c15ull) >> 40 & (EXECUTIONS - 1)];
}

static void set_states(struct sharing_set *first, enum state state)
{
	for (struct sharing_set *set = first, *next; set; set = next) {
		next = set->next;
		set_state(set, state);
	}
}

/*
 * Called with each ended set of the execution, and the value of its state word at that time; false:
 * stop.
 */
typedef bool each_ended(void *ctx, struct sharing_set *set, uint32_t word);

static bool visit_ended(const struct sharing_key *key, each_ended *visit, void *ctx)
{
	for (struct sharing *other = __atomic_load_n(&all, __ATOMIC_ACQUIRE); other;
	     other = other->next)
		for (struct sharing_set *set = other->sets; set < other->sets + SHARING_SETS;
		     set++) {
			uint32_t word = word_of(set);

			if ((state_in(word) == ENDED || state_in(word) == CLAIMED) &&
			    has_key(set, key) && !visit(ctx, set, word))
				return false;
		}
	return true;
}

struct claim {
	struct sharing_set *first, **last;
	uint32_t nr;
};

/*
 * A claiming thread has seen that all sets ended; a set in another state then belongs to another
 * execution.
 */
static bool count_one(void *ctx, struct sharing_set *set, uint32_t word)
{
	(void)set;
	++*(uint32_t *)ctx;
	return state_in(word) == ENDED;
}

static bool claim_one(void *ctx, struct sharing_set *set, uint32_t word)
{
	struct claim *claim = ctx;

	if (state_in(word) != ENDED || !change_word(set, word, (word & ~STATE_MASK) | CLAIMED))
		return false;
	set->next = NULL;
	*claim->last = set;
	claim->last = &set->next;
	claim->nr++;
	return true;
}

/*
 * The sets of all threads of the team, claimed, as a list; NULL: not all have ended, another thread
 * compares, or one was removed. Claims nothing before all have ended: an early claim would make the
 * last thread fail, and then fail itself. Of several threads that saw all ended, the one that
 * claims the first set gets all, as they claim in the same order.
 */
static struct sharing_set *claim(const struct sharing_key *key, uint32_t threads)
{
	struct claim claim = { .last = &claim.first };
	uint32_t nr = 0;

	if (!visit_ended(key, count_one, &nr) || nr != threads)
		return NULL;
	if (visit_ended(key, claim_one, &claim) && claim.nr == threads)
		return claim.first;
	set_states(claim.first, ENDED);
	return NULL;
}

/* ------------------------------------------------------------------ constructs */

static struct sharing_set *filling(struct sharing *own, const void *frame)
{
	for (int i = 0; i < SHARING_SETS; i++)
		if (own->sets[i].frame == frame && state_of(&own->sets[i]) == FILLING)
			return &own->sets[i];
	return NULL;
}

/*
 * Drops sets of `frame` and later frames, whose constructs had no end event: frames of a thread are
 * consecutive.
 */
static void forget_stale(struct sharing *own, const void *frame)
{
	for (int i = 0; i < SHARING_SETS; i++)
		if (state_of(&own->sets[i]) == FILLING &&
		    (uintptr_t)own->sets[i].frame >= (uintptr_t)frame)
			set_state(&own->sets[i], FREE);
}

/*
 * Returns a free set, or else the ended one that began first: its team lags behind the longest.
 * NULL: none.
 */
static struct sharing_set *take_set(struct sharing *own)
{
	struct sharing_set *oldest = NULL;

	for (int i = 0; i < SHARING_SETS; i++)
		if (change_state(&own->sets[i], FREE, FILLING))
			return &own->sets[i];
	for (struct sharing_set *set = own->sets; set < own->sets + SHARING_SETS; set++)
		if (state_of(set) == ENDED && (!oldest || set->begun < oldest->begun))
			oldest = set;
	if (!oldest || !change_state(oldest, ENDED, FILLING))
		return NULL;
	__atomic_fetch_sub(ended_of(&oldest->key), 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&own->given_up, own->given_up + 1, __ATOMIC_RELAXED);
	return oldest;
}

struct line_set *sharing_begin(struct sharing *own, const void *frame, struct sharing_key key,
			       uint32_t threads)
{
	struct sharing_set *set;

	forget_stale(own, frame);
	key.nth = meet(own, &key);
	set = threads ? take_set(own) : NULL;
	if (!set)
		return NULL;
	put_key(set, &key);
	set->threads = threads;
	set->frame = frame;
	set->begun = ++own->begun;
	compared_clear(&set->of);
	return &set->of.lines;
}

struct line_set *sharing_lines(struct sharing *own, const void *frame)
{
	struct sharing_set *set = filling(own, frame);

	return set ? &set->of.lines : NULL;
}

void sharing_met(struct sharing *own, const void *frame, uint32_t array, uint32_t region)
{
	struct sharing_set *set = filling(own, frame);

	if (set)
		compared_met(&set->of, array, region);
}

static bool place_at(void *ctx, uint64_t address, struct array_place *out)
{
	(void)ctx;
	return array_at(address, array_time(), UINT64_MAX, out);
}

static void compare_all(struct sharing *own, struct sharing_set *first)
{
	bool complete;

	own->comparison.place = place_at;
	for (struct sharing_set *set = first; set; set = set->next)
		set->of.next = set->next ? &set->next->of : NULL;
	complete = compare_lines(&own->comparison, &first->of);
	for (struct sharing_set *set = first; set; set = set->next)
		__atomic_fetch_sub(ended_of(&set->key), 1, __ATOMIC_SEQ_CST);
	set_states(first, complete ? COMPARED : UNKNOWN);
}

/*
 * The set is counted before its state becomes ENDED, so that the last thread finds all sets and
 * compares. Other threads may see the full count, too: threads count a moment before they end, and
 * executions with equal hashes are counted together.
 */
void sharing_end(struct sharing *own, const void *frame, bool whole)
{
	struct sharing_set *set = filling(own, frame), *first;
	struct sharing_key key;
	uint32_t threads;

	if (!set)
		return;
	if (!whole) {
		set_state(set, FREE);
		return;
	}
	key = set->key;
	threads = set->threads;
	line_set_close(&set->of.lines);
	__atomic_fetch_add(ended_of(&key), 1, __ATOMIC_SEQ_CST);
	set_state(set, ENDED);
	first = __atomic_load_n(ended_of(&key), __ATOMIC_SEQ_CST) < threads ? NULL
									    : claim(&key, threads);
	if (first)
		compare_all(own, first);
}

/* ------------------------------------------------------------------ what it brought */

static void collect(struct sharing_set *set, bool known,
		    void (*visit)(void *ctx, uint32_t region, const struct compared_array *row),
		    void *ctx)
{
	struct compared_array sum = { .array = ARRAY_NONE,
				      .region = set->key.region,
				      .touched = set->of.touched };

	for (uint32_t i = 0; i < set->of.nr_arrays; i++) {
		visit(ctx, set->of.arrays[i].region, known ? &set->of.arrays[i] : NULL);
		sum.accesses += set->of.arrays[i].accesses;
	}
	visit(ctx, sum.region, known ? &sum : NULL);
	set_state(set, FREE);
}

void sharing_collect(struct sharing *own,
		     void (*visit)(void *ctx, uint32_t region, const struct compared_array *row),
		     void *ctx)
{
	for (struct sharing_set *set = own->sets; set < own->sets + SHARING_SETS; set++)
		if (change_state(set, COMPARED, COLLECTING))
			collect(set, true, visit, ctx);
		else if (change_state(set, UNKNOWN, COLLECTING))
			collect(set, false, visit, ctx);
}

uint64_t sharing_given_up(const struct sharing *own)
{
	return __atomic_load_n(&own->given_up, __ATOMIC_RELAXED);
}
