/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_OUTPUT_FILE_H
#define MEMSEARCH_CMDS_OUTPUT_FILE_H

/*
 * Files that the user names for results other than records and stores. A file there is replaced if
 * it is one of the same kind that memsearch wrote, which the first bytes tell; anything else is
 * left as it is. It is replaced at once when all is written: a full disk leaves what was there.
 */
struct text;

/*
 * `begin`: what all files of the kind begin with; `kind`: its name for the user: "picture".
 * COMMAND_OK, or COMMAND_BAD_DATA after a message.
 */
int output_file_write(const char *path, const struct text *text, const char *begin,
		      const char *kind);

#endif
