/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_AGENT_TURNS_H
#define MEMSEARCH_SESSION_AGENT_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The search of the phase by an agent in another process (--agent), instead of the engine here: when
 * agents are accepted, and what one gets and answers at which boundary. The phase's database has all
 * values as without an agent, and the engine here decides from them, too, for the record; so it
 * continues at once when the agent is gone. Not here: the connection (agent_link.h); the search of
 * the whole program while no phase is known, which needs no requests.
 */
struct database;
struct engine_cost;
struct ms_request;

/* At the end of the start: listens, and waits with --agent wait. Returns for how long, in ns. */
uint64_t agent_turns_start(void);
/* At phase boundaries: attaches an agent, if one has connected. */
void agent_turns_look(uint64_t now_ns);
/* The search of the phase starts over, with online.phase, with these costs of the run so far. */
void agent_turns_phase(double program_ns, double tool_ns, double ends_ns);
/* An agent has the search of the phase. */
bool agent_turns_are_on(void);

/* As engine_account and engine_charge, for the agent as well. */
void agent_turns_account(const struct engine_cost *cost);
void agent_turns_charge(double tool_ns);
/*
 * An execution ended, with all of its values. False: no agent searches, or it is gone: the caller
 * does. *over_out: an experiment is over, as engine_execution_done returns it.
 */
bool agent_turns_execution(const struct engine_cost *cost, bool *over_out);
/* After agent_turns_are_on. Requests of the experiment, valid until the next turn. */
size_t agent_turns_requests(const struct ms_request **out);
/* True once after an agent is gone: the requests in force are its own. */
bool agent_turns_were_lost(void);

/* Before the last values; and when the record is complete, or abandoned. */
void agent_turns_last(void);
void agent_turns_end(void);
/* In a forked child. */
void agent_turns_forget(void);

#endif
