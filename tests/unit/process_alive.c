/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/base/process_alive.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

TEST(process_alive__itself_and_its_parent)
{
	CHECK(process_is_alive(getpid()));
	CHECK(process_is_alive(getppid()));
	CHECK(process_is_alive(1));
}

TEST(process_alive__a_zombie_has_ended)
{
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	CHECK_INT(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	CHECK(!process_is_alive(child));
	CHECK_INT(waitpid(child, NULL, 0), child);
	CHECK(!process_is_alive(child));
}
