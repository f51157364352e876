/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LAUNCH_RUNTIME_H
#define MEMSEARCH_CMDS_LAUNCH_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/cmds/environment.h"
#include "analysis/cmds/launch_elf.h"

/*
 * Which OpenMP runtime a program will load, and putting LLVM's in the place of GNU's. GNU's
 * libgomp has no tools interface; LLVM's libomp has, and answers libgomp's functions too. It is
 * slipped in as a link named libgomp.so.1 in a folder that LD_LIBRARY_PATH names first or, where
 * a DT_RPATH in the program beats that, by LD_PRELOAD. The program's children keep that folder's name,
 * also after the run: it is there to stay, and no other user can change it.
 */
enum launch_swap {
	LAUNCH_SWAP_NOT_NEEDED,
	LAUNCH_SWAP_NOT_WANTED,      /* the program keeps libgomp; libmemsearch-gomp.so produces its events */
	LAUNCH_SWAP_LINK,
	LAUNCH_SWAP_PRELOAD,
	LAUNCH_SWAP_NO_LIBOMP,       /* there is none on this machine */
	LAUNCH_SWAP_NO_FOLDER,       /* no folder for the link: the installation's leads to another libomp, and the user has none */
	LAUNCH_SWAP_REFUSED,         /* it would end the program, at its start or later: libomp lacks what the program names */
};

struct launch_runtime {
	const char *libomp, *libgomp, *libiomp;      /* paths the loader chose; NULL: not loaded at start */
	const char *first_missing;           /* a function or version libomp lacks and the program names; NULL: none */
	size_t nr_missing;
	enum launch_swap swap;
};

/*
 * What the loader loads at start for `file` in that environment: asks the loader itself, which prints
 * it instead of running the program. `rpath` false: as if the program had no DT_RPATH. False: it could
 * not be asked.
 */
bool launch_runtime_look(struct arena *arena, const struct launch_file *file, const struct environment *environment,
			 bool rpath, struct launch_runtime *runtime_out);
typedef bool launch_runtime_looker(struct arena *arena, const struct launch_file *file, const struct environment *environment,
				   bool rpath, struct launch_runtime *runtime_out);
/* Whether it is the loader of this very program; NULL is none's. */
bool launch_runtime_is_own_loader(struct arena *arena, const char *loader);
/* Whether both paths lead to one file, which is there; NULL leads to none. */
bool launch_runtime_same_file(const char *a, const char *b);
/* The answer in the loader's words: what ldd -r prints. */
void launch_runtime_read(struct arena *arena, const char *answer, struct launch_runtime *runtime_out);

/* A libomp of this machine, or NULL: of LD_LIBRARY_PATH, of the installation's link, the newest of LLVM's own folders, of the loader's cache. */
const char *launch_runtime_find(struct arena *arena, const struct environment *environment, const char *installed);
/* Of LLVM, by the folder it is in ("llvm-19"), links followed; 0: that does not tell. */
long launch_runtime_version(const char *libomp);

#define LAUNCH_RUNTIME_LINK "libgomp.so.1"

/*
 * Changes `environment` so that libomp takes libgomp's place, if need be. `installed`: the installation's folder with the link, or NULL; where
 * another libomp is wanted, the link is made in a folder of the user's cache. `look`: launch_runtime_look, or a test's
 * stand-in. `runtime`: what that said of the file, and then what was done.
 */
void launch_runtime_swap(struct arena *arena, const struct launch_file *file, const char *installed, launch_runtime_looker *look,
			 struct environment *environment, struct launch_runtime *runtime);

#endif
