/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_CHANNEL_H
#define MEMSEARCH_BASE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What `memsearch run` and the tool in its programs write to each other: two files in memory
 * (memfd_create), held by the launcher and gone with it. One variable names them:
 *     MEMSEARCH__RUN=PROCESS.ATTACHED.STATE.TOKEN      the launcher's process, its two descriptors,
 *                                                      32 random hexadecimal digits
 * The tool opens /proc/PROCESS/fd/DESCRIPTOR, if that is the file in memory with the token in its
 * name. So a stale or hostile value leads to no file that has a name, and a program that outlives
 * the launcher, or runs in another container or on another host, reaches nothing.
 *
 *     attached  a line a program: the name of its record; empty: it has none; CHANNEL_FAILED: the
 *               tool could not start and has said why.
 *               Programs of a script, and those that one process becomes by exec, add a line each
 *     state     entries: what a program that is run again starts from, see restart.c; and of the
 *               launcher, for any program, earlier verdicts. STATE is -1 where there is neither
 *
 * Needs libc only, as the loader uses it. No malloc. Any thread.
 */
#define CHANNEL_VARIABLE "MEMSEARCH__RUN"
#define CHANNEL_FAILED "-"
#define CHANNEL_TOKEN_DIGITS 32
#define CHANNEL_TEXT_BYTES 96

/* In the file of states, followed by the text. The last one of a program counts. */
#define CHANNEL_ENTRY_MARK UINT64_C(0x6574617473534d01) /* "\1MSstate" */
struct channel_entry {
	uint64_t mark;
	uint64_t program; /* hash of its path; 0: of the launcher */
	uint64_t bytes;
};

enum channel_file { CHANNEL_ATTACHED, CHANNEL_STATE, CHANNEL_FILES };

struct channel {
	int process;
	int files[CHANNEL_FILES]; /* the launcher's descriptors */
	char token[CHANNEL_TOKEN_DIGITS + 1];
};

/* The launcher's side. False: errno; nothing is left open. */
bool channel_make(struct channel *channel, bool with_state);
void channel_close(struct channel *channel);
void channel_text(const struct channel *channel, char text[CHANNEL_TEXT_BYTES]);

/* False: not a text of channel_text. */
bool channel_parse(const char *text, struct channel *channel_out);

/* The tool's side. Whether a launcher is named in the environment. */
bool channel_is_named(void);
/* The launcher's process; 0: none is named. */
int channel_process(void);
/*
 * A descriptor that reads, and writes at the end; -1: errno, ENOENT where no launcher is named, or
 * it wants no such file. The caller closes it.
 */
int channel_open(enum channel_file which);
/*
 * In one write. False: errno; EFBIG where the program's own limit of file size does not allow it.
 */
bool channel_append(int fd, const void *bytes, size_t nr);

#endif
