/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_FILE_H
#define MEMSEARCH_BASE_OWN_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * How memsearch opens what it writes: a file that was not there, or a regular file whose content
 * the caller checks to be its own before it changes anything. Never through a symbolic link as the
 * last component, never waiting for a pipe. The caller closes the descriptor. No stdio, no malloc:
 * also inside programs.
 */
/* -1: errno, EEXIST where there is anything */
int own_file_create(const char *path, mode_t mode);
/* reads and writes. -1: errno; ELOOP: a symbolic link, EISDIR, EINVAL: no regular file */
int own_file_open(const char *path);

/* Removes `path` where it still is the file of the descriptor. errno is kept. */
void own_file_remove(const char *path, int fd);

#endif
