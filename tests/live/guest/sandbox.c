/* SPDX-License-Identifier: Apache-2.0 */
/* Does: refused */
/* Guest: forbids itself to open files, to map code and to count events (seccomp, EPERM) after its first steps, as sandboxes do. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "guest.h"

int main(void)
{
#define REFUSE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_openat), REFUSE(SYS_open), REFUSE(SYS_perf_event_open), REFUSE(SYS_memfd_create), REFUSE(SYS_mprotect),
		REFUSE(SYS_readlink), REFUSE(SYS_ioctl), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof rows / sizeof *rows, rows };
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == 10 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)))
			return 77;
		if (step > 10)
			sum += open("/dev/null", O_RDONLY) < 0 && errno == EPERM;
	}
	return guest_end(sum);
}
