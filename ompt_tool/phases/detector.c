/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the initial thread's regions and detects where executions of the main phase end. */
#include "ompt_tool/phases/detector.h"

#include <string.h>

#include "analysis/base/hash.h"
#include "ompt_tool/phases/anchor.h"
#include "ompt_tool/phases/period.h"

#define LOOK_SHARE 200    /* looking may take 1/200 of the time */
#define LOOK_NS 1000      /* of a look, beside what the search counts itself */
#define ENOUGH_SHARE 0.05 /* of the time since the start must be repetitions */
#define ANCHOR_EVENTS 24  /* before, the exact sequence has the better chance */
/* regions in random order: 0.7 for two, 0.95 for ten of them (see anchor.c for few begins) */
#define ANCHOR_VARIATION 0.6
/* longest intervals without a start, after which another phase is searched for */
#define LOST_INTERVALS 4
#define LOST_EVENTS 16
/*
 * … and after which it is none: this number of times all its repetitions, and this, without a start,
 * whatever else begins meanwhile: a single region may take the rest of the run
 */
#define ABANDON_TIMES 10
#define ABANDON_NS (20 * DETECTOR_ENOUGH_NS)
/* first check whether an outer loop is the better phase; then at 32, 64 … */
#define RELOOK_REPETITIONS 16
/* fraction of the time in unusual repetitions that triggers that check … */
#define UNUSUAL_SHARE 0.2
/*
 * … if they are shorter or longer by this fraction than the usual ones, beyond the spread of the
 * usual ones
 */
#define UNUSUAL_LENGTH 0.2
/* short repetitions are grouped by an outer loop whose repetitions take no longer */
#define REGROUP_NS (10 * DETECTOR_PHASE_NS)
#define OUTER_FACTOR 1.5   /* an outer loop's mean interval is longer by this at least */
#define SHORT_EXECUTIONS 4 /* in a row, then more repetitions are grouped */
#define GROUP_MAX (1u << 20)
#define OTHER_MARKS 3
#define PATHS_MAX 16     /* repetitions by region in one by path */
#define PATHS_REPEATED 3 /* before calls are said to follow no rule */
/* between two events: reading the clock at each would cost above 1/400 of the time */
#define DENSE_NS 10000
#define DENSE_EVENTS 16   /* one in this number is timed anyway */
#define FAMILIAR_BEGINS 8 /* of a region */

enum detector_state { SEARCHING, FOLLOWING, MARKED };

struct detector {
	enum detector_state state;
	bool started;
	uint64_t now_ns, next_look_ns;
	uint32_t untimed;    /* events since the last one that came with its time */
	bool dense;          /* they came less than DENSE_NS apart */
	uint64_t entered_ns; /* latest event of level 0 */

	/* the phase that is followed */
	struct period period;
	uint32_t level;
	bool announced; /* FOUND or CHANGED was answered */
	bool lost;
	uint32_t changes;
	/* latest start of a repetition; longest interval between two */
	uint64_t start_ns, longest_ns;
	uint64_t start_count[ANCHOR_LEVELS]; /* events of each level before it */

	/* repetitions of it: a majority vote over the hashes of what they are made of */
	uint64_t hash, usual_hash, votes;
	uint64_t repetitions, usual_repetitions, relook_at;
	double usual_ns, unusual_ns, followed_ns;
	/* sums of absolute deviations from the mean of the usual ones */
	double usual_off_ns, unusual_off_ns;

	/* grouping repetitions into executions, marked ones too */
	/* wanted number; number in the open execution; consecutive too short executions */
	uint32_t group, grouped, short_executions;
	uint32_t last_grouped; /* in the execution that ended last */
	uint64_t group_ns;     /* begin of the open execution */

	/* marks */
	int number, other_number;
	uint32_t other_begins;
	struct detector_ignored ignored;
	uint64_t ignored_at_ns; /* begin of the current one; 0: none */
	bool open;              /* an execution was answered to begin and not yet to end */
	bool inside;            /* between a begin and its end in the program */

	struct history history[ANCHOR_LEVELS];
	struct anchors anchors;
	struct period_scratch scratch;
};

