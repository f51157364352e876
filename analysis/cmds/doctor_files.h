/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_DOCTOR_FILES_H
#define MEMSEARCH_CMDS_DOCTOR_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Small text files of /proc and /sys below a root folder ("": the real ones). Paths begin with a
 * slash.
 */
struct arena;

struct doctor_files {
	struct arena *arena;
	const char *root;
};

/* The first 64 KiB of a file without the newline at its end; NULL: it cannot be read. */
const char *doctor_files_text(const struct doctor_files *files, const char *path);
bool doctor_files_exist(const struct doctor_files *files, const char *path);
/* The number that a file begins with, or `otherwise`. */
long doctor_files_number(const struct doctor_files *files, const char *path, long otherwise);
/* Names in a folder, sorted; their number. */
size_t doctor_files_names(const struct doctor_files *files, const char *path,
			  const char ***names_out);

#endif
