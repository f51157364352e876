/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a command to which the kernel refuses perf_event_open with EACCES, as Debian does for unprivileged users, or which it kills
 * for it (-DKILLS); or another call, with another error (-DCALL=SYS_move_pages -DERROR=EPERM).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CALL
#define CALL SYS_perf_event_open
#define ERROR EACCES
#endif
#ifdef KILLS
#define ANSWER SECCOMP_RET_KILL_PROCESS
#else
#define ANSWER (SECCOMP_RET_ERRNO | ERROR)
#endif

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, ANSWER),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
