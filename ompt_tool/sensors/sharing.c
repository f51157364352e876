/* SPDX-License-Identifier: Apache-2.0 */
/* Lines shared by the threads of a team. */
#include "ompt_tool/sensors/sharing.h"

#include <stddef.h>
#include <string.h>

#include "ompt_tool/arrays/array.h"

enum state { FREE, FILLING, ENDED, CLAIMED, COMPARED, UNKNOWN, COLLECTING };
#define STATE_MASK 7u                    /* above it: how often the set was filled, so that who looked at its key knows it to be that still */

static struct sharing *all;              /* pushed with CAS, never taken away */

static uint32_t word_of(const struct sharing_set *set) { return __atomic_load_n(&set->state, __ATOMIC_SEQ_CST); }
static enum state state_in(uint32_t word) { return word & STATE_MASK; }
static enum state state_of(const struct sharing_set *set) { return state_in(word_of(set)); }

/* Where nobody else changes it. */
static void set_state(struct sharing_set *set, enum state state)
{
	__atomic_store_n(&set->state, (word_of(set) & ~STATE_MASK) | (uint32_t)state, __ATOMIC_SEQ_CST);
}

static bool change_word(struct sharing_set *set, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&set->state, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool change_state(struct sharing_set *set, enum state from, enum state to)
{
	uint32_t word = word_of(set), filled = to == FILLING ? STATE_MASK + 1 : 0;

	return state_in(word) == from && change_word(set, word, ((word & ~STATE_MASK) + filled) | (uint32_t)to);
}

void sharing_init(struct sharing *own)
{
	for (int i = 0; i < SHARING_SETS; i++)
		own->sets[i].lines.pool = &own->pool;
	own->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &own->next, own, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* ------------------------------------------------------------------ keys */

/* Others may look at it while its owner begins anew: they look again when they have claimed it. */
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

/* How often the team had met the construct: threads of a team meet the same ones in the same order. */
static uint32_t meet(struct sharing *own, const struct sharing_key *key)
{
	struct sharing_key *met;

	for (uint32_t i = 0; i < SHARING_CONSTRUCTS; i++) {
		met = &own->met[i];
		if (met->team == key->team && met->sequence == key->sequence && met->region == key->region)
			return ++met->nth;
	}
	met = &own->met[own->nr_met++ % SHARING_CONSTRUCTS];
	*met = *key;
	met->nth = 0;
	return 0;
}

/* ------------------------------------------------------------------ claiming */

/*
 * How many sets have ended, by what execution of which construct they are, and are neither compared nor taken away: so the others
 * need not look at each other's sets. Executions that share a place count together, so there are at most as many as it says. Atomic.
 */
#define EXECUTIONS 4096
static uint32_t ended[EXECUTIONS];

/* The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t *ended_of(const struct sharing_key *key)
{
	uint64_t number = (uint64_t)(uintptr_t)key->team ^ key->sequence << 24 ^ (uint64_t)key->region << 44 ^ key->nth;

	return &ended[(number * 0x9e3779b97f4a7c15ull) >> 40 & (EXECUTIONS - 1)];
}

static void set_states(struct sharing_set *first, enum state state)
{
	for (struct sharing_set *set = first, *next; set; set = next) {
		next = set->next;
		set_state(set, state);
	}
}

/* Called with each set that the execution has and that has ended, and its word of then; false: that is enough. */
typedef bool each_ended(void *ctx, struct sharing_set *set, uint32_t word);

static bool visit_ended(const struct sharing_key *key, each_ended *visit, void *ctx)
{
	for (struct sharing *other = __atomic_load_n(&all, __ATOMIC_ACQUIRE); other; other = other->next)
		for (struct sharing_set *set = other->sets; set < other->sets + SHARING_SETS; set++) {
			uint32_t word = word_of(set);

			if ((state_in(word) == ENDED || state_in(word) == CLAIMED) && has_key(set, key) && !visit(ctx, set, word))
				return false;
		}
	return true;
}

struct claim { struct sharing_set *first, **last; uint32_t nr; };

/* Who claims has seen that all have ended: then it is somebody else's. */
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
 * The sets of all threads of the team, claimed, as a list; NULL: not all have ended, somebody else compares, or one was taken away. Nothing is
 * claimed before all have ended: who came too early would turn the last one away, and give up himself. Of several who saw that all have,
 * the one who gets the first set gets all, as they go the same way.
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

/* ------------------------------------------------------------------ comparing */

static struct sharing_set *set_of(const struct line_piece *piece)
{
	return (struct sharing_set *)((char *)piece->set - offsetof(struct sharing_set, lines));
}

/* Those who touched the piece, as a list. It and those behind it that are the same, up to *end_out. */
static struct sharing_set *who_touched(struct line_piece *piece, struct line_piece **end_out)
{
	struct sharing_set *with = NULL, **last = &with;
	uint64_t address = piece->address;

	for (; piece && piece->address == address; piece = piece->after) {
		struct sharing_set *set = set_of(piece);

		set->piece = piece;
		*last = set;
		last = &set->with_piece;
	}
	*last = NULL;
	*end_out = piece;
	return with;
}

static bool any_wrote(const struct sharing_set *with)
{
	while (with && !with->piece->is_written)
		with = with->with_piece;
	return with;
}

/* What the lines of the piece are to all of them. */
static void overlay(struct sharing *own, const struct sharing_set *with)
{
	memset(&own->scratch, 0, sizeof(own->scratch));
	for (; with; with = with->with_piece)
		for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
			uint32_t touches = line_touched(with->piece->lines[i]), writes = line_written(with->piece->lines[i]);
			uint32_t *touched = &own->scratch.touched[i], *written = &own->scratch.written[i];

			own->scratch.clash[i] |= (writes & *touched) | (touches & *written);
			own->scratch.several[i] |= touches && *touched;
			*touched |= touches;
			*written |= writes;
		}
}

static struct sharing_array *array_of(struct sharing_set *set, uint32_t array)
{
	if (set->at && set->at->array == array)
		return set->at;
	for (uint32_t i = 0; i < set->nr_arrays; i++)
		if (set->arrays[i].array == array)
			return &set->arrays[i];
	return NULL;
}

static uint32_t array_around(struct sharing *own, uint64_t address)
{
	struct array_place place;

	if (address - own->block.start < own->block.bytes)
		return own->block.array;
	if (!array_at(address, array_time(), UINT64_MAX, &place))
		return ARRAY_NONE;
	own->block.array = place.array;
	own->block.start = address - place.offset;
	own->block.bytes = place.block_bytes;
	return place.array;
}

/* One of so many bytes has nearly all its lines for itself. */
#define BLOCK_OF_LINES (4 * LINE_BYTES)

/*
 * The data structure that the thread's words are in; the line may hold several, of which its first one counts. Not so the end of
 * a large one, of whose accesses few can go there: what lies behind it, a counter perhaps, has many.
 */
static struct sharing_array *array_touched(struct sharing *own, struct sharing_set *set, uint32_t line)
{
	uint64_t address = set->piece->address + (uint64_t)line * LINE_BYTES, end;
	uint32_t words = line_touched(set->piece->lines[line]), array;

	if (!words)
		return NULL;
	array = array_around(own, address + (uint64_t)__builtin_ctz(words) * LINE_WORD);
	end = own->block.start + own->block.bytes;
	if (array != ARRAY_NONE && own->block.bytes >= BLOCK_OF_LINES && end - address < LINE_BYTES) {
		words &= 0xffffu << (end - address + LINE_WORD - 1) / LINE_WORD;
		array = words ? array_around(own, address + (uint64_t)__builtin_ctz(words) * LINE_WORD) : array;
	}
	return array_of(set, array);
}

/* Data structures that a line is counted for already: at most one a word. */
#define LINE_ARRAYS (LINE_BYTES / LINE_WORD)
struct counted { uint32_t arrays[LINE_ARRAYS]; uint32_t nr; };

static bool is_first(struct counted *counted, uint32_t array)
{
	for (uint32_t i = 0; i < counted->nr; i++)
		if (counted->arrays[i] == array)
			return false;
	if (counted->nr < LINE_ARRAYS)           /* a block may go, and another come, meanwhile */
		counted->arrays[counted->nr++] = array;
	return true;
}

/* Somebody who writes the line, but for `not`. */
static struct sharing_set *writer_of(struct sharing_set *with, uint32_t line, const struct sharing_set *not)
{
	while (with && (with == not || !with->at || !line_written(with->piece->lines[line])))
		with = with->with_piece;
	return with;
}

static struct sharing_set *reader_of(struct sharing_set *with, uint32_t line, const struct sharing_set *not)
{
	while (with && (with == not || !with->at || !line_touched(with->piece->lines[line])))
		with = with->with_piece;
	return with;
}

static uint64_t word_used(const struct sharing_set *set, uint32_t line, bool written)
{
	uint64_t words = set->piece->lines[line];

	return set->piece->address + (uint64_t)line * LINE_BYTES + (uint64_t)__builtin_ctz(written ? line_written(words) : line_touched(words)) * LINE_WORD;
}

/* A word of one who writes the line, and one of another, who writes it, too, if anybody does. The writer keeps it. */
static void suspect_line(struct sharing_set *with, uint32_t line)
{
	struct sharing_set *first = writer_of(with, line, NULL), *second = first ? writer_of(with, line, first) : NULL;
	struct watch_suspect suspect = { .writes_second = second };

	second = first && !second ? reader_of(with, line, first) : second;
	if (!second || second->at->array != first->at->array)
		return;
	suspect.accesses = line_accesses(first->piece->lines[line]) + line_accesses(second->piece->lines[line]);
	suspect.words[0] = word_used(first, line, true);
	suspect.words[1] = word_used(second, line, suspect.writes_second);
	if (suspect.accesses > first->at->suspect.accesses)
		first->at->suspect = suspect;
}

static void note_line(struct sharing *own, struct sharing_set *with, uint32_t line, bool same)
{
	struct counted counted = { .nr = 0 };

	for (struct sharing_set *set = with; set; set = set->with_piece) {
		set->at = array_touched(own, set, line);
		if (!set->at)
			continue;
		set->at->accesses += same ? 0 : line_accesses(set->piece->lines[line]);
		*(same ? &set->at->same_lines : &set->at->lines) += is_first(&counted, set->at->array);
	}
	if (!same)
		suspect_line(with, line);
}

/* How many lines of it were touched. */
static uint64_t compare_piece(struct sharing *own, struct sharing_set *with)
{
	uint64_t lines = 0;

	overlay(own, with);
	for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
		lines += own->scratch.touched[i] != 0;
		if (own->scratch.several[i] && own->scratch.written[i])
			note_line(own, with, i, own->scratch.clash[i]);
	}
	return lines;
}

