/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_TRANSFER_H
#define MEMSEARCH_BASE_TRANSFER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * read(2), write(2), pread(2) and pwrite(2) of all bytes: continue after a part, repeat after
 * EINTR. They return the bytes transferred; fewer than `nr`: errno, which is 0 at the end of the
 * file. Writing sends no signal (quiet_write.h). No malloc, no stdio: also inside programs and in
 * libmemsearch.so.
 */
size_t transfer_read(int fd, void *bytes, size_t nr);
size_t transfer_pread(int fd, void *bytes, size_t nr, off_t at);
size_t transfer_write(int fd, const void *bytes, size_t nr);
size_t transfer_pwrite(int fd, const void *bytes, size_t nr, off_t at);

#endif
