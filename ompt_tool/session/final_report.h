/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_FINAL_REPORT_H
#define MEMSEARCH_SESSION_FINAL_REPORT_H

/*
 * The findings on stderr, after the record was closed; `memsearch run` prints them itself. An agent
 * reads the record from now on, and prints its own.
 */

/* `cut_short`: as for online_finish. */
void final_report(const char *cut_short);

#endif
