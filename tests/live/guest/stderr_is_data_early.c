/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has its data in the file that is descriptor 2 from before its first region. With the variable alone memsearch cannot know that this is not its stderr. */
/* Not: bare bare_record */
#define EARLY 1
#include "stderr_is_data.c"
