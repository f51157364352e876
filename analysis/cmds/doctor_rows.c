/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `memsearch doctor`, and those that follow from the list of set-ups. */
#include "analysis/cmds/doctor.h"

#include "analysis/base/arena.h"
#include "analysis/cmds/setups.h"

void doctor_add(struct doctor *doctor, const struct doctor_row *row)
{
	if (ARENA_GROW(doctor->arena, doctor->rows, doctor->nr, doctor->room))
		doctor->rows[doctor->nr++] = *row;
}

void doctor_add_fact(struct doctor *doctor, enum doctor_topic topic, const char *name,
		     const char *text)
{
	if (text)
		doctor_add(doctor,
			   &(struct doctor_row){ .topic = topic, .name = name, .text = text });
}

/* What `memsearch run` can do counts. */
static enum doctor_state state_of(const struct setup *setup)
{
	static const enum doctor_state of_verdicts[] = {
		[SETUP_YES] = DOCTOR_WORKS,
		[SETUP_LIMITED] = DOCTOR_LIMITED,
		[SETUP_UNTESTED] = DOCTOR_UNKNOWN,
		[SETUP_NO] = DOCTOR_FAILS,
	};

	return of_verdicts[setup->run];
}

void doctor_add_setups(struct doctor *doctor, const struct setup_case *about, const char *program,
		       const char *libomp)
{
	for (size_t i = 0; i < nr_setups; i++) {
		const struct setup *setup = &setups[i];

		if (!setup->applies || !setup->applies(about))
			continue;
		doctor_add(doctor,
			   &(struct doctor_row){
				   .topic = DOCTOR_SETUP,
				   .state = state_of(setup),
				   .name = setup->name,
				   .text = setup->why,
				   .command = setup->command
						      ? setup_command(doctor->arena, setup->command,
								      program, libomp)
						      : NULL,
				   .advice = setup->advice,
			   });
	}
}