/* The same where nobody wrote. */
static uint64_t count_piece(const struct sharing_set *with)
{
	uint64_t lines = 0;

	for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
		const struct sharing_set *who = with;

		while (who && !who->piece->lines[i])
			who = who->with_piece;
		lines += who != NULL;
	}
	return lines;
}

static bool is_complete(const struct sharing_set *first)
{
	for (; first; first = first->next)
		if (first->incomplete || first->lines.lost)
			return false;
	return true;
}

static bool is_earlier(const struct sharing_set *first, const struct sharing_set *set, uint32_t array)
{
	for (; first != set; first = first->next)
		for (uint32_t i = 0; i < first->nr_arrays; i++)
			if (first->arrays[i].array == array)
				return true;
	return false;
}

static void count_execution(struct sharing_set *first)
{
	for (struct sharing_set *set = first; set; set = set->next)
		for (uint32_t i = 0; i < set->nr_arrays; i++)
			set->arrays[i].executions = !is_earlier(first, set, set->arrays[i].array);
}

static void compare(struct sharing *own, struct sharing_set *first)
{
	struct line_order order = { 0 };

	own->block.bytes = 0;
	for (struct sharing_set *set = first; set; set = set->next) {
		set->at = NULL;
		set->touched = 0;
		line_order_add(&order, set->lines.sorted);
	}
	for (struct line_piece *piece = line_order_all(&order), *end; piece; piece = end) {
		struct sharing_set *with = who_touched(piece, &end);

		with->touched += !with->with_piece ? with->piece->touched : any_wrote(with) ? compare_piece(own, with) : count_piece(with);
	}
}

