/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that keep accesses, with right checksums and wrong contents: numbers in the pieces of
 * their traces are changed, behind their compression, and the run beside them. Each goes through
 * commands in a process of its own. See tests/unit/fuzz.h.
 *     FUZZ_RECORDS="a.ms b.ms"   these, too, besides the record made here (bench/fuzz.sh)
 */
#include "tests/fuzz/commands.h"

#include <sys/wait.h>

#include "analysis/record/coding.h"
#include "analysis/record/crc32c.h"
#include "analysis/trace/compress.h"
#include "tests/host/mutate_run.h"
#include "tests/unit/fuzz.h"
#include "tests/unit/traced_run.h"

#define BASES_MOST 8
#define COMMANDS_EACH 4 /* of the lines below, for an input */
#define LANE_ROOM 64    /* by which a lane may grow */
#define RESULTS_HEADER 12
#define RESULTS_ENTRY 24

/* As trace_pieces.h has it, without compression. */
struct piece {
	uint64_t kind;
	bool packed;
	unsigned int nr_lanes;
	struct lane {
		uint8_t *bytes;
		size_t nr;
	} lanes[PIECE_LANES];
};

static struct base {
	struct run run, *phases;
	struct piece *pieces;
	size_t nr, room, nr_phases;
} bases[BASES_MOST];
static size_t nr_bases;

static struct arena *bases_arena;

/* Sampled lines are no part of the sets of small caches. */
static const char *const lines[] = {
	"list traces",
	"list traces --json",
	"trace",
	"trace --format din --thread 1",
	"trace --format lackey --execution 1",
	"trace --array a --region 2",
	"report --all",
	"report --machine small.machine --jobs 1",
	"report --html out.html",
	"report --phase 2 --machine small.machine",
	"report --machine xeon-2s --json --pages interleave --places 1,0",
	"arrays --all",
	"arrays --machine xeon-2s --by line --all",
	"arrays --machine small.machine --by thread --real-addresses",
	"arrays --machine xeon-2s --range a[1:9] --huge-pages",
	"arrays --json --jobs 1 --machine small.machine --by region",
	"numa --machine small.machine --places spread",
	"numa --machine xeon-2s --json --pages 1",
	"numa --machine small.machine --svg out.svg --range b[0:3]",
	"graph --machine xeon-2s --all",
	"graph --machine small.machine --format dot",
	"try --machine small.machine interleave spread pad-rows:a",
	"try --machine xeon-2s --json",
	"export --machine xeon-2s",
	"export --format extrap --machine small.machine -o out.json",
	"diff --machine small.machine --by instruction --all % %",
	"diff --machine xeon-2s --by cause --json % %",
	"import -o x.db %",
	"search",
};

/* ------------------------------------------------------------------ bases */

static struct lane lane_copy(const uint8_t *bytes, size_t nr)
{
	struct lane lane = { arena_alloc(bases_arena, nr + LANE_ROOM), nr };

	memcpy(lane.bytes, bytes, nr);
	return lane;
}

static void open_lanes(struct cursor *from, struct piece *out)
{
	struct decompressor *decompressor = decompressor_new(bases_arena);

	while (from->at < from->end) {
		uint64_t whole = get_varint(from), compressed = get_varint(from);
		struct lane *lane = &out->lanes[out->nr_lanes++];

		*lane = lane_copy(from->at, 0);
		lane->bytes = arena_alloc(bases_arena, whole + LANE_ROOM);
		lane->nr = whole;
		if (compressed)
			CHECK(decompressor && decompressor_run(decompressor, from->at, compressed,
							       lane->bytes, whole));
		else
			memcpy(lane->bytes, from->at, whole);
		from->at += compressed ? compressed : whole;
	}
}

static bool add_piece(void *ctx, const uint8_t *bytes, size_t nr)
{
	struct cursor from = { bytes, bytes + nr, false };
	uint64_t head = get_varint(&from);
	struct base *base = ctx;
	struct piece *piece;

	CHECK(ARENA_GROW(bases_arena, base->pieces, base->nr, base->room));
	piece = &base->pieces[base->nr++];
	*piece = (struct piece){ .kind = head & ~(uint64_t)PIECE_PACKED,
				 .packed = head & PIECE_PACKED };
	if (piece->packed)
		open_lanes(&from, piece);
	else
		piece->lanes[piece->nr_lanes++] = lane_copy(from.at, (size_t)(from.end - from.at));
	return true;
}

