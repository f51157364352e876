/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_IMAGES_H
#define MEMSEARCH_CMDS_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/record/run.h"

/*
 * The programs of one `memsearch run` into which the tool got: mostly one, several where a script
 * starts them or where one becomes the next by exec. They announce themselves in a file in memory,
 * see analysis/base/channel.h.
 */
struct arena;

struct images {
	bool attached; /* at least one was measured */
	bool failed;   /* in one the tool could not start; it has said why */
	/* of those whose record can be read, in order of their start */
	struct run *runs;
	size_t nr, room;
	const char **records; /* of each run, the path of its record */
	size_t nr_records, room_records;
	/* they printed their findings themselves, as far as they ended well */
	bool printed;
};

/*
 * `attached`: the descriptor of that file. A record that cannot be read is named in one line and
 * left out.
 */
void images_read(struct images *images, struct arena *arena, int attached);

/*
 * The record of a program that could not announce itself, as it ran as another user or in a user
 * namespace: `named`, or, NULL, the file in `folder` with a default name; it was written by
 * `process`, and not before `since_ns` (CLOCK_REALTIME): numbers of processes come again.
 */
void images_find(struct images *images, struct arena *arena, const char *named, const char *folder,
		 int process, uint64_t since_ns);

/* A line for the user about a record without an end. */
const char *images_why_incomplete(struct arena *arena, const struct images *images, size_t which);

#endif