/* ------------------------------------------------------------------ constructs */

static struct sharing_set *filling(struct sharing *own, const void *frame)
{
	for (int i = 0; i < SHARING_SETS; i++)
		if (own->sets[i].frame == frame && state_of(&own->sets[i]) == FILLING)
			return &own->sets[i];
	return NULL;
}

/* Frames of a thread lie one behind the other. */
static void forget_stale(struct sharing *own, const void *frame)
{
	for (int i = 0; i < SHARING_SETS; i++)
		if (state_of(&own->sets[i]) == FILLING && (uintptr_t)own->sets[i].frame >= (uintptr_t)frame)
			set_state(&own->sets[i], FREE);
}

/* A free one, or that of the construct whose team lags behind the longest. */
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

struct line_set *sharing_begin(struct sharing *own, const void *frame, struct sharing_key key, uint32_t threads)
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
	set->incomplete = false;
	set->nr_arrays = 0;
	set->at = NULL;
	line_set_clear(&set->lines);
	return &set->lines;
}

struct line_set *sharing_lines(struct sharing *own, const void *frame)
{
	struct sharing_set *set = filling(own, frame);

	return set ? &set->lines : NULL;
}

void sharing_met(struct sharing *own, const void *frame, uint32_t array, uint32_t region)
{
	struct sharing_set *set = filling(own, frame);

	if (!set || array_of(set, array))
		return;
	if (set->nr_arrays == SHARING_ARRAYS)
		set->incomplete = true;
	else
		set->arrays[set->nr_arrays++] = (struct sharing_array){ .array = array, .region = region };
}

