/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_LAUNCH_RUNTIME_H
#define MEMSEARCH_CMDS_LAUNCH_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/cmds/environment.h"
#include "analysis/cmds/launch_elf.h"

/*
 * Which OpenMP runtime a program will load, and what is done about GNU's libgomp, which has no
 * tools interface: it stays, and libmemsearch-gomp.so is preloaded, which produces its events; or
 * LLVM's libomp, which answers libgomp's functions too, takes its place. It is slipped in as a link
 * named libgomp.so.1 in a folder that LD_LIBRARY_PATH names first or, where a DT_RPATH in the
 * program beats that, by LD_PRELOAD. The program's children keep that folder's name, also after the
 * run: it is there to stay, and no other user can change it.
 */
enum launch_swap {
	LAUNCH_SWAP_NOT_NEEDED,
	/* none: the program keeps libgomp, with libmemsearch-gomp.so */
	LAUNCH_SWAP_KEPT,
	LAUNCH_SWAP_LINK,
	LAUNCH_SWAP_PRELOAD,
	LAUNCH_SWAP_NO_LIBOMP, /* there is none on this machine */
	/*
	 * no folder for the link: the installation's leads to another libomp, and the user has none
	 */
	LAUNCH_SWAP_NO_FOLDER,
	/* it would end the program, at its start or later: libomp lacks what the program names */
	LAUNCH_SWAP_REFUSED,
};

struct launch_runtime {
	/* paths the loader chose; NULL: not loaded at start */
	const char *libomp, *libgomp, *libiomp;
	/* a function or version libomp lacks and the program names; NULL: none */
	const char *first_missing;
	size_t nr_missing;
	/* libgomp answers its own functions, which the others define, too */
	bool libgomp_first;
	enum launch_swap swap;
};

/*
 * What the loader loads at start for `file` in that environment: asks the loader itself, which
 * prints it instead of running the program. False: it could not be asked.
 */
bool launch_runtime_list(struct arena *arena, const struct launch_file *file,
			 const struct environment *environment, struct launch_runtime *runtime_out);
/*
 * The same, with the functions that are missing, for which the loader looks up all symbols: 0.2 s in
 * programs of 250 libraries. `rpath` false: as if the program had no DT_RPATH.
 */
bool launch_runtime_look(struct arena *arena, const struct launch_file *file,
			 const struct environment *environment, bool rpath,
			 struct launch_runtime *runtime_out);
typedef bool launch_runtime_looker(struct arena *arena, const struct launch_file *file,
				   const struct environment *environment, bool rpath,
				   struct launch_runtime *runtime_out);
/* Whether it is the loader of this very program; NULL is none's. */
bool launch_runtime_is_own_loader(struct arena *arena, const char *loader);
/* Whether both paths lead to one file, which is there; NULL leads to none. */
bool launch_runtime_same_file(const char *a, const char *b);
/* The answer in the loader's words: what ldd -r prints. */
void launch_runtime_read(struct arena *arena, const char *answer,
			 struct launch_runtime *runtime_out);

/*
 * A libomp of this machine, or NULL: of LD_LIBRARY_PATH, of the installation's link, the newest of
 * LLVM's own folders, of the loader's cache.
 */
const char *launch_runtime_find(struct arena *arena, const struct environment *environment,
				const char *installed);
/* Of LLVM, by the folder it is in ("llvm-19"), links followed; 0: that does not tell. */
long launch_runtime_version(const char *libomp);

#define LAUNCH_RUNTIME_LINK "libgomp.so.1"

/* Whether `path` can stand in LD_PRELOAD, which is split at blanks and colons. */
bool launch_runtime_can_preload(const char *path);
/*
 * True: the program keeps its runtimes; with swap LAUNCH_SWAP_KEPT, `producer`
 * (libmemsearch-gomp.so; NULL: there is none) is to be preloaded.
 */
bool launch_runtime_keep(struct arena *arena, const struct launch_file *file, const char *producer,
			 struct launch_runtime *runtime);

/*
 * Changes `environment` so that libomp takes libgomp's place, if need be. `installed`: the
 * installation's folder with the link, or NULL; where another libomp is wanted, the link is made in
 * a folder of the user's cache. `look`: launch_runtime_look, or a test's substitute. `runtime`:
 * what that said of the file, and then what was done.
 */
void launch_runtime_swap(struct arena *arena, const struct launch_file *file, const char *installed,
			 launch_runtime_looker *look, struct environment *environment,
			 struct launch_runtime *runtime);

#endif