uint64_t detector_bytes(void)
{
	return sizeof(struct detector);
}

void detector_init(struct detector *detector)
{
	memset(detector, 0, sizeof(*detector));
}

/* -- grouping */

static void group_begin(struct detector *detector, uint64_t now_ns)
{
	detector->group_ns = now_ns;
	detector->grouped = 0;
	if (!detector->group)
		detector->group = 1;
}

static void group_set(struct detector *detector, double repetition_ns)
{
	double wanted = repetition_ns > 0 ? DETECTOR_PHASE_NS / repetition_ns + 0.5 : GROUP_MAX;

	detector->group = wanted >= GROUP_MAX ? GROUP_MAX : wanted < 1 ? 1 : (uint32_t)wanted;
	detector->short_executions = 0;
}

static bool is_late(const struct detector *detector)
{
	return detector->now_ns - detector->group_ns >= 4 * DETECTOR_PHASE_NS;
}

/* The next repetition may complete the execution. */
static bool may_complete(const struct detector *detector)
{
	return detector->grouped + 1 >= detector->group || is_late(detector);
}

/* One more repetition is complete; true: so is the execution. */
static bool group_add(struct detector *detector)
{
	uint64_t lasted = detector->now_ns - detector->group_ns;
	bool complete = may_complete(detector);

	detector->grouped++;
	if (!complete)
		return false;
	detector->last_grouped = detector->grouped;
	detector->short_executions = lasted < DETECTOR_PHASE_NS / 2 ? detector->short_executions + 1
								    : 0;
	if (detector->short_executions >= SHORT_EXECUTIONS ||
	    (detector->group > 1 && is_late(detector)))
		group_set(detector, (double)lasted / detector->grouped);
	return true;
}

uint32_t detector_repetitions(const struct detector *detector)
{
	return detector->last_grouped;
}

/* -- search for a phase */

/* Bounds that a new phase must exceed. */
struct demand {
	uint32_t shortest; /* events of a repetition */
	double mean_ns;    /* of a repetition, must be longer */
	double variation;  /* of an anchor, must be less */
	double share;      /* of the time since the start it must cover */
};

/*
 * Repetitions that call a region with one array and then with another are parts of one. Where calls
 * follow no rule the sequence of regions stands. false: it takes more events to know.
 */
static bool find_by_path(struct detector *detector, const struct history *history, double enough_ns,
			 struct period *period)
{
	uint64_t events = history->count - history->base,
		 wanted = (uint64_t)PATHS_REPEATED * (history->paths + 1) * period->length;
	struct period calls;

	if (!history->paths)
		return true;
	if (!period_find(history, &detector->scratch, PERIOD_BY_PATH, period->length, enough_ns,
			 &calls))
		return events >= wanted;
	if (calls.length > period->length && calls.length % period->length == 0 &&
	    calls.length <= PATHS_MAX * period->length)
		*period = calls;
	return true;
}

static bool find_on_level(struct detector *detector, uint32_t level, const struct demand *demand,
			  struct period *out)
{
	const struct history *history = &detector->history[level];
	uint64_t now_ns = detector->now_ns;
	double enough_ns = demand->share * (double)(now_ns - detector->anchors.begin_ns[level]);

	if (enough_ns < DETECTOR_ENOUGH_NS)
		enough_ns = DETECTOR_ENOUGH_NS;
	if (period_find(history, &detector->scratch, PERIOD_BY_REGION, demand->shortest, enough_ns,
			out) &&
	    out->mean_ns > demand->mean_ns)
		return find_by_path(detector, history, enough_ns, out);
	if (history->count - history->base < ANCHOR_EVENTS)
		return false;
	detector->scratch.cost_ns += detector->anchors.nr * 4;
	out->length = out->nr_context = 0;
	out->mask = PERIOD_BY_REGION;
	return anchors_best(&detector->anchors, level, now_ns, enough_ns, demand->mean_ns,
			    demand->variation, &out->symbol);
}

