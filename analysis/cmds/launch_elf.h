/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LAUNCH_ELF_H
#define MEMSEARCH_CMDS_LAUNCH_ELF_H

#include <stdbool.h>

/*
 * What the file that a user wants to run is, as far as it decides whether the tool can
 * attach. Reads headers and symbol names only, trusts none of them, runs nothing.
 */
struct arena;

struct launch_file {
	const char *path;            /* found as execvp would; NULL: not found */
	int error;                   /* errno why it cannot be run; 0: it seems that it can */
	const char *interpreter;     /* of a script ("#!"), without its arguments; NULL: not a script */
	bool elf;
	bool foreign;                /* of another processor or word size than this program */
	bool is_static;              /* nothing is loaded into it at start, and nothing can be later */
	bool set_id;                 /* runs as another user or group: the loader ignores much of the environment */
	bool bind_now;               /* all its symbols must be there at start */
	bool contains_libomp;        /* LLVM's or GNU's OpenMP runtime is linked into it */
	bool contains_libgomp;
	const char *loader;          /* PT_INTERP; NULL: none */
};

void launch_examine(struct arena *arena, const char *program, struct launch_file *file_out);

#endif