static void add_base(const char *path)
{
	struct base *base = &bases[nr_bases++];

	CHECK_THAT(nr_bases, <=, BASES_MOST);
	CHECK_INT(record_read(bases_arena, path, &base->run, NULL), MS_OK);
	CHECK_INT(record_traces(bases_arena, path, add_piece, base), MS_OK);
	CHECK_THAT(base->nr, >, 0);
	base->run.cost.program_wall_ns = TRACED_NS;
	base->nr_phases = base->run.nr_phases;
	base->phases = arena_alloc(bases_arena, (base->nr_phases + 1) * sizeof(struct run));
	for (uint32_t i = 0; i < base->nr_phases; i++)
		if (record_read_phase(bases_arena, path, i + 1, &base->phases[i]) != MS_OK)
			base->phases[i].program = NULL;
}

static void add_named(void)
{
	const char *value = getenv("FUZZ_RECORDS");
	char names[4096], *left = NULL;

	snprintf(names, sizeof(names), "%s", value ? value : "");
	for (char *name = strtok_r(names, " ", &left); name; name = strtok_r(NULL, " ", &left))
		add_base(name);
}

static void prepare(void)
{
	uint8_t *machine;
	size_t nr;

	fuzz_quiet();
	commands_prepare();
	bases_arena = arena_new();
	add_named();
	machine = file_read("tests/live/programs/small.machine", &nr);
	CHECK(machine);
	scratch_enter();
	commands_enter(machine, nr);
	free(machine);
	traced_write(bases_arena, "sampled.ms", true);
	add_base("sampled.ms");
	traced_write(bases_arena, "whole.ms", false);
	add_base("whole.ms");
}

/* ------------------------------------------------------------------ mutations */

static uint64_t next(uint64_t below)
{
	return pick(below);
}

static uint64_t any_number(uint64_t was)
{
	switch (pick(9)) {
	case 0: return 0;
	case 1: return was + 1;
	case 2: return was - 1;
	case 3: return UINT64_MAX - pick(3);
	case 4: return UINT32_MAX - pick(3);
	case 5: return 1ull << pick(64);
	case 6: return was << pick(16);
	case 7: return pick(100000);
	default: return pick(40);
	}
}

/* `nr` bytes at `at` become these; false: there is no room. */
static bool replace(struct lane *lane, size_t room, size_t at, size_t nr, const uint8_t *bytes,
		    size_t nr_new)
{
	if (lane->nr - nr + nr_new > room)
		return false;
	memmove(lane->bytes + at + nr_new, lane->bytes + at + nr, lane->nr - at - nr);
	memcpy(lane->bytes + at, bytes, nr_new);
	lane->nr += nr_new - nr;
	return true;
}

static void change_number(struct lane *lane, size_t room)
{
	struct buffer number = { .arena = bases_arena };
	uint8_t bytes[4096];
	size_t at = pick(lane->nr);
	struct cursor cursor;
	uint64_t value;

	number.bytes = bytes;
	number.room = sizeof(bytes);
	while (at > 0 && lane->bytes[at - 1] & 128)
		at--;
	cursor = (struct cursor){ lane->bytes + at, lane->bytes + lane->nr, false };
	value = get_varint(&cursor);
	put_varint(&number, any_number(value));
	replace(lane, room, at, (size_t)(cursor.at - lane->bytes) - at, bytes, number.nr);
}

static void change_bytes(struct lane *lane, size_t room)
{
	size_t at = pick(lane->nr), nr = pick(20);
	uint8_t copy[20];

	nr = nr < lane->nr - at ? nr : lane->nr - at;
	memcpy(copy, lane->bytes + at, nr);
	switch (pick(4)) {
	case 0: lane->bytes[at] ^= (uint8_t)(1 << pick(8)); break;
	case 1: lane->bytes[at] = pick(2) ? 0xff : 0; break;
	case 2: replace(lane, room, at, nr, copy, 0); break;
	default: replace(lane, room, at, 0, copy, nr);
	}
}

/* Of a lane of its own. */
static void change_piece(struct arena *arena, struct piece *piece)
{
	struct lane *lane = &piece->lanes[pick(4) ? 0 : pick(piece->nr_lanes)];
	size_t room = lane->nr + LANE_ROOM;
	uint8_t *bytes = arena_alloc(arena, room);

	memcpy(bytes, lane->bytes, lane->nr);
	lane->bytes = bytes;
	for (uint64_t changes = 1 + pick(2); changes && lane->nr; changes--)
		pick(4) ? change_number(lane, room) : change_bytes(lane, room);
	if (!pick(40))
		piece->kind = pick(PIECE_KINDS + 1);
}

/* A piece more or less, or another order. */
static size_t change_order(struct piece *pieces, size_t nr)
{
	size_t at = pick(nr), other = pick(nr);
	struct piece piece = pieces[at];

	switch (pick(3)) {
	case 0: memmove(pieces + at, pieces + at + 1, (nr - at - 1) * sizeof(piece)); return nr - 1;
	case 1:
		pieces[at] = pieces[other];
		pieces[other] = piece;
		return nr;
	default: pieces[nr] = piece; return nr + 1;
	}
}

/* ------------------------------------------------------------------ writing */