static void follow(struct detector *detector, uint32_t level, const struct period *period)
{
	double variation;

	detector->changes += detector->state == FOLLOWING && detector->announced;
	detector->state = FOLLOWING;
	detector->announced = detector->lost = false;
	detector->level = level;
	detector->period = *period;
	if (!period->length)
		anchors_variation(&detector->anchors, level, period->symbol,
				  &detector->period.mean_ns, &variation);
	detector->longest_ns = (uint64_t)(2 * detector->period.mean_ns);
	detector->start_ns = detector->now_ns;
	for (uint32_t i = 0; i < ANCHOR_LEVELS; i++)
		detector->start_count[i] = detector->history[i].count;
	group_set(detector, detector->period.mean_ns);
}

static bool level_in_question(const struct detector *detector, uint32_t level)
{
	return level == 0 || detector->now_ns - detector->entered_ns >= DETECTOR_LONG_REGION_NS;
}

static void look_anew(struct detector *detector)
{
	const struct demand any = { 1, 0, ANCHOR_VARIATION, ENOUGH_SHARE };
	struct period period;

	for (uint32_t level = 0; level < ANCHOR_LEVELS; level++) {
		if (!level_in_question(detector, level) ||
		    !find_on_level(detector, level, &any, &period))
			continue;
		follow(detector, level, &period);
		return;
	}
}

static double mean_of(double sum, uint64_t nr)
{
	return nr ? sum / (double)nr : 0;
}

/* Repetitions of other regions of the same length divide the time equally well. */
static bool unusual_take_otherwise(const struct detector *detector)
{
	uint64_t nr = detector->usual_repetitions, others = detector->repetitions - nr;

	return mean_of(detector->unusual_off_ns, others) >
	       UNUSUAL_LENGTH * mean_of(detector->usual_ns, nr) +
		       mean_of(detector->usual_off_ns, nr);
}

static bool differ_much(const struct detector *detector)
{
	return detector->unusual_ns > UNUSUAL_SHARE * detector->followed_ns &&
	       unusual_take_otherwise(detector);
}

/*
 * Is there an outer loop that divides the time better, or by which short repetitions are better
 * grouped?
 */
static void look_outside(struct detector *detector)
{
	struct demand outer = { 1, OUTER_FACTOR * detector->period.mean_ns, ANCHOR_VARIATION, 0.5 };
	struct period period;
	double mean_ns, variation;

	for (uint32_t level = 0; level <= detector->level; level++) {
		if (level == detector->level)
			outer.shortest = detector->period.length + 1;
		if (level == detector->level &&
		    anchors_variation(&detector->anchors, level, detector->period.symbol, &mean_ns,
				      &variation)) {
			outer.mean_ns = OUTER_FACTOR * mean_ns;
			outer.variation = variation < ANCHOR_VARIATION ? variation
								       : ANCHOR_VARIATION;
		}
		if (!find_on_level(detector, level, &outer, &period))
			continue;
		if (level == detector->level && period.nr_context && detector->period.length &&
		    period.length % detector->period.length == 0)
			continue; /* several repetitions of the same */
		if (!differ_much(detector) && (!period.length || period.mean_ns > REGROUP_NS))
			continue;
		follow(detector, level, &period);
		return;
	}
}

static bool look_due(const struct detector *detector)
{
	return detector->now_ns >= detector->next_look_ns;
}

static void look(struct detector *detector, void (*at)(struct detector *))
{
	uint64_t before = detector->scratch.cost_ns;

	at(detector);
	detector->next_look_ns = detector->now_ns +
				 LOOK_SHARE * (detector->scratch.cost_ns - before + LOOK_NS);
}

/* -- following a phase */

static void note_time(struct detector *detector, bool usual, double lasted_ns)
{
	double off_ns = lasted_ns - mean_of(detector->usual_ns, detector->usual_repetitions);

	off_ns = off_ns < 0 ? -off_ns : off_ns;
	detector->followed_ns += lasted_ns;
	if (!usual) {
		detector->unusual_ns += lasted_ns;
		detector->unusual_off_ns += off_ns;
		return;
	}
	detector->usual_off_ns += detector->usual_repetitions ? off_ns : 0;
	detector->usual_ns += lasted_ns;
	detector->usual_repetitions++;
}

