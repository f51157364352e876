/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_OUTLINED_H
#define MEMSEARCH_OUTLINED_H

/*
 * The one thing that libmemsearch-gomp.so tells beyond OMPT, as gcc's static loops have no events: within parallel_begin, the function that libgomp will call
 * on each thread of the team; NULL otherwise. Looked up by this name; a runtime that has no such function reports static loops itself.
 */
typedef const void *gomp_get_outlined(void);
#define GOMP_GET_OUTLINED "memsearch_get_outlined"

#endif
