/* SPDX-License-Identifier: Apache-2.0 */
/* Not: bare bare_record */
/* Guest: its folder is removed while it is in it. With the variable alone the record is in it, which keeps it. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	char where[4096];

	mkdir("gone", 0755);
	if (chdir("gone"))
		return 1;
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == 3)
			rmdir("../gone");
	}
	return guest_end(getcwd(where, sizeof where) ? 0 : errno);
}