static void vote(struct detector *detector, uint64_t lasted_ns)
{
	bool usual = detector->hash == detector->usual_hash || !detector->repetitions;

	if (usual)
		detector->votes++;
	else if (detector->votes)
		detector->votes--;
	if (!detector->votes || !detector->repetitions)
		detector->usual_hash = detector->hash;
	detector->repetitions++;
	note_time(detector, usual, (double)lasted_ns);
}

static enum detector_answer announce(struct detector *detector)
{
	detector->announced = true;
	detector->repetitions = detector->usual_repetitions = detector->votes = 0;
	detector->usual_ns = detector->unusual_ns = detector->followed_ns = 0;
	detector->usual_off_ns = detector->unusual_off_ns = 0;
	detector->relook_at = RELOOK_REPETITIONS;
	group_begin(detector, detector->now_ns);
	return detector->changes ? DETECTOR_CHANGED : DETECTOR_FOUND;
}

static enum detector_answer repetition_ends(struct detector *detector)
{
	uint64_t now_ns = detector->now_ns, lasted = now_ns - detector->start_ns;

	vote(detector, lasted);
	if (lasted > detector->longest_ns)
		detector->longest_ns = lasted;
	if (!group_add(detector))
		return DETECTOR_NOTHING;
	group_begin(detector, now_ns);
	return DETECTOR_BOUNDARY;
}

static enum detector_answer repetition_starts(struct detector *detector)
{
	enum detector_answer answer = detector->announced ? repetition_ends(detector)
							  : announce(detector);

	detector->lost = false;
	detector->start_ns = detector->now_ns;
	for (uint32_t i = 0; i < ANCHOR_LEVELS; i++)
		detector->start_count[i] = detector->history[i].count;
	detector->hash = 0;
	return answer;
}

/* No start for long while other regions begin; the wait grows with the number of changes. */
static bool gone(const struct detector *detector)
{
	uint64_t patience = LOST_INTERVALS * detector->longest_ns, events = 0;

	for (uint32_t i = 0; i < ANCHOR_LEVELS; i++)
		events += detector->history[i].count - detector->start_count[i];
	if (patience < 2 * DETECTOR_ENOUGH_NS)
		patience = 2 * DETECTOR_ENOUGH_NS;
	return events >= LOST_EVENTS && (detector->now_ns - detector->start_ns) >>
						(detector->changes < 8 ? detector->changes : 8) >
						patience;
}

static void lose(struct detector *detector)
{
	detector->lost = true;
	for (uint32_t i = 0; i < ANCHOR_LEVELS; i++) {
		if (detector->history[i].base < detector->start_count[i])
			detector->history[i].base = detector->start_count[i];
		anchors_forget(&detector->anchors, i, detector->now_ns);
	}
}

bool detector_abandons(const struct detector *detector, double since_ns)
{
	return detector->state == FOLLOWING && detector->announced && since_ns >= ABANDON_NS &&
	       since_ns > ABANDON_TIMES * (detector->followed_ns + (double)detector->longest_ns);
}

static enum detector_answer abandon(struct detector *detector)
{
	lose(detector);
	detector->state = SEARCHING;
	detector->announced = false;
	detector->changes = 0;
	return DETECTOR_ABANDONED;
}

static bool outer_in_question(struct detector *detector)
{
	if (detector->repetitions < detector->relook_at)
		return false;
	detector->relook_at = 2 * detector->repetitions;
	return differ_much(detector) ||
	       (detector->group > 1 && detector->usual_repetitions < detector->repetitions);
}

static enum detector_answer follow_event(struct detector *detector, uint32_t level, uint32_t symbol)
{
	enum detector_answer answer = DETECTOR_NOTHING;

	if (level == detector->level && period_starts(&detector->period, &detector->history[level]))
		answer = repetition_starts(detector);
	if (level <= detector->level)
		detector->hash = hash_word(detector->hash ^ (symbol & detector->period.mask)) + 1;
	if (answer != DETECTOR_NOTHING)
		return answer;
	if (detector_abandons(detector, (double)(detector->now_ns - detector->start_ns)))
		return abandon(detector);
	if (!detector->lost && gone(detector))
		lose(detector);
	if (look_due(detector) && detector->lost)
		look(detector, look_anew);
	else if (look_due(detector) && outer_in_question(detector))
		look(detector, look_outside);
	return answer;
}

