/* SPDX-License-Identifier: Apache-2.0 */
/* Does: refused */
/* Guest: forbids itself to open files, to map code and to count events (seccomp, EPERM) after its first steps, as sandboxes do. */
#include <errno.h>
#include <fcntl.h>
#include "filter.h"
#include "guest.h"

static const int calls[] = {
	SYS_openat, SYS_open, SYS_perf_event_open, SYS_memfd_create, SYS_mprotect, SYS_readlink, SYS_ioctl,
};

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == 10 && GUEST_FILTER(prctl, calls, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW))
			return 77;
		if (step > 10)
			sum += open("/dev/null", O_RDONLY) < 0 && errno == EPERM;
	}
	return guest_end(sum);
}
