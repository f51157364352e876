/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_MACHINE_FILE_H
#define MEMSEARCH_CMDS_MACHINE_FILE_H

/* A model as a machine file (properties/machines/README.md), which reads as the same model. */
struct model_file;
struct text;

void machine_file_print(struct text *out, const struct model_file *file);

#endif