/* A phase was just found: does it start with this event? */
static enum detector_answer search_event(struct detector *detector, uint32_t level)
{
	if (!look_due(detector) || !level_in_question(detector, level))
		return DETECTOR_NOTHING;
	look(detector, look_anew);
	if (detector->state == FOLLOWING && detector->level == level &&
	    period_starts(&detector->period, &detector->history[level]))
		return repetition_starts(detector);
	return DETECTOR_NOTHING;
}

static void start(struct detector *detector, uint64_t now_ns)
{
	detector->started = true;
	detector->entered_ns = now_ns;
	for (uint32_t i = 0; i < ANCHOR_LEVELS; i++)
		anchors_forget(&detector->anchors, i, now_ns);
}

static void enter_region(struct detector *detector)
{
	detector->entered_ns = detector->now_ns;
	detector->history[1].base = detector->history[1].count;
	anchors_forget(&detector->anchors, 1, detector->now_ns);
}

static void take_time(struct detector *detector, uint64_t now_ns)
{
	detector->untimed++;
	if (!now_ns)
		return;
	detector->dense = now_ns - detector->now_ns < (uint64_t)DENSE_NS * detector->untimed;
	detector->untimed = 0;
	if (now_ns > detector->now_ns)
		detector->now_ns = now_ns;
}

static uint32_t symbol_of(int level, uint32_t region, uint32_t path)
{
	return region | path << HISTORY_PATH | (level == DETECTOR_BARRIER ? HISTORY_BARRIER : 0);
}

static bool is_following(const struct detector *detector)
{
	return detector->state == FOLLOWING && detector->announced && !detector->lost;
}

static bool is_dense(const struct detector *detector)
{
	return is_following(detector) && detector->dense;
}

bool detector_needs_time(const struct detector *detector, int level, uint32_t region)
{
	uint32_t depth = level != DETECTOR_REGION;

	if (detector->state == MARKED)
		return false;
	if (!is_dense(detector) || detector->untimed >= DENSE_EVENTS - 1 || depth < detector->level)
		return true;
	return depth == detector->level &&
	       symbol_of(level, region, 0) == (detector->period.symbol & PERIOD_BY_REGION) &&
	       may_complete(detector);
}

bool detector_ignores_inside(const struct detector *detector, uint32_t region, bool sparse)
{
	return (sparse ? is_following(detector) : is_dense(detector)) &&
	       detector->level == DETECTOR_REGION &&
	       anchors_begins(&detector->anchors, DETECTOR_REGION, region) >= FAMILIAR_BEGINS;
}

bool detector_needs_constructs(const struct detector *detector)
{
	return detector->state != MARKED &&
	       !(is_following(detector) && detector->level == DETECTOR_REGION);
}

enum detector_answer detector_event(struct detector *detector, int level, uint32_t region,
				    uint32_t path, uint64_t now_ns)
{
	uint32_t symbol = symbol_of(level, region, path), depth = level != DETECTOR_REGION;

	if (detector->state == MARKED)
		return DETECTOR_NOTHING;
	if (!detector->started)
		start(detector, now_ns);
	take_time(detector, now_ns);
	if (!depth)
		enter_region(detector);
	history_add(&detector->history[depth], symbol, detector->now_ns);
	anchors_add(&detector->anchors, depth, symbol & PERIOD_BY_REGION, detector->now_ns);
	if (detector->state == FOLLOWING)
		return follow_event(detector, depth, symbol);
	return search_event(detector, depth);
}

/* -- marks */

static enum detector_answer main_begins(struct detector *detector, int number, bool replaces,
					uint64_t now_ns)
{
	detector->state = MARKED;
	detector->number = number;
	detector->open = detector->inside = true;
	detector->other_begins = 0;
	detector->ignored_at_ns = 0;
	detector->group = 1;
	group_begin(detector, now_ns);
	return replaces ? DETECTOR_CHANGED : DETECTOR_BEGIN;
}