static void put_lane(struct buffer *out, struct compressor *compressor, const struct lane *lane)
{
	uint8_t *packed = arena_alloc(out->arena, lane->nr + 1);
	size_t nr = compressor && lane->nr
			    ? compressor_run(compressor, lane->bytes, lane->nr, packed)
			    : 0;

	put_varint(out, lane->nr);
	put_varint(out, nr);
	put_bytes(out, nr ? packed : lane->bytes, nr ? nr : lane->nr);
}

static void put_piece(struct arena *arena, struct record *record, const struct piece *piece)
{
	struct buffer out = { .arena = arena };
	struct compressor *compressor = piece->packed && !pick(4) ? compressor_new(arena) : NULL;

	put_varint(&out, piece->kind | (piece->packed ? PIECE_PACKED : 0));
	if (piece->packed)
		for (unsigned int i = 0; i < piece->nr_lanes; i++)
			put_lane(&out, compressor, &piece->lanes[i]);
	else
		put_bytes(&out, piece->lanes[0].bytes, piece->lanes[0].nr);
	if (!pick(60))
		out.bytes[pick(out.nr)] = (uint8_t)pick(256);
	CHECK_INT(record_trace(record, out.bytes, out.nr), MS_OK);
}

static void write_pieces(struct arena *arena, struct record *record, const struct base *base)
{
	size_t nr = base->nr;
	struct piece *pieces = arena_alloc(arena, (nr + 8) * sizeof(*pieces));

	memcpy(pieces, base->pieces, nr * sizeof(*pieces));
	for (uint64_t changes = pick(4); changes; changes--)
		change_piece(arena, &pieces[pick(nr)]);
	for (uint64_t changes = pick(4) ? 0 : pick(3); changes && nr; changes--)
		nr = change_order(pieces, nr);
	for (size_t i = 0; i < nr; i++)
		put_piece(arena, record, &pieces[i]);
}

static void write_mutated(struct arena *arena, const char *path)
{
	const struct base *base = &bases[pick(nr_bases)];
	struct record *record;
	struct run run = base->run;

	if (!pick(3))
		mutate_run(arena, &run, next, pick(8));
	record = record_create(arena, path, NULL);
	CHECK(record);
	write_pieces(arena, record, base);
	for (uint32_t i = 0; i < base->nr_phases; i++) {
		struct run phase = base->phases[i];

		if (!phase.program)
			continue;
		if (!pick(3))
			mutate_run(arena, &phase, next, pick(8));
		record_phase(record, i + 1, &phase);
	}
	if (pick(8))
		record_close(record, &run);
	else
		record_update(record, &run), record_abandon(record);
}

/* Results that are kept beside the record, with right checksums. */
static void mutate_results(const char *path)
{
	size_t nr, at = RESULTS_HEADER;
	uint8_t *bytes = file_read(path, &nr);

	if (!bytes)
		return;
	while (nr - at > RESULTS_ENTRY) {
		uint32_t length = load_u32(bytes + at + 16);
		uint8_t *payload = bytes + at + RESULTS_ENTRY;

		if (!length || length > nr - at - RESULTS_ENTRY)
			break;
		for (uint64_t changes = 1 + pick(3); changes; changes--)
			payload[pick(pick(2)       ? length
				     : length < 64 ? length
						   : 64)] = (uint8_t)pick(256);
		store_u32(bytes + at + 20,
			  crc32c_update(crc32c_update(0, bytes + at, 20), payload, length));
		at += RESULTS_ENTRY + length;
	}
	file_write(path, bytes, nr);
	free(bytes);
}

/* ------------------------------------------------------------------ the test */

static void use_record(void)
{
	struct arena *arena = arena_new();

	write_mutated(arena, "t.ms");
	arena_free(arena);
	for (int i = 0; i < COMMANDS_EACH; i++)
		run_line(lines[pick(sizeof(lines) / sizeof(lines[0]))], "t.ms");
	if (access("t.ms.kept", F_OK) == 0 && !pick(3)) {
		mutate_results("t.ms.kept");
		run_line("arrays --machine small.machine --all", "t.ms");
		run_line("numa --machine small.machine", "t.ms");
	}
}

static void remove_files(void)
{
	static const char *const names[] = { "t.ms", "t.ms.kept", "t.ms.kept.new", "x.db" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
}

TEST(traces_fuzz__mutated_traces)
{
	unsigned long failures = 0;

	prepare();
	FUZZ_EACH_OF(20, "FUZZ_TRACES")
	{
		pid_t child = fork();
		int status;

		CHECK(child >= 0);
		if (!child) {
			use_record();
			_exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child);
		remove_files();
		if (status) {
			fuzz_name_input();
			failures++;
		}
	}
	CHECK_INT(failures, 0);
	fuzz_tell("records with mutated traces");
}
