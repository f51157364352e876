/* SPDX-License-Identifier: Apache-2.0 */
/* An agent and a program, each by its own side: attach, search, and whatever one of them does wrong. */
#define _GNU_SOURCE
#include "analysis/agent/live_monitor.h"
#include "ompt_tool/session/agent_link.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "analysis/search/database_reading.h"
#include "analysis/search/monitored_search.h"
#include "tests/unit/search.h"
#include "tests/unit/shipped_strategy.h"

#define EXECUTION 100e6 /* ns */

static const struct agent_offer offer = { .overhead = 3, /* 300 % */
					  .record = "/somewhere/it.ms",
					  .strategy = "property_refine" };

static struct database *program_database(struct arena *arena)
{
	struct database *db = database_new(arena);

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	return db;
}

/* The program is attached, and its search has been started. */
static void attach(struct agent_link *link, struct live_monitor *live)
{
	CHECK(agent_link_listen(link, getpid()));
	CHECK_INT(live_monitor_connect(live, getpid()), LIVE_OK);
	agent_link_look(link, &offer);
	CHECK(link->exchange);
	CHECK(!link->checked);
	live_monitor_answer(live);
	CHECK(live->attached);
	live_monitor_check(live, arena_new());
	agent_link_look(link, &offer);
	CHECK(link->checked);
}

/* ------------------------------------------------------------------ a search */

static void execute(struct database *db)
{
	for (uint32_t region_id = 0; region_id < 2; region_id++)
		for (uint32_t thread = 0; thread < 2; thread++) {
			row(db, region_id, thread, MS_METRIC_TIME, EXECUTION);
			row(db, region_id, thread, MS_METRIC_BARRIER_WAIT, 0.4 * EXECUTION);
		}
	database_execution_end(db, EXECUTION, 1);
}