static enum detector_answer other_begins(struct detector *detector, int number, uint64_t now_ns)
{
	detector->ignored.executions++;
	detector->ignored.number = number;
	detector->ignored_at_ns = now_ns;
	if (detector->inside)
		return DETECTOR_NOTHING;
	detector->other_begins = number == detector->other_number ? detector->other_begins + 1 : 1;
	detector->other_number = number;
	if (detector->other_begins < OTHER_MARKS)
		return DETECTOR_NOTHING;
	return main_begins(detector, number, true, now_ns);
}

static enum detector_answer mark_begins(struct detector *detector, int number, uint64_t now_ns)
{
	if (detector->state != MARKED)
		return main_begins(detector, number,
				   detector->state == FOLLOWING && detector->announced, now_ns);
	if (number != detector->number)
		return other_begins(detector, number, now_ns);
	detector->other_begins = 0;
	if (detector->inside) {
		if (!group_add(detector))
			return DETECTOR_NOTHING;
		group_begin(detector, now_ns);
		return DETECTOR_BOUNDARY;
	}
	detector->inside = true;
	if (detector->open)
		return DETECTOR_NOTHING;
	detector->open = true;
	group_begin(detector, now_ns);
	return DETECTOR_BEGIN;
}

static enum detector_answer mark_ends(struct detector *detector, int number, uint64_t now_ns)
{
	if (detector->ignored_at_ns && number == detector->ignored.number) {
		detector->ignored.ns += (double)(now_ns - detector->ignored_at_ns);
		detector->ignored_at_ns = 0;
	}
	if (detector->state != MARKED || number != detector->number || !detector->inside)
		return DETECTOR_NOTHING;
	detector->inside = false;
	if (!group_add(detector))
		return DETECTOR_NOTHING;
	detector->open = false;
	return DETECTOR_END;
}

enum detector_answer detector_mark(struct detector *detector, bool begin, int number,
				   uint64_t now_ns)
{
	if (now_ns > detector->now_ns)
		detector->now_ns = now_ns;
	return begin ? mark_begins(detector, number, detector->now_ns)
		     : mark_ends(detector, number, detector->now_ns);
}

/* -- what is in use */

uint64_t detector_before_ns(const struct detector *detector)
{
	return detector->state == FOLLOWING
		       ? detector->now_ns - anchors_first_ns(&detector->anchors, detector->level,
							     detector->period.symbol,
							     detector->now_ns)
		       : 0;
}

enum phase_method detector_method(const struct detector *detector, uint32_t *region_out)
{
	bool known = detector->state == FOLLOWING && (detector->announced || detector->changes);

	*region_out = known ? detector->period.symbol & HISTORY_REGION : MS_REGION_NONE;
	if (detector->state == MARKED)
		return PHASE_CONTROL_TOOL;
	if (!known)
		return PHASE_WHOLE_PROGRAM;
	if (detector->repetitions < 3)
		return detector->period.length ? PHASE_SEQUENCE : PHASE_ANCHOR;
	return detector->usual_repetitions * 4 >= detector->repetitions * 3 ? PHASE_SEQUENCE
									    : PHASE_ANCHOR;
}

void detector_ignored(const struct detector *detector, struct detector_ignored *out)
{
	*out = detector->ignored;
	out->main_number = detector->number;
}

const char *detector_note(const struct detector *detector)
{
	uint32_t region;
	uint64_t observed = detector->now_ns - detector->anchors.begin_ns[0];

	if (detector_method(detector, &region) != PHASE_WHOLE_PROGRAM)
		return NULL;
	if (!detector->started)
		return "no parallel region was executed";
	if (detector->state == FOLLOWING)
		return "a repetition was found too late: the program ended before the next one began";
	if (detector->history[0].count + detector->history[1].count < 8)
		return "too few regions were executed to see a repetition";
	if (observed < DETECTOR_ENOUGH_NS)
		return "the program's regions took less than 10 ms: too short to see a repetition";
	return "neither does the sequence of regions repeat, nor is one region executed at regular intervals";
}