static void compare_all(struct sharing *own, struct sharing_set *first)
{
	bool complete = is_complete(first);

	if (complete) {
		count_execution(first);
		compare(own, first);
	}
	for (struct sharing_set *set = first; set; set = set->next)
		__atomic_fetch_sub(ended_of(&set->key), 1, __ATOMIC_SEQ_CST);
	set_states(first, complete ? COMPARED : UNKNOWN);
}

/*
 * It is counted before it has ended, so that whoever ends last finds as many as there are, and looks. Others may find so many, too: as
 * threads count a moment before, and executions that share a place count together.
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
	line_set_close(&set->lines);
	__atomic_fetch_add(ended_of(&key), 1, __ATOMIC_SEQ_CST);
	set_state(set, ENDED);
	first = __atomic_load_n(ended_of(&key), __ATOMIC_SEQ_CST) < threads ? NULL : claim(&key, threads);
	if (first)
		compare_all(own, first);
}

/* ------------------------------------------------------------------ what it brought */

static void collect(struct sharing_set *set, bool known, void (*visit)(void *ctx, uint32_t region, const struct sharing_array *row), void *ctx)
{
	struct sharing_array sum = { .array = ARRAY_NONE, .region = set->key.region, .touched = set->touched };

	for (uint32_t i = 0; i < set->nr_arrays; i++) {
		visit(ctx, set->arrays[i].region, known ? &set->arrays[i] : NULL);
		sum.accesses += set->arrays[i].accesses;
	}
	visit(ctx, sum.region, known ? &sum : NULL);
	set_state(set, FREE);
}

void sharing_collect(struct sharing *own, void (*visit)(void *ctx, uint32_t region, const struct sharing_array *row), void *ctx)
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