/* The agent's process. Returns 0 if it proves the property of both regions. */
static int search_from_outside(pid_t program)
{
	struct arena *arena = arena_new();
	struct live_monitor live;
	struct monitored_search search = {
		.arena = arena,
		.monitor = &live_monitor,
		.monitor_ctx = &live,
		.properties = properties_of(
			arena,
			WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")),
		.strategy = &strategy_of_bricks,
		.db = database_new(arena),
		.overhead_limit = 0.05,
		.executions_most = UINT64_MAX,
	};

	if (live_monitor_connect(&live, program) != LIVE_OK)
		return 1;
	while (!live.attached && !live.ended) {
		exchange_wait(live.socket, 1000);
		live_monitor_answer(&live);
	}
	if (strcmp(live.record, offer.record) || fabs(live.overhead - offer.overhead) > 1e-12)
		return 2;
	live_monitor_check(&live, arena);
	if (monitored_search_begin(&search) != MS_OK)
		return 3;
	while (!search.ended)
		if (!monitored_search_advance(&search) && !search.ended)
			exchange_wait(live.socket, 10000);
	if (live.why)
		return 4;
	monitored_search_finish(&search);
	return search.nr_proofs == 2 ? 0 : 5;
}

/* One phase: what is requested is measured, until the agent requests nothing new. */
static unsigned int run_phase(struct agent_link *link, struct database *db)
{
	struct monitor_event execution = { .kind = MONITOR_EXECUTION,
					   .cost = { .executions = 1, .program_ns = EXECUTION } };
	unsigned int experiments = 0;

	agent_link_follow(link, db);
	agent_link_event(link, &(struct monitor_event){ .kind = MONITOR_RESTART });
	CHECK_INT(agent_link_turn(link), EXCHANGE_RELEASE);
	CHECK_THAT(link->nr_requests, >, 0);
	database_requests(db, link->requests, link->nr_requests);
	for (int i = 0; i < 12; i++) {
		execute(db);
		agent_link_event(link, &execution);
		if (agent_link_turn(link) == EXCHANGE_REQUEST) {
			experiments++;
			database_requests(db, link->requests, link->nr_requests);
		}
		CHECK(link->checked);
	}
	return experiments;
}

TEST(agent__searches_in_another_process)
{
	struct arena *arena = arena_new();
	struct agent_link link;
	pid_t program = getpid(), agent;
	int status;

	CHECK(agent_link_listen(&link, program));
	agent = fork();
	if (!agent)
		_exit(search_from_outside(program));
	CHECK(agent_link_wait(&link, &offer, 10000));
	CHECK_THAT(run_phase(&link, program_database(arena)), >=, 1);
	/* another phase: its regions are known, its values are new */
	CHECK_THAT(run_phase(&link, program_database(arena)), >=, 1);
	agent_link_end(&link);
	CHECK_INT(waitpid(agent, &status, 0), agent);
	CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

/* More changes than the summary table has room for. */
TEST(agent__a_full_summary_is_passed_on)
{
	struct agent_link link;
	struct live_monitor live;
	struct database *db = program_database(arena_new());
	struct database *copy = database_new(arena_new());
	struct monitor_event event;

	attach(&link, &live);
	live_monitor.prepare(&live, copy);
	live_monitor.request(&live, copy, NULL, 0);
	agent_link_follow(&link, db);
	exchange_send(live.socket, EXCHANGE_RELEASE, 0, -1); /* before it is asked */
	for (unsigned int i = 0; i < EXCHANGE_ITEMS; i++)
		database_execution_end(db, EXECUTION, 1);
	CHECK(link.checked);
	CHECK_THAT(link.nr_items, <, EXCHANGE_ITEMS);
	CHECK_THAT(link.nr_items, >, 0);
	live_monitor.next(&live, copy, &event);
	CHECK_INT(event.kind, MONITOR_NOTHING);
	CHECK(!live.ended);
}

/* ------------------------------------------------------------------ the agent does wrong */

static void check_lost(struct agent_link *link, struct database *db)
{
	CHECK(!link->exchange);
	CHECK(!link->checked);
	CHECK(agent_link_was_lost(link));
	CHECK(!agent_link_was_lost(link));
	/* nothing more is passed on */
	execute(db);
	agent_link_event(link, &(struct monitor_event){ .kind = MONITOR_RESTART });
	CHECK_INT(agent_link_turn(link), EXCHANGE_DETACH);
}

TEST(agent__one_that_ends_is_let_go)
{
	static const struct {
		const char *name;
		enum exchange_word word; /* 0: it is killed */
	} ways[] = { { "killed", 0 },
		     { "detached", EXCHANGE_DETACH },
		     { "damaged", EXCHANGE_ATTACHED } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct agent_link link;
		struct live_monitor live;
		struct database *db = program_database(arena_new());

		attach(&link, &live);
		agent_link_follow(&link, db);
		if (ways[i].word)
			exchange_send(live.socket, ways[i].word, 0, -1);
		else
			close(live.socket);
		CHECK_INT(agent_link_turn(&link), EXCHANGE_DETACH);
		check_lost(&link, db);
		/* another one may attach */
		CHECK_INT(live_monitor_connect(&live, getpid()), LIVE_OK);
		agent_link_look(&link, &offer);
		CHECK(link.exchange);
		agent_link_end(&link);
	}
}

/* Also where the program has not noticed yet. */
TEST(agent__one_that_died_makes_room)
{
	struct agent_link link;
	struct live_monitor live, second;

	attach(&link, &live);
	agent_link_follow(&link, program_database(arena_new()));
	close(live.socket);
	CHECK_INT(live_monitor_connect(&second, getpid()), LIVE_OK);
	agent_link_look(&link, &offer);
	live_monitor_answer(&second);
	CHECK(second.attached);
	CHECK(!link.checked);
	CHECK(agent_link_was_lost(&link));
}

TEST(agent__silence_ends_after_a_while)
{
	struct agent_link link;
	struct live_monitor live;
	struct database *db = program_database(arena_new());

	attach(&link, &live);
	agent_link_follow(&link, db);
	CHECK_INT(agent_link_turn(&link), EXCHANGE_DETACH);
	check_lost(&link, db);
}

TEST(agent__bad_requests_are_refused)
{
	static const struct {
		int line;
		struct ms_request request;
		uint32_t nr;
	} bad[] = {
		{ __LINE__, { .metric = MS_METRICS }, 1 },
		{ __LINE__, { .region = 2 }, 1 },
		{ __LINE__, { .flags = 1u << 31 }, 1 },
		{ __LINE__, { .address_high = 1 }, 1 },
		{ __LINE__, { .interval = MS_INTERVALS_MOST }, 1 },
		{ __LINE__, { 0 }, EXCHANGE_REQUESTS + 1 },
		{ __LINE__, { 0 }, UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct agent_link link;
		struct live_monitor live;
		struct database *db = program_database(arena_new());

		attach(&link, &live);
		agent_link_follow(&link, db);
		live.exchange->requests[0] = bad[i].request;
		exchange_send(live.socket, EXCHANGE_REQUEST, bad[i].nr, -1);
		if (agent_link_turn(&link) != EXCHANGE_DETACH)
			test_fail(__FILE__, bad[i].line, "is not refused");
		check_lost(&link, db);
		agent_link_end(&link);
	}
}

TEST(agent__another_version_is_refused)
{
	struct agent_link link;
	struct sockaddr_un address;
	unsigned int length = exchange_address(getpid(), &address);
	struct exchange_message message, answer;

	CHECK(agent_link_listen(&link, getpid()));
	for (int i = 0; i < 3; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), segment;
		struct exchange *exchange;

		CHECK_INT(connect(fd, (const struct sockaddr *)&address, length), 0);
		message = (struct exchange_message){ .magic = 0x5341534d,
						     .version = EXCHANGE_VERSION + (i == 0),
						     .word = EXCHANGE_ATTACH,
						     .layout = exchange_layout() + (i == 1) };
		segment = exchange_make(&exchange);
		if (i == 2) { /* only the segment */
			exchange->version++;
			CHECK(exchange_send(fd, EXCHANGE_ATTACH, 0, segment));
		} else {
			CHECK_INT(write(fd, &message, sizeof(message)), sizeof(message));
		}
		agent_link_look(&link, &offer);
		CHECK(!link.exchange);
		CHECK_INT(exchange_receive(fd, 0, &answer, NULL), EXCHANGE_MESSAGE);
		CHECK_INT(answer.word, EXCHANGE_REFUSED);
		CHECK_INT(answer.nr, i == 2 ? EXCHANGE_NO_SEGMENT : EXCHANGE_OTHER_VERSION);
		close(fd);
		close(segment);
	}
}

TEST(agent__a_segment_that_can_shrink_is_refused)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	CHECK_INT(ftruncate(fd, sizeof(struct exchange)), 0);
	CHECK(!exchange_map(fd));
	CHECK_INT(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	CHECK(!exchange_map(fd)); /* sealed, without a version */
	CHECK(!exchange_map(open("/dev/zero", O_RDWR)));
}

TEST(agent__a_second_one_is_refused)
{
	struct agent_link link;
	struct live_monitor live, second;

	attach(&link, &live);
	CHECK_INT(live_monitor_connect(&second, getpid()), LIVE_OK);
	agent_link_look(&link, &offer);
	live_monitor_answer(&second);
	CHECK(second.ended);
	CHECK_HAS(second.why, "another agent");
	CHECK(link.checked);
}

/* ------------------------------------------------------------------ the program does wrong */

TEST(agent__bad_items_end_the_search)
{
	static const struct {
		int line;
		struct exchange_item item;
		uint32_t nr;
	} bad[] = {
		{ __LINE__, { .kind = EXCHANGE_ITEM_KINDS }, 1 },
		{ __LINE__, { .kind = EXCHANGE_CHANGE, .of.change.kind = UINT32_MAX }, 1 },
		{ __LINE__, { .kind = EXCHANGE_EVENT, .of.event.kind = MONITOR_EVENTS }, 1 },
		{ __LINE__, { .kind = EXCHANGE_EVENT, .of.event.kind = MONITOR_NOTHING }, 1 },
		{ __LINE__, { .kind = EXCHANGE_EVENT, .of.event.kind = MONITOR_EXECUTION }, 1 },
		{ __LINE__,
		  { .kind = EXCHANGE_EVENT,
		    .of.event = { .kind = MONITOR_CHARGE, .tool_ns = NAN } },
		  1 },
		{ __LINE__,
		  { .kind = EXCHANGE_EVENT,
		    .of.event = { .kind = MONITOR_LEFT_OUT,
				  .cost = { .executions = 1, .tool_ns = -1 } } },
		  1 },
		{ __LINE__,
		  { .kind = EXCHANGE_EVENT, .of.event.kind = MONITOR_RESTART },
		  EXCHANGE_ITEMS + 1 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct agent_link link;
		struct live_monitor live;
		struct database *copy = program_database(arena_new());
		struct monitor_event event;

		attach(&link, &live);
		live_monitor.prepare(&live, copy);
		link.exchange->items[0] = bad[i].item;
		exchange_send(link.connection.fd, EXCHANGE_SUMMARY, bad[i].nr, -1);
		live_monitor.next(&live, copy, &event);
		if (event.kind != MONITOR_END || !live.why)
			test_fail(__FILE__, bad[i].line, "is not refused");
		agent_link_end(&link);
	}
}

TEST(agent__a_program_that_dies_ends_the_search)
{
	struct agent_link link;
	struct live_monitor live;
	struct database *copy = program_database(arena_new());
	struct monitor_event event;

	attach(&link, &live);
	live_monitor.prepare(&live, copy);
	agent_link_forget(&link);
	live_monitor.next(&live, copy, &event);
	CHECK_INT(event.kind, MONITOR_END);
	CHECK_HAS(live.why, "killed");
}

TEST(agent__says_why_it_cannot_attach)
{
	struct live_monitor live;
	struct agent_link link;

	CHECK_INT(live_monitor_connect(&live, getpid()), LIVE_NO_SOCKET);
	CHECK_INT(live_monitor_connect(&live, 0x7ffffff0), LIVE_NO_PROCESS);
	/* another process has its address */
	CHECK(agent_link_listen(&link, getppid()));
	CHECK_INT(live_monitor_connect(&live, getppid()), LIVE_NOT_OURS);
}
