/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LAUNCH_ELF_H
#define MEMSEARCH_CMDS_LAUNCH_ELF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the file that a user wants to run is, as far as it decides whether the tool can
 * attach. Reads headers and symbol names only, trusts none of them, runs nothing.
 */
struct arena;

struct launch_file {
	const char *path; /* found as execvp would; NULL: not found */
	int error;        /* errno why it cannot be run; 0: it seems that it can */
	/* of a script ("#!"), without its arguments; NULL: not a script */
	const char *interpreter;
	bool elf;
	bool foreign; /* of another processor or word size than this program */
	/* nothing is loaded into it at start, and nothing can be later */
	bool is_static;
	/* runs as another user or group: the loader ignores much of the environment */
	bool set_id;
	bool contains_libomp; /* LLVM's or GNU's OpenMP runtime is linked into it */
	bool contains_libgomp;
	const char *loader; /* PT_INTERP; NULL: none */

	const char *machine; /* "x86-64", "aarch64" … of an ELF file */
	/* its headers speak of bytes that are not there: cut off, or no ELF file after all */
	bool damaged;
	/*
	 * the file gives capabilities, as setuid does: the loader ignores much of the environment
	 */
	bool capabilities;
	/* an OpenMP runtime with the tools interface (OMPT) is in it */
	bool has_tools;
	/* defines __kmpc_dispatch_deinit, which libomp has since LLVM 19 */
	bool has_dispatch_deinit;
	/*
	 * a function of libgomp that it calls and at which libomp may end the program; NULL: none
	 */
	const char *unlike_libomp;
	bool flang; /* flang's Fortran library is in it, or asked for by it */
	/* DT_RPATH, which beats LD_LIBRARY_PATH, and DT_RUNPATH, which does not; NULL: none */
	const char *rpath, *runpath;
	const char **needed; /* DT_NEEDED: file names */
	size_t nr_needed, room_needed;
};

/* Finds `program` and, if it can be run, reads it. */
void launch_examine(struct arena *arena, const char *program, struct launch_file *file_out);
/*
 * Only reads: any file, also one that cannot be run. False: it cannot be opened or is no file;
 * errno is set.
 */
bool launch_read(struct arena *arena, const char *path, struct launch_file *file_out);
/*
 * It would complain of a preloaded library, or not start; what else refuses one just does not load
 * it.
 */
bool launch_is_harmed_by_preload(const struct launch_file *file);
bool launch_refuses_preload(const struct launch_file *file);

#endif
