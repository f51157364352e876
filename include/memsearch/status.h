/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_STATUS_H
#define MEMSEARCH_STATUS_H

/*
 * The one result type of every function that can fail. It is not a message:
 * the function that first knows the cause logs it, its callers return it.
 *
 * To add a status: 1. a row here. Nothing else; names and texts come from it.
 */
/* clang-format off */
#define MS_STATUS_LIST(X) \
	X(MS_OK, 0, "done") \
	X(MS_ERR_MEMORY, -1, "out of memory") \
	X(MS_ERR_IO, -2, "input or output failed")          /* a system call failed; errno is set */ \
	X(MS_ERR_NOT_FOUND, -3, "not found") \
	X(MS_ERR_FORMAT, -4, "malformed data")              /* not what the format says, or cut off */ \
	X(MS_ERR_VERSION, -5, "made by another version") \
	X(MS_ERR_PERMISSION, -6, "not permitted") \
	X(MS_ERR_UNSUPPORTED, -7, "not supported here")     /* by this machine, kernel, runtime or build */ \
	X(MS_ERR_INVALID, -8, "invalid argument") \
	X(MS_ERR_FULL, -9, "no room left")                  /* a bounded table is full; the caller counts it as dropped */
/* clang-format on */

enum ms_status {
#define X(name, value, text) name = value,
	MS_STATUS_LIST(X)
#undef X
};

/* Constant text of a status, lower case, no full stop. Any thread, callbacks included. */
static inline const char *ms_status_text(enum ms_status status)
{
	switch (status) {
#define X(name, value, text) \
	case name: return text;
		MS_STATUS_LIST(X)
#undef X
	}
	return "unknown status";
}

#endif
