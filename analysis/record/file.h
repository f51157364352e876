/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_FILE_H
#define MEMSEARCH_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memsearch/status.h"

/*
 * The file of a record inside the user's program: chooses its path, and writes it without harm to
 * the program or to files that are not ours. The program may close our descriptor and get its
 * number for a file of its own; it may reach its own limit of file size, where the next byte would
 * be a deadly SIGXFSZ. Not here: what is written.
 */
struct arena;

struct record_file {
	struct arena *arena;
	/*
	 * -1: closed, or open only while it is written: no number is free that the program would
	 * not miss
	 */
	int fd;
	const char *path; /* absolute where the working folder is known */
	dev_t device;
	ino_t inode;
	uint64_t bytes; /* written so far: whole entries */
	/* one line has been logged; nothing will be written any more */
	bool failed;
};

/*
 * Creates `path` and writes `header`. Taken names get -2, -3 … before their ending; where the
 * folder cannot be written, $TMPDIR, then /tmp, with one line. `replace`: the user named this file:
 * an old record there is overwritten unless a live process writes it, anything else is refused.
 */
enum ms_status record_file_create(struct record_file *file, struct arena *arena, const char *path,
				  bool replace, const void *header, size_t header_bytes);

/*
 * Whether a record could be written to `path`, which the user named: 0, or errno why not; EEXIST:
 * what is there is no record. Nothing is changed. For `memsearch run`, before the program starts.
 */
int record_file_try(const char *path);

/*
 * Appends whole entries, in one write unless the system cuts it. On failure the file is cut back
 * to the last whole entry, one line is logged, and this and all later calls give MS_ERR_IO.
 */
enum ms_status record_file_append(struct record_file *file, const uint8_t *entries, size_t nr);
void record_file_close(struct record_file *file);

/* True if the process that wrote this header lives on this host and the file has no end mark. */
bool record_file_in_use(int fd, const uint8_t *header);
uint32_t record_host_number(void);

#endif
